"""What every kernel of a contraction has in common: where a block's tile is, and what is done with the sums."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.accesses import Nest, nest_of, uses_index
from hlo.lowering.gpu.contraction.axes import Span, whole
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.element import (
    Access,
    Element,
    Values,
    access_width,
    computed_lanes,
    delinearized,
    each_lane,
    store_lanes,
    vectors_at,
)
from hlo.lowering.gpu.threads import identity, where
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
        checks, less = [], arith.CmpIPredicate.ult
        for span, corner, offset in zip(self.spans, self.corner, (row, column)):
            if span.count < span.room:
                checks.append(arith.cmpi(less, offset, index(span.count)))
            for part, first, inside in zip(span.parts, corner, span.indices(offset)):
                position = arith.addi(first, inside)
                self.set(part.dimensions, position)
                if part.extent % part.box:
                    checks.append(arith.cmpi(less, position, index(part.extent)))
        with where(*checks):
            self.end.emit(sums() if self.start is not None else self._added(sums()))

    def width(self, most: int) -> int:
        """How many neighbours along the columns a thread takes, if a row of sums has `most` next to each other."""
        return self.spans[1].width(self.end.inner, self.end.width(most))

    def _added(self, sums: Sequence[ir.Value]) -> list[ir.Value]:
        """With what the result's memory holds."""
        add = arith.addf if isinstance(self.sum_type, ir.FloatType) else arith.addi
        lanes = each_lane(self.element, self.end.inner, len(sums))
        return [add(self.element.load(2), sums[lane]) for lane in lanes]


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


# What becomes of a contraction's sums: bias, activation, residual, conversion, all at the indices of the sum, then the store.
#
#     contraction -> %t;  linalg.generic tanh(%t + bias) -> %r        %t is never in memory if nothing else reads it
#
# Followers are elementwise ops whose indices are those of the contraction's results. A thread takes one result, or 16 bytes of
# neighbours: what followers read is then loaded as vectors too.


@dataclass(frozen=True)
class Follower:
    """An elementwise op after a contraction. `dimensions`: the contraction's dimension for each of its own."""

    op: ir.Operation
    nest: Nest
    dimensions: tuple[int, ...]

    @property
    def outputs(self) -> list[ir.Value]:
        return list(self.op.operands)[self.nest.inputs :]


def follower(op: ir.Operation, problem: Problem, at_results: Collection[ir.Value]) -> Follower | None:
    """The op, if it works on the contraction's results each at its indices. `at_results`: memory with an element a result: the
    contraction's and that of followers before this one."""
    if op.name != "linalg.generic":
        return None
    nest = nest_of(op)
    if nest.reduction or uses_index(op) or len(nest.parallel) != len(problem.nest.parallel):
        return None
    source = next((n for n, v in enumerate(list(op.operands)[: nest.inputs]) if v in at_results), None)
    dimensions = _dimensions(nest.maps[source], problem) if source is not None else None
    if dimensions is None:
        return None
    found = Follower(op, nest, dimensions)
    return found if all(_is_at_results(found, n, problem, at_results) for n in range(len(op.operands))) else None


def _dimensions(one: ir.AffineMap, problem: Problem) -> tuple[int, ...] | None:
    """By dimension of an op that reads the results through this map: the contraction's dimension."""
    found: dict[int, int] = {}
    for mine, theirs in zip(one.results, problem.nest.maps[2].results, strict=True):
        if not isinstance(mine, ir.AffineDimExpr) or not isinstance(theirs, ir.AffineDimExpr):
            return None
        found[mine.position] = theirs.position
    rank = len(problem.nest.parallel)
    return tuple(found[d] for d in range(rank)) if len(found) == rank else None


def _is_at_results(found: Follower, number: int, problem: Problem, at_results: Collection[ir.Value]) -> bool:
    """An operand that holds results is used at the result's indices; an output is such memory and nothing more."""
    value = found.op.operands[number]
    is_output = number >= found.nest.inputs
    if value in at_results:
        return not is_output and _dimensions(found.nest.maps[number], problem) == found.dimensions
    reads_itself = is_output and any(found.op.regions[0].blocks[0].arguments[number].uses)
    return not reads_itself and (not is_output or found.nest.maps[number].is_permutation)


class Epilogue:
    """Writes the code. `element`: the contraction, whose indices are set before `emit`; `hidden`: memory that nothing but the
    followers reads, and that need not be written."""

    def __init__(
        self,
        problem: Problem,
        element: Element,
        followers: Sequence[Follower],
        hidden: Collection[ir.Value],
        values: Values,
    ):
        self.problem, self.element, self.hidden = problem, element, hidden
        self.followers = [
            (one, Element(one.op, one.nest, [values.get(v, v) for v in one.op.operands], values)) for one in followers
        ]

    @property
    def inner(self) -> int:
        """The contraction's dimension along which neighbours are taken."""
        return self.problem.columns[-1]

    def width(self, most: int) -> int:
        """How many neighbours along the columns a thread takes: outputs are contiguous there, and `most` is their number in a
        tile's row."""
        used = [*self._outputs(), *(one for one in self._inputs() if one[0].is_vector(*one[1:]))]
        return access_width(used, self.problem.nest.sizes[self.inner], most)

    def _outputs(self) -> list[Access]:
        """What is written: the element of the op, the number of the operand, the op's dimension along the columns."""
        found = [] if self.problem.op.operands[2] in self.hidden else [(self.element, 2, self.inner)]
        for one, element in self.followers:
            along = one.dimensions.index(self.inner)
            found += [(element, n, along) for n in element.outputs if one.op.operands[n] not in self.hidden]
        return found

    def _inputs(self) -> list[Access]:
        """What followers read, in the same way."""
        return [
            (element, n, one.dimensions.index(self.inner))
            for one, element in self.followers
            for n in range(element.nest.inputs)
            if one.op.operands[n] not in self.hidden
        ]

    def emit(self, sums: Sequence[ir.Value]) -> None:
        """At the contraction's indices: `sums` are the results there and of its neighbours along the columns."""
        for element, number, lanes in self.written(sums):
            store_lanes(element, number, lanes, element.along(number))

    def written(self, sums: Sequence[ir.Value]) -> Iterator[tuple[Element, int, Sequence[ir.Value]]]:
        """What is to be stored: the element of the op, the number of the operand, its value there and of its neighbours."""
        known = {self.problem.op.operands[2]: list(sums)}
        if self.problem.op.operands[2] not in self.hidden:
            yield self.element, 2, sums
        for one, element in self.followers:
            for mine, theirs in enumerate(one.dimensions):
                element.coordinates[mine] = self.element.coordinates[theirs]
            yield from self._follow(one, element, known, len(sums))

    def _follow(
        self, one: Follower, element: Element, known: dict[ir.Value, list[ir.Value]], width: int
    ) -> Iterator[tuple[Element, int, Sequence[ir.Value]]]:
        along = one.dimensions.index(self.inner)
        given = [known.get(v) for v in list(one.op.operands)[: one.nest.inputs]]
        loaded = vectors_at(element, width, along, given) if width > 1 else lambda _: [None] * len(given)

        def inputs(lane: int) -> list[ir.Value | None]:
            return [v[lane] if v else vector for v, vector in zip(given, loaded(lane))]

        for number, lanes in zip(element.outputs, computed_lanes(element, along, width, inputs)):
            known[one.op.operands[number]] = list(lanes)
            if one.op.operands[number] not in self.hidden:
                yield element, number, lanes
