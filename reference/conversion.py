"""Changes of element type, and parts of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.stablehlo import conversion as ops
from hlo.reference.table import evaluates
from hlo.reference.values import bit_width, is_float, is_integer, limits, narrow, stored_dtype, unsigned, wide


@evaluates(ops.AbsOp, elementwise=True)
def evaluate_abs(call, x):
    return narrow(np.abs(wide(x)), call.dtype())


@evaluates(ops.RealOp, elementwise=True)
def evaluate_real(call, x):
    return np.real(x)


@evaluates(ops.ImagOp, elementwise=True)
def evaluate_imag(call, x):
    return np.imag(x) if x.dtype.kind == "c" else narrow(np.zeros(x.shape), x.dtype)


@evaluates(ops.ComplexOp, elementwise=True)
def evaluate_complex(call, real, imaginary):
    result = np.empty(np.broadcast_shapes(real.shape, imaginary.shape), call.dtype())
    result.real, result.imag = real, imaginary
    return result


@evaluates(ops.IsFiniteOp, elementwise=True)
def evaluate_is_finite(call, x):
    return np.isfinite(wide(x))


@evaluates(ops.ConvertOp, elementwise=True)
def evaluate_convert(call, x):
    return converted(x, call.dtype())


def converted(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Floats to integers: towards zero, clamped to the type's limits, NaN is 0. To booleans: whether not zero. Of complex
    numbers only the real part counts."""
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    if dtype.kind == "b":
        return wide(x) != 0
    if is_float(x.dtype) and is_integer(dtype):
        return _float_to_integer(wide(x).astype(np.float64), dtype)
    return narrow(wide(x), dtype)


def _float_to_integer(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    low, high = limits(dtype)
    inside = np.where((x > low) & (x < high), x, 0).astype(np.uint64 if low == 0 else np.int64)
    whole = np.where(x >= high, inside.dtype.type(high), np.where(x <= low, inside.dtype.type(low), inside))
    return narrow(whole, dtype)


@evaluates(ops.BitcastConvertOp)
def evaluate_bitcast_convert(call, x):
    """The bits of elements, least significant first where the widths differ."""
    source, target = _bits(x), stored_dtype(call.op.result.type)
    old, new = bit_width(x.dtype) if x.dtype.kind != "b" else 1, 1 if target.kind == "b" else bit_width(target)
    if old > new:
        source = np.unpackbits(source, axis=-1, bitorder="little")[..., :old].reshape(*x.shape, old // new, new)
    else:
        source = np.unpackbits(source, axis=-1, bitorder="little")[..., :old].reshape(*_without_last(x, old, new), new)
    return _from_bits(source, target)


def _without_last(x: np.ndarray, old: int, new: int) -> tuple[int, ...]:
    return x.shape if old == new else x.shape[:-1]


def _bits(x: np.ndarray) -> np.ndarray:
    data = np.ascontiguousarray(unsigned(x) if is_integer(x.dtype) else x).reshape(x.shape)
    return data.reshape(*x.shape, 1).view(np.uint8)


def _from_bits(bits: np.ndarray, dtype: np.dtype) -> np.ndarray:
    packed = np.packbits(bits, axis=-1, bitorder="little")
    if dtype.kind == "b":
        return packed[..., 0] != 0
    if is_integer(dtype) and bit_width(dtype) < 8:
        return narrow(packed[..., 0], dtype)
    return np.ascontiguousarray(packed).view(dtype)[..., 0]


@evaluates(ops.ReducePrecisionOp, elementwise=True)
def evaluate_reduce_precision(call, x):
    """Rounded to fewer bits, ties to even bits (without mantissa bits: to an even exponent, as XLA does); too large is
    infinite, below the smallest normal number zero."""
    return narrow(_reduced(wide(x).astype(np.float64), x.dtype, call.exponent_bits, call.mantissa_bits), call.dtype())


def _reduced(x: np.ndarray, dtype: Any, exponent_bits: int, mantissa_bits: int) -> np.ndarray:
    import ml_dtypes

    info = ml_dtypes.finfo(dtype)
    least = int(np.log2(float(info.smallest_normal)))
    step = np.uint64(1 << (52 - min(mantissa_bits, 52)))
    kept, rest = np.divmod(np.abs(x).view(np.uint64), step)
    up = (2 * rest > step) | ((2 * rest == step) & (kept % 2 == 1))
    unit = 2.0 ** max(least - min(mantissa_bits, 52), -1074)
    below_normal = np.rint(np.abs(x) / unit) * unit
    rounded = np.where(np.abs(x) < 2.0**least, below_normal, ((kept + up) * step).view(np.float64))
    if exponent_bits < info.nexp:
        largest = 2 ** (exponent_bits - 1) - 1
        rounded = np.where(rounded >= 2.0 ** (largest + 1), np.inf, rounded)
        rounded = np.where(rounded < 2.0 ** (1 - largest), 0, rounded)
    return np.where(np.isfinite(x), np.copysign(rounded, x), x)
