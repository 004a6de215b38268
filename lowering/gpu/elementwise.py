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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.accesses import NESTS, Nest, as_indexed, joined, nest_of, uses_index
from hlo.lowering.gpu.element import (
    Element,
    Values,
    access_width,
    computed_lanes,
    delinearized,
    emit_neighbours,
    load_several,
    neighbours_width,
    store_lanes,
    vectors_at,
)
from hlo.lowering.gpu.grid import MOST_BLOCKS, Grid, Launch, counted, grid_for
from hlo.lowering.gpu.rows import memory_of
from hlo.lowering.gpu.threads import each, identity, shared_array, where
from hlo.lowering.linalg.loops import add, index, within

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


def elementwise_launch(
    work: Sequence[ir.Operation], begins: Callable[[Sequence[ir.Operation]], object]
) -> Launch | None:
    """The launch of the linalg.generic or memref.copy that `work` begins with, and of those behind it that go through the same elements, up
    to what another kind of launch begins with; None for other ops."""
    transposed = transposed_op(work[0])
    if transposed is not None:
        return transposed.launch()
    parts = [first] if (first := _part(work[0])) is not None else []
    for number, op in enumerate(work[1:MOST_OPS], 1):
        part = _part(op) if parts and parts[0].joins and transposed_op(op) is None else None
        if part is None or not part.joins or not all(_fit(one, part) for one in parts) or begins(work[number:]):
            break
        parts.append(part)
    return _launch(parts) if parts else None


def _launch(parts: Sequence[Part]) -> Launch:
    nest, width = parts[0].nest, parts[0].width
    items = max(1, nest.extent(nest.parallel) // width)
    grid = grid_for(items)

    def emit(values: Values) -> None:
        writers = [part.item(values) for part in parts]
        with each(identity("gpu.global_id"), items, grid.size) as number:
            for item in writers:
                item(number)

    several = f"{len(parts)} ops, " if len(parts) > 1 else ""
    what = f"{width} neighbours" if width > 1 else "an element"
    reduced = "x".join(str(nest.sizes[d]) for d in nest.reduction)
    size = "x".join(str(nest.sizes[d]) for d in nest.parallel) or "one element"
    decision = f"{several}a thread for {what} of {size}" + (f", {reduced} reduced in a loop" if reduced else "")
    return Launch(grid, decision, emit, [part.op for part in parts])


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


# An op that reads an operand along one dimension and writes along another, through shared memory: both in the order of memory.
#
# Before:  linalg.generic {(i, j) -> (i, j), (i, j) -> (j, i)} ins(%x, %t) outs(%r) { f }
# After:   a gpu.func whose blocks take tiles of i x j: adjacent threads read adjacent elements of %t along i into shared memory;
#          barrier; adjacent threads compute and write adjacent elements of %r along j
#
# Rows in shared memory are one element longer than the tile, so that a column's elements are in different banks.


LANES, ROWS = 32, 8
"""Threads of a block."""

LEAST = 16
"""Sizes of both dimensions from which tiles are profitable."""

MOST_TRANSPOSED = 4
"""Inputs that have a tile in shared memory."""

WORD = 4
"""Bytes that a lane reads and writes at once."""


@dataclass(frozen=True)
class TransposedOp:
    """One op, as one launch. `across`: the dimension that `transposed` inputs are contiguous along; `along`: that of the outputs;
    `width`: neighbours that a thread takes."""

    op: ir.Operation
    nest: Nest
    across: int
    along: int
    transposed: tuple[int, ...]
    width: int

    @property
    def edge(self) -> int:
        """Of a tile."""
        return LANES * self.width

    @property
    def tiles(self) -> list[int]:
        """By dimension: elements, or tiles of both that are tiled."""
        return [-(-n // self.edge) if d in (self.across, self.along) else n for d, n in enumerate(self.nest.sizes)]

    @property
    def grid(self) -> Grid:
        return Grid(min(prod(self.tiles), MOST_BLOCKS), LANES * ROWS)

    def launch(self) -> Launch:
        size, neighbours = "x".join(map(str, self.nest.sizes)), counted(self.width, "neighbour")
        tiles = f"tiles of {self.edge} x {self.edge} of {size} transposed in shared memory"
        return Launch(self.grid, f"{tiles}, {neighbours} a thread", self.emit, [self.op])

    def emit(self, values: Values) -> None:
        operands = [values.get(v, v) for v in self.op.operands]
        element = Element(self.op, self.nest, operands, values)
        kinds = [ir.MemRefType(operands[n].type).element_type for n in self.transposed]
        shared = {n: shared_array([self.edge, self.edge + 1], kind) for n, kind in zip(self.transposed, kinds)}
        with each(identity("gpu.block_id"), prod(self.tiles), self.grid.blocks) as number:
            self._emit_tile(element, shared, number)

    def _emit_tile(self, element: Element, shared: Mapping[int, ir.Value], number: ir.Value) -> None:
        element.coordinates[:] = delinearized(number, self.tiles)
        first = {d: arith.muli(element.coordinates[d], index(self.edge)) for d in (self.across, self.along)}
        thread, sizes = identity("gpu.thread_id"), self.nest.sizes
        row, lane = arith.divui(thread, index(LANES)), arith.remui(thread, index(LANES))
        lane = arith.muli(lane, index(self.width))
        for down, along, action in ((self.along, self.across, self._fetch), (self.across, self.along, self._compute)):
            with each(row, self.edge, ROWS) as item:  # a warp for each row of the tile
                offsets, checks = {down: item, along: lane}, []
                for d, offset in offsets.items():
                    element.coordinates[d] = arith.addi(first[d], offset)
                    if sizes[d] % self.edge:
                        checks.append(within(element.coordinates[d], sizes[d]))
                with where(*checks):
                    action(element, shared, offsets)
            ir.Operation.create("gpu.barrier")

    def _fetch(self, element: Element, shared: Mapping[int, ir.Value], offsets: Mapping[int, ir.Value]) -> None:
        for number, tile in shared.items():
            values = (
                [element.load(number)]
                if self.width == 1
                else load_several(element.operands[number], element.indices(number), self.width)
            )
            for lane, value in enumerate(values):
                memref.store(value, tile, [offsets[self.along], add(offsets[self.across], lane)])

    def _compute(self, element: Element, shared: Mapping[int, ir.Value], offsets: Mapping[int, ir.Value]) -> None:
        given = [n in shared for n in range(self.nest.inputs)]
        vectors = (
            vectors_at(element, self.width, self.along, given) if self.width > 1 else lambda _: [None] * len(given)
        )

        def inputs(lane: int) -> list[ir.Value | None]:
            found = vectors(lane)
            for number, tile in shared.items():
                found[number] = memref.load(tile, [add(offsets[self.along], lane), offsets[self.across]])
            return found

        for number, lanes in zip(element.outputs, computed_lanes(element, self.along, self.width, inputs)):
            store_lanes(element, number, lanes, self.along)


# Which ops are profitable


def transposed_op(op: ir.Operation) -> TransposedOp | None:
    """The launch of an elementwise op whose outputs are contiguous along one dimension, and inputs along another."""
    if op.name != "linalg.generic":
        return None
    nest = nest_of(op)
    element = Element(op, nest, list(op.operands), {})
    inner = [element.along(n) for n in range(len(element.operands))]
    outputs = set(inner[nest.inputs :])
    along = outputs.pop() if len(outputs) == 1 else None
    if nest.reduction or along is None:
        return None
    transposed = [n for n in range(nest.inputs) if element.is_read(n) and inner[n] not in (None, along)]
    across = next((inner[n] for n in transposed), None)
    transposed = [n for n in transposed if inner[n] == across and element.moves(n, along)][:MOST_TRANSPOSED]
    if across is None or not transposed or min(nest.sizes[across], nest.sizes[along]) < LEAST:
        return None
    return TransposedOp(op, nest, across, along, tuple(transposed), _width(element, transposed, across, along))


def _width(element: Element, transposed: Sequence[int], across: int, along: int) -> int:
    """How many neighbours fill a word, both ways."""
    nest = element.nest
    used = [*((n, across) for n in transposed), *((n, along) for n in element.outputs)]
    return access_width([(element, *one) for one in used], nest.sizes[across], nest.sizes[along], most=WORD)
