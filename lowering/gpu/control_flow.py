"""Branches and loops of kernels' code, written at the insertion point as Python's blocks; loops that carry values are in `linalg/loops.py`.

with where(within(row, m)):                       scf.if (row < m) {
    with each(thread, count, threads) as item:      scf.for %item = %thread to %count step %threads { ... } }"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.linalg.loops import Index, all_of, index


def i32_attribute(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def identity(name: str) -> ir.Value:
    """gpu.thread_id, gpu.block_id, gpu.global_id along x."""
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create(name, results=[ir.IndexType.get()], attributes=dimension).results[0]


def equals(value: ir.Value, number: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, value, index(number))


@contextmanager
def where(*checks: ir.Value) -> Iterator[None]:
    """What is written inside is done where all checks hold: always if there are none."""
    if not checks:
        yield
        return
    with ir.InsertionPoint(scf.IfOp(all_of(checks)).then_block):
        yield
        scf.YieldOp([])


@contextmanager
def each(start: Index, stop: Index, step: Index = 1) -> Iterator[ir.Value]:
    """A loop that carries nothing; its index."""
    loop = scf.ForOp(index(start), index(stop), index(step))
    with ir.InsertionPoint(loop.body):
        yield loop.induction_variable
        scf.YieldOp([])
