"""A tile of sums on its way from the registers of matrix instructions to the epilogue, through shared memory.

The fragments have two neighbours of a row in a thread; from shared memory each thread takes as many as its stores are wide, and
neighbouring threads take what is next to them. Warpgroups do so some columns at a time, in memory of their own: a warpgroup's four
warps wait for each other alone, and the stages of the pipeline stay free for the next tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.warpgroup_sides import CONSUMERS, ROWS
from hlo.lowering.gpu.control_flow import each, equals, index_constant
from hlo.lowering.gpu.element import delinearized, load_several, store_several
from hlo.lowering.gpu.hopper_ops import WARPGROUP, named_barrier
from hlo.lowering.memory.storage import element_bytes

SPACE = 8
"""Elements after each row: four rows below each other, two neighbours for each lane, are in different banks."""


@dataclass(frozen=True)
class ResultTile:
    """`m` x `n` sums."""

    m: int
    n: int
    kind: ir.Type

    @property
    def bytes(self) -> int:
        return self.m * (self.n + SPACE) * element_bytes(self.kind)

    def view(self, memory: ir.Value) -> ir.Value:
        """The tile at the beginning of shared memory."""
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        kind = ir.MemRefType.get([self.m, self.n + SPACE], self.kind, None, space)
        return memref.view(kind, memory, index_constant(0), [])

    def write(
        self,
        memory: ir.Value,
        lane: ir.Value,
        corner: tuple[ir.Value, ir.Value],
        places: Sequence[tuple[int, int]],
        sums: Sequence[ir.Value],
    ) -> None:
        """A warp's fragments: two sums for each of `places`, which are relative to the warp's corner in the tile. A lane's
        row is a quarter of its number, its column twice the rest."""
        view, four = self.view(memory), index_constant(4)
        row = arith.addi(corner[0], arith.divui(lane, four))
        column = arith.addi(corner[1], arith.muli(arith.remui(lane, four), index_constant(2)))
        for number, (down, along) in enumerate(places):
            place = [arith.addi(row, index_constant(down)), arith.addi(column, index_constant(along))]
            store_several(view, place, sums[2 * number : 2 * number + 2])

    def write_each(
        self, memory: ir.Value, rows: Sequence[ir.Value], columns: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> None:
        """A thread's sums, row by row."""
        view = self.view(memory)
        for number, total in enumerate(sums):
            memref.store(total, view, [rows[number // len(columns)], columns[number % len(columns)]])

    def finish(self, memory: ir.Value, block: Block, thread: ir.Value, threads: int) -> None:
        """All of the tile, taken in turns by `threads` threads, given to the epilogue."""
        view = self.view(memory)
        width = block.end.width(self.n)
        with each(thread, self.m * self.n // width, threads) as item:
            row, column = delinearized(item, [self.m, self.n // width])
            column = arith.muli(column, index_constant(width))
            block.finish(row, column, lambda: _lanes(view, [row, column], width))


def _lanes(view: ir.Value, place: Sequence[ir.Value], width: int) -> list[ir.Value]:
    return [memref.load(view, place)] if width == 1 else load_several(view, place, width)


# Of warpgroups


@dataclass
class Consumer:
    """`group`: of the block's warpgroups, counted from 0, of which the first one copies; `member`: the thread in it; `rank`: of the
    block in its cluster; `memory`: all of the block's, `behind` which bytes the warpgroups have `room` bytes each for results."""

    group: ir.Value
    member: ir.Value
    rank: ir.Value
    memory: ir.Value
    behind: int
    room: int

    def __post_init__(self) -> None:
        self.number = arith.subi(self.group, index_constant(1))
        self.is_first = equals(self.member, 0)
        warp, self.lane = (f(self.member, index_constant(32)) for f in (arith.divui, arith.remui))
        self.warp_row = arith.muli(warp, index_constant(ROWS // 4))
        mine = arith.muli(self.number, index_constant(self.room))
        self.offset = arith.addi(mine, index_constant(self.behind))
        block = arith.muli(self.rank, index_constant(CONSUMERS * ROWS))
        self.first_row = arith.addi(block, arith.muli(self.number, index_constant(ROWS)))

    def barrier(self) -> None:
        """Its threads wait for each other."""
        named_barrier(arith.index_cast(ir.IntegerType.get_signless(32), self.group), WARPGROUP)


COLUMNS = 64
"""At a time."""

BLOCK = 8
"""Columns that stay together: 32 bytes. The block's number is xored with the row's: eight rows are in different banks."""

PARTS = COLUMNS // BLOCK


@dataclass(frozen=True)
class StagedResult:
    """`m` x 64 sums of 4 bytes."""

    m: int
    kind: ir.Type

    @property
    def bytes(self) -> int:
        return self.m * COLUMNS * 4

    def take(self, consumer: Consumer, block: Block, sums: Sequence[ir.Value]) -> None:
        """A thread's sums of the tile of a consumer."""
        view = self.view(consumer.memory, consumer.offset)
        for column in range(0, 2 * len(sums), COLUMNS):
            consumer.barrier()  # all have read what was there
            self.write(view, consumer.lane, consumer.warp_row, sums[column // 2 : (column + COLUMNS) // 2])
            consumer.barrier()
            self.finish_part(view, block, consumer.member, WARPGROUP, (consumer.first_row, column))

    def finish(self, consumer: Consumer) -> None:
        """Behind all tiles: nothing is left."""

    def view(self, memory: ir.Value, offset: ir.Value) -> ir.Value:
        """`offset`: in bytes, of the warpgroup's part of the memory."""
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        return memref.view(ir.MemRefType.get([self.m, COLUMNS], self.kind, None, space), memory, offset, [])

    def write(self, view: ir.Value, lane: ir.Value, row: ir.Value, sums: Sequence[ir.Value]) -> None:
        """A thread's sums in 64 columns: for each eight of them two neighbours, in the lane's row below `row` and eight rows
        further down."""
        four = index_constant(4)
        row = arith.addi(row, arith.divui(lane, four))
        inner = arith.muli(arith.remui(lane, four), index_constant(2))
        for half in (0, 1):
            down = arith.addi(row, index_constant(8 * half))
            for block in range(PARTS):
                first = 4 * block + 2 * half
                place = arith.addi(_swizzled(down, index_constant(block)), inner)
                store_several(view, [down, place], sums[first : first + 2])

    def finish_part(
        self, view: ir.Value, block: Block, thread: ir.Value, threads: int, corner: tuple[ir.Value, int]
    ) -> None:
        """All of it, taken in turns by `threads` threads, given to the epilogue. `corner`: its place in the tile."""
        width = block.width(BLOCK)
        with each(thread, self.m * COLUMNS // width, threads) as item:
            row, part, inner = delinearized(item, [self.m, PARTS, BLOCK // width])
            inner = arith.muli(inner, index_constant(width))
            column = arith.addi(arith.muli(part, index_constant(BLOCK)), inner)
            place = arith.addi(_swizzled(row, part), inner)
            row_in_tile, column_in_tile = arith.addi(corner[0], row), arith.addi(index_constant(corner[1]), column)
            block.finish(row_in_tile, column_in_tile, lambda: _lanes(view, [row, place], width))


def _swizzled(row: ir.Value, block: ir.Value) -> ir.Value:
    """The column where a block of columns of a row is."""
    turn = arith.remui(row, index_constant(PARTS))
    return arith.muli(arith.xori(block, turn), index_constant(BLOCK))
