"""The end of a tile: sums over the rows' totals, what the program makes of them, and the result, from registers to memory.

The four lanes that have a row write 16 bytes next to each other at a time, two elements of two bytes each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.online_softmax import Row
from hlo.lowering.gpu.attention.warpgroups.places import At, Places
from hlo.lowering.gpu.attention.warpgroups.plan import COLUMNS, WarpgroupPlan
from hlo.lowering.gpu.contraction.block import all_of
from hlo.lowering.gpu.element import aligned, index_constant


class Writing:
    """`result`: the memory that is written."""

    def __init__(self, plan: WarpgroupPlan, places: Places, evaluator: Evaluator, result: ir.Value):
        self.plan, self.places, self.result = plan, places, result
        self.evaluator = evaluator.inner()

    @property
    def are_neighbours(self) -> bool:
        """Two columns are next to each other in the result, and begin where two elements do."""
        p, places = self.plan.values, self.plan.attention.places
        return places[-1] == p.columns[-1] and p.nest.sizes[p.columns[-1]] % 2 == 0

    def emit(
        self, batch: At, rows: Sequence[ir.Value], column: ir.Value, totals: Sequence[Row], sums: Sequence[ir.Value]
    ) -> None:
        """`rows`, `totals`: of a thread; `column`: its first one."""
        p = self.plan.values
        for half, row in enumerate(rows):
            mine = [s for n, s in enumerate(sums) if n // 2 % 2 == half]
            inverse = totals[half].inverse()  # all lanes take part
            quotients = [arith.mulf(s, inverse) for s in mine]
            checks = [_is_below(row, p.m)] if p.m % self.plan.cut.queries else []
            self._where(checks, partial(self._row, batch, row, column, quotients))

    def _row(self, batch: At, row: ir.Value, column: ir.Value, values: Sequence[ir.Value]) -> None:
        p = self.plan.values
        for number in range(0, len(values), 2):
            first = number // 2 * COLUMNS
            place = arith.addi(column, index_constant(first))
            checks = [_is_below(place, p.n)] if first + COLUMNS > p.n else []
            self._where(checks, partial(self._pair, batch, row, place, values[number : number + 2]))

    def _pair(self, batch: At, row: ir.Value, column: ir.Value, values: Sequence[ir.Value]) -> None:
        p = self.plan.values
        if not self.are_neighbours:
            for side, value in enumerate(values):
                place = arith.addi(column, index_constant(side)) if side else column
                checks = [_is_below(place, p.n)] if p.n % 2 and side else []
                self._where(checks, partial(self._one, batch, row, place, value))
            return
        at = self.places.column(batch, row, column)
        inner = p.columns[-1]
        after = {**at, inner: arith.addi(at[inner], index_constant(1))}
        found = [self._computed(one, value) for one, value in zip((at, after), values)]
        kind = ir.VectorType.get([2], found[0].type)
        aligned(vector.StoreOp(vector.from_elements(kind, found), self.result, self._indices(at)), kind)

    def _one(self, batch: At, row: ir.Value, column: ir.Value, value: ir.Value) -> None:
        at = self.places.column(batch, row, column)
        memref.store(self._computed(at, value), self.result, self._indices(at))

    def _computed(self, at: At, value: ir.Value) -> ir.Value:
        attention = self.plan.attention
        return self.evaluator.inner().value(attention.result, at, {attention.sum: value})

    def _indices(self, at: At) -> list[ir.Value]:
        return [index_constant(0) if s is None else at[s] for s in self.plan.attention.places]

    @staticmethod
    def _where(checks: Sequence[ir.Value], write: Callable[[], None]) -> None:
        if not checks:
            write()
            return
        branch = scf.IfOp(all_of(checks))
        with ir.InsertionPoint(branch.then_block):
            write()
            scf.YieldOp([])


def _is_below(place: ir.Value, size: int) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ult, place, index_constant(size))
