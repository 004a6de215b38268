"""What a program has to do in one call: the work of its kernels (kernel_work.py), added up over their calls.

Read by JAX's `compiled.cost_analysis()`. As XLA counts: the body of a loop once, of a branch the most of each number that a side has, and of what only
the run decides (a sort, a custom call) the bytes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.lowering.finding import callee_of
from hlo.lowering.kernel_calls import functions_of
from hlo.lowering.memory.kernel_work import work_of
from hlo.lowering.memory.storage import byte_size


@dataclass(frozen=True)
class ProgramWork:
    """`operations`, `transcendentals`: of scalars, at least. `read`, `written`: bytes."""

    operations: int = 0
    transcendentals: int = 0
    read: int = 0
    written: int = 0

    def __add__(self, other: ProgramWork) -> ProgramWork:
        return ProgramWork(*(a + b for a, b in zip(self.counts, other.counts)))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        return self.operations, self.transcendentals, self.read, self.written


def program_work(module: ir.Module, entry: str) -> ProgramWork:
    """Of a module whose kernels are functions on tensors, before emit-kernels."""
    functions = functions_of(module)
    return _of_blocks(functions[entry].regions[0].blocks, functions)


def _of_blocks(blocks: Iterable[Any], functions: Mapping[str, Any]) -> ProgramWork:
    return sum((_of_op(op, functions) for block in blocks for op in block.operations), ProgramWork())


def _of_op(op: Any, functions: Mapping[str, Any]) -> ProgramWork:
    if op.operation.name == "func.call":
        return _of_call(op, functions)
    regions = [_of_blocks(region.blocks, functions) for region in op.regions]
    if op.operation.name in ("scf.if", "scf.index_switch"):
        return ProgramWork(*(max(column) for column in zip(*(one.counts for one in regions))))
    return sum(regions, ProgramWork())


def _of_call(call: Any, functions: Mapping[str, Any]) -> ProgramWork:
    callee = functions[callee_of(call)]
    if "hlo.kernel" in callee.attributes:
        work = work_of(callee, functions)
        return ProgramWork(work.operations or 0, work.transcendentals or 0, work.read, work.written)
    if len(callee.regions[0].blocks):
        return _of_blocks(callee.regions[0].blocks, functions)
    return ProgramWork(0, 0, sum(map(byte_size, callee.type.inputs)), sum(map(byte_size, callee.type.results)))
