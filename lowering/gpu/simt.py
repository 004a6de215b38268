"""A tile multiplied by ordinary instructions: each thread has a few rows and columns of the result in registers. Any type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.element import Element, index_constant

Start = Callable[[ir.Value, ir.Value], ir.Value]
Store = Callable[[ir.Value, ir.Value, ir.Value], None]


@dataclass(frozen=True)
class SimtTile:
    """`m` x `n` results by 16 x 16 threads, `k` steps at a time. Thread (i, j) has rows i, i + 16, ... and columns j, j + 16, ..."""

    m: int
    n: int
    k: int = 16
    side: int = 16

    @staticmethod
    def for_sizes(m: int, n: int) -> SimtTile:
        """Larger tiles read less memory for each result; small problems need small ones, so that there are enough blocks."""
        side = 128 if m * n >= 1 << 21 else 64 if m * n >= 1 << 17 else 32
        return SimtTile(side, side)

    @property
    def threads(self) -> int:
        return self.side * self.side

    @property
    def row_stride(self) -> int:
        """Of a row along k in shared memory: one more, so that a column's elements are in different banks."""
        return self.k + 1

    def _places(self, thread: ir.Value) -> tuple[list[ir.Value], list[ir.Value]]:
        side = index_constant(self.side)
        i, j = arith.divui(thread, side), arith.remui(thread, side)
        rows = [arith.addi(i, index_constant(step)) for step in range(0, self.m, self.side)]
        columns = [arith.addi(j, index_constant(step)) for step in range(0, self.n, self.side)]
        return rows, columns

    def start(self, load: Start, thread: ir.Value) -> list[ir.Value]:
        """The values that the sums begin with."""
        rows, columns = self._places(thread)
        return [load(row, column) for row in rows for column in columns]

    def multiply(
        self, element: Element, left: ir.Value, right: ir.Value, thread: ir.Value, sums: list[ir.Value]
    ) -> list[ir.Value]:
        """Adds the product of both tiles in shared memory."""
        rows, columns = self._places(thread)
        loop = scf.ForOp(index_constant(0), index_constant(self.k), index_constant(1), sums)
        with ir.InsertionPoint(loop.body):
            step, carried = loop.induction_variable, list(loop.inner_iter_args)
            a = [memref.load(left, [row, step]) for row in rows]
            b = [memref.load(right, [column, step]) for column in columns]
            products = [
                element.body([carried[i * len(b) + j]], [x, y])[0] for i, x in enumerate(a) for j, y in enumerate(b)
            ]
            scf.YieldOp(products)
        return list(loop.results)

    def finish(self, sums: list[ir.Value], thread: ir.Value, store: Store) -> None:
        rows, columns = self._places(thread)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                store(row, column, sums[i * len(columns) + j])
