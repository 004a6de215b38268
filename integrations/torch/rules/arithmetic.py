"""Arithmetic of two operands."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, result_type
from hlo.torch.registry import rule
from hlo.torch.rules.elementwise import FLOAT, elementwise, is_bool, is_float
from hlo.torch.rules.unary import signbit


@elementwise("add.Tensor", "add.Scalar", operands=2)
def add(b: Any, x: Value, y: Value, alpha: Any = 1) -> Value:
    return b.add(x, _scaled(b, y, alpha))


@elementwise("sub.Tensor", "sub.Scalar", operands=2)
def sub(b: Any, x: Value, y: Value, alpha: Any = 1) -> Value:
    return b.subtract(x, _scaled(b, y, alpha))


@elementwise("rsub.Tensor", "rsub.Scalar", operands=2)
def rsub(b: Any, x: Value, y: Value, alpha: Any = 1) -> Value:
    return b.subtract(y, _scaled(b, x, alpha))


def _scaled(b: Any, y: Value, alpha: Any) -> Value:
    return y if alpha == 1 else b.multiply(y, b.full(y.shape, alpha, dtype_of(y)))


@elementwise("mul.Tensor", "mul.Scalar", wide=False)
def mul(b: Any, x: Value, y: Value) -> Value:
    return b.multiply(x, y)


@elementwise("div.Tensor", "div.Scalar", to=FLOAT, wide=False)
def div(b: Any, x: Value, y: Value) -> Value:
    return b.divide(x, y)


@rule("div.Tensor_mode", "div.Scalar_mode")
def div_mode(b: Any, x: Any, y: Any, *, rounding_mode: str | None) -> Value:
    """Rounded toward zero ("trunc") or down ("floor"); of integers, an integer."""
    return {None: div, "trunc": _div_trunc, "floor": floor_divide}[rounding_mode](b, x, y)


@elementwise(wide=False)
def _div_trunc(b: Any, x: Value, y: Value) -> Value:
    quotient = b.divide(x, y)
    return b.select(b.lt(quotient, 0), b.ceil(quotient), b.floor(quotient)) if is_float(x) else quotient


@elementwise("floor_divide")
def floor_divide(b: Any, x: Value, y: Value) -> Value:
    return _floor_divide_floats(b, x, y) if is_float(x) else _floor_divide_integers(b, x, y)


def _floor_divide_integers(b: Any, x: Value, y: Value) -> Value:
    quotient, rest = b.divide(x, y), b.remainder(x, y)
    if dtype_of(x) in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        return quotient
    is_below = b.and_(b.ne(rest, 0), b.ne(b.lt(rest, 0), b.lt(y, 0)))
    return b.subtract(quotient, b.cast(is_below, dtype_of(x)))


def _floor_divide_floats(b: Any, x: Value, y: Value) -> Value:
    """Python's `//` on floats, as PyTorch computes it: from the exact remainder, so that the quotient is never one too high."""
    rest = b.remainder(x, y)
    quotient = b.divide(b.subtract(x, rest), y)
    is_below = b.and_(b.ne(rest, 0), b.ne(b.lt(y, 0), b.lt(rest, 0)))
    quotient = b.select(is_below, b.subtract(quotient, 1), quotient)
    down = b.floor(quotient)
    rounded = b.select(b.gt(b.subtract(quotient, down), 0.5), b.add(down, 1), down)
    plain = b.divide(x, y)
    zero = b.select(b.lt(plain, 0), b.full(x.shape, -0.0, dtype_of(x)), b.full(x.shape, 0.0, dtype_of(x)))
    return b.select(b.eq(y, 0), plain, b.select(b.eq(quotient, 0), zero, rounded))


@elementwise("prims.fma.default")
def fma(b: Any, x: Value, y: Value, z: Value) -> Value:
    """x * y + z, which Dynamo makes of addcmul_ and addcdiv_; rounded twice."""
    return b.add(b.multiply(x, y), z)


@elementwise("fmod.Tensor", "fmod.Scalar")
def fmod(b: Any, x: Value, y: Value) -> Value:
    return b.remainder(x, y)


@elementwise("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(b: Any, x: Value, y: Value) -> Value:
    """With the sign of the divisor."""
    rest = b.remainder(x, y)
    if dtype_of(x) in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
        return rest
    is_other = b.and_(b.ne(rest, 0), b.ne(b.lt(rest, 0), b.lt(y, 0)))
    return b.select(is_other, b.add(rest, y), rest)


@rule("pow.Tensor_Scalar")
def pow_scalar(b: Any, x: Value, exponent: Any) -> Value:
    common = result_type(x, exponent)
    wide = b.wide(b.cast(x, common))
    if common.is_complex or not common.is_floating_point:
        return power(b, x, exponent)
    made = _small_power(b, wide, exponent)
    return power(b, x, exponent) if made is None else b.cast(made, common)


def _small_power(b: Any, x: Value, exponent: Any) -> Value | None:
    """Powers that PyTorch does not compute by pow."""
    made = {
        2: lambda: b.multiply(x, x),
        3: lambda: b.multiply(b.multiply(x, x), x),
        0.5: lambda: b.sqrt(x),
        -0.5: lambda: b.rsqrt(x),
        -1: lambda: b.divide(1, x),
        -2: lambda: b.divide(1, b.multiply(x, x)),
        1: lambda: x,
        0: lambda: b.full(x.shape, 1, dtype_of(x)),
    }.get(exponent)
    return None if made is None else made()


@elementwise("pow.Tensor_Tensor", "pow.Scalar")
def power(b: Any, x: Value, exponent: Value) -> Value:
    if is_bool(x):
        return b.or_(x, b.not_(exponent))
    return b.power(x, exponent)


@elementwise("atan2", "atan2.out", to=FLOAT)
def atan2(b: Any, x: Value, y: Value) -> Value:
    return b.atan2(x, y)


@elementwise("copysign.Tensor", "copysign.Scalar", to=FLOAT, wide=False)
def copysign(b: Any, x: Value, y: Value) -> Value:
    size = b.abs(x)
    return b.select(signbit(b, y), b.negate(size), size)


@elementwise("hypot")
def hypot(b: Any, x: Value, y: Value) -> Value:
    """sqrt(x^2 + y^2), scaled so that squares do not overflow."""
    large, small = b.maximum(b.abs(x), b.abs(y)), b.minimum(b.abs(x), b.abs(y))
    ratio = b.divide(small, large)
    scaled = b.multiply(large, b.sqrt(b.add(b.multiply(ratio, ratio), 1)))
    is_special = b.or_(b.eq(large, 0), b.eq(large, math.inf))
    return b.select(is_special, large, scaled)


@elementwise("maximum", wide=False)
def maximum(b: Any, x: Value, y: Value) -> Value:
    return b.maximum(x, y)


@elementwise("minimum", wide=False)
def minimum(b: Any, x: Value, y: Value) -> Value:
    return b.minimum(x, y)


@elementwise("fmax", wide=False)
def fmax(b: Any, x: Value, y: Value) -> Value:
    """The number, where one is NaN."""
    return _or_other(b, x, y, b.maximum(x, y))


@elementwise("fmin", wide=False)
def fmin(b: Any, x: Value, y: Value) -> Value:
    return _or_other(b, x, y, b.minimum(x, y))


def _or_other(b: Any, x: Value, y: Value, both: Value) -> Value:
    return b.select(b.ne(x, x), y, b.select(b.ne(y, y), x, both)) if is_float(x) else both


@rule("clamp", "clamp.Tensor")
def clamp(b: Any, x: Value, min: Any = None, max: Any = None) -> Value:
    """min(max(x, low), high): where low is above high, high."""
    bounds = [v for v in (min, max) if v is not None]
    common = result_type(x, *bounds)
    operands = b.together(*(b.cast(v, common) for v in (x, *bounds)))
    result, rest = operands[0], operands[1:]
    if min is not None:
        result = b.maximum(result, rest[0])
    return b.minimum(result, rest[-1]) if max is not None else result


@elementwise("clamp_min", "clamp_min.Tensor", wide=False)
def clamp_min(b: Any, x: Value, low: Value) -> Value:
    return b.maximum(x, low)


@elementwise("clamp_max", "clamp_max.Tensor", wide=False)
def clamp_max(b: Any, x: Value, high: Value) -> Value:
    return b.minimum(x, high)


def _bitwise(op: str) -> Any:
    return lambda b, x, y: getattr(b, op)(x, y)


for _name, _op in {"and": "and_", "or": "or_", "xor": "xor"}.items():
    elementwise(f"bitwise_{_name}.Tensor", f"bitwise_{_name}.Scalar", f"bitwise_{_name}.Scalar_Tensor", wide=False)(
        _bitwise(_op)
    )


@elementwise(
    "bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "bitwise_left_shift.Scalar_Tensor",
    "__lshift__.Tensor", "__lshift__.Scalar", "prims.shift_left.default",
)  # fmt: skip
def shift_left(b: Any, x: Value, y: Value) -> Value:
    return b.shift_left(x, y)


@elementwise(
    "bitwise_right_shift.Tensor",
    "bitwise_right_shift.Tensor_Scalar",
    "bitwise_right_shift.Scalar_Tensor",
    "__rshift__.Tensor",
    "__rshift__.Scalar",
    "prims.shift_right_arithmetic.default",
)
def shift_right(b: Any, x: Value, y: Value) -> Value:
    return x >> y


@rule("addcmul")
def addcmul(b: Any, x: Value, y: Value, z: Value, *, value: Any = 1) -> Value:
    return _three(b, x, y, z, lambda x, y, z: b.add(x, _scaled(b, b.multiply(y, z), value)))


@rule("addcdiv")
def addcdiv(b: Any, x: Value, y: Value, z: Value, *, value: Any = 1) -> Value:
    return _three(b, x, y, z, lambda x, y, z: b.add(x, _scaled(b, b.divide(y, z), value)))


def _three(b: Any, x: Value, y: Value, z: Value, function: Any) -> Value:
    common = result_type(x, y, z)
    values = [b.wide(b.cast(v, common)) for v in b.together(x, y, z)]
    return b.cast(function(*values), common)


@rule("lerp.Scalar", "lerp.Tensor")
def lerp(b: Any, start: Value, end: Value, weight: Any) -> Value:
    """From the end that is nearer, as PyTorch computes it."""
    dtype = dtype_of(start)
    values = b.together(*(b.wide(b.cast(v, dtype)) for v in (start, end, weight)))
    start, end, weight = values
    length = b.subtract(end, start)
    near_start = b.add(start, b.multiply(weight, length))
    near_end = b.subtract(end, b.multiply(length, b.subtract(1, weight)))
    size = b.abs(weight)
    return b.cast(b.select(b.lt(size, 0.5), near_start, near_end), dtype)
