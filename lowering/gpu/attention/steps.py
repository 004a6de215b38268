"""How a block goes through the keys: in steps, each with some of them; those that it does not see are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.online_softmax import Row, any_row_near
from hlo.lowering.gpu.attention.places import Places
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.tensor_cores import WARP
from hlo.lowering.gpu.element import Values, index_constant


class Steps:
    """What every kernel of attention has. `values`: memory, by the tensors that the attention's ops use. `scores`, `values`: the
    block's part of both contractions; `batch`: by symbol where it is; `rows`: the same for each of a thread's rows."""

    row: ClassVar[type[Row]] = Row
    rows: Sequence[dict[int, ir.Value]]

    def __init__(self, plan: Plan, values: Values):
        self.plan, self.attention = plan, plan.attention
        first, second = plan.blocks()
        self.scores = Block(first, plan.tiles, (plan.cut.queries, plan.cut.keys), values)
        self.values = Block(second, plan.tiles, (plan.cut.queries, plan.width), values)
        if plan.visible is not None:  # blocks that see most keys begin first
            self._turn()
        self.warp, self.lane = (f(self.scores.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        self.places = Places(second, self.attention.parts, self.values, plan.cut.queries, plan.cut.keys)
        self.batch = self.places.batch
        self.evaluator = Evaluator(values)

    def _turn(self) -> None:
        last = index_constant((self.plan.tiles[1] - 1) * self.plan.cut.queries)
        for block in (self.scores, self.values):
            block.first_row = arith.subi(last, block.first_row)

    def _row_places(self, row: ir.Value) -> dict[int, ir.Value]:
        """By symbol the place of a row of the block's tile."""
        return self.places.row(row)

    def _neighbouring_keys(
        self, evaluator: Evaluator, first: ir.Value, count: int
    ) -> list[tuple[dict[int, ir.Value], ir.Value | None]]:
        """By symbol the places of keys beside each other, the first one a multiple of their number, and whether each is one; None for
        always. What all rows' scores read there is read, several elements with one access where they are neighbours in memory."""
        keys = self.places.keys(first, count)
        if self.places.are_together(count):
            for row in self.rows:
                neighbours = [{**row, **key} for key, _ in keys]
                evaluator.read_neighbours(self.attention.expression, self.places.innermost_key, neighbours)
        return keys

    def _steps(self, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """Those whose keys the block sees; then, where a row may need them, the others."""
        visible, none, every = self.plan.visible, index_constant(0), index_constant(self.plan.steps)
        if visible is None:
            return self._loop(none, every, rows, sums)
        p, cut = self.attention.values, self.plan.cut
        seen = visible.steps(p, self.values.first_row, cut.queries, cut.keys)
        if visible.far == float("-inf"):  # a weight of 0 in any row that has another one
            return self._loop(none, seen, rows, sums)
        turns = scf.ForOp(none, index_constant(2), index_constant(1), _flat(rows, sums))
        with ir.InsertionPoint(turns.body):
            rows, sums = self._unflat(list(turns.inner_iter_args))
            is_first = arith.cmpi(arith.CmpIPredicate.eq, turns.induction_variable, none)
            rest = arith.select(any_row_near(rows, visible.far, self.warp, self.lane, cut.warps), every, seen)
            start, end = arith.select(is_first, none, seen), arith.select(is_first, seen, rest)
            scf.YieldOp(_flat(*self._loop(start, end, rows, sums)))
        return self._unflat(list(turns.results))

    def _loop(
        self, start: ir.Value, end: ir.Value, rows: list[Row], sums: list[ir.Value]
    ) -> tuple[list[Row], list[ir.Value]]:
        loop = scf.ForOp(start, end, index_constant(1), _flat(rows, sums))
        with ir.InsertionPoint(loop.body):
            scf.YieldOp(_flat(*self._step(loop.induction_variable, *self._unflat(list(loop.inner_iter_args)))))
        return self._unflat(list(loop.results))

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """The rows and the sums with the keys of a step."""
        raise NotImplementedError

    def _unflat(self, values: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        count = len(self.rows)
        return [self.row(m, t) for m, t in zip(values[:count], values[count : 2 * count])], values[2 * count :]


def _flat(rows: Sequence[Row], sums: Sequence[ir.Value]) -> list[ir.Value]:
    """What loops carry."""
    return [*(row.maximum for row in rows), *(row.total for row in rows), *sums]
