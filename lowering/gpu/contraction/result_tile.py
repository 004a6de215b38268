"""A tile of sums on its way from the registers of matrix instructions to the epilogue, through shared memory.

The fragments have two neighbours of a row in a thread; from shared memory each thread takes as many as its stores are wide,
and neighbouring threads take what is next to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.element import aligned, delinearized, index_constant
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
        pair = ir.VectorType.get([2], self.kind)
        for number, (down, along) in enumerate(places):
            both = vector.from_elements(pair, list(sums[2 * number : 2 * number + 2]))
            place = [arith.addi(row, index_constant(down)), arith.addi(column, index_constant(along))]
            aligned(vector.StoreOp(both, view, place), pair)

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
        loop = scf.ForOp(thread, index_constant(self.m * self.n // width), index_constant(threads))
        with ir.InsertionPoint(loop.body):
            row, column = delinearized(loop.induction_variable, [self.m, self.n // width])
            column = arith.muli(column, index_constant(width))
            block.finish(row, column, lambda: self._lanes(view, row, column, width))
            scf.YieldOp([])

    def _lanes(self, view: ir.Value, row: ir.Value, column: ir.Value, width: int) -> list[ir.Value]:
        if width == 1:
            return [memref.load(view, [row, column])]
        kind = ir.VectorType.get([width], self.kind)
        found = aligned(vector.LoadOp(kind, view, [row, column]), kind).results[0]
        return [vector.extract(found, [], [lane]) for lane in range(width)]
