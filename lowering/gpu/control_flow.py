"""Branches, loops and comparisons of kernels' code, written at the insertion point.

with where(is_below(row, m)):                     scf.if (row < m) {
    with each(thread, count, threads) as item:      scf.for %item = %thread to %count step %threads { ... } }"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from mlir import ir
from mlir.dialects import arith, scf
from mlir.dialects import complex as complex_dialect

Index: TypeAlias = ir.Value | int


def index_constant(value: int) -> ir.Value:
    return arith.constant(ir.IndexType.get(), value)


def i32_attribute(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value)


def zero_of(kind: ir.Type) -> ir.Value:
    """0 of an integer, float or complex type."""
    if isinstance(kind, ir.ComplexType):
        zero = zero_of(kind.element_type)
        return complex_dialect.CreateOp(kind, zero, zero).result
    zero = ir.FloatAttr.get(kind, 0.0) if isinstance(kind, ir.FloatType) else ir.IntegerAttr.get(kind, 0)
    return arith.ConstantOp(kind, zero).result


def plus(index: ir.Value, number: int) -> ir.Value:
    return arith.addi(index, index_constant(number)) if number else index


def identity(name: str) -> ir.Value:
    """gpu.thread_id, gpu.block_id, gpu.global_id along x."""
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create(name, results=[ir.IndexType.get()], attributes=dimension).results[0]


def all_of(checks: Sequence[ir.Value]) -> ir.Value:
    condition = checks[0]
    for check in checks[1:]:
        condition = arith.andi(condition, check)
    return condition


def is_below(index: ir.Value, size: Index) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ult, index, *_bounds(size))


def equals(index: ir.Value, number: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.eq, index, index_constant(number))


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
    loop = scf.ForOp(*_bounds(start, stop, step))
    with ir.InsertionPoint(loop.body):
        yield loop.induction_variable
        scf.YieldOp([])


def carried(
    start: Index,
    stop: Index,
    step: Index,
    values: Sequence[ir.Value],
    body: Callable[[ir.Value, list[ir.Value]], Sequence[ir.Value]],
) -> list[ir.Value]:
    """What a loop leaves that begins with `values`. `body`: of the index and what the values are, those of the next iteration."""
    loop = scf.ForOp(*_bounds(start, stop, step), list(values))
    with ir.InsertionPoint(loop.body):
        scf.YieldOp(list(body(loop.induction_variable, list(loop.inner_iter_args))))
    return list(loop.results)


def _bounds(*bounds: Index) -> list[ir.Value]:
    return [index_constant(one) if isinstance(one, int) else one for one in bounds]
