"""log, log1p, log2, log10: x = 2^e m with m in [sqrt(1/2), sqrt(2)), log(x) = e ln2 + log(m)."""

from __future__ import annotations

from hlo.lowering.vector.math import coefficients as c
from hlo.lowering.vector.math.exponential import LN2
from hlo.lowering.vector.math.number import (
    Number,
    compare,
    float_from_bits,
    horner,
    integer_bits,
    is_nan,
    multiply_add,
    select,
    to_float,
)

ROOT_HALF = {32: 0x3F3504F3, 64: 0x3FE6A09E667F3BCD}
MANTISSA_BITS = {32: 23, 64: 52}
SMALLEST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}
SUBNORMAL_SCALE = {32: 24, 64: 54}


def split(x: Number) -> tuple[Number, Number]:
    """e (as a float) and m of a positive finite x, subnormal ones too."""
    shift = SUBNORMAL_SCALE[x.bits]
    tiny = compare(x, "<", SMALLEST_NORMAL[x.bits])
    bits = integer_bits(select(tiny, x * 2.0**shift, x))
    e = (bits - ROOT_HALF[x.bits]) >> MANTISSA_BITS[x.bits]
    m = float_from_bits(bits - (e << MANTISSA_BITS[x.bits]))
    return to_float(e) - select(tiny, x.of(float(shift)), 0.0), m


def log_near_one(f: Number, e: Number) -> Number:
    """e ln2 + log(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1)."""
    high, low = LN2[f.bits]
    if f.bits == 32:
        square = f * f
        tail = multiply_add(square * f, horner(f, c.LOG_F32), multiply_add(e, low, square * -0.5))
    else:  # log(1+f) = 2 atanh(s), s = f / (2 + f); f - f^2/2 is taken out, for the last bit
        s = f / (f + 2.0)
        half_square = f * f * 0.5
        z = s * s
        tail = multiply_add(s, half_square + 2.0 * (z * horner(z, c.ATANH_F64)), e * low) - half_square
    return multiply_add(e, high, f + tail)


def special(x: Number, result: Number) -> Number:
    """log outside the positive finite numbers."""
    result = select(compare(x, "==", 0.0), float("-inf"), result)
    result = select(compare(x, "==", float("inf")), float("inf"), result)
    return select(compare(x, "<", 0.0), float("nan"), select(is_nan(x), x, result))


def log(x: Number) -> Number:
    e, m = split(x)
    return special(x, log_near_one(m - 1.0, e))


def log1p(x: Number) -> Number:
    """log(1 + x): what rounding 1 + x lost is added to f. -0 is kept."""
    u = x + 1.0
    big = compare(x, ">", 1.0)
    lost = select(big, 1.0 - (u - x), x - (u - 1.0))
    e, m = split(u)
    result = special(u, log_near_one((m - 1.0) + lost * (m / u), e))
    return select(compare(x, "==", 0.0), x, result)


def log2(x: Number) -> Number:
    e, m = split(x)
    return special(x, multiply_add(log_near_one(m - 1.0, e.of(0.0)), 1.4426950408889634, e))


def log10(x: Number) -> Number:
    return log(x) * 0.4342944819032518
