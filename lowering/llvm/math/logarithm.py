"""log, log1p, log2, log10: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log(x) = e ln2 + log(m)."""

from __future__ import annotations

from collections.abc import Callable

from hlo.lowering.llvm.math import coefficients as c
from hlo.lowering.llvm.math.exponential import LN2
from hlo.lowering.llvm.math.exponents import ARITHMETIC, Exponents
from hlo.lowering.llvm.math.operations import float_from_bits, horner, multiply_add
from hlo.lowering.numbers import Number, select

NearOne = Callable[[Number, Number], Number]
"""Of f and e: e ln2 + log(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1)."""


def log_near_one(f: Number, e: Number) -> Number:
    """e ln2 + log(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1)."""
    high, low = LN2[f.width]
    if f.width == 32:
        square = f * f
        tail = multiply_add(square * f, horner(f, c.LOG_F32), multiply_add(e, low, square * -0.5))
    else:  # log(1+f) = 2 atanh(s), s = f / (2 + f); f - f^2/2 is taken out, for the last bit
        s = f / (f + 2.0)
        half_square = f * f * 0.5
        z = s * s
        tail = multiply_add(s, half_square + 2.0 * (z * horner(z, c.ATANH_F64)), e * low) - half_square
    return multiply_add(e, high, f + tail)


def narrow_log_near_one(f: Number, e: Number) -> Number:
    """The same for results that are rounded to 16 bits."""
    return multiply_add(e, sum(LN2[f.width]), multiply_add(f * f, horner(f, c.LOG_NARROW), f))


def log(x: Number, exponents: Exponents = ARITHMETIC, near_one: NearOne = log_near_one) -> Number:
    e, m = exponents.split(x)
    return exponents.logarithm(x, near_one(m - 1.0, e))


def log1p(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """log(1 + x): what rounding u = 1 + x lost is added to f, times m / u = 2^-e. -0 is kept."""
    u = x + 1.0
    lost = select(x > 1.0, 1.0 - (u - x), x - (u - 1.0))
    e, m = exponents.split(u)
    one = x.of(1.0).bits()
    inverse_power = float_from_bits(m.bits() - u.bits() + one)
    loses = x < LOSES_NOTHING[x.width]
    f = (m - 1.0) + select(loses, lost * inverse_power, 0.0)
    return select(x.equals(0.0), x, exponents.logarithm(u, log_near_one(f, e)))


LOSES_NOTHING = {32: 2.0**30, 64: 2.0**60}
"""From here on adding 1 to a number changes its logarithm by less than the result's last bit shows; infinity less infinity is not 0."""


def narrow_log1p(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    """For results that are rounded to 16 bits: what rounding 1 + x lost shows only where x is small, and f is x."""
    u = x + 1.0
    e, m = exponents.split(u)
    f = select(abs(x) < 0.25, x, m - 1.0)
    return select(x.equals(0.0), x, exponents.logarithm(u, narrow_log_near_one(f, e)))


def log2(x: Number, exponents: Exponents = ARITHMETIC, near_one: NearOne = log_near_one) -> Number:
    e, m = exponents.split(x)
    return exponents.logarithm(x, multiply_add(near_one(m - 1.0, e.of(0.0)), 1.4426950408889634, e))


def log10(x: Number, exponents: Exponents = ARITHMETIC, near_one: NearOne = log_near_one) -> Number:
    return log(x, exponents, near_one) * 0.4342944819032518
