"""A tile multiplied by ordinary instructions: each thread has a few rows and columns of the result in registers. Any type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.block import Block, all_of, zero_of
from hlo.lowering.gpu.block_reduction import shared_array_of
from hlo.lowering.gpu.element import delinearized, index_constant
from hlo.lowering.gpu.nest import mentions
from hlo.lowering.gpu.problem import Problem


@dataclass(frozen=True)
class SimtTile:
    """`m` x `n` results by 16 x 16 threads, `k` steps at a time. Thread (i, j) has rows i, i + 16, ... and columns j, j + 16, ..."""

    m: int
    n: int
    k: int = 16
    side: int = 16

    @staticmethod
    def of(problem: Problem) -> SimtTile:
        """Larger tiles read less memory for each result; small problems need small ones, so that there are enough blocks."""
        size = problem.m * problem.n
        side = 128 if size >= 1 << 21 else 64 if size >= 1 << 17 else 32
        return SimtTile(side, side)

    @property
    def threads(self) -> int:
        return self.side * self.side

    def shared_bytes(self, problem: Problem) -> int:
        return 0

    @property
    def row_stride(self) -> int:
        """Of a row along k in shared memory: one more, so that a column's elements are in different banks."""
        return self.k + 1

    def emit(self, block: Block) -> None:
        p = block.problem
        left = shared_array_of([self.m, self.row_stride], p.element_type(p.left))
        right = shared_array_of([self.n, self.row_stride], p.element_type(p.right))
        rows, columns = self._places(block.thread)
        start = [block.initial()] * (len(rows) * len(columns))
        loop = scf.ForOp(index_constant(0), index_constant(p.k), index_constant(self.k), start)
        with ir.InsertionPoint(loop.body):
            depth = loop.induction_variable
            self._copy(block, p.left, left, p.rows, p.m, block.first_row, self.m, depth)
            self._copy(block, p.right, right, p.columns, p.n, block.first_column, self.n, depth)
            ir.Operation.create("gpu.barrier")
            sums = self._multiply(block, left, right, list(loop.inner_iter_args))
            ir.Operation.create("gpu.barrier")
            scf.YieldOp(sums)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                total = loop.results[i * len(columns) + j]
                block.finish(row, column, lambda total=total: [total])  # type: ignore[misc]

    def _places(self, thread: ir.Value) -> tuple[list[ir.Value], list[ir.Value]]:
        side = index_constant(self.side)
        i, j = arith.divui(thread, side), arith.remui(thread, side)
        rows = [arith.addi(i, index_constant(step)) for step in range(0, self.m, self.side)]
        columns = [arith.addi(j, index_constant(step)) for step in range(0, self.n, self.side)]
        return rows, columns

    def _copy(
        self,
        block: Block,
        number: int,
        shared: ir.Value,
        outer: Sequence[int],
        size: int,
        first: ir.Value,
        count: int,
        depth: ir.Value,
    ) -> None:
        """A tile of an input, as rows along k, to shared memory; what is outside the input is 0. Neighbouring threads take
        neighbours in memory: along k, or along the other dimension if the input is contiguous there."""
        p = block.problem
        along_k = not _last_is(p.nest.maps[number], outer[-1])
        loop = scf.ForOp(block.thread, index_constant(count * self.k), index_constant(self.threads))
        with ir.InsertionPoint(loop.body):
            sizes = [count, self.k] if along_k else [self.k, count]
            place = delinearized(loop.induction_variable, sizes)
            row, step = place if along_k else (place[1], place[0])
            at, k = arith.addi(first, row), arith.addi(depth, step)
            block.set(outer, at)
            block.set(p.depth, k)
            memref.store(_inside(block, number, [(at, size, count), (k, p.k, self.k)]), shared, [row, step])
            scf.YieldOp([])

    def _multiply(self, block: Block, left: ir.Value, right: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        """Adds the product of both tiles in shared memory."""
        rows, columns = self._places(block.thread)
        swapped = block.problem.left == 1
        loop = scf.ForOp(index_constant(0), index_constant(self.k), index_constant(1), sums)
        with ir.InsertionPoint(loop.body):
            step, carried = loop.induction_variable, list(loop.inner_iter_args)
            a = [memref.load(left, [row, step]) for row in rows]
            b = [memref.load(right, [column, step]) for column in columns]
            products = [
                block.element.body([carried[i * len(b) + j]], [y, x] if swapped else [x, y])[0]
                for i, x in enumerate(a)
                for j, y in enumerate(b)
            ]
            scf.YieldOp(products)
        return list(loop.results)


def _inside(block: Block, number: int, bounds: Sequence[tuple[ir.Value, int, int]]) -> ir.Value:
    """The input's element at the place, or 0 where that is outside."""
    checks = [
        arith.cmpi(arith.CmpIPredicate.ult, index, index_constant(size)) for index, size, step in bounds if size % step
    ]
    if not checks:
        return block.element.load(number)
    kind = ir.MemRefType(block.element.operands[number].type).element_type
    branch = scf.IfOp(all_of(checks), [kind], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([block.element.load(number)])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([zero_of(kind)])
    return branch.results[0]


def _last_is(one: ir.AffineMap, dimension: int) -> bool:
    """Whether neighbours along a dimension are neighbours in memory."""
    results = list(one.results)
    return bool(results) and mentions(results[-1], dimension)
