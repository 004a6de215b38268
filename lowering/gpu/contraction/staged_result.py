"""The sums of a warpgroup on their way from the registers of wgmma to the epilogue, some columns at a time.

The fragments have two neighbours of a row in a thread; from shared memory each thread takes as many as its stores are wide,
and neighbouring threads take what is next to them. The memory is a warpgroup's own: its four warps wait for each other alone,
and the ring of stages stays free for the next tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.consumer import Consumer
from hlo.lowering.gpu.contraction.warpgroup_sides import WARPGROUP
from hlo.lowering.gpu.element import aligned, delinearized, index_constant

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
        four, pair = index_constant(4), ir.VectorType.get([2], self.kind)
        row = arith.addi(row, arith.divui(lane, four))
        inner = arith.muli(arith.remui(lane, four), index_constant(2))
        for half in (0, 1):
            down = arith.addi(row, index_constant(8 * half))
            for block in range(PARTS):
                first = 4 * block + 2 * half
                both = vector.from_elements(pair, list(sums[first : first + 2]))
                place = arith.addi(_swizzled(down, index_constant(block)), inner)
                aligned(vector.StoreOp(both, view, [down, place]), pair)

    def finish_part(
        self, view: ir.Value, block: Block, thread: ir.Value, threads: int, corner: tuple[ir.Value, int]
    ) -> None:
        """All of it, taken in turns by `threads` threads, given to the epilogue. `corner`: its place in the tile."""
        width = block.width(BLOCK)
        loop = scf.ForOp(thread, index_constant(self.m * COLUMNS // width), index_constant(threads))
        with ir.InsertionPoint(loop.body):
            row, part, inner = delinearized(loop.induction_variable, [self.m, PARTS, BLOCK // width])
            inner = arith.muli(inner, index_constant(width))
            column = arith.addi(arith.muli(part, index_constant(BLOCK)), inner)
            place = arith.addi(_swizzled(row, part), inner)
            row_in_tile, column_in_tile = arith.addi(corner[0], row), arith.addi(index_constant(corner[1]), column)
            block.finish(row_in_tile, column_in_tile, lambda: self._lanes(view, row, place, width))
            scf.YieldOp([])

    def _lanes(self, view: ir.Value, row: ir.Value, place: ir.Value, width: int) -> list[ir.Value]:
        if width == 1:
            return [memref.load(view, [row, place])]
        kind = ir.VectorType.get([width], self.kind)
        found = aligned(vector.LoadOp(kind, view, [row, place]), kind).results[0]
        return [vector.extract(found, [], [lane]) for lane in range(width)]


def _swizzled(row: ir.Value, block: ir.Value) -> ir.Value:
    """The column where a block of columns of a row is."""
    turn = arith.remui(row, index_constant(PARTS))
    return arith.muli(arith.xori(block, turn), index_constant(BLOCK))
