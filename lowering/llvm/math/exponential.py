"""exp, exp2, expm1: x = n ln2 + r, exp(x) = 2^n exp(r). Subnormal results, overflow and NaN are right."""

from __future__ import annotations

from hlo.lowering.llvm.math import coefficients as c
from hlo.lowering.llvm.math.exponents import ARITHMETIC, Exponents, power_of_two
from hlo.lowering.llvm.math.operations import horner, multiply_add, to_integer
from hlo.lowering.numbers import Number, select

LOG2E = 1.4426950408889634
LN2 = {32: (0.693145751953125, 1.428606820309417e-06), 64: (0.6931471803691238, 1.9082149292705877e-10)}
"""ln 2 in two parts; the first has enough trailing zeros that n times it is exact."""
LARGEST = {32: (-104.0, 89.0), 64: (-746.0, 710.0)}
"""Beyond these the result is 0 or infinity; n stays small enough for `Exponents.scale`."""
LARGEST_OF_TWO = {32: (-151.0, 129.0), 64: (-1076.0, 1025.0)}
EXP = {32: c.EXP_F32, 64: c.EXP_F64}
EXPM1 = {32: c.EXPM1_F32, 64: c.EXPM1_F64}


def clamp(x: Number, low: float, high: float) -> Number:
    """NaN passes through."""
    x = select(x < low, low, x)
    return select(x > high, high, x)


def reduce(x: Number) -> tuple[Number, Number]:
    """n and r with x = n ln2 + r, |r| <= ln2 / 2."""
    high, low = LN2[x.width]
    n = (x * LOG2E).math("roundeven")
    return n, multiply_add(n, -low, multiply_add(n, -high, x))


def within(x: Number, low: float, high: float) -> tuple[Number, Number]:
    """x up to `high`, and 0 where it is below `low`; and where that is. There the power is 0, but must not be computed: a result that is
    too small costs some processors more than a hundred cycles, and masked elements are all like that. NaN passes through."""
    below = x < low
    return select(below, 0.0, select(x > high, high, x)), below


def exp(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    x, below = within(x, *LARGEST[x.width])
    n, r = reduce(x)
    return select(below, 0.0, exponents.scale(multiply_add(horner(r, EXP[x.width]), r * r, r) + 1.0, n))


def exp2(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """2**x: the whole part separately, so that it is exact for whole numbers."""
    x, below = within(x, *LARGEST_OF_TWO[x.width])
    n = x.math("roundeven")
    r = (x - n) * 0.6931471805599453
    return select(below, 0.0, exponents.scale(multiply_add(horner(r, EXP[x.width]), r * r, r) + 1.0, n))


def expm1(x: Number) -> Number:
    """exp(x) - 1 = s (exp(r) - 1) + (s - 1) with s = 2**n; exact in the limit near zero, -0 kept."""
    bounded = clamp(x, *LARGEST[x.width])
    n, r = reduce(bounded)
    n = select(n < -80.0, -80.0, n)
    p = multiply_add(horner(r, EXPM1[x.width]), r * r, r)
    whole = to_integer(n)
    half = whole >> 1
    first, second = power_of_two(half), power_of_two(whole - half)
    s = first * second
    small = multiply_add(s, p, s - 1.0)
    large = (p + 1.0) * first * second  # s alone overflows for the last n
    result = select(n > 64.0, large, small)
    return select(x.equals(0.0), x, result)
