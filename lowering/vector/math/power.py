"""pow, cbrt and rsqrt. Powers are exp(y log x) with the exponent in more digits, for its error is the result's: in f64 for
f32, as a sum of two numbers for f64."""

from __future__ import annotations

from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import LARGEST, LN2, LOG2E, clamp, exp2, scale
from hlo.lowering.vector.math.logarithm import log2, special, split
from hlo.lowering.vector.math.number import (
    Number,
    absolute,
    compare,
    copy_sign,
    fma,
    horner,
    integer_bits,
    is_nan,
    multiply_add,
    narrow,
    round_even,
    select,
    square_root,
    widen,
)
from hlo.lowering.vector.math.pair import Pair, fast_two_sum, times, two_product, two_sum


def rsqrt(x: Number) -> Number:
    return 1.0 / square_root(x)


def pow(x: Number, y: Number) -> Number:
    """x ** y, IEEE 754's special cases."""
    size = absolute(x)
    value = _pow_f64(size, y) if x.bits == 64 else narrow(exp2(widen(y) * log2(widen(size))))
    whole = compare(round_even(y), "==", y)
    half = y * 0.5
    odd = Number(whole.value) & compare(round_even(half), "!=", half)
    negative = compare(integer_bits(x), "<", 0)
    value = select(odd & negative, -value, value)
    bad = compare(x, "<", 0.0) & compare(size, "!=", float("inf")) & compare(round_even(y), "!=", y)
    value = select(bad, float("nan"), value)
    value = select(is_nan(x), x, select(is_nan(y), y, value))
    one = compare(y, "==", 0.0) | compare(x, "==", 1.0)
    one = one | (compare(x, "==", -1.0) & compare(absolute(y), "==", float("inf")))
    return select(one, 1.0, value)


def _pow_f64(size: Number, y: Number) -> Number:
    """size ** y for size >= 0."""
    logarithm = _log_pair(size)
    high = special(size, logarithm.high)
    product = two_product(high, y)
    bounded = clamp(product.high, *LARGEST[64])
    inside = compare(absolute(product.high), "<", -LARGEST[64][0])
    return _exp_pair(bounded, select(inside, product.low + logarithm.low * y, 0.0))


THIRD = (0.3333333333333333, 1.850371707708594e-17)


def _log_pair(x: Number) -> Pair:
    """log of positive finite f64 to 2^-65: x = 2^e m, log m = 2 s (1 + s^2/3 + s^4 p(s^2)) with s = (m - 1) / (m + 1)."""
    e, m = split(x)
    below, above = m - 1.0, two_sum(m.of(1.0), m)
    quotient = below / above.high
    s = Pair(quotient, (fma(-quotient, above.high, below) - quotient * above.low) / above.high)
    square = times(s, s)
    factor = fast_two_sum(m.of(THIRD[0]), square.high * horner(square.high, c.LOG_PAIR_F64))
    cubic = times(s, times(square, Pair(factor.high, factor.low + THIRD[1])))
    half = fast_two_sum(s.high, cubic.high)
    whole = two_sum(e * LN2[64][0], half.high * 2.0)
    return fast_two_sum(whole.high, whole.low + multiply_add(e, LN2[64][1], (half.low + (s.low + cubic.low)) * 2.0))


def _exp_pair(high: Number, low: Number) -> Number:
    """exp(high + low); low counts to the first order."""
    n = round_even(high * LOG2E)
    second = two_product(n, high.of(-LN2[64][1]))
    r = two_sum(multiply_add(n, -LN2[64][0], high), second.high)
    tail = low + r.low + second.low
    one_more = fast_two_sum(high.of(1.0), r.high)
    small = r.high * r.high * horner(r.high, c.EXP_F64)
    small = multiply_add(tail, one_more.high + small, small)
    return scale(one_more.high + (one_more.low + small), n)


CBRT_SCALE = {32: (2.0**-126, 2.0**24, 2.0**-8), 64: (2.0**-1022, 2.0**54, 2.0**-18)}
"""Below which size an argument is scaled, by what, and how the root is scaled back."""


def cbrt(x: Number) -> Number:
    """By logarithm and exponential, then a Newton step: f32 computes it in f64, f64 with what y^3 loses made good."""
    smallest, up, down = CBRT_SCALE[x.bits]
    size = absolute(x)
    tiny = compare(size, "<", smallest)
    scaled = select(tiny, size * up, size)
    wide = widen(scaled) if x.bits == 32 else scaled
    y = exp2(log2(wide) * (1.0 / 3.0))
    square = y * y
    cube_error = fma(fma(y, y, -square), y, fma(square, y, -wide))
    y = y - cube_error / (square * 3.0)
    result = (narrow(y) if x.bits == 32 else y) * select(tiny, x.of(down), 1.0)
    keep = compare(size, "==", 0.0) | compare(size, "==", float("inf")) | is_nan(x)
    return select(keep, x, copy_sign(result, x))
