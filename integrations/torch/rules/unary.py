"""Functions of one number."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, float_type, is_integral
from hlo.torch.registry import rule
from hlo.torch.rules.elementwise import BOOL, FLOAT, elementwise, is_bool, is_complex, is_float

_OF_FLOATS = {
    "acos": "chlo.acos",
    "acosh": "chlo.acosh",
    "asin": "chlo.asin",
    "asinh": "chlo.asinh",
    "atan": "chlo.atan",
    "atanh": "chlo.atanh",
    "cos": "cosine",
    "cosh": "chlo.cosh",
    "erf": "chlo.erf",
    "erfc": "chlo.erfc",
    "erfinv": "chlo.erf_inv",
    "exp": "exponential",
    "expm1": "exponential_minus_one",
    "lgamma": "chlo.lgamma",
    "log": "log",
    "log1p": "log_plus_one",
    "rsqrt": "rsqrt",
    "sigmoid": "logistic",
    "sin": "sine",
    "sinh": "chlo.sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}
"""ATen's name and the op: in floats, integers as the default float."""


def _function(op: str) -> Any:
    return lambda b, x: b.op(op, x)


for _name, _op in _OF_FLOATS.items():
    elementwise(_name, to=FLOAT)(_function(_op))

_ROUNDING = {"ceil": "ceil", "floor": "floor", "round": "round_nearest_even"}


def _rounding(op: str) -> Any:
    return lambda b, x: b.op(op, x) if is_float(x) else x


for _name, _op in _ROUNDING.items():
    elementwise(_name, wide=False)(_rounding(_op))


@elementwise("digamma", to=FLOAT)
def digamma(b: Any, x: Value) -> Value:
    """At 0, where it has a pole: infinite, with the sign that the numbers on that side have."""
    return b.select(b.eq(x, 0), b.divide(b.full(x.shape, -1, dtype_of(x)), x), b.op("chlo.digamma", x))


@rule("polygamma")
def polygamma(b: Any, order: int, x: Value) -> Value:
    """The derivative of this order of digamma, in f64; of negative numbers by that of 1 - x."""
    found = float_type(dtype_of(x))
    if not order:
        return digamma(b, x)
    exact, zero = b.cast(x, torch.float64), b.full(x.shape, 0, torch.float64)
    is_mirrored = b.lt(exact, 0)
    mirrored = b.select(is_mirrored, b.subtract(1, exact), exact)
    value = b.op("chlo.polygamma", b.full(x.shape, order, torch.float64), mirrored)
    angle = b.multiply(b.subtract(exact, b.round_nearest_even(exact)), math.pi)
    reflection = b.multiply(
        _derivative_of_cotangent(b, b.divide(b.cosine(angle), b.sine(angle)), order), math.pi ** (order + 1)
    )
    sign = (-1) ** order
    reflected = b.subtract(b.multiply(value, sign), reflection)
    is_pole = b.and_(b.le(exact, 0), b.eq(b.floor(exact), exact))
    result = b.select(is_pole, b.add(zero, -sign * math.inf), b.select(is_mirrored, reflected, value))
    if order == 1:
        result = b.select(b.eq(exact, math.inf), zero, result)
    return b.cast(result, found)


def _derivative_of_cotangent(b: Any, cotangent: Value, order: int) -> Value:
    """A polynomial in the cotangent: the derivative of c is -(1 + c^2)."""
    powers = [0, 1]
    for _ in range(order):
        slopes = [n * p for n, p in enumerate(powers)][1:]
        powers = [-(one + other) for one, other in zip([*slopes, 0, 0], [0, 0, *slopes])]
    total = b.full(cotangent.shape, powers[-1], dtype_of(cotangent))
    for power in reversed(powers[:-1]):
        total = b.add(b.multiply(total, cotangent), power)
    return total


@elementwise("reciprocal", to=FLOAT)
def reciprocal(b: Any, x: Value) -> Value:
    return b.divide(b.full(x.shape, 1, dtype_of(x)), x)


@elementwise("log2", to=FLOAT)
def log2(b: Any, x: Value) -> Value:
    return _log(b, x, 2.0)


@elementwise("log10", to=FLOAT)
def log10(b: Any, x: Value) -> Value:
    return _log(b, x, 10.0)


def _log(b: Any, x: Value, base: float) -> Value:
    """In f64, so that powers of the base have whole logarithms."""
    if is_complex(x):
        return b.multiply(b.log(x), 1 / math.log(base))
    found = dtype_of(x)
    exact = b.divide(b.log(b.cast(x, torch.float64)), math.log(base))
    return b.cast(exact, found)


@elementwise("exp2", to=FLOAT)
def exp2(b: Any, x: Value) -> Value:
    return b.power(b.full(x.shape, 2, dtype_of(x)), x)


@elementwise("trunc", wide=False)
def trunc(b: Any, x: Value) -> Value:
    if not is_float(x):
        return x
    return b.select(b.lt(x, 0), b.ceil(x), b.floor(x))


@rule("round.decimals")
def round_decimals(b: Any, x: Value, *, decimals: int) -> Value:
    if not is_float(x):
        return x
    wide, scale = b.wide(x), 10.0 ** abs(decimals)
    up, down = (b.multiply, b.divide) if decimals >= 0 else (b.divide, b.multiply)
    return b.cast(down(b.round_nearest_even(up(wide, scale)), scale), dtype_of(x))


@elementwise("neg", wide=False)
def neg(b: Any, x: Value) -> Value:
    return b.negate(x)


@rule("abs")
def abs_(b: Any, x: Value) -> Value:
    """Of complex numbers: real."""
    return x if dtype_of(x) in (torch.bool, torch.uint8, torch.uint16, torch.uint32, torch.uint64) else b.abs(x)


@elementwise("sign", wide=False)
def sign(b: Any, x: Value) -> Value:
    """Of NaN: 0."""
    if is_bool(x) or dtype_of(x) == torch.uint8:
        return x if is_bool(x) else b.cast(b.ne(x, 0), dtype_of(x))
    if is_float(x):
        return b.select(b.ne(x, x), b.full(x.shape, 0, dtype_of(x)), b.sign(x))
    return b.sign(x)


@elementwise("sgn", wide=False)
def sgn(b: Any, x: Value) -> Value:
    return b.sign(x) if is_complex(x) else sign(b, x)


@rule("signbit")
def signbit(b: Any, x: Value) -> Value:
    """Whether a number is negative, -0 and NaN with that sign among them."""
    dtype = dtype_of(x)
    if dtype.is_floating_point:
        x = b.op("bitcast_convert", x, dtype=f"i{8 * dtype.itemsize}")
    elif not dtype.is_signed:
        return b.full(x.shape, False, torch.bool)
    return b.lt(x, 0)


@rule("angle")
def angle(b: Any, x: Value) -> Value:
    """Of real numbers: pi for negative ones, NaN for NaN, else 0."""
    if is_complex(x):
        return b.atan2(b.imag(x), b.real(x))
    x = b.cast(x, float_type(dtype_of(x)))
    zero, pi = (b.full(x.shape, number, dtype_of(x)) for number in (0, math.pi))
    return b.select(b.ne(x, x), x, b.select(b.lt(x, 0), pi, zero))


@rule("isnan")
def isnan(b: Any, x: Value) -> Value:
    return b.full(x.shape, False, torch.bool) if is_integral(dtype_of(x)) else b.ne(x, x)


@rule("isinf")
def isinf(b: Any, x: Value) -> Value:
    if is_complex(x):
        return b.or_(isinf(b, b.real(x)), isinf(b, b.imag(x)))
    return b.eq(b.abs(x), math.inf) if is_float(x) else b.full(x.shape, False, torch.bool)


@elementwise("logical_not", to=BOOL)
def logical_not(b: Any, x: Value) -> Value:
    return b.eq(x, 0)


@elementwise("bitwise_not", wide=False)
def bitwise_not(b: Any, x: Value) -> Value:
    return b.not_(x)


@rule("conj", "_conj", "conj_physical", "_conj_physical")
def conj(b: Any, x: Value) -> Value:
    return b.complex(b.real(x), b.negate(b.imag(x))) if is_complex(x) else x


@rule("view_as_real")
def view_as_real(b: Any, x: Value) -> Value:
    """Real and imaginary part along a last dimension."""
    parts = [b.reshape(part, [*x.shape, 1]) for part in (b.real(x), b.imag(x))]
    return b.concatenate(*parts, dimension=x.rank)


@rule("view_as_complex")
def view_as_complex(b: Any, x: Value) -> Value:
    return b.complex(x[..., 0], x[..., 1])


@rule("complex")
def complex_(b: Any, real: Value, imaginary: Value) -> Value:
    return b.complex(*b.together(real, imaginary))


@rule("polar")
def polar(b: Any, size: Value, angle: Value) -> Value:
    """Complex numbers of sizes and angles."""
    size, angle = b.together(size, angle)
    return b.complex(b.multiply(size, b.cosine(angle)), b.multiply(size, b.sine(angle)))
