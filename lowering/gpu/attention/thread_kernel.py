"""Attention by ordinary instructions, exact as the program has it: products are fused multiply-adds, exponentials those of any op.

    copy the block's queries and the first keys
    for each step: wait for its keys; barrier; start to copy its values
                   scores = queries x keys; what the program does with them; softmax of what has come so far
                   the weights to shared memory; wait for the values; barrier; start to copy the next keys
                   sums = factor * sums + weights x values
    sums / total, through shared memory to the result

Keys come while values are multiplied, and the other way round: either has one place in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, math, scf, vector

from hlo.lowering.gpu.attention.finish import Finish
from hlo.lowering.gpu.attention.online_softmax import Row
from hlo.lowering.gpu.attention.steps import Steps
from hlo.lowering.gpu.attention.thread_plan import ACROSS, ThreadPlan
from hlo.lowering.gpu.contraction.block import zero_of
from hlo.lowering.gpu.contraction.ring import end_of_group, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, Side, dynamic_shared_memory
from hlo.lowering.gpu.contraction.simt import GROUP, Part, multiply
from hlo.lowering.gpu.element import Values, aligned, index_constant


class ExactRow(Row):
    """Of the threads beside each other in a warp."""

    lanes = ACROSS

    @staticmethod
    def exponential(x: ir.Value) -> ir.Value:
        return math.exp(x)


class ThreadKernel(Steps):
    """The code of a block of threads."""

    row = ExactRow

    def __init__(self, plan: ThreadPlan, values: Values):
        super().__init__(plan, values)
        self.memory, self.kind = dynamic_shared_memory(), self.values.sum_type
        offset = 0

        def tile(side: Side, is_of_values: bool) -> SharedTile:
            nonlocal offset
            found = SharedTile(side, self.values if is_of_values else self.scores, self.memory, 1, offset)
            offset += side.bytes
            return found

        self.q, self.k = tile(plan.q, False), tile(plan.k, False)
        self.v, self.w = tile(plan.v, True), tile(plan.w, True)
        down, across = (f(self.scores.thread, index_constant(ACROSS)) for f in (arith.divui, arith.remui))
        self.left, self.weights = (Part(one, down, plan.cut.down) for one in (self.q, self.w))
        self.keys, self.columns = (Part(one, across, ACROSS) for one in (self.k, self.v))

    def emit(self, result: ir.Value) -> None:
        none = index_constant(0)
        self.q.copy(none, none, self.plan.threads)
        self._copy_keys(none)
        self.rows = [self._row_places(place) for place in self.left.places]
        for row in self.rows:
            self.evaluator.prepare(self.attention.expression, row)
        sums = [zero_of(self.kind)] * (len(self.rows) * len(self.columns.places))
        rows, sums = self._steps([self.row.start(self.kind)] * len(self.rows), sums)
        if self.plan.visible is not None:
            wait_for_groups(0)  # keys of a step that was not taken
        ir.Operation.create("gpu.barrier")
        self._finish([row.inverse() for row in rows], sums, result)

    def _copy_keys(self, step: ir.Value) -> None:
        self.k.first = arith.muli(step, index_constant(self.plan.cut.keys))
        self.k.copy(index_constant(0), index_constant(0), self.plan.threads)
        end_of_group()

    # One step

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        none, first = index_constant(0), arith.muli(step, index_constant(self.plan.cut.keys))
        self._wait()
        self.v.copy(none, first, self.plan.threads)
        end_of_group()
        after, factors, weights = self._weights(rows, self._computed(self._scores(), first))
        self._store(weights)
        self._wait()
        self._copy_next(step)
        columns = len(self.columns.places)
        scaled = [arith.mulf(total, factors[number // columns]) for number, total in enumerate(sums)]
        return after, multiply(self.values, self.weights, self.columns, none, self.plan.cut.keys, scaled)

    def _wait(self) -> None:
        """For all copies, and for what the other threads read and write."""
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")

    def _copy_next(self, step: ir.Value) -> None:
        following = arith.addi(step, index_constant(1))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ult, following, index_constant(self.plan.steps)))
        with ir.InsertionPoint(branch.then_block):
            self._copy_keys(following)
            scf.YieldOp([])

    def _scores(self) -> list[ir.Value]:
        """Products of queries and keys, row by row."""
        start = [zero_of(self.kind)] * (len(self.rows) * len(self.keys.places))
        extent = -(-self.attention.scores.k // GROUP) * GROUP
        return multiply(self.scores, self.left, self.keys, index_constant(0), extent, start)

    def _computed(self, products: Sequence[ir.Value], first: ir.Value) -> list[ir.Value]:
        """What the program makes of the products; -inf beyond the last key."""
        evaluator, expression = self.evaluator.inner(), self.attention.expression
        groups = [arith.addi(first, place) for place in self.keys.groups]
        keys = [key for group in groups for key in self._neighbouring_keys(evaluator, group, self.keys.lanes)]
        lowest = arith.constant(self.kind, float("-inf"))
        found = []
        for number, product in enumerate(products):
            row, (key, is_inside) = self.rows[number // len(keys)], keys[number % len(keys)]
            score = evaluator.value(expression, {**row, **key}, {self.attention.dot: product})
            score = score if score.type == self.kind else arith.extf(self.kind, score)
            found.append(score if is_inside is None else arith.select(is_inside, score, lowest))
        return found

    def _weights(
        self, rows: Sequence[Row], scores: Sequence[ir.Value]
    ) -> tuple[list[Row], list[ir.Value], list[ir.Value]]:
        """The rows with these scores, the factors of their sums so far, and the weights."""
        count = len(self.keys.places)
        found = [row.add(scores[number * count : (number + 1) * count]) for number, row in enumerate(rows)]
        return [one[0] for one in found], [one[1] for one in found], [w for one in found for w in one[2]]

    def _store(self, weights: Sequence[ir.Value]) -> None:
        """To shared memory, neighbouring keys at once."""
        lanes, chunk = self.keys.lanes, index_constant(self.w.side.chunk)
        kind = ir.VectorType.get([lanes], self.kind)
        places = [(row, group) for row in self.weights.places for group in self.keys.groups]
        for number, (row, group) in enumerate(places):
            together = vector.from_elements(kind, list(weights[number * lanes : (number + 1) * lanes]))
            place = arith.addi(self.w.swizzled(row, arith.divui(group, chunk)), arith.remui(group, chunk))
            aligned(vector.StoreOp(together, self.w.memory, [index_constant(0), row, place]), kind)

    # The end

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        columns = len(self.columns.places)
        quotients = [arith.mulf(total, inverses[number // columns]) for number, total in enumerate(sums)]
        self.plan.result.write_each(self.memory, self.left.places, self.columns.places, quotients)
        ir.Operation.create("gpu.barrier")
        Finish(self.plan, self.values, self.batch, self.evaluator, result).emit(self.memory)
