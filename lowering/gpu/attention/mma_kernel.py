"""Attention by mma.sync: scores and weights stay in registers.

    copy the block's queries; start to copy the first keys and values
    for each step: wait for its keys and values; barrier; start to copy the next ones
                   scores = queries x keys; what the program does with them; softmax of what has come so far
                   sums = factor * sums + weights x values
    sums / total to the result

The scores' fragments are, converted, the weights' fragments of the second product: the layouts of sums and of left inputs are
the same (PTX ISA, "Matrix Fragments for mma.m16n8k16"). Dao, "FlashAttention-2" (2023)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.gpu.attention.online_softmax import Row, add_scores, f32, scaled
from hlo.lowering.gpu.attention.plan import BYTES, DEPTH, IN_REGISTERS, STAGES, Cut, Plan
from hlo.lowering.gpu.attention.steps import Steps
from hlo.lowering.gpu.contraction.pipeline import end_of_group, next_stage, wait_for_groups
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, dynamic_shared_memory
from hlo.lowering.gpu.contraction.tensor_cores import (
    Instruction,
    M,
    N,
    add_products,
    left_fragment,
    right_fragment,
)
from hlo.lowering.gpu.control_flow import index_constant
from hlo.lowering.gpu.element import Values

HALVES = (0, 8)
"""Rows of a thread's fragment of sums."""


def fragment_places(count: int, columns: int) -> list[tuple[int, int]]:
    """Row and column of each element of fragments, by their number among those of a thread; `columns` fragments are beside each other."""
    return [(n // (4 * columns) * 2 + n % 4 // 2, n // 4 % columns * 2 + n % 2) for n in range(count)]


class RowProducts:
    """Products of a block's rows and a step's columns: for each tile of a warp's rows, for each eight columns, a fragment of four. `left`, `right`:
    both inputs in shared memory; `corner`: the warp's first row."""

    def __init__(self, p: Problem, left: SharedTile, right: SharedTile, lane: ir.Value, corner: ir.Value, cut: Cut):
        kind = p.kind(p.right)
        self.left, self.right, self.lane, self.corner = left, right, lane, corner
        self.tiles, self.columns, self.parts = range(cut.tiles), cut.keys // N, range(-(-p.k // DEPTH))
        self.instruction = Instruction(kind, kind, "f32", DEPTH)
        self.kept: dict[tuple[int, int], list[ir.Value]] = {}

    def keep(self) -> None:
        """The rows in registers, through all steps."""
        self.kept = {(tile, part): self._rows(tile, part) for tile in self.tiles for part in self.parts}

    def _rows(self, tile: int, part: int) -> list[ir.Value]:
        return left_fragment(self.left, index_constant(0), self.lane, self.corner, tile * M, part)

    def emit(self, stage: ir.Value) -> list[ir.Value]:
        """Of the columns in a stage."""
        sums = [f32(0.0)] * (len(self.tiles) * self.columns * 4)
        for part in self.parts:
            lefts = [[self.kept.get((tile, part)) or self._rows(tile, part)] for tile in self.tiles]
            right = partial(right_fragment, self.right, stage, self.lane, part=part)
            add_products(self.instruction, lefts, right, self.columns, sums)
        return sums


def first_of_pair(first: ir.Value, lane: ir.Value, column: int) -> ir.Value:
    """Where a lane's two neighbours of the so many-th eight columns begin."""
    offset = arith.muli(arith.remui(lane, index_constant(4)), index_constant(2))
    return arith.addi(first, arith.addi(offset, index_constant(column * N)))


def rows_of_lane(first: ir.Value, corner: ir.Value, lane: ir.Value, places: Sequence[int]) -> list[ir.Value]:
    """The rows of a block that a lane has in fragments, so many rows below the first one of its warp, which begins at `corner`."""
    row = arith.addi(first, arith.addi(corner, arith.divui(lane, index_constant(4))))
    return [arith.addi(row, index_constant(place)) for place in places]


class Kernel(Steps):
    """The code of a block of threads."""

    def __init__(self, plan: Plan, values: Values):
        super().__init__(plan, values)
        self.memory = dynamic_shared_memory()
        self.q = SharedTile(plan.q, self.scores, self.memory, 1, 0)
        self.k = SharedTile(plan.k, self.scores, self.memory, STAGES, plan.q.bytes)
        self.v = SharedTile(plan.v, self.values, self.memory, STAGES, plan.q.bytes + STAGES * plan.k.bytes)
        self.corner = arith.muli(self.warp, index_constant(plan.cut.tiles * M))
        first, second = plan.blocks()
        kind = second.kind(second.right)
        self.by_values = Instruction(kind, kind, "f32", DEPTH)
        self.products = RowProducts(first, self.q, self.k, self.lane, self.corner, plan.cut)
        self.count = plan.cut.tiles * plan.width // N * 4

    def _prepare(self) -> None:
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        if self.attention.scores.k * BYTES <= IN_REGISTERS:
            self.products.keep()
        super()._prepare()

    def _numbers(self) -> list[ir.Value]:
        places = [tile * M + half for tile in range(self.plan.cut.tiles) for half in HALVES]
        return rows_of_lane(self.values.first_row, self.corner, self.lane, places)

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
        scores = self._computed(self.products.emit(stage), arith.muli(step, index_constant(self.plan.cut.keys)))
        after, factors, weights = add_scores(rows, scores, fragment_places(len(scores), self.plan.cut.keys // N))
        return after, self._sums(stage, factors, weights, sums)

    def _computed(self, products: list[ir.Value], first: ir.Value) -> list[ir.Value]:
        """What the program makes of the products; -inf beyond the last key."""
        columns = self.plan.cut.keys // N
        groups = [first_of_pair(first, self.lane, column) for column in range(columns)]
        places, scored = fragment_places(len(products), columns), {self.attention.dot: products}
        return self.rows.computed(self.attention.expression, scored, places, groups, 2, f32(float("-inf")))

    def _sums(
        self, stage: ir.Value, factors: Sequence[ir.Value], weights: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The sums of weights times values so far."""
        tiles, keys = self.plan.cut.tiles, self.plan.cut.keys
        found = scaled(sums, fragment_places(len(sums), self.plan.width // N), factors)
        for part in range(keys // DEPTH):
            starts = [tile * keys // 2 + 8 * part for tile in range(tiles)]
            lefts = [[rounded_pairs(self.attention.weight_type, weights[n : n + 8])] for n in starts]
            right = partial(right_fragment, self.v, stage, self.lane, part=part)
            add_products(self.by_values, lefts, right, -(-self.attention.values.n // N), found)
        return found

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        first, places = first_of_pair(index_constant(0), self.lane, 0), fragment_places(len(sums), self.plan.width // N)
        self.rows.write(result, first, 2, N, sums, places, inverses)


def rounded_pairs(kind: ir.Type, values: Sequence[ir.Value]) -> list[ir.Value]:
    """What a thread has of fragments of sums next to each other as a left fragment: two neighbours of a row together, rounded."""
    found = []
    for first in range(0, len(values), 2):
        both = vector.from_elements(ir.VectorType.get([2], values[first].type), list(values[first : first + 2]))
        found.append(arith.truncf(ir.VectorType.get([2], kind), both))
    return found
