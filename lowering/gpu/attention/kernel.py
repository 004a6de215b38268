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

from mlir import ir
from mlir.dialects import arith, scf, vector

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.finish import Finish
from hlo.lowering.gpu.attention.online_softmax import Row, f32
from hlo.lowering.gpu.attention.plan import IN_REGISTERS, STAGES, Plan
from hlo.lowering.gpu.attention.statistics import write_statistics
from hlo.lowering.gpu.attention.steps import Steps
from hlo.lowering.gpu.contraction.ring import end_of_group, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, dynamic_shared_memory
from hlo.lowering.gpu.contraction.tensor_cores import Instruction, M, N, fragment
from hlo.lowering.gpu.element import Values, index_constant

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
        return fragment(self.q, stage, self.lane, self.corner, tile * M, part, not self.q.side.is_along_depth)

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
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        following = arith.addi(step, index_constant(1))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ult, following, index_constant(self.plan.steps)))
        with ir.InsertionPoint(branch.then_block):
            self._copy(following)
            scf.YieldOp([])
        stage = arith.remui(step, index_constant(STAGES))
        scores = self._scores(stage)
        scores = self._computed(scores, arith.muli(step, index_constant(self.plan.cut.keys)))
        after, factors, weights = self._weights(rows, scores)
        return after, self._sums(stage, factors, weights, sums)

    def _scores(self, stage: ir.Value) -> list[ir.Value]:
        """Products of queries and keys: for each tile of rows, for each eight keys, a fragment of four."""
        tiles, columns = self.plan.cut.tiles, self.plan.cut.keys // N
        sums = [f32(0.0)] * (tiles * columns * 4)
        for part in self._parts:
            lefts = [
                self.queries.get((tile, part)) or self._query(tile, part, index_constant(0)) for tile in range(tiles)
            ]
            for pair in range(0, columns, 2):
                right = self._fragment(self.k, stage, pair * N, part)
                for tile, left in enumerate(lefts):
                    for half in range(2):
                        at = 4 * (tile * columns + pair + half)
                        sums[at : at + 4] = self.by_keys.emit(left, right[2 * half : 2 * half + 2], sums[at : at + 4])
        return sums

    def _fragment(self, tile: SharedTile, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        """Of a right input, for two instructions."""
        return fragment(tile, stage, self.lane, index_constant(0), first, part, tile.side.is_along_depth)

    def _computed(self, products: list[ir.Value], first: ir.Value) -> list[ir.Value]:
        """What the program makes of the products; -inf beyond the last key."""
        columns, evaluator = self.plan.cut.keys // N, self.evaluator.inner()
        keys = [key for column in range(columns) for key in self._keys(evaluator, first, column)]
        found = []
        for number, product in enumerate(products):
            tile, column, place = number // (4 * columns), number // 4 % columns, number % 4
            row, (key, is_inside) = self.rows[2 * tile + place // 2], keys[2 * column + place % 2]
            score = evaluator.value(self.attention.expression, {**row, **key}, {self.attention.dot: product})
            score = _widened(score)
            found.append(score if is_inside is None else arith.select(is_inside, score, f32(float("-inf"))))
        return found

    def _keys(
        self, evaluator: Evaluator, first: ir.Value, column: int
    ) -> list[tuple[dict[int, ir.Value], ir.Value | None]]:
        """A thread's pair of eight keys: `_neighbouring_keys`."""
        offset = arith.muli(arith.remui(self.lane, index_constant(4)), index_constant(2))
        return self._neighbouring_keys(evaluator, arith.addi(first, arith.addi(offset, index_constant(column * N))), 2)

    def _weights(self, rows: list[Row], scores: list[ir.Value]) -> tuple[list[Row], list[ir.Value], list[ir.Value]]:
        """The rows with these scores, the factors of their sums so far, and the weights in place of the scores."""
        size = self.plan.cut.keys // N * 4
        after, factors, weights = [], [], list(scores)
        for number, row in enumerate(rows):
            tile, half = divmod(number, 2)
            places = [n for n in range(tile * size, (tile + 1) * size) if n % 4 // 2 == half]
            new, factor, found = row.add([scores[n] for n in places])
            after.append(new)
            factors.append(factor)
            for place, weight in zip(places, found):
                weights[place] = weight
        return after, factors, weights

    def _sums(
        self, stage: ir.Value, factors: Sequence[ir.Value], weights: Sequence[ir.Value], sums: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """The sums of weights times values so far."""
        tiles, columns, keys = self.plan.cut.tiles, self.plan.width // N, self.plan.cut.keys
        found = [arith.mulf(s, factors[n // (4 * columns) * 2 + n % 4 // 2]) for n, s in enumerate(sums)]
        for part in range(keys // self.plan.depth):
            number = part * self.plan.depth // N
            lefts = [self._left(weights, tile * keys // N + number) for tile in range(tiles)]
            for pair in range(0, self._columns, 2):
                right = self._right(stage, pair * N, part)
                for tile, left in enumerate(lefts):
                    for half in range(2):
                        at = 4 * (tile * columns + pair + half)
                        found[at : at + 4] = self.by_values.emit(
                            left, right[2 * half : 2 * half + 2], found[at : at + 4]
                        )
        return found

    def _right(self, stage: ir.Value, first: int, part: int) -> list[ir.Value]:
        """The values' fragments."""
        return self._fragment(self.v, stage, first, part)

    @property
    def _columns(self) -> int:
        """Of the result, in eights, that are not padding alone."""
        return -(-self.attention.values.n // N)

    def _left(self, weights: Sequence[ir.Value], number: int) -> list[ir.Value]:
        """The weights' fragment: from two fragments of scores next to each other."""
        kind = self.attention.weight_type
        one, other = (weights[4 * n : 4 * n + 4] for n in (number, number + 1))
        return [_pair(kind, *both) for both in (one[:2], one[2:], other[:2], other[2:])]

    # The end

    def _write_statistics(self, rows: Sequence[Row]) -> None:
        """The first lane of four stores those of a row."""
        p, four = self.attention.values, index_constant(4)
        is_first = arith.cmpi(arith.CmpIPredicate.eq, arith.remui(self.lane, four), index_constant(0))
        for number, (row, at) in enumerate(zip(rows, self.rows)):
            tile, half = divmod(number, len(HALVES))
            inner = arith.addi(arith.divui(self.lane, four), index_constant(tile * M + HALVES[half]))
            place = arith.addi(self.values.first_row, arith.addi(self.corner, inner))
            is_row = arith.cmpi(arith.CmpIPredicate.ult, place, index_constant(p.m))
            write_statistics(self.attention, self.evaluator, row, at, [is_first, is_row], self.attention.expression)

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        columns = self.plan.width // N
        quotients = [arith.mulf(s, inverses[n // (4 * columns) * 2 + n % 4 // 2]) for n, s in enumerate(sums)]
        places = [
            (tile * M + half, c * N) for tile in range(self.plan.cut.tiles) for c in range(columns) for half in HALVES
        ]
        tile = self.plan.result
        tile.write(self.memory, self.lane, (self.corner, index_constant(0)), places, quotients)
        ir.Operation.create("gpu.barrier")
        Finish(self.plan, self.values, self.batch, self.evaluator, result).emit(self.memory)


def _widened(value: ir.Value) -> ir.Value:
    kind = ir.F32Type.get()
    return value if value.type == kind else arith.extf(kind, value)


def _pair(kind: ir.Type, one: ir.Value, other: ir.Value) -> ir.Value:
    """Two f32, rounded."""
    both = vector.from_elements(ir.VectorType.get([2], one.type), [one, other])
    return arith.truncf(ir.VectorType.get([2], kind), both)
