"""A tile of sums on its way from the registers of matrix instructions to the epilogue, through shared memory.

The fragments have two neighbours of a row in a thread; from shared memory each thread takes as many as its stores are wide, and
neighbouring threads take what is next to them. Warpgroups do so some columns at a time, in memory of their own: a warpgroup's four
warps wait for each other alone, and the stages of the pipeline stay free for the next tile."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.box_operands import ROWS
from hlo.lowering.gpu.hopper_ops import WARPGROUP, Multiplier
from hlo.lowering.gpu.threads import each, shared_view
from hlo.lowering.gpu.wide_access import load_several, store_several
from hlo.lowering.linalg.loops import Index, add, divided, mul, position_values
from hlo.lowering.memory.storage import element_bytes

SPACE = 8
"""Elements after each row: four rows below each other, two neighbours for each lane, are in different banks."""


# Fragments: the layouts of sums and of left operands are the same (PTX ISA, "Matrix Fragments for mma.m16n8k16"): a thread has two rows of each
# 16, eight apart, and of each eight columns two that are adjacent.


FRAGMENT_ROWS = (0, 8)
"""Rows of a thread's fragment of sums."""


def fragment_position(lane: ir.Value) -> tuple[Index, Index]:
    """The first row and column that a lane has of a fragment."""
    row, pair = divided(lane, 4)
    return row, mul(pair, 2)


def fragment_coordinates(count: int, columns: int) -> list[tuple[int, int]]:
    """Row and column of each element of fragments, by their number among those of a thread; `columns` fragments are adjacent."""
    return [(n // (4 * columns) * 2 + n % 4 // 2, n // 4 % columns * 2 + n % 2) for n in range(count)]


@dataclass(frozen=True)
class ResultTile:
    """`m` x `n` sums."""

    m: int
    n: int
    kind: ir.Type

    @property
    def bytes(self) -> int:
        return self.m * (self.n + SPACE) * element_bytes(self.kind)

    def view(self, memory: ir.Value, offset: Index = 0) -> ir.Value:
        """The tile in shared memory; `offset`: in bytes."""
        return shared_view(memory, [self.m, self.n + SPACE], self.kind, offset)

    def write(
        self,
        view: ir.Value,
        lane: ir.Value,
        corner: tuple[Index, Index],
        rows: Sequence[int],
        columns: Sequence[int],
        sums: Sequence[ir.Value],
    ) -> None:
        """A warp's fragments. `rows`, `columns`: where these begin, relative to the warp's corner in the tile."""
        coordinates = [(i + half, j) for i in rows for j in columns for half in FRAGMENT_ROWS]
        row, column = (add(first, own) for first, own in zip(corner, fragment_position(lane)))
        for number, (down, along) in enumerate(coordinates):
            position = [add(row, down), add(column, along)]
            store_several(view, position, sums[2 * number : 2 * number + 2])

    def write_each(
        self, view: ir.Value, rows: Sequence[ir.Value], columns: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> None:
        """A thread's sums, row by row."""
        for number, total in enumerate(sums):
            memref.store(total, view, [rows[number // len(columns)], columns[number % len(columns)]])

    def finish(
        self,
        view: ir.Value,
        block: Block,
        thread: ir.Value,
        threads: int,
        first_row: ir.Value | None = None,
        first_column: int = 0,
    ) -> None:
        """All of it, divided among `threads` threads, given to the epilogue. `first_row`, `first_column`: where it is in the block's
        tile."""
        width = block.width(self.n)
        with each(thread, self.m * self.n // width, threads) as item:
            row, column = position_values(item, [self.m, self.n // width])
            column = mul(column, width)
            outer = row if first_row is None else add(first_row, row)
            block.finish(outer, add(column, first_column), lambda: _lanes(view, [row, column], width))


def _lanes(view: ir.Value, position: Sequence[ir.Value], width: int) -> list[ir.Value]:
    return [memref.load(view, position)] if width == 1 else load_several(view, position, width)


# Of warpgroups


COLUMNS = 32
"""At a time."""


@dataclass(frozen=True)
class StagedResult:
    """The sums of a consumer, some columns at a time."""

    kind: ir.Type

    @property
    def part(self) -> ResultTile:
        return ResultTile(ROWS, COLUMNS, self.kind)

    def take(
        self, thread: Multiplier, memory: ir.Value, offset: ir.Value, block: Block, sums: Sequence[ir.Value]
    ) -> None:
        """A thread's sums of a tile. `offset`: where in shared memory its warpgroup has room for `part`."""
        view, corner = self.part.view(memory, offset), (mul(thread.warp, ROWS // 4), 0)
        first_row = mul(thread.number, ROWS)
        for column in range(0, 2 * len(sums), COLUMNS):
            thread.barrier()  # all have read what was there
            own = sums[column // 2 : (column + COLUMNS) // 2]
            self.part.write(view, thread.lane, corner, (0,), range(0, COLUMNS, 8), own)
            thread.barrier()
            self.part.finish(view, block, thread.member, WARPGROUP, first_row, column)
