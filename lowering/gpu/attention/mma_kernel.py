"""Attention by mma.sync: scores and weights stay in registers.

    copy the block's queries; start to copy the first keys and values
    for each step: wait for its keys and values; barrier; start to copy the next ones
                   scores = queries x keys; what the program does with them; softmax of what has come so far
                   sums = factor * sums + weights x values
    sums / total, through shared memory to the result

The scores' fragments are, converted, the weights' fragments of the second product: the layouts of sums and of left inputs are
the same (PTX ISA, "Matrix Fragments for mma.m16n8k16"). Dao, "FlashAttention-2" (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.online_softmax import Row, add_scores, f32
from hlo.lowering.gpu.attention.outputs import Finish, write_statistics
from hlo.lowering.gpu.attention.plan import IN_REGISTERS, MOST_REGISTERS, STAGES, Cut, Plan
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.attention.steps import Steps
from hlo.lowering.gpu.contraction.pipeline import end_of_group, next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, Side, dynamic_shared_memory, side_of
from hlo.lowering.gpu.contraction.simt import TURNED
from hlo.lowering.gpu.contraction.tensor_cores import (
    ENOUGH_BLOCKS,
    Instruction,
    M,
    N,
    add_products,
    left_fragment,
    right_fragment,
)
from hlo.lowering.gpu.control_flow import equals, index_constant, is_below
from hlo.lowering.gpu.element import Values, aligned

HALVES = (0, 8)
"""Rows of a thread's fragment of sums."""


class Kernel(Steps):
    """The code of a block of threads."""

    def __init__(self, plan: Plan, values: Values):
        super().__init__(plan, values)
        self.memory = dynamic_shared_memory()
        self.q = SharedTile(plan.q, self.scores, self.memory, 1, 0)
        self.k = SharedTile(plan.k, self.scores, self.memory, STAGES, plan.q.bytes)
        self.v = SharedTile(plan.v, self.values, self.memory, STAGES, plan.q.bytes + STAGES * plan.k.bytes)
        self.corner = arith.muli(self.warp, index_constant(plan.cut.tiles * M))
        kinds = [p.kind(p.right) for p in plan.blocks()]
        self.by_keys, self.by_values = (Instruction(kind, kind, "f32", plan.depth) for kind in kinds)

    # All steps

    def emit(self, result: ir.Value) -> None:
        self.q.copy(index_constant(0), index_constant(0), self.plan.threads)
        self._copy(index_constant(0))
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        self._prepare()
        sums = [f32(0.0)] * (self.plan.cut.tiles * self.plan.width // N * 4)
        rows, sums = self._steps([Row.start()] * len(self.rows), sums)
        if self.plan.visible is not None:
            wait_for_groups(0)  # a step that was not taken has been copied
        ir.Operation.create("gpu.barrier")
        self._write_statistics(rows)
        self._finish([row.inverse() for row in rows], sums, result)

    def _prepare(self) -> None:
        """What each step needs: queries, and what the program does with scores by row."""
        at = index_constant(0)
        parts = self._parts if self.attention.scores.k * self.plan.size <= IN_REGISTERS else range(0)
        self.queries = {
            (tile, part): self._query(tile, part, at) for tile in range(self.plan.cut.tiles) for part in parts
        }
        self.rows = [self._row(tile, half) for tile in range(self.plan.cut.tiles) for half in HALVES]
        for row in self.rows:
            self.evaluator.prepare(self.attention.expression, row)

    @property
    def _parts(self) -> range:
        """Of the depth: one for each instruction."""
        return range(-(-self.attention.scores.k // self.plan.depth))

    def _query(self, tile: int, part: int, stage: ir.Value) -> list[ir.Value]:
        return left_fragment(self.q, stage, self.lane, self.corner, tile * M, part)

    def _row(self, tile: int, half: int) -> dict[int, ir.Value]:
        """By symbol the place of a thread's row."""
        row = arith.addi(self.corner, arith.divui(self.lane, index_constant(4)))
        return self._row_places(arith.addi(row, index_constant(tile * M + half)))

    def _copy(self, step: ir.Value) -> None:
        """Starts to copy the keys and values of a step."""
        stage = arith.remui(step, index_constant(STAGES))
        first = arith.muli(step, index_constant(self.plan.cut.keys))
        self.k.first = first
        self.k.copy(stage, index_constant(0), self.plan.threads)
        self.v.copy(stage, first, self.plan.threads)
        end_of_group()

    # One step

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        stage = next_stage(step, self.plan.steps, STAGES, self._copy)
        scores = self._scores(stage)
        scores = self._computed(scores, arith.muli(step, index_constant(self.plan.cut.keys)))
        after, factors, weights = add_scores(rows, scores, partial(self._row_of, self.plan.cut.keys // N))
        return after, self._sums(stage, factors, weights, sums)

    def _scores(self, stage: ir.Value) -> list[ir.Value]:
        """Products of queries and keys: for each tile of rows, for each eight keys, a fragment of four."""
        tiles, columns = self.plan.cut.tiles, self.plan.cut.keys // N
        sums = [f32(0.0)] * (tiles * columns * 4)
        for part in self._parts:
            lefts = [
                [self.queries.get((tile, part)) or self._query(tile, part, index_constant(0))] for tile in range(tiles)
            ]
            right = partial(right_fragment, self.k, stage, self.lane, part=part)
            add_products(self.by_keys, lefts, right, columns, sums)
        return sums

    def _computed(self, products: list[ir.Value], first: ir.Value) -> list[ir.Value]:
        """What the program makes of the products; -inf beyond the last key."""
        columns, evaluator = self.plan.cut.keys // N, self.evaluator.inner()
        keys = [key for column in range(columns) for key in self._keys(evaluator, first, column)]
        places = [(self._row_of(columns, n), n // 4 % columns * 2 + n % 2) for n in range(len(products))]
        return self._scored(evaluator, products, places, keys, ir.F32Type.get())

    def _keys(
        self, evaluator: Evaluator, first: ir.Value, column: int
    ) -> list[tuple[dict[int, ir.Value], ir.Value | None]]:
        """A thread's pair of eight keys: `_neighbouring_keys`."""
        offset = arith.muli(arith.remui(self.lane, index_constant(4)), index_constant(2))
        return self._neighbouring_keys(evaluator, arith.addi(first, arith.addi(offset, index_constant(column * N))), 2)

    def _row_of(self, columns: int, number: int) -> int:
        """The row of the so many-th element of fragments, `columns` beside each other."""
        return number // (4 * columns) * 2 + number % 4 // 2

    def _sums(
        self, stage: ir.Value, factors: Sequence[ir.Value], weights: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The sums of weights times values so far."""
        tiles, columns, keys = self.plan.cut.tiles, self.plan.width // N, self.plan.cut.keys
        found = [arith.mulf(s, factors[self._row_of(columns, n)]) for n, s in enumerate(sums)]
        for part in range(keys // self.plan.depth):
            number = part * self.plan.depth // N
            lefts = [[self._left(weights, tile * keys // N + number)] for tile in range(tiles)]
            add_products(self.by_values, lefts, partial(self._right, stage, part=part), self._columns, found)
        return found

    def _right(self, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        """The values' fragments."""
        return right_fragment(self.v, stage, self.lane, first, part)

    @property
    def _columns(self) -> int:
        """Of the result, in eights, that are not padding alone."""
        return -(-self.attention.values.n // N)

    def _left(self, weights: Sequence[ir.Value], number: int) -> list[ir.Value]:
        """The weights' fragment: from two fragments of scores next to each other."""
        kind = self.attention.weight_type
        one, other = (weights[4 * n : 4 * n + 4] for n in (number, number + 1))
        return [rounded_pair(kind, *both) for both in (one[:2], one[2:], other[:2], other[2:])]

    # The end

    def _write_statistics(self, rows: Sequence[Row]) -> None:
        """The first lane of four stores those of a row."""
        p, four = self.attention.values, index_constant(4)
        is_first = equals(arith.remui(self.lane, four), 0)
        for number, (row, at) in enumerate(zip(rows, self.rows)):
            tile, half = divmod(number, len(HALVES))
            inner = arith.addi(arith.divui(self.lane, four), index_constant(tile * M + HALVES[half]))
            place = arith.addi(self.values.first_row, arith.addi(self.corner, inner))
            is_row = is_below(place, p.m)
            write_statistics(self.attention, self.evaluator, row, at, [is_first, is_row], self.attention.expression)

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        columns = self.plan.width // N
        quotients = [arith.mulf(s, inverses[self._row_of(columns, n)]) for n, s in enumerate(sums)]
        places = [
            (tile * M + half, c * N) for tile in range(self.plan.cut.tiles) for c in range(columns) for half in HALVES
        ]
        tile = self.plan.result
        tile.write(self.memory, self.lane, (self.corner, index_constant(0)), places, quotients)
        ir.Operation.create("gpu.barrier")
        Finish(self.plan, self.values, self.batch, self.evaluator, result).emit(self.memory)


def rounded_pair(kind: ir.Type, one: ir.Value, other: ir.Value) -> ir.Value:
    """Two f32, rounded."""
    both = vector.from_elements(ir.VectorType.get([2], one.type), [one, other])
    return arith.truncf(ir.VectorType.get([2], kind), both)


# f32 that the program allows to be rounded to tf32 (an `algorithm` of both products): 8 elements of the depth an instruction.
#
# A lane has neighbouring keys 2t, 2t + 1 of the scores, and needs t and t + 4 of the weights (PTX ISA, "Matrix Fragments for
# mma.m16n8k8"). The order of a sum is free: its keys 2t and 2t + 1 are taken as t and t + 4, of the values too.


CUTS = {32: (Cut(4, 1, 64), Cut(4, 1, 32)), 64: (Cut(8, 1, 64), Cut(4, 1, 32)), 128: (Cut(4, 1, 32),)}
"""By elements of a head, at most so many: what registers and 99 KiB of shared memory hold, largest first."""


class RoundedPlan(Plan):
    """Values lie in shared memory as they do in memory: who reads them takes single elements."""

    @staticmethod
    def of(attention: Attention) -> RoundedPlan:
        p = attention.scores
        cuts = next(found for most, found in CUTS.items() if max(p.k, attention.values.n) <= most)
        enough = (cut for cut in cuts if p.batches * -(-p.m // cut.queries) >= ENOUGH_BLOCKS)
        return RoundedPlan(attention, next(enough, cuts[-1]))

    @property
    def unit(self) -> str:
        return "mma.sync on tf32"

    @property
    def registers(self) -> int:
        """All: what a block leaves of shared memory is not enough for many others."""
        return MOST_REGISTERS

    @property
    def v(self) -> Side:
        p = self.attention.values
        return side_of(p, p.right, self.width, self.cut.keys, TURNED)


class RoundedKernel(Kernel):
    """The code of a block of threads."""

    def _left(self, weights: Sequence[ir.Value], number: int) -> list[ir.Value]:
        """The weights' fragment is one of scores: rows and rows + 8 of the first key, then of the second."""
        return [_single(weights[4 * number + place]) for place in (0, 2, 1, 3)]

    def _right(self, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        """For two instructions, eight columns each: two neighbouring keys of the lane's column."""
        column = arith.divui(self.lane, index_constant(4))
        pair = arith.muli(arith.remui(self.lane, index_constant(4)), index_constant(2))
        key = arith.addi(pair, index_constant(part * self.plan.depth))
        columns = [arith.addi(column, index_constant(first + half * N)) for half in range(2)]
        if self.v.side.is_along_depth:
            read = [self._read(stage, one, key, 2) for one in columns]
            return [_single(vector.extract(both, [], [n])) for both in read for n in range(2)]
        keys = [key, arith.addi(key, index_constant(1))]
        return [self._read(stage, one, column, 1) for column in columns for one in keys]

    def _read(self, stage: ir.Value, row: ir.Value, first: ir.Value, count: int) -> ir.Value:
        """Neighbours in a row of shared memory."""
        chunk = index_constant(self.v.side.chunk)
        place = arith.addi(self.v.swizzled(row, arith.divui(first, chunk)), arith.remui(first, chunk))
        kind = ir.VectorType.get([count], ir.F32Type.get())
        return aligned(vector.LoadOp(kind, self.v.memory, [stage, row, place]), kind).results[0]


def _single(value: ir.Value) -> ir.Value:
    return vector.from_elements(ir.VectorType.get([1], value.type), [value])
