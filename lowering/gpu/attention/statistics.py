"""Maxima and sums of the softmax's rows, written by the kernel that has them anyway: gradients read them.

%m = max_j %s_ij     %l = sum_j exp(%s_ij - f(%m_i))      as the program has them, f what it makes of a maximum (0 for -inf)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, math, memref, scf

from hlo.lowering.gpu.attention.evaluate import At, Evaluator
from hlo.lowering.gpu.attention.expressions import Node
from hlo.lowering.gpu.attention.online_softmax import Row, exponential, f32
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.block import all_of
from hlo.lowering.gpu.element import index_constant


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
    maximum = _as(softmax.maximum.kind, largest)
    found = {softmax.maximum: maximum, softmax.total: _total(attention, evaluator, at, maximum, total)}
    with ir.InsertionPoint(scf.IfOp(all_of(is_mine)).then_block):
        for one in attention.statistics:
            places = [index_constant(0) if s is None else at[s] for s in one.places]
            memref.store(found[one.fold], evaluator.values[one.value], places)
        scf.YieldOp([])


def _total(attention: Attention, evaluator: Evaluator, at: At, maximum: ir.Value, total: ir.Value) -> ir.Value:
    """That of a row whose maximum is not finite is what the program makes of it: 0, inf or NaN."""
    softmax = attention.softmax
    given: Mapping[Node, ir.Value] = {softmax.maximum: maximum}
    shift = _as(ir.F32Type.get(), evaluator.inner().value(softmax.shift, at, given))
    largest = _as(ir.F32Type.get(), maximum)
    is_finite = arith.cmpf(arith.CmpFPredicate.OLT, math.absf(largest), f32(float("inf")))
    return _as(softmax.total.kind, arith.select(is_finite, total, exponential(arith.subf(largest, shift))))


def _as(kind: ir.Type, value: ir.Value) -> ir.Value:
    if value.type == kind:
        return value
    return arith.extf(kind, value) if kind == ir.F32Type.get() else arith.truncf(kind, value)
