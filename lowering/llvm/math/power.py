"""pow, cbrt and rsqrt. Powers are exp(y log x) with the exponent in more digits, for its error is the result's: in f64 for
f32, as a sum of two numbers for f64."""

from __future__ import annotations

from hlo.lowering.llvm.math import coefficients as c
from hlo.lowering.llvm.math.exponential import LARGEST, LN2, LOG2E, exp2, within
from hlo.lowering.llvm.math.exponents import ARITHMETIC, Exponents, power_of_two
from hlo.lowering.llvm.math.logarithm import log2, log_near_one
from hlo.lowering.llvm.math.operations import fma, horner, multiply_add, narrow, to_integer, widen
from hlo.lowering.numbers import Number, select
from hlo.lowering.pair import Pair, fast_two_sum, times, two_product, two_sum

LN_2 = 0.6931471805599453
LARGEST_EXPONENT = (-151.0, 151.0)
"""Beyond these, powers of two are 0 or infinity in f32; as f64 they are normal numbers."""


def rsqrt(x: Number) -> Number:
    return 1.0 / x.math("sqrt")


def pow(x: Number, y: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """x ** y, IEEE 754's special cases."""
    size = abs(x)
    if x.width == 64:
        return _with_special_cases(x, y, size, _pow_f64(size, y))
    return _with_special_cases(x, y, size, _exp2_f32(widen(y) * _wide_log2(size, exponents)))


def _wide_log2(size: Number, exponents: Exponents) -> Number:
    """log2 of f32 numbers >= 0 in f64, as exact as powers in f32 need: to 2^-36 of itself. What is split into exponent
    and fraction is f32, in half the registers."""
    e, m = exponents.split(size)
    f = widen(m - 1.0)
    return multiply_add(f, horner(f, c.LOG2_WIDE), widen(exponents.logarithm(size, e)))


def _exp2_f32(exponent: Number) -> Number:
    """2 ** exponent, an f64, rounded once to f32; exact for whole numbers."""
    exponent, below = within(exponent, *LARGEST_EXPONENT)
    n = exponent.math("roundeven")
    r = exponent - n
    value = multiply_add(r, horner(r, c.EXP2_WIDE), 1.0) * power_of_two(to_integer(n))
    return narrow(select(below, 0.0, value))


def narrow_pow(x: Number, y: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """What a power in bf16 or f16 is rounded from: |x| = 2^e m, in f32. y e is exact for a y of 16 bits, so that the error of the exponent
    n + r is that of y log2(m) alone."""
    size = abs(x)
    e, m = exponents.split(size)
    logarithm = log_near_one(m - 1.0, e.of(0.0)) * LOG2E
    exponent, below = within(y * exponents.logarithm(size, e + logarithm), *LARGEST_EXPONENT)
    n = exponent.math("roundeven")
    inside = abs(exponent) < LARGEST_EXPONENT[1]
    r = select(inside, multiply_add(y, logarithm, fma(y, e, -n)), exponent - n) * LN_2
    value = exponents.scale(multiply_add(horner(r, c.EXP_F32), r * r, r) + 1.0, n)
    return _with_special_cases(x, y, size, select(below, 0.0, value))


def _with_special_cases(x: Number, y: Number, size: Number, value: Number) -> Number:
    """x ** y from |x| ** y."""
    whole = y.math("roundeven").equals(y)
    half = y * 0.5
    odd = Number(whole.value) & half.math("roundeven").differs(half)
    negative = x.bits() < 0
    value = select(odd & negative, -value, value)
    bad = (x < 0.0) & size.differs(float("inf")) & y.math("roundeven").differs(y)
    value = select(bad, float("nan"), value)
    value = select(x.is_nan(), x, select(y.is_nan(), y, value))
    one = y.equals(0.0) | x.equals(1.0)
    one = one | (x.equals(-1.0) & abs(y).equals(float("inf")))
    return select(one, 1.0, value)


def _pow_f64(size: Number, y: Number) -> Number:
    """size ** y for size >= 0."""
    logarithm = _log_pair(size)
    high = ARITHMETIC.logarithm(size, logarithm.high)
    product = two_product(high, y)
    bounded, below = within(product.high, *LARGEST[64])
    inside = abs(product.high) < -LARGEST[64][0]
    return select(below, 0.0, _exp_pair(bounded, select(inside, product.low + logarithm.low * y, 0.0)))


THIRD = (0.3333333333333333, 1.850371707708594e-17)


def _log_pair(x: Number) -> Pair:
    """log of positive finite f64 to 2^-65: x = 2^e m, log m = 2 s (1 + s^2/3 + s^4 p(s^2)) with s = (m - 1) / (m + 1)."""
    e, m = ARITHMETIC.split(x)
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
    n = (high * LOG2E).math("roundeven")
    second = two_product(n, high.of(-LN2[64][1]))
    r = two_sum(multiply_add(n, -LN2[64][0], high), second.high)
    tail = low + r.low + second.low
    one_more = fast_two_sum(high.of(1.0), r.high)
    small = r.high * r.high * horner(r.high, c.EXP_F64)
    small = multiply_add(tail, one_more.high + small, small)
    return ARITHMETIC.scale(one_more.high + (one_more.low + small), n)


CBRT_SCALE = (2.0**-1022, 2.0**54, 2.0**-18)
"""Below which size an f64 argument is scaled, by what, and how the root is scaled back."""


def cbrt(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """By logarithm and exponential: that of f32 numbers in f64."""
    size = abs(x)
    root = _cbrt_f64(size) if x.width == 64 else _exp2_f32(_wide_log2(size, exponents) * THIRD[0])
    keep = size.equals(0.0) | size.equals(float("inf")) | x.is_nan()
    return select(keep, x, root.math("copysign", x))


def _cbrt_f64(size: Number) -> Number:
    """With a Newton step in which what y^3 loses is made good."""
    smallest, up, down = CBRT_SCALE
    tiny = size < smallest
    scaled = select(tiny, size * up, size)
    y = exp2(log2(scaled) * THIRD[0])
    square = y * y
    cube_error = fma(fma(y, y, -square), y, fma(square, y, -scaled))
    return (y - cube_error / (square * 3.0)) * select(tiny, size.of(down), 1.0)
