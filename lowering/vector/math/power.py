"""pow, cbrt and rsqrt. f32 powers are computed in f64, so that the exponent's error does not grow."""

from __future__ import annotations

from hlo.lowering.vector.math.exponential import exp2
from hlo.lowering.vector.math.logarithm import log2
from hlo.lowering.vector.math.number import (
    Number,
    absolute,
    compare,
    copy_sign,
    fma,
    integer_bits,
    is_nan,
    narrow,
    round_even,
    select,
    square_root,
    widen,
)


def rsqrt(x: Number) -> Number:
    return 1.0 / square_root(x)


def pow(x: Number, y: Number) -> Number:
    """x ** y for f32, IEEE 754's special cases."""
    size = absolute(x)
    value = narrow(exp2(widen(y) * log2(widen(size))))
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
    result = (narrow(y) if x.bits == 32 else y) * select(tiny, x.like(down), 1.0)
    keep = compare(size, "==", 0.0) | compare(size, "==", float("inf")) | is_nan(x)
    return select(keep, x, copy_sign(result, x))
