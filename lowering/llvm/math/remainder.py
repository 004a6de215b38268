"""The remainder of a division whose quotient is rounded towards zero: C's fmod, which is exact.

With a = |x|, b = |y| and q = a / b, a - trunc(q) b is computed by one fused multiply-add. It is a float: a multiple of the last
place of the smaller of both numbers, and below b, or, where q was rounded up to a whole number, above -b, and then b is added.

Where a lane's q has no binary places left, a loop first subtracts the multiple of b that q is, which leaves at most half
of q's last place times b. That is exact as well, as the remainder of a rounded quotient is (if q overflows, b is
multiplied by a power of two first). Ordinary programs never enter the loop."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import scf

from hlo.lowering.llvm.math.exponents import BIAS
from hlo.lowering.llvm.math.operations import any_lane, fma
from hlo.lowering.numbers import Number, select

Rest = Callable[[Number, Number, Number], Number]
"""Of a number, a whole number and a divisor: what is left of the first without the product of the others."""

SCALE = {32: 2.0**100, 64: 2.0**900}
"""A divisor that is smaller than 1 / SCALE of a number is multiplied by it, twice if need be."""


def fused_rest(left: Number, whole: Number, divisor: Number) -> Number:
    return fma(-whole, divisor, left)


def emulated_rest(left: Number, whole: Number, divisor: Number) -> Number:
    """For processors without the instruction (emulate_instructions.py), where parts of f64 near the largest one would overflow. These
    are made smaller, as is the divisor, which is at least 1 / SCALE of them."""
    if left.width == 32:
        return fused_rest(left, whole, divisor)
    large = abs(left) >= 2.0**960
    down, up = select(large, left.of(2.0**-60), 1.0), select(large, left.of(2.0**60), 1.0)
    return fused_rest(left * down, whole, divisor * down) * up


def remainder(x: Number, y: Number, rest: Rest = emulated_rest) -> Number:
    """x - trunc(x / y) y, with the sign of x; NaN where x is infinite or y is 0; x where only y is infinite."""
    divisor = abs(y)
    left, quotient = _with_small_quotient(abs(x), divisor, rest)
    left = _less_a_multiple(left, quotient, divisor, rest)
    return select(left < 0.0, left + divisor, left).math("copysign", x)


def _with_small_quotient(left: Number, divisor: Number, rest: Rest) -> tuple[Number, Number]:
    """What multiples of the divisor leave of a number, and that over the divisor: below 2^23 (f32) or 2^52 (f64), or NaN."""
    start = [left.value, (left / divisor).value]
    types = [value.type for value in start]
    loop = scf.WhileOp(types, start)
    before = loop.before.blocks.append(*types)
    with ir.InsertionPoint(before):
        quotient = Number(before.arguments[1])
        scf.ConditionOp(any_lane(abs(quotient) >= 2.0 ** BIAS[left.width][1]), list(before.arguments))
    after = loop.after.blocks.append(*types)
    with ir.InsertionPoint(after):
        left = Number(after.arguments[0])
        scaled = _scaled(divisor, left)
        left = _less_a_multiple(left, left / scaled, scaled, rest)
        scf.YieldOp([left.value, (left / divisor).value])
    return Number(loop.results[0]), Number(loop.results[1])


def _scaled(divisor: Number, left: Number) -> Number:
    """A divisor times a power of two, with a finite quotient."""
    scale = SCALE[left.width]
    for _ in range(2):
        divisor = select(abs(left) >= divisor * scale, divisor * scale, divisor)
    return divisor


def _less_a_multiple(left: Number, quotient: Number, divisor: Number, rest: Rest) -> Number:
    """NaN where the divisor is 0 or the number infinite, which ends the loop."""
    whole = quotient.math("trunc")
    return select(whole.equals(0.0), left, rest(left, whole, divisor))
