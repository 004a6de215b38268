"""Softmax of rows with one fused multiply-add and one exponential a score: 2^(k x - k m), k = scale log2 e.

k m is rounded, by up to 2^-24 of it: by the same for all weights of a row, which cancels when they are divided by their sum.
Where |k m| is 2^27 or more, two scores that differ do so by 16 / k at least, and the power of two below k gives the same
weights without rounding: 1 and next to nothing. So the lowest scores that masks use do not overflow either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2

from mlir import ir
from mlir.dialects import arith, llvm, math

from hlo.lowering.gpu.attention.expressions import Apply, Constant, Node, is_apply
from hlo.lowering.gpu.attention.online_softmax import LOG2_E, Row, across, combined, f32
from hlo.lowering.gpu.attention.recognise import Attention

LARGE = 2.0**27
"""Of a shift."""

LEAST_SCALE, MOST_SCALE = 2.0**-40, 2.0**40


@dataclass(frozen=True)
class Shift:
    """What exponentials of a row are of: `by` x - `shift`. `is_large`: `by` is a power of two; `maximum`: 0 for a row that has
    none."""

    by: ir.Value
    shift: ir.Value
    is_large: ir.Value
    is_empty: ir.Value
    maximum: ir.Value


@dataclass(frozen=True)
class ScaledRow(Row):
    """The maximum before the scores are multiplied by `scale`, which is positive."""

    scale: float = 1.0

    def add(self, scores: Sequence[ir.Value]) -> tuple[Row, ir.Value, list[ir.Value]]:
        """As of any row."""
        new = across(self.lanes, combined(scores, arith.maximumf), arith.maximumf)
        maximum = combined([self.maximum, new], arith.maximumf)
        before, now = self._shift(self.maximum), self._shift(maximum)
        factor = self._factor(before, now)
        down = arith.negf(now.shift)
        weights = [power_of_two(math.fma(s, now.by, down)) for s in scores]
        total = arith.addf(arith.mulf(self.total, factor), combined(weights, arith.addf))
        return ScaledRow(maximum, total, self.scale), factor, weights

    def whole_total(self) -> ir.Value:
        """Without the shift's rounding, which cancels in weights alone."""
        now = self._shift(self.maximum)
        rest = math.fma(self.maximum, now.by, arith.negf(now.shift))
        return arith.mulf(super().whole_total(), power_of_two(arith.negf(rest)))

    def _shift(self, maximum: ir.Value) -> Shift:
        factor = self.scale * LOG2_E
        product = arith.mulf(maximum, f32(factor))
        is_large = arith.cmpf(arith.CmpFPredicate.OGE, math.absf(product), f32(LARGE))
        is_empty = arith.cmpf(arith.CmpFPredicate.OEQ, maximum, f32(float("-inf")))
        power = 2.0 ** floor(log2(factor))
        shift = arith.select(is_large, arith.mulf(maximum, f32(power)), product)
        return Shift(
            arith.select(is_large, f32(power), f32(factor)),
            arith.select(is_empty, f32(0.0), shift),
            is_large,
            is_empty,
            arith.select(is_empty, f32(0.0), maximum),
        )

    def _factor(self, before: Shift, now: Shift) -> ir.Value:
        """Of earlier weights: with the same rounding where both are of one kind."""
        other = arith.mulf(arith.subf(self.maximum, now.maximum), now.by)
        is_same = arith.cmpi(arith.CmpIPredicate.eq, before.is_large, now.is_large)
        return power_of_two(arith.select(is_same, self._difference(before, now), other))

    def _difference(self, before: Shift, now: Shift) -> ir.Value:
        """-inf if the row was empty: nothing has come before."""
        return arith.select(before.is_empty, f32(float("-inf")), arith.subf(before.shift, now.shift))


def power_of_two(x: ir.Value) -> ir.Value:
    """One instruction."""
    return llvm.call_intrinsic(x.type, "llvm.nvvm.ex2.approx.ftz.f", [x], [], [])


def without_scale(attention: Attention) -> tuple[Node, float]:
    """The expression of a score, and what it is to be multiplied by: a product with a positive constant is left out."""
    whole = attention.expression
    if isinstance(whole, Apply) and whole.op.name in ("arith.mulf", "arith.divf"):
        one, other = whole.operands
        if one is not attention.dot and is_apply(whole, "arith.mulf"):
            one, other = other, one
        if one is attention.dot and isinstance(other, Constant) and isinstance(whole.kind, ir.F32Type):
            value = float(other.attribute.value)
            scale = value if whole.op.name == "arith.mulf" or not value else 1 / value
            if LEAST_SCALE <= scale <= MOST_SCALE:
                return one, scale
    return whole, 1.0
