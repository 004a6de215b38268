"""Elementwise ops. https://openxla.org/stablehlo/spec"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import elementwise as ops
from hlo.reference.table import evaluates
from hlo.reference.values import bit_width, is_signed, limits, narrow, unsigned, wide, widest


def same_sign(result: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.copysign(result, x)


def sign(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "c":  # in a wider type: the size of what is in range fits, and has all its bits
        size = np.hypot(x.real.astype(np.longdouble), x.imag.astype(np.longdouble))
        unit = np.empty(x.shape, x.dtype)
        unit.real, unit.imag = x.real / size, x.imag / size
        return np.where(x == 0, x, unit)
    return np.where((x == 0) | (x != x), x, np.sign(x))


def round_away(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    return same_sign(np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole), x)


def cbrt(x: np.ndarray) -> np.ndarray:
    """Of complex numbers by size and angle: a power of 1/3, which is rounded, is off where the logarithm is large."""
    if x.dtype.kind != "c":
        return np.cbrt(x)
    size = np.cbrt(np.hypot(x.real.astype(np.longdouble), x.imag.astype(np.longdouble)))
    return (size * np.exp(1j * np.angle(x) / 3)).astype(x.dtype)


def expm1(x: np.ndarray) -> np.ndarray:
    """numpy's of complex numbers subtracts infinities and multiplies them by 0 where exp is large or has no angle."""
    if x.dtype.kind != "c":
        return np.expm1(x)
    return np.where(np.abs(x.real) < 1, np.expm1(x), np.exp(x) - 1)


def exp2(x: np.ndarray) -> np.ndarray:
    """Of complex numbers exp(x ln 2), part by part: a product of complex numbers makes NaN of infinities."""
    if x.dtype.kind != "c":
        return np.exp2(x)
    scaled = np.empty(x.shape, x.dtype)
    scaled.real, scaled.imag = x.real * math.log(2), x.imag * math.log(2)
    return np.exp(scaled)


def log2(x: np.ndarray) -> np.ndarray:
    """Of complex numbers log(x) / ln 2, part by part."""
    if x.dtype.kind != "c":
        return np.log2(x)
    natural = np.log(x)
    natural.real, natural.imag = natural.real / math.log(2), natural.imag / math.log(2)
    return natural


def logistic(x: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "c":  # exp of numbers with a real part below 0 only: it does not overflow
        small = np.exp(np.where(x.real >= 0, -x, x))
        return np.where(x.real >= 0, 1, small) / (1 + small)
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def log1p(x: np.ndarray) -> np.ndarray:
    """numpy's of complex numbers is log(1 + x), which loses what is small."""
    if x.dtype.kind != "c":
        return np.log1p(x)
    a, b = x.real.astype(np.float64), x.imag.astype(np.float64)
    size = np.hypot(1 + a.astype(np.longdouble), b)
    is_near = (size > 0.5) & (size < 2)
    near = 0.5 * np.log1p(_excess_of_square(np.where(is_near, a, 0), np.where(is_near, b, 0)))
    result = np.empty(x.shape, x.dtype)  # a sum with 1j times the angle would make NaN of an infinite part
    result.real, result.imag = np.where(is_near, near, np.log(size)), np.arctan2(b, 1 + a)
    return result


@functools.partial(np.vectorize, otypes=[np.float64])
def _excess_of_square(a: float, b: float) -> float:
    """|1 + a + ib|^2 - 1, which has no digit in common with its terms near the unit circle: their sum is exact until it is
    rounded."""
    return float(2 * Fraction(a) + Fraction(a) ** 2 + Fraction(b) ** 2)


def rsqrt(x: np.ndarray) -> np.ndarray:
    """Of infinite complex numbers 0 (numpy's 1 / (inf + inf j) is NaN), with the sign of the conjugate's imaginary part."""
    result = np.asarray(1 / np.sqrt(x))
    if x.dtype.kind == "c":
        zero = np.zeros(x.shape, x.dtype)
        zero.imag = -np.copysign(0, x.imag)
        result = np.where(np.isinf(x), zero, result)
    return result


EXACT_UNARY: dict[Any, Callable[[np.ndarray], np.ndarray]] = {
    ops.CeilOp: np.ceil,
    ops.FloorOp: np.floor,
    ops.NegateOp: np.negative,
    ops.RoundNearestAfzOp: round_away,
    ops.RoundNearestEvenOp: np.rint,
    ops.SignOp: sign,
}

TRANSCENDENTAL: dict[Any, Callable[[np.ndarray], np.ndarray]] = {
    ops.CbrtOp: cbrt,
    ops.CosineOp: np.cos,
    ops.ExponentialOp: np.exp,
    ops.Exp2Op: exp2,
    ops.ExponentialMinusOneOp: expm1,
    ops.LogOp: np.log,
    ops.Log2Op: log2,
    ops.LogPlusOneOp: log1p,
    ops.LogisticOp: logistic,
    ops.RsqrtOp: rsqrt,
    ops.SineOp: np.sin,
    ops.SqrtOp: np.sqrt,
    ops.TanOp: np.tan,
    ops.TanhOp: np.tanh,
}


def _extremum(prefer_left: Callable, joined: Callable) -> Callable:
    """The larger or smaller; NaN when one is; zeros in the order -0 < +0 (IEEE 754-2019 maximum and minimum)."""

    def choose(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        chosen = joined(a, b)
        if chosen.dtype.kind != "f":
            return chosen
        left = prefer_left(np.signbit(a), np.signbit(b))
        return np.where((a == 0) & (b == 0), np.where(left, a, b), chosen)

    return choose


maximum = _extremum(lambda a, b: ~a | b, np.maximum)
minimum = _extremum(lambda a, b: a | ~b, np.minimum)


def divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Integers: towards zero; by zero all bits set; the smallest by -1 is itself."""
    if a.dtype.kind == "c":
        return _complex_quotient(a, b)
    return np.divide(a, b) if a.dtype.kind == "f" else _integer_division(a, b)[0]


def _complex_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """In a wider type, whose products of numbers in range fit; what is finite by what is infinite is 0 (C99, G.5.1)."""
    quotient = np.divide(a.astype(np.clongdouble), b.astype(np.clongdouble)).astype(a.dtype)
    return np.where(np.isfinite(a) & np.isinf(b), a.dtype.type(0), quotient)


def remainder(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The dividend's sign; integers by zero: the dividend."""
    return np.fmod(a, b) if a.dtype.kind == "f" else _integer_division(a, b)[1]


def _integer_division(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    overflow = (a == limits(a.dtype)[0]) & (b == -1) if is_signed(a.dtype) else np.zeros(a.shape, bool)
    divisor = np.where((b == 0) | overflow, np.ones_like(b), b)
    quotient = a // divisor
    rest = a - quotient * divisor
    towards_zero = (rest != 0) & ((a < 0) != (divisor < 0))
    quotient = quotient + towards_zero.astype(a.dtype)
    all_set = ~np.zeros_like(a)
    return np.where(b == 0, all_set, quotient), np.where(b == 0, a, a - quotient * divisor)


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        turning = (a == 0) & (b.imag != 0)  # how far 0 is rotated is open: NaN as in XLA, not numpy's 0
        result = np.power(a, b)  # by products, which overflow on the way, where b is a small whole number
        result = np.where(np.isfinite(result), result, np.exp(b * np.log(a.astype(np.clongdouble))).astype(a.dtype))
        return np.where(turning, a.dtype.type(complex(np.nan, np.nan)), np.where(b == 0, 1, result))
    if a.dtype.kind == "f":
        return np.power(a, b)
    return _integer_power(*np.broadcast_arrays(a, b))


def _integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Wrapping; a negative exponent gives 0, but for bases of 1 and -1."""
    negative = exponent < 0
    result, factor, left = np.ones_like(base), base.copy(), np.where(negative, -exponent & 1, exponent)
    while left.any():
        result = np.where(left & 1, result * factor, result)
        factor, left = factor * factor, left >> 1
    unit = np.abs(base.astype(np.int64)) == 1 if is_signed(base.dtype) else base == 1
    return np.where(negative & ~unit, np.zeros_like(base), result)


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a | b if a.dtype.kind == "b" else a + b


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a & b if a.dtype.kind == "b" else a * b


EXACT_BINARY: dict[Any, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    ops.AddOp: add,
    ops.AndOp: np.bitwise_and,
    ops.DivideOp: divide,
    ops.MaximumOp: maximum,
    ops.MinimumOp: minimum,
    ops.MultiplyOp: multiply,
    ops.OrOp: np.bitwise_or,
    ops.SubtractOp: np.subtract,
    ops.XorOp: np.bitwise_xor,
}


def _complex_atan2(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """-i log((x + i y) / sqrt(x^2 + y^2)) = -i (log u - log v) / 2 of u = x + i y and v = x - i y, pi further where
    the root is not the one near u; in a wider type, whose squares fit."""
    if y.dtype.kind != "c":
        return np.arctan2(y, x)
    a, b, c, d = (part.astype(np.longdouble) for part in (x.real, x.imag, y.real, y.imag))
    nearer = np.minimum((a - d) ** 2 + (b + c) ** 2, (a + d) ** 2 + (b - c) ** 2)
    result = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    result.imag = np.copysign(np.log1p(4 * np.abs(a * d - b * c) / nearer) / 4, a * d - b * c)
    half = np.arctan2(2 * (a * c + b * d), (a - d) * (a + d) + (b - c) * (b + c)) / 2
    root = np.empty(result.shape, np.clongdouble)
    root.real, root.imag = (a - b) * (a + b) + (c - d) * (c + d), 2 * (a * b + c * d)
    root = np.sqrt(root)
    cosine, sine = (a - d) * root.real + (b + c) * root.imag, (b + c) * root.real - (a - d) * root.imag
    is_opposite = np.where(np.abs(cosine) >= np.abs(sine), cosine < 0, (sine < 0) != (half < 0))
    result.real = np.where(is_opposite, half - np.copysign(np.longdouble(np.pi), half), half)
    return result


IN_F64 = {**TRANSCENDENTAL, ops.Atan2Op: _complex_atan2, ops.PowerOp: power}


def _register(table: dict[Any, Any], widen: Callable[[np.ndarray], np.ndarray]) -> None:
    for op, function in table.items():

        def evaluate(call: Any, *operands: np.ndarray, function: Callable = function) -> np.ndarray:
            return narrow(function(*map(widen, operands)), call.dtype())

        evaluates(op, elementwise=True)(evaluate)


_register(EXACT_UNARY, wide)
_register(EXACT_BINARY, wide)
_register(IN_F64, widest)


@evaluates(ops.RemainderOp, elementwise=True)
def evaluate_remainder(call, lhs, rhs):
    """What the remainder of complex numbers is, the specification leaves open."""
    if lhs.dtype.kind == "c":
        raise call.unsupported("the remainder of complex numbers, which the specification does not define,")
    return narrow(remainder(wide(lhs), wide(rhs)), call.dtype())


@evaluates(ops.NotOp, elementwise=True)
def evaluate_not(call, x):
    return narrow(~wide(x), call.dtype())


@evaluates(ops.PopcntOp, elementwise=True)
def evaluate_popcnt(call, x):
    return narrow(np.bitwise_count(unsigned(x)), call.dtype())


@evaluates(ops.CountLeadingZerosOp, elementwise=True)
def evaluate_count_leading_zeros(call, x):
    bits, width = unsigned(x), bit_width(x.dtype)
    used = sum(((bits >> np.array(n, bits.dtype)) != 0).astype(np.int64) for n in range(width))
    return narrow(width - used, call.dtype())


@evaluates(ops.ShiftLeftOp, elementwise=True)
def evaluate_shift_left(call, x, amount):
    return _shifted(call, x, amount, np.left_shift, unsigned(x))


@evaluates(ops.ShiftRightLogicalOp, elementwise=True)
def evaluate_shift_right_logical(call, x, amount):
    return _shifted(call, x, amount, np.right_shift, unsigned(x))


def _shifted(call: Any, x: np.ndarray, amount: np.ndarray, shift: Callable, bits: np.ndarray) -> np.ndarray:
    """Amounts outside [0, width) shift all bits out."""
    count, width = unsigned(amount), bit_width(x.dtype)
    shifted = np.where(count < width, shift(bits, np.minimum(count, count.dtype.type(width - 1))), bits.dtype.type(0))
    return narrow(shifted, call.dtype())


@evaluates(ops.ShiftRightArithmeticOp, elementwise=True)
def evaluate_shift_right_arithmetic(call, x, amount):
    """An amount outside [0, width) leaves the sign."""
    signed = wide(x).view(f"i{wide(x).dtype.itemsize}")
    unused = signed.dtype.type(signed.dtype.itemsize * 8 - bit_width(x.dtype))  # unsigned ones have a sign bit here too
    signed = (signed << unused) >> unused
    count = np.minimum(unsigned(amount), bit_width(x.dtype) - 1).astype(signed.dtype)
    return narrow(signed >> count, call.dtype())
