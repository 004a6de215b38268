"""A block of threads of a contraction: where its tile is, the indices of what it reads and of the sums, and who takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from mlir import ir
from mlir.dialects import affine, arith

from hlo.lowering.gpu.contraction.axes import Span, whole
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.epilogue import Epilogue, Outputs
from hlo.lowering.gpu.grid import Values
from hlo.lowering.gpu.threads import identity, where
from hlo.lowering.linalg.loops import add, divided, for_loop, index, mul, position_values, sub


def plain_spans(problem: Problem, m: int, n: int) -> tuple[Span, Span]:
    """Of tiles whose rows, and columns, count as one."""
    return whole(problem.rows, problem.m, m), whole(problem.columns, problem.n, n)


SQUARE = 16
"""Rows of tiles that blocks go down, at most: as many tiles to the right of them fill a card of 132 multiprocessors, each twice
as wide as high."""


class Block:
    """The code of one block of threads: a tile of `size` results, or, if there are fewer `blocks` than tiles, every so
    many-th of them. `spans`: of rows and columns, if a tile's are boxes; `values`: memory, by tensor; `at`: by
    dimension of the contraction an index that is set; `outputs`: what becomes of the sums."""

    def __init__(
        self,
        problem: Problem,
        tiles: tuple[int, int, int],
        size: tuple[int, int],
        values: Values,
        blocks: int | None = None,
        spans: tuple[Span, Span] | None = None,
        outputs: Outputs | None = None,
    ):
        self.problem, self.tiles, self.size, self.values = problem, tiles, size, values
        self.spans = spans or plain_spans(problem, *size)
        self.blocks = prod(tiles) if blocks is None else blocks
        self.at = dict.fromkeys(range(len(problem.nest.sizes)), index(0))
        self.thread = identity("gpu.thread_id")
        self.number = identity("gpu.block_id")
        self.set_tile(self.number)
        if outputs is not None:
            self.epilogue = Epilogue(outputs, self.inner, problem.nest.sizes[self.inner], values)

    @property
    def inner(self) -> int:
        """The dimension along which neighbouring sums are taken together."""
        return self.problem.columns[-1]

    def set_tile(self, number: ir.Value) -> None:
        self.batch, row, column = _tile_of(number, self.tiles, SQUARE)
        self.corner = [span.begin(one) for span, one in zip(self.spans, (row, column))]
        self.first_row, self.first_column = self.corner[0][-1], self.corner[1][-1]
        self.set(self.problem.batch, self.batch)

    def for_each_tile(self, start: ir.Value, work: Callable[[ir.Value], ir.Value]) -> None:
        """The code of all of a block's tiles. `work`: that of one, with a value that it carries to the next."""

        def tile(number: ir.Value, value: ir.Value) -> list[ir.Value]:
            self.set_tile(number)
            return [work(value)]

        for_loop(self.number, prod(self.tiles), tile, [start], self.blocks)

    @property
    def sum_type(self) -> ir.Type:
        return self.problem.element_type(2)

    def set(self, dimensions: Sequence[int], position: ir.Value) -> None:
        """The indices along some dimensions, which count as one."""
        self.at.update(self.problem.along(dimensions, position))

    def indices(self, number: int) -> list[ir.Value]:
        """Of the element of an operand."""
        at, maps = list(self.at.values()), self.problem.nest.maps
        return [at[e.position] if isinstance(e, ir.AffineDimExpr) else _index_at(e, at) for e in maps[number].results]

    def finish(self, row: ir.Value, column: ir.Value, sums: Callable[[], Sequence[ir.Value]]) -> None:
        """Gives a sum and its neighbours along the columns to the epilogue, if their position in the tile is inside the result."""
        checks, less = [], arith.CmpIPredicate.ult
        for span, corner, offset in zip(self.spans, self.corner, (row, column)):
            if span.count < span.room:
                checks.append(arith.cmpi(less, offset, index(span.count)))
            for part, first, inside in zip(span.parts, corner, span.indices(offset)):
                position = add(first, inside)
                self.set(part.dimensions, position)
                if part.extent % part.box:
                    checks.append(arith.cmpi(less, position, index(part.extent)))
        with where(*checks):
            self.epilogue.emit(dict(self.at), sums())

    def width(self, most: int) -> int:
        """How many neighbours along the columns a thread takes, if a row of sums has `most` next to each other."""
        return self.spans[1].width(self.inner, self.epilogue.width(most))


def _index_at(expression: ir.AffineExpr, coordinates: Sequence[ir.Value]) -> ir.Value:
    """What a sum of the dimensions, or a number, is at some coordinates."""
    one = ir.AffineMap.get(len(coordinates), 0, [expression])
    return affine.AffineApplyOp(ir.AffineMapAttr.get(one), list(coordinates)).result


def _tile_of(block: ir.Value, tiles: tuple[int, int, int], square: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Batch, row and column of a block's tile. Blocks go down some rows before they take the next column: those that run at
    the same time are a square, which reads less of both inputs than a row of tiles does."""
    batch, rows, columns = tiles
    height = next(n for n in range(square, 0, -1) if rows % n == 0)
    if height < min(square, rows) // 2:
        return _tile_in_rest(block, tiles, square)
    of, group, column, row = position_values(block, [batch, rows // height, columns, height])
    return of, add(mul(group, height), row), column


def _tile_in_rest(block: ir.Value, tiles: tuple[int, int, int], square: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The same where the last group has fewer rows."""
    batch, rows, columns = tiles
    of, inside = position_values(block, [batch, rows * columns])
    group, in_group = divided(inside, square * columns)
    first = mul(group, square)
    height = arith.minui(sub(rows, first), index(square))
    return of, add(first, arith.remui(in_group, height)), arith.divui(in_group, height)
