"""log, log1p, log2, log10: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log(x) = e ln2 + log(m)."""

from __future__ import annotations

from hlo.lowering.numbers import Number, select
from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import LN2
from hlo.lowering.vector.math.exponents import ARITHMETIC, Exponents
from hlo.lowering.vector.math.operations import horner, multiply_add


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


def log(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    e, m = exponents.split(x)
    return exponents.logarithm(x, log_near_one(m - 1.0, e))


def log1p(x: Number) -> Number:
    """log(1 + x): what rounding 1 + x lost is added to f. -0 is kept."""
    u = x + 1.0
    big = x > 1.0
    lost = select(big, 1.0 - (u - x), x - (u - 1.0))
    e, m = ARITHMETIC.split(u)
    result = ARITHMETIC.logarithm(u, log_near_one((m - 1.0) + lost * (m / u), e))
    return select(x.equals(0.0), x, result)


def log2(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    e, m = exponents.split(x)
    return exponents.logarithm(x, multiply_add(log_near_one(m - 1.0, e.of(0.0)), 1.4426950408889634, e))


def log10(x: Number, exponents: Exponents = ARITHMETIC) -> Number:
    return log(x, exponents) * 0.4342944819032518
