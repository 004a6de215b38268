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
from hlo.lowering.gpu.contraction.box_operands import ROWS
from hlo.lowering.gpu.hopper_ops import WARPGROUP, named_barrier
from hlo.lowering.gpu.indexing import delinearized
from hlo.lowering.gpu.threads import each
from hlo.lowering.gpu.wide_access import load_several, store_several
from hlo.lowering.linalg.loops import add, index
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

    def view(self, memory: ir.Value, offset: ir.Value | None = None) -> ir.Value:
        """The tile in shared memory; `offset`: in bytes, 0 if it is not given."""
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        kind = ir.MemRefType.get([self.m, self.n + SPACE], self.kind, None, space)
        return memref.view(kind, memory, index(0) if offset is None else offset, [])

    def write(
        self,
        view: ir.Value,
        lane: ir.Value,
        corner: tuple[ir.Value, ir.Value],
        coordinates: Sequence[tuple[int, int]],
        sums: Sequence[ir.Value],
    ) -> None:
        """A warp's fragments: two sums for each of `coordinates`, which are relative to the warp's corner in the tile. A lane's
        row is a quarter of its number, its column twice the rest."""
        four = index(4)
        row = arith.addi(corner[0], arith.divui(lane, four))
        column = arith.addi(corner[1], arith.muli(arith.remui(lane, four), index(2)))
        for number, (down, along) in enumerate(coordinates):
            position = [arith.addi(row, index(down)), arith.addi(column, index(along))]
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
            row, column = delinearized(item, [self.m, self.n // width])
            column = arith.muli(column, index(width))
            outer = row if first_row is None else arith.addi(first_row, row)
            block.finish(outer, add(column, first_column), lambda: _lanes(view, [row, column], width))


def _lanes(view: ir.Value, position: Sequence[ir.Value], width: int) -> list[ir.Value]:
    return [memref.load(view, position)] if width == 1 else load_several(view, position, width)


# Of warpgroups


@dataclass
class Consumer:
    """`group`: of the block's warpgroups, counted from 0, of which the first one copies; `member`: the thread in it; `memory`: all of the block's, `behind` which bytes the warpgroups have `room` bytes each for results."""

    group: ir.Value
    member: ir.Value
    memory: ir.Value
    behind: int
    room: int

    def __post_init__(self) -> None:
        self.number = arith.subi(self.group, index(1))
        warp, self.lane = (f(self.member, index(32)) for f in (arith.divui, arith.remui))
        self.warp_row = arith.muli(warp, index(ROWS // 4))
        mine = arith.muli(self.number, index(self.room))
        self.offset = arith.addi(mine, index(self.behind))
        self.first_row = arith.muli(self.number, index(ROWS))

    def barrier(self) -> None:
        """Its threads wait for each other."""
        named_barrier(arith.index_cast(ir.IntegerType.get_signless(32), self.group), WARPGROUP)


COLUMNS = 32
"""At a time."""

COORDINATES = [(half, column) for column in range(0, COLUMNS, 8) for half in (0, 8)]
"""Of two sums each: for each eight columns two rows."""


@dataclass(frozen=True)
class StagedResult:
    """The sums of a consumer, some columns at a time."""

    kind: ir.Type

    @property
    def part(self) -> ResultTile:
        return ResultTile(ROWS, COLUMNS, self.kind)

    def take(self, consumer: Consumer, block: Block, sums: Sequence[ir.Value]) -> None:
        """A thread's sums of the tile of a consumer."""
        view, corner = self.part.view(consumer.memory, consumer.offset), (consumer.warp_row, index(0))
        for column in range(0, 2 * len(sums), COLUMNS):
            consumer.barrier()  # all have read what was there
            self.part.write(view, consumer.lane, corner, COORDINATES, sums[column // 2 : (column + COLUMNS) // 2])
            consumer.barrier()
            self.part.finish(view, block, consumer.member, WARPGROUP, consumer.first_row, column)
