"""What kernels of attention write: the result, from sums in shared memory (by mma.sync and single threads) or in registers (by
warpgroups); and the maxima and sums of the softmax's rows, which gradients read.

%m = max_j %s_ij     %l = sum_j exp(%s_ij - f(%m_i))      as the program has them, f what it makes of a maximum (0 for -inf)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, math, memref

from hlo.lowering.gpu.attention.evaluate import At, Evaluator
from hlo.lowering.gpu.attention.expressions import Node
from hlo.lowering.gpu.attention.online_softmax import Row, as_f32, as_type, exponential, f32
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.attention.steps import Places
from hlo.lowering.gpu.attention.warpgroups.plan import COLUMNS, WarpgroupPlan
from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.control_flow import each, index_constant, is_below, plus, where
from hlo.lowering.gpu.element import ACCESS_BYTES, delinearized, store_several
from hlo.lowering.memory.storage import element_bytes


class Finish:
    """`batch`: by symbol where the block is. `result`: the memory that is written."""

    def __init__(self, plan: Plan, block: Block, batch: Mapping[int, ir.Value], evaluator: Evaluator, result: ir.Value):
        self.plan, self.block, self.batch = plan, block, dict(batch)
        self.evaluator, self.result = evaluator.inner(), result

    @property
    def width(self) -> int:
        """Neighbours along a head that a thread takes: 16 bytes, if they are neighbours in the result."""
        attention = self.plan.attention
        p = attention.values
        if attention.places[-1] != p.columns[-1]:
            return 1
        width = ACCESS_BYTES // element_bytes(ir.MemRefType(self.result.type).element_type)
        while p.nest.sizes[p.columns[-1]] % width:
            width //= 2
        return width

    def emit(self, memory: ir.Value) -> None:
        """All threads take neighbours in turns."""
        tile, width, p = self.plan.result, self.width, self.plan.attention.values
        view = tile.view(memory)
        count = p.n // width
        with each(self.block.thread, tile.m * count, self.plan.threads) as item:
            row, column = delinearized(item, [tile.m, count])
            column = arith.muli(column, index_constant(width))
            place = arith.addi(self.block.first_row, row)
            with where(*([is_below(place, p.m)] if p.m % tile.m else [])):
                self._store(view, row, column, place)

    def _store(self, view: ir.Value, row: ir.Value, column: ir.Value, place: ir.Value) -> None:
        attention, width = self.plan.attention, self.width
        p = attention.values
        at = dict(self.batch)
        for dimensions, position in ((p.rows, place), (p.columns, column)):
            at.update(zip(dimensions, delinearized(position, [p.nest.sizes[d] for d in dimensions])))
        found = []
        for lane in range(width):
            inner = {p.columns[-1]: arith.addi(at[p.columns[-1]], index_constant(lane))} if lane else {}
            value = memref.load(view, [row, plus(column, lane)])
            found.append(self.evaluator.value(attention.result, {**at, **inner}, {attention.sum: value}))
        indices = [index_constant(0) if s is None else at[s] for s in attention.places]
        if width == 1:
            memref.store(found[0], self.result, indices)
            return
        store_several(self.result, indices, found)


# Maxima and sums of rows


def write_statistics(
    attention: Attention, evaluator: Evaluator, row: Row, at: At, is_mine: Sequence[ir.Value], expression: Node
) -> None:
    """Of a row at `at`, by the threads that all of `is_mine` hold for; all lanes of the row come here. `expression`: of which
    the row has the maximum."""
    if not attention.statistics:
        return
    largest, total = row.maximum, row.whole_total()
    if expression is not attention.expression:  # a positive factor was left out
        largest = evaluator.inner().value(attention.expression, at, {attention.dot: largest})
    softmax = attention.softmax
    maximum = as_type(softmax.maximum.kind, largest)
    found = {softmax.maximum: maximum, softmax.total: _total(attention, evaluator, at, maximum, total)}
    with where(*is_mine):
        for one in attention.statistics:
            places = [index_constant(0) if s is None else at[s] for s in one.places]
            memref.store(found[one.fold], evaluator.values[one.value], places)


def _total(attention: Attention, evaluator: Evaluator, at: At, maximum: ir.Value, total: ir.Value) -> ir.Value:
    """That of a row whose maximum is not finite is what the program makes of it: 0, inf or NaN."""
    softmax = attention.softmax
    given: Mapping[Node, ir.Value] = {softmax.maximum: maximum}
    shift = as_f32(evaluator.inner().value(softmax.shift, at, given))
    largest = as_f32(maximum)
    is_finite = arith.cmpf(arith.CmpFPredicate.OLT, math.absf(largest), f32(float("inf")))
    return as_type(softmax.total.kind, arith.select(is_finite, total, exponential(arith.subf(largest, shift))))


# From registers


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
            with where(*([is_below(row, p.m)] if p.m % self.plan.cut.queries else [])):
                self._row(batch, row, column, quotients)

    def _row(self, batch: At, row: ir.Value, column: ir.Value, values: Sequence[ir.Value]) -> None:
        p = self.plan.values
        for number in range(0, len(values), 2):
            first = number // 2 * COLUMNS
            place = arith.addi(column, index_constant(first))
            with where(*([is_below(place, p.n)] if first + COLUMNS > p.n else [])):
                self._pair(batch, row, place, values[number : number + 2])

    def _pair(self, batch: At, row: ir.Value, column: ir.Value, values: Sequence[ir.Value]) -> None:
        p = self.plan.values
        if not self.are_neighbours:
            for side, value in enumerate(values):
                place = plus(column, side)
                with where(*([is_below(place, p.n)] if p.n % 2 and side else [])):
                    at = self._at(batch, row, place)
                    memref.store(self._computed(at, value), self.result, self._indices(at))
            return
        at = self._at(batch, row, column)
        inner = p.columns[-1]
        after = {**at, inner: arith.addi(at[inner], index_constant(1))}
        found = [self._computed(one, value) for one, value in zip((at, after), values)]
        store_several(self.result, self._indices(at), found)

    def _at(self, batch: At, row: ir.Value, column: ir.Value) -> At:
        """Where an element of the result is."""
        p = self.plan.values
        return {**batch, p.rows[0]: row, **self.places.along(p.columns, column)}

    def _computed(self, at: At, value: ir.Value) -> ir.Value:
        attention = self.plan.attention
        return self.evaluator.inner().value(attention.result, at, {attention.sum: value})

    def _indices(self, at: At) -> list[ir.Value]:
        return [index_constant(0) if s is None else at[s] for s in self.plan.attention.places]
