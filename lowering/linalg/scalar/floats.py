"""Elementwise ops on floats. Types narrower than f32 are computed in f32 and rounded after every op (`scalar` in
scalar/table.py does that); elementary functions stay math ops, which later stages expand."""

from __future__ import annotations

from hlo.lowering.numbers import ARITHMETIC, Number, select

INFINITY = float("inf")


def is_finite(x: Number) -> Number:
    return abs(x) < INFINITY


def sign(x: Number) -> Number:
    """Zeros and NaN are their own sign."""
    unit = x.of(1.0).math("copysign", x)
    return select(abs(x) > 0.0, unit, x)


def logistic(x: Number) -> Number:
    """exp of what is not positive only: results too small for a normal number are not lost. What rounding 1 + e lost is
    made good, by the derivative of the quotient."""
    e = (-abs(x)).math("exp")
    divisor = 1.0 + e
    lost = e - (divisor - 1.0)
    positive = x >= 0.0
    quotient = select(positive, 1.0, e) / divisor
    inverse = select(positive, quotient, 1.0 - quotient)
    return quotient - quotient * lost * inverse


def argument(y: Number, x: Number) -> Number:
    """atan2(y, x). Upstream folds math.atan2 of two constant zeros to NaN: of two zeros, x is replaced by 1 of its sign."""
    both_zero = y.equals(0.0) & x.equals(0.0)
    return y.math("atan2", select(both_zero, x.of(1.0).math("copysign", x), x))


def math(name: str):
    """The upstream op `math.name` of one or two operands."""
    return lambda *operands: operands[0].math(name, *operands[1:])


def arith(name: str):
    return lambda a, b: a.arith(name, b)


FLOAT = {
    **ARITHMETIC,
    "abs": abs,
    "atan2": argument,
    "cbrt": math("cbrt"),
    "ceil": math("ceil"),
    "clamp": lambda low, x, high: x.arith("maximumf", low).arith("minimumf", high),
    "cosine": math("cos"),
    "erf": math("erf"),
    "divide": lambda a, b: a / b,
    "exp2": math("exp2"),
    "exponential": math("exp"),
    "exponential_minus_one": math("expm1"),
    "floor": math("floor"),
    "imag": lambda x: x.of(0.0),
    "is_finite": is_finite,
    "log": math("log"),
    "log2": math("log2"),
    "log_plus_one": math("log1p"),
    "logistic": logistic,
    "maximum": arith("maximumf"),
    "minimum": arith("minimumf"),
    "power": math("powf"),
    "real": lambda x: x,
    "remainder": arith("remf"),
    "round_nearest_afz": math("round"),
    "round_nearest_even": math("roundeven"),
    "rsqrt": math("rsqrt"),
    "sign": sign,
    "sine": math("sin"),
    "sqrt": math("sqrt"),
    "tan": math("tan"),
    "tanh": math("tanh"),
}


def reduce_precision(x: Number, exponent_bits: int, mantissa_bits: int, own_exponent: int, own_mantissa: int) -> Number:
    """Rounds to `mantissa_bits` (to nearest, ties to even) on the bits, then maps exponents out of range to infinity
    or zero of the same sign. NaN stays."""
    bits = x.bits()
    width = bits.width
    if mantissa_bits < own_mantissa:
        dropped = own_mantissa - mantissa_bits
        last_kept = bits.arith("shrui", dropped) & 1
        bits = (bits + (last_kept + ((1 << (dropped - 1)) - 1))) & -(1 << dropped)
    if exponent_bits < own_exponent:
        bits = _clip_exponent(bits, exponent_bits, own_exponent, own_mantissa, 1 << (width - 1))
    return select(x.is_nan(), x, bits.bits_as(x.type))


def _clip_exponent(bits: Number, exponent_bits: int, own_exponent: int, own_mantissa: int, sign_bit: int) -> Number:
    own_bias, bias = (1 << (own_exponent - 1)) - 1, (1 << (exponent_bits - 1)) - 1
    field = ((1 << own_exponent) - 1) << own_mantissa
    exponent = bits & field
    overflows = exponent.compare("ugt", (own_bias + bias) << own_mantissa)
    underflows = exponent.compare("ule", (own_bias - bias) << own_mantissa)
    sign_only = bits & sign_bit
    bits = select(overflows, sign_only | field, bits)
    return select(underflows, sign_only, bits)
