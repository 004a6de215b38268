"""Maps that read arrays along one loop whose results lie along another, through shared memory: both in the order of memory.

Before:  r(i, j) = f(x(i, j), t(j, i))
After:   a gpu.func whose blocks take tiles of i x j: adjacent threads read adjacent elements of %t along i into shared memory;
         barrier; adjacent threads compute and write adjacent elements of %r along j

Rows in shared memory are one element longer than the tile, so that a column's elements are in different banks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.launches import MOST_BLOCKS, Grid, Launch, counted
from hlo.lowering.gpu.region.sharing import Walk, Walks, extent, sizes_of
from hlo.lowering.gpu.region.thread import Thread
from hlo.lowering.gpu.threads import load_several
from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.vector.region.memory import Base, Tile
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.number import Number

LANES, ROWS = 32, 8
"""Threads of a block."""

LEAST = 16
"""Sizes of both loops from which tiles are profitable."""

MOST_TRANSPOSED = 4
"""Arrays that have a tile in shared memory."""

WORD = 4
"""Bytes that a lane reads and writes at once."""


def transposed_map(nest: Nest, walks: Walks) -> Launch | None:
    """The launch of a map whose results are contiguous along one loop, and arrays that it reads along another; None for others."""
    along = walks.along
    if along is None:
        return None
    other = [one for one in walks.reads if one.inner not in (None, along)]
    across = other[0].inner if other else None
    read = [one for one in other if one.inner is across and one.position.coefficient(along)][:MOST_TRANSPOSED]
    if across is None or not read or min(across.size, along.size) < LEAST or {across, along} & walks.single:
        return None
    width = min(_width(walks, read, across, along), _width(walks, walks.stores, along, across))
    return TransposedMap(nest, across, along, tuple(read), width).launch()


def _width(walks: Walks, used: Sequence[Walk], inner: Dim, other: Dim) -> int:
    """How many elements fill a word."""
    return Walks((), (), walks.single).width(inner, *used, most=WORD, sizes=[other.size])


@dataclass(frozen=True)
class TransposedMap:
    """`across`: the loop along which `read` arrays are contiguous; `along`: that of the results; `width`: adjacent
    elements that a thread has."""

    nest: Nest
    across: Dim
    along: Dim
    read: tuple[Walk, ...]
    width: int

    @property
    def edge(self) -> int:
        """Of a tile."""
        return LANES * self.width

    @property
    def tiles(self) -> list[Dim]:
        """By loop: elements, or tiles of both that are tiled."""
        dims = self.nest.stage.dims
        return [Dim(-(-d.size // self.edge)) if d in (self.across, self.along) else d for d in dims]

    def launch(self) -> Launch:
        grid = Grid(min(extent(self.tiles), MOST_BLOCKS), LANES * ROWS)
        size, neighbours = sizes_of(self.nest.stage.dims), counted(self.width, "neighbour")
        tiles = f"tiles of {self.edge} x {self.edge} of {size} transposed in shared memory"
        return Launch(grid, f"{tiles}, {neighbours} a thread", lambda thread: self._emit(thread, grid))

    def _emit(self, thread: Thread, grid: Grid) -> None:
        shared = {one: thread.shared([self.edge, self.edge + 1], one.kind) for one in self.read}
        block, own, tiles = thread.identity("gpu.block_id"), thread.identity("gpu.thread_id"), self.tiles
        row, lane = thread.code.divided(own, LANES)
        lane = thread.code.product(lane, self.width)

        def tile(number: Number) -> None:
            base = thread.code.coordinates(number, tiles)
            base = dict(zip(self.nest.stage.dims, (base[d] for d in tiles)))
            first = {d: thread.code.product(base[d], self.edge) for d in (self.across, self.along)}
            self._rows(thread, row, lane, {**base, **first}, (self.along, self.across), self._fetch, shared)
            self._rows(thread, row, lane, {**base, **first}, (self.across, self.along), self._compute, shared)

        thread.loop(block, extent(tiles), grid.blocks, tile)

    def _rows(
        self,
        thread: Thread,
        row: Number,
        lane: Number,
        first: Base,
        order: tuple[Dim, Dim],
        action: Callable[..., None],
        shared: dict[Walk, ir.Value],
    ) -> None:
        """A warp for each row of the tile. `order`: the loop of the rows, and that of the lanes."""
        code = thread.code

        def body(item: Number) -> None:
            offsets, base, checks = dict(zip(order, (item, lane))), dict(first), []
            for d, offset in offsets.items():
                base[d] = code.sum(first[d], offset)
                if d.size % self.edge:
                    checks.append(code.below(base[d], d.size))
                    base[d] = code.clamped(base[d], d.size - (self.width if d is order[1] else 1))
            action(thread, base, checks, offsets, shared)

        thread.loop(row, self.edge, ROWS, body)
        code.barrier()

    def _fetch(
        self, thread: Thread, base: Base, checks: Sequence[Number], offsets: Base, shared: dict[Walk, ir.Value]
    ) -> None:
        code = thread.code
        tile = Tile(base, stepped=self.across, steps=self.width)
        for one, memory in shared.items():
            buffer = thread.evaluator.buffers[one.value]
            at = code.position(thread.evaluator.bound(one.whole, tile), tile.base).value
            values = load_several(buffer.memref, [at], self.width)
            with code.where(*checks):
                for step, value in enumerate(values):
                    to = [offsets[self.along].value, code.sum(offsets[self.across], step).value]
                    memref.store(value, memory, to)

    def _compute(
        self, thread: Thread, base: Base, checks: Sequence[Number], offsets: Base, shared: dict[Walk, ir.Value]
    ) -> None:
        def element(memory: ir.Value, step: int) -> Number:
            at = [thread.code.sum(offsets[self.along], step).value, offsets[self.across].value]
            return thread.code.here(memref.load(memory, at))

        thread.memory.staged = {
            (thread.evaluator.buffers[one.value].memref, one.whole): partial(element, memory)
            for one, memory in shared.items()
        }
        thread.write(self.nest.stage.stores, Tile(base, stepped=self.along, steps=self.width), *checks)
        thread.memory.staged = {}
