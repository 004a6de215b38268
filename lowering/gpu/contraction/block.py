"""What every kernel of a contraction has in common: where a block's tile is, and what is done with the sums."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.contraction.epilogue import Epilogue, Follower
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.spans import Span, whole
from hlo.lowering.gpu.control_flow import identity, where
from hlo.lowering.gpu.element import Element, Values, delinearized
from hlo.lowering.linalg.loops import for_loop, index, zero

SQUARE = 16
"""Rows of tiles that blocks go down, at most: as many tiles to the right of them fill a card of 132 multiprocessors, each twice
as wide as high."""


class Block:
    """The code of one block of threads: a tile of `size` results, or, if there are fewer `blocks` than tiles, every so many-th of
    them. `spans`: of rows and columns, if a tile's are boxes; `element`: the contraction at indices that are set."""

    def __init__(
        self,
        problem: Problem,
        tiles: tuple[int, int, int],
        size: tuple[int, int],
        values: Values,
        blocks: int | None = None,
        spans: tuple[Span, Span] | None = None,
    ):
        self.problem, self.tiles, self.size, self.values = problem, tiles, size, values
        self.spans = spans or (whole(problem.rows, problem.m, size[0]), whole(problem.columns, problem.n, size[1]))
        self.blocks = prod(tiles) if blocks is None else blocks
        operands = [values.get(v, v) for v in problem.op.operands]
        self.element = Element(problem.op, problem.nest, operands, values)
        self.thread = identity("gpu.thread_id")
        self.number = identity("gpu.block_id")
        self.set_tile(self.number)
        self.maps: list[ir.Value] = []

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

    def epilogue(self, followers: Sequence[Follower], hidden: Collection[ir.Value], start: ir.Value | None) -> None:
        """`start`: what the sums begin with; None for what the result's memory holds."""
        self.start = start
        self.end = Epilogue(self.problem, self.element, followers, hidden, self.values)

    @property
    def sum_type(self) -> ir.Type:
        return self.problem.element_type(2)

    def set(self, dimensions: Sequence[int], position: ir.Value) -> None:
        """The indices along some dimensions, which count as one."""
        self.element.go_to(dimensions, position)

    def initial(self) -> ir.Value:
        """What sums begin with: what the memory holds is added at the end."""
        if self.start is not None:
            return self.start
        return zero(self.sum_type)

    def finish(self, row: ir.Value, column: ir.Value, sums: Callable[[], Sequence[ir.Value]]) -> None:
        """Gives a sum and its neighbours along the columns to the epilogue, if their position in the tile is inside the result."""
        checks = []
        for span, corner, offset in zip(self.spans, self.corner, (row, column)):
            checks += self._set_in(span, corner, offset)
        with where(*checks):
            self._end(sums())

    def _set_in(self, span: Span, corner: Sequence[ir.Value], offset: ir.Value) -> list[ir.Value]:
        """Sets the indices along a span's parts; gives the checks that it is inside."""
        checks, less = [], arith.CmpIPredicate.ult
        if span.count < span.room:
            checks.append(arith.cmpi(less, offset, index(span.count)))
        for part, first, inside in zip(span.parts, corner, span.places(offset)):
            position = arith.addi(first, inside)
            self.set(part.dimensions, position)
            if part.extent % part.box:
                checks.append(arith.cmpi(less, position, index(part.extent)))
        return checks

    def width(self, most: int) -> int:
        """How many neighbours along the columns a thread takes, if a row of sums has `most` next to each other."""
        return self.spans[1].width(self.end.inner, self.end.width(most))

    def _end(self, sums: Sequence[ir.Value]) -> None:
        self.end.emit(sums if self.start is not None else self._added(sums))

    def _added(self, sums: Sequence[ir.Value]) -> list[ir.Value]:
        """With what the result's memory holds."""
        inner = self.end.inner
        first, found = self.element.place[inner], []
        add = arith.addf if isinstance(self.sum_type, ir.FloatType) else arith.addi
        for lane, value in enumerate(sums):
            if lane:
                self.element.place[inner] = arith.addi(first, index(lane))
            found.append(add(self.element.load(2), value))
        self.element.place[inner] = first
        return found


def _tile_of(block: ir.Value, tiles: tuple[int, int, int], square: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Batch, row and column of a block's tile. Blocks go down some rows before they take the next column: those that run at
    the same time are a square, which reads less of both inputs than a row of tiles does."""
    batch, rows, columns = tiles
    side = next(n for n in range(square, 0, -1) if rows % n == 0)
    if side < min(square, rows) // 2:
        return _tile_in_rest(block, tiles, square)
    of, group, column, row = delinearized(block, [batch, rows // side, columns, side])
    return of, arith.addi(arith.muli(group, index(side)), row), column


def _tile_in_rest(block: ir.Value, tiles: tuple[int, int, int], square: int) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The same where the last group has fewer rows."""
    batch, rows, columns = tiles
    of, inside = delinearized(block, [batch, rows * columns])
    group, in_group = (f(inside, index(square * columns)) for f in (arith.divui, arith.remui))
    first = arith.muli(group, index(square))
    side = arith.minui(arith.subi(index(rows), first), index(square))
    return of, arith.addi(first, arith.remui(in_group, side)), arith.divui(in_group, side)
