"""pow, cbrt and rsqrt. f32 powers are computed in f64, so that the exponent's error does not grow."""

from __future__ import annotations

from hlo.lowering.vector.math.exponential import exp2
from hlo.lowering.vector.math.logarithm import log, log2
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


def cbrt(x: Number) -> Number:
    """f32: a third of the exponent's bits as a guess, two Newton steps in f64."""
    size = absolute(x)
    tiny = compare(size, "<", 2.0**-126)
    scaled = select(tiny, size * 2.0**24, size)
    wide = widen(scaled)
    guess = narrow(exp2(widen(narrow(log(wide) * 0.48089834696298783))))
    y = widen(guess)
    y = fma((wide / (y * y)) - y, 1.0 / 3.0, y)
    result = narrow(y) * select(tiny, x.like(2.0**-8), 1.0)
    keep = compare(size, "==", 0.0) | compare(size, "==", float("inf")) | is_nan(x)
    return select(keep, x, copy_sign(result, x))
