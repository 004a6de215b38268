"""How a block goes through the keys: in steps, each with some of them; those that it does not see are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.online_softmax import Row, any_row_near
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.attention.thread_rows import Places, ThreadRows
from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.pipeline import wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile
from hlo.lowering.gpu.control_flow import carried, equals, index_constant, zero_of
from hlo.lowering.gpu.element import Values


class Steps:
    """What every kernel of attention has. `values`: memory, by the tensors that the attention's ops use. `scores`, `values`: the
    block's part of both contractions; `batch`: by symbol where it is; `rows`: those of a thread. `count`: its sums."""

    row: ClassVar[type[Row]] = Row
    rows: ThreadRows
    q: SharedTile
    count: int

    def __init__(self, plan: Plan, values: Values):
        self.plan, self.attention = plan, plan.attention
        first, second = plan.blocks()
        self.scores = Block(first, plan.tiles, (plan.cut.queries, plan.cut.keys), values)
        self.values = Block(second, plan.tiles, (plan.cut.queries, plan.width), values)
        if plan.hidden is not None:  # blocks that see most keys begin first
            self._turn()
        self.warp, self.lane = (f(self.scores.thread, index_constant(WARP)) for f in (arith.divui, arith.remui))
        self.places = Places(second, self.attention.parts, plan.cut.queries, plan.cut.keys)
        self.batch = self.places.along(second.batch, self.values.batch)
        self.evaluator = Evaluator(values)

    def _turn(self) -> None:
        last = index_constant((self.plan.tiles[1] - 1) * self.plan.cut.queries)
        for block in (self.scores, self.values):
            block.first_row = arith.subi(last, block.first_row)

    def emit(self, result: ir.Value) -> None:
        none, kind = index_constant(0), self.values.sum_type
        self.q.copy(none, none, self.plan.threads)
        self._copy(none)
        self._prepare()
        rows, sums = self._steps([self.row.start(kind)] * len(self.rows.at), [zero_of(kind)] * self.count)
        if self.plan.hidden is not None:
            wait_for_groups(0)  # what has been copied for a step that was not taken
        self.rows.write_statistics(rows, equals(arith.remui(self.lane, index_constant(self.row.lanes)), 0))
        inverses = [row.inverse() for row in rows]  # all lanes take part
        self._finish(inverses, sums, result)

    def _prepare(self) -> None:
        """What each step needs: `rows`, and what the program does with their scores."""
        self.rows = ThreadRows(self.attention, self.places, self.evaluator, self.batch, self._numbers())
        self.rows.prepare()

    def _steps(self, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """Those whose keys the block sees; then, where a row may need them, the others."""
        hidden, none, every = self.plan.hidden, index_constant(0), index_constant(self.plan.steps)
        if hidden is None:
            return self._loop(none, every, rows, sums)
        cut = self.plan.cut
        _, seen = hidden.range(self.values.first_row, cut.queries)
        if hidden.far == float("-inf"):  # a weight of 0 in any row that has another one
            return self._loop(none, seen, rows, sums)

        def turn(number: ir.Value, values: list[ir.Value]) -> list[ir.Value]:
            rows, sums = self._unflat(values)
            is_first = arith.cmpi(arith.CmpIPredicate.eq, number, none)
            rest = arith.select(any_row_near(rows, hidden.far, self.warp, self.lane, cut.warps), every, seen)
            start, end = arith.select(is_first, none, seen), arith.select(is_first, seen, rest)
            return _flat(*self._loop(start, end, rows, sums))

        return self._unflat(carried(none, 2, 1, _flat(rows, sums), turn))

    def _loop(
        self, start: ir.Value, end: ir.Value, rows: list[Row], sums: list[ir.Value]
    ) -> tuple[list[Row], list[ir.Value]]:
        step = lambda number, values: _flat(*self._step(number, *self._unflat(values)))
        return self._unflat(carried(start, end, 1, _flat(rows, sums), step))

    def _unflat(self, values: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        count = len(self.rows.at)
        return [self.row(m, t) for m, t in zip(values[:count], values[count : 2 * count])], values[2 * count :]

    # What kernels differ in

    def _copy(self, step: ir.Value) -> None:
        """Starts to copy what a step begins with."""
        raise NotImplementedError

    def _numbers(self) -> Sequence[ir.Value]:
        """Of a thread's rows."""
        raise NotImplementedError

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        """The rows and the sums with the keys of a step."""
        raise NotImplementedError

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        """Writes the sums, each times what its row has of `inverses`."""
        raise NotImplementedError


def _flat(rows: Sequence[Row], sums: Sequence[ir.Value]) -> list[ir.Value]:
    """What loops carry."""
    return [*(row.maximum for row in rows), *(row.total for row in rows), *sums]
