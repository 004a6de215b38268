"""A block of threads of a contraction: where its tile is, the indices of what it reads and of the sums, and who takes them; sums on their
way from registers to the epilogue.

The fragments of matrix instructions have two neighbours of a row in a thread; from shared memory each thread takes as many as its stores
are wide, and neighbouring threads take what is next to them. Warpgroups do so some columns at a time, in memory of their own: a warpgroup's
four warps wait for each other alone, and the stages of the pipeline stay free for the next tile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Protocol

from mlir import ir
from mlir.dialects import affine, arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import TensorMap
from hlo.lowering.gpu.contraction.axes import Span, whole
from hlo.lowering.gpu.contraction.box_operands import ROWS
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.evaluate import Epilogue, Outputs
from hlo.lowering.gpu.hopper import WARPGROUP, Multiplier
from hlo.lowering.gpu.launches import Values
from hlo.lowering.gpu.threads import each, identity, load_several, shared_view, store_several, where
from hlo.lowering.linalg.loops import Index, add, divided, for_loop, index, mul, position_values, sub
from hlo.lowering.memory.storage import element_bytes


def plain_spans(problem: Problem, m: int, n: int) -> tuple[Span, Span]:
    """Of tiles whose rows, and columns, count as one."""
    return whole(problem.rows, problem.m, m), whole(problem.columns, problem.n, n)


class Code(Protocol):
    """What writes the code of a block of threads. `maps`: the tile's tensor maps, as the gpu.func has them."""

    def emit(self, block: Block, maps: Sequence[ir.Value]) -> None: ...


@dataclass(frozen=True)
class Tile:
    """How a problem is multiplied: `m` x `n` results by `threads` threads. `unit`: what multiplies, in words; `rate`:
    about how many operations a second one multiprocessor does; `shared_bytes`: of dynamic shared memory. `spans`: what
    a tile has of the rows and of the columns; `k`: elements along k that are multiplied, with those that are padding.
    `maps`: operands that are read by tensor maps; `most_blocks`: as many have work."""

    problem: Problem
    m: int
    n: int
    threads: int
    unit: str
    rate: float
    shared_bytes: int
    code: Code
    spans: tuple[Span, Span]
    k: int
    maps: Sequence[tuple[ir.Value, TensorMap]] = ()
    most_blocks: int | None = None

    @property
    def tiles(self) -> tuple[int, int, int]:
        """How many there are: of the batch, the rows, the columns."""
        rows, columns = self.spans
        return self.problem.batches, rows.tiles, columns.tiles

    @property
    def blocks(self) -> int:
        return min(prod(self.tiles), self.most_blocks or prod(self.tiles))


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


def fragment_coordinates(count: int, rows: int) -> list[tuple[int, int]]:
    """Row and column of each of so many values of a thread, which has so many rows: of each fragment two, and two columns."""
    columns = count // (2 * rows)
    return [(n // (4 * columns) * 2 + n % 4 // 2, n // 4 % columns * 2 + n % 2) for n in range(count)]


Positions = Iterable[tuple[ir.Value, ir.Value]]
"""Rows and columns in a tile."""


def fragment_positions(
    lane: ir.Value, corner: tuple[Index, Index], rows: Sequence[int], columns: Sequence[int]
) -> Positions:
    """Of a lane's pairs of sums in fragments that begin at these rows and columns from a corner on."""
    row, column = (add(first, own) for first, own in zip(corner, fragment_position(lane)))
    return ((add(row, i + half), add(column, j)) for i in rows for j in columns for half in FRAGMENT_ROWS)


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

    def write(self, view: ir.Value, positions: Positions, sums: Sequence[ir.Value], width: int = 2) -> None:
        """A thread's sums, so many adjacent ones at each position."""
        for number, position in enumerate(positions):
            store_several(view, position, sums[number * width : (number + 1) * width])

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
            block.finish(outer, add(column, first_column), lambda: load_several(view, [row, column], width))


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
            self.part.write(view, fragment_positions(thread.lane, corner, (0,), range(0, COLUMNS, 8)), own)
            thread.barrier()
            self.part.finish(view, block, thread.member, WARPGROUP, first_row, column)
