"""Elementwise ops over the same elements as one launch: a thread does all of them for its elements, so that what several of
them read comes from memory once, and what one of them writes is at hand for the next.

Before:  linalg.generic (%m, %g) -> %m1    linalg.generic (%v, %g) -> %v1    linalg.generic (%w, %m1, %v1) -> %w1
After:   one gpu.func: a thread for 4 neighbours of %m1, of %v1, and of %w1"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import scf

from hlo.lowering.gpu.element import Values, index_constant
from hlo.lowering.gpu.grid import Grid, counted
from hlo.lowering.gpu.parallel import ParallelOp, global_thread, parallel_op
from hlo.lowering.gpu.rows import memory_of
from hlo.lowering.gpu.transposes import transposed_op

MOST_OPS = 8


@dataclass(frozen=True)
class Together:
    """A launch of several ops."""

    parts: list[ParallelOp]

    @property
    def ops(self) -> list[ir.Operation]:
        return [part.op for part in self.parts]

    @property
    def grid(self) -> Grid:
        return self.parts[0].grid

    @property
    def decision(self) -> str:
        return f"{counted(len(self.parts), 'op')}, {self.parts[0].decision}"

    def emit(self, values: Values) -> None:
        items = [part.item(values) for part in self.parts]
        loop = scf.ForOp(global_thread(), index_constant(self.parts[0].items), index_constant(self.grid.size))
        with ir.InsertionPoint(loop.body):
            for item in items:
                item(loop.induction_variable)
            scf.YieldOp([])


def together(work: Sequence[ir.Operation], begins: Callable[[Sequence[ir.Operation]], object]) -> Together | None:
    """The launch of the ops that `work` begins with, if those go through the same elements, up to what another kind of launch
    begins with; None for fewer than two."""
    found: list[ParallelOp] = []
    for number, op in enumerate(work[:MOST_OPS]):
        part = parallel_op(op) if transposed_op(op) is None else None
        if part is None or part.nest.reduction or not _reads(part) or not all(_fit(earlier, part) for earlier in found):
            break
        if number and begins(work[number:]):
            break
        found.append(part)
    return Together(found) if len(found) > 1 else None


def _fit(first: ParallelOp, second: ParallelOp) -> bool:
    """Threads have the same places in both, and what one of them writes is nowhere else in the other."""
    if (first.width, first.is_flat) != (second.width, second.is_flat) or first.items != second.items:
        return False
    if not first.is_flat and first.nest.sizes != second.nest.sizes:
        return False
    return _at_place(first, second) and _at_place(second, first)


def _at_place(writer: ParallelOp, other: ParallelOp) -> bool:
    """Whether the other op uses what one writes only at the place where a thread has written it."""
    for value, one in list(zip(writer.op.operands, writer.nest.maps))[writer.nest.inputs :]:
        for used, another in zip(other.op.operands, other.nest.maps):
            is_same = isinstance(used.type, ir.MemRefType) and memory_of(used) == memory_of(value)
            if is_same and (used != value or one != another or not one.is_permutation):
                return False
    return True


def _reads(part: ParallelOp) -> bool:
    """It is no fill, which is part of what comes behind it."""
    return any(isinstance(v.type, ir.MemRefType) for v in list(part.op.operands)[: part.nest.inputs])
