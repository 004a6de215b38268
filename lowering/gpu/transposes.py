"""An op that reads an input along one dimension and writes along another, through shared memory: both in order.

Before:  linalg.generic {(i, j) -> (i, j), (i, j) -> (j, i)} ins(%x, %t) outs(%r) { f }
After:   a gpu.func whose blocks take tiles of i x j: neighbouring threads read neighbours of %t along i into shared memory;
         barrier; neighbouring threads compute and write neighbours of %r along j

Rows in shared memory are one element longer than the tile, so that a column's elements are in different banks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.block_reduction import shared_array
from hlo.lowering.gpu.control_flow import each, identity, where
from hlo.lowering.gpu.element import (
    Element,
    Values,
    computed_lanes,
    delinearized,
    load_several,
    store_lanes,
    vectors_at,
)
from hlo.lowering.gpu.grid import MOST_BLOCKS, Grid, Launch, counted
from hlo.lowering.gpu.nest import Nest, nest_of
from hlo.lowering.linalg.loops import add, index, within
from hlo.lowering.memory.storage import element_bytes

LANES, ROWS = 32, 8
"""Threads of a block."""

LEAST = 16
"""Sizes of both dimensions from which tiles are profitable."""

MOST_TRANSPOSED = 4
"""Inputs that have a tile in shared memory."""

WORD = 4
"""Bytes that a lane reads and writes at once."""


@dataclass(frozen=True)
class TransposedOp(Launch):
    """A launch of one op. `across`: the dimension that `transposed` inputs are contiguous along; `along`: that of the outputs;
    `width`: neighbours that a thread takes."""

    op: ir.Operation
    nest: Nest
    across: int
    along: int
    transposed: tuple[int, ...]
    width: int

    @property
    def side(self) -> int:
        """Of a tile."""
        return LANES * self.width

    @property
    def tiles(self) -> list[int]:
        """By dimension: elements, or tiles of both that are tiled."""
        return [-(-n // self.side) if d in (self.across, self.along) else n for d, n in enumerate(self.nest.sizes)]

    @property
    def grid(self) -> Grid:
        return Grid(min(prod(self.tiles), MOST_BLOCKS), LANES * ROWS)

    @property
    def decision(self) -> str:
        size = "x".join(map(str, self.nest.sizes))
        return f"tiles of {self.side} x {self.side} of {size} transposed in shared memory, {counted(self.width, 'neighbour')} a thread"

    def emit(self, values: Values) -> None:
        operands = [values.get(v, v) for v in self.op.operands]
        element = Element(self.op, self.nest, operands, values)
        shape = [self.side, self.side + 1]
        shared = [shared_array(shape, ir.MemRefType(operands[n].type).element_type) for n in self.transposed]
        with each(identity("gpu.block_id"), prod(self.tiles), self.grid.blocks) as item:
            _Tile(self, element, shared, item).emit()


class _Tile:
    """The code of one tile."""

    def __init__(self, launch: TransposedOp, element: Element, shared: Sequence[ir.Value], number: ir.Value):
        self.launch, self.element, self.shared = launch, element, shared
        element.place[:] = delinearized(number, launch.tiles)
        side = index(launch.side)
        self.first = {d: arith.muli(element.place[d], side) for d in (launch.across, launch.along)}
        thread = identity("gpu.thread_id")
        self.row, lane = arith.divui(thread, index(LANES)), arith.remui(thread, index(LANES))
        self.lane = arith.muli(lane, index(launch.width))

    def emit(self) -> None:
        launch = self.launch
        self._each(launch.along, launch.across, self._fetch)
        ir.Operation.create("gpu.barrier")
        self._each(launch.across, launch.along, self._compute)
        ir.Operation.create("gpu.barrier")

    def _each(self, down: int, along: int, action: Callable[[dict[int, ir.Value]], None]) -> None:
        """Every row of the tile, a warp each; its lanes lie along a dimension. Positions outside are left out.
        `action` is given the position in the tile, by dimension."""
        with each(self.row, self.launch.side, ROWS) as item:
            offsets = {down: item, along: self.lane}
            checks = self._set(offsets)
            with where(*checks):
                action(offsets)

    def _set(self, offsets: dict[int, ir.Value]) -> list[ir.Value]:
        """Sets the indices; gives the checks that it is inside."""
        sizes, checks = self.launch.nest.sizes, []
        for d, offset in offsets.items():
            place = self.element.place[d] = arith.addi(self.first[d], offset)
            if sizes[d] % self.launch.side:
                checks.append(within(place, sizes[d]))
        return checks

    def _fetch(self, offsets: dict[int, ir.Value]) -> None:
        row, lane = offsets[self.launch.along], offsets[self.launch.across]
        for number, tile in zip(self.launch.transposed, self.shared):
            for offset, value in enumerate(self._neighbours(number)):
                memref.store(value, tile, [row, add(lane, offset)])

    def _neighbours(self, number: int) -> list[ir.Value]:
        element, width = self.element, self.launch.width
        if width == 1:
            return [element.load(number)]
        return load_several(element.operands[number], element.indices(number), width)

    def _compute(self, offsets: dict[int, ir.Value]) -> None:
        launch, element = self.launch, self.element
        tiles = dict(zip(launch.transposed, self.shared))
        given = [n in tiles for n in range(launch.nest.inputs)]
        vectors = vectors_at(element, launch.width, launch.along, given) if launch.width > 1 else None

        def inputs(lane: int) -> list[ir.Value | None]:
            found = vectors(lane) if vectors else [None] * len(given)
            for number, tile in tiles.items():
                found[number] = memref.load(tile, [add(offsets[launch.along], lane), offsets[launch.across]])
            return found

        for number, lanes in zip(element.outputs, computed_lanes(element, launch.along, launch.width, inputs)):
            store_lanes(element, number, lanes, launch.along)


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
    sides = [*((n, across) for n in transposed), *((n, along) for n in element.outputs)]
    if not all(element.is_vector(n, d) for n, d in sides):
        return 1
    widest = max(element_bytes(ir.MemRefType(element.operands[n].type).element_type) for n, _ in sides)
    width = max(1, WORD // widest)
    starts = [element.multiple(n, d) for n, d in sides]
    return 1 if any(n % width for n in (nest.sizes[across], nest.sizes[along], *starts)) else width
