"""Elementwise ops and plain reductions as launches: a thread an element of the op's parallel dimensions, or 16 bytes of neighbours.

Before:  linalg.generic {maps, ["parallel", "reduction"]} ins(%a : memref<8x4xf32>) outs(%r : memref<8xf32>) { f }
After:   %t = gpu.global_id x
         scf.for %i = %t to %c8 step %threads {
           %0 = memref.load %r[%i]
           %1 = scf.for %k = %c0 to %c4 step %c1 iter_args(%x = %0) { %2 = memref.load %a[%i, %k]; yield f(%2, %x) }
           memref.store %1, %r[%i] }

Elementwise ops over the same elements are one launch: a thread does all of them for its elements, so that what several of them read
comes from memory once, and what one of them writes is at hand for the next.

Before:  linalg.generic (%m, %g) -> %m1    linalg.generic (%v, %g) -> %v1    linalg.generic (%w, %m1, %v1) -> %w1
After:   one gpu.func: a thread for 4 neighbours of %m1, of %v1, and of %w1"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.control_flow import each, identity
from hlo.lowering.gpu.element import (
    Element,
    Values,
    emit_neighbours,
    neighbours_width,
)
from hlo.lowering.gpu.grid import Grid, Launch, grid_for
from hlo.lowering.gpu.nest import NESTS, Nest, as_indexed, joined, nest_of, uses_index
from hlo.lowering.gpu.rows import memory_of
from hlo.lowering.gpu.transposes import transposed_op

MOST_OPS = 8
"""Of a launch."""


@dataclass(frozen=True)
class Part:
    """One op, `width` elements a thread. `space`: its `nest`, or one loop where that goes through all memory in its order."""

    op: ir.Operation
    nest: Nest
    space: Nest
    width: int

    def item(self, values: Values) -> Callable[[ir.Value], None]:
        """What writes the code of an item, by its number. `values` maps what the op uses to values of the gpu.func."""
        operands = [as_indexed(values.get(v, v), one) for v, one in zip(self.op.operands, self.space.maps)]
        return lambda number: self._item(Element(self.op, self.space, operands, values), number)

    def _item(self, element: Element, position: ir.Value) -> None:
        element.go_to(element.nest.parallel, position, self.width)
        emit_neighbours(element, self.width)

    @property
    def joins(self) -> bool:
        """Whether a launch may have it and others: it is no reduction, and no fill, which is part of what comes behind it."""
        reads = any(isinstance(v.type, ir.MemRefType) for v in list(self.op.operands)[: self.nest.inputs])
        return reads and not self.nest.reduction


@dataclass(frozen=True)
class ParallelOps(Launch):
    """A launch of one op, or of several over the same elements."""

    parts: list[Part]

    @property
    def ops(self) -> list[ir.Operation]:
        return [part.op for part in self.parts]

    @property
    def items(self) -> int:
        nest = self.parts[0].nest
        return max(1, nest.extent(nest.parallel) // self.parts[0].width)

    @property
    def grid(self) -> Grid:
        return grid_for(self.items)

    @property
    def decision(self) -> str:
        nest, width = self.parts[0].nest, self.parts[0].width
        several = f"{len(self.parts)} ops, " if len(self.parts) > 1 else ""
        what = f"{width} neighbours" if width > 1 else "an element"
        reduced = "x".join(str(nest.sizes[d]) for d in nest.reduction)
        size = "x".join(str(nest.sizes[d]) for d in nest.parallel) or "one element"
        return f"{several}a thread for {what} of {size}" + (f", {reduced} reduced in a loop" if reduced else "")

    def emit(self, values: Values) -> None:
        items = [part.item(values) for part in self.parts]
        with each(global_thread(), self.items, self.grid.size) as number:
            for item in items:
                item(number)


def parallel_ops(
    work: Sequence[ir.Operation], begins: Callable[[Sequence[ir.Operation]], object]
) -> ParallelOps | None:
    """The launch of the linalg.generic or memref.copy that `work` begins with, and of those behind it that go through the same elements, up
    to what another kind of launch begins with; None for other ops."""
    found = [first] if (first := _part(work[0])) is not None else []
    for number, op in enumerate(work[1:MOST_OPS], 1):
        part = _part(op) if found and found[0].joins and transposed_op(op) is None else None
        if part is None or not part.joins or not all(_fit(one, part) for one in found) or begins(work[number:]):
            break
        found.append(part)
    return ParallelOps(found) if found else None


def _part(op: ir.Operation) -> Part | None:
    if op.name not in NESTS:
        return None
    nest = nest_of(op)
    space = joined(nest, list(op.operands)) if not nest.reduction and not uses_index(op) else nest
    space = space if len(space.sizes) <= 1 else nest
    width = neighbours_width(Element(op, space, list(op.operands), {}), space.parallel) if _is_wide(space) else 1
    return Part(op, nest, space, width)


def _is_wide(nest: Nest) -> bool:
    return not nest.reduction and nest.extent(nest.parallel) > 0


def global_thread() -> ir.Value:
    """The number of this thread among all of the launch."""
    return identity("gpu.global_id")


def _fit(first: Part, second: Part) -> bool:
    """Threads have the same indices in both, and what one of them writes is nowhere else in the other."""
    if (first.width, first.space.sizes) != (second.width, second.space.sizes):
        return False
    return _at_same_index(first, second) and _at_same_index(second, first)


def _at_same_index(writer: Part, other: Part) -> bool:
    """Whether the other op uses what one writes only at the index where a thread has written it."""
    for value, one in list(zip(writer.op.operands, writer.nest.maps))[writer.nest.inputs :]:
        for used, another in zip(other.op.operands, other.nest.maps):
            is_same = isinstance(used.type, ir.MemRefType) and memory_of(used) == memory_of(value)
            if is_same and (used != value or one != another or not one.is_permutation):
                return False
    return True
