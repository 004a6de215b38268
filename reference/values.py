"""Element types: the numpy type of an MLIR type, computing in wider types, and bits."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from mlir import ir
from mlir.dialects import quant

from hlo.dialect.numpy_types import DTYPES
from hlo.dialect.types import element_type
from hlo.runtime.calls.dtypes import element_dtype

TOKEN = object()
"""The one value of type token."""

NATIVE = "fc"


def stored_dtype(kind: ir.Type) -> np.dtype:
    """The numpy type in which values of a tensor type are stored (quantized ones: their integer)."""
    return element_dtype(element_type(kind), "value")


def computed_dtype(kind: ir.Type) -> np.dtype:
    """The numpy type in which ops see values of a tensor type (quantized ones: the float they express)."""
    element = element_type(kind)
    if isinstance(element, quant.QuantizedType):
        element = element.expressed_type
    return element_dtype(element, "value")


def is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or (dtype.kind == "V" and not is_small_integer(dtype))


def is_small_integer(dtype: np.dtype) -> bool:
    return dtype.name in ("int2", "int4", "uint2", "uint4")


def is_integer(dtype: np.dtype) -> bool:
    return dtype.kind in "iu" or is_small_integer(dtype)


def is_signed(dtype: np.dtype) -> bool:
    return is_integer(dtype) and not dtype.name.startswith("u")


def bit_width(dtype: np.dtype) -> int:
    """Of one element: those of less than a byte take a whole one."""
    if is_small_integer(dtype):
        return ml_dtypes.iinfo(dtype).bits
    return ml_dtypes.finfo(dtype).bits if is_float(dtype) else dtype.itemsize * 8


def limits(dtype: np.dtype) -> tuple[int, int]:
    info: Any = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def wide(array: np.ndarray) -> np.ndarray:
    """Small floats as f32, small integers as bytes; what numpy computes with stays."""
    array = np.asarray(array)
    if is_small_integer(array.dtype):
        return array.astype(np.uint8 if array.dtype.name.startswith("u") else np.int8)
    if (
        array.dtype == np.float16
        or (is_float(array.dtype) and array.dtype.kind != "f")
        or (array.dtype.itemsize == 1 and is_float(array.dtype))
    ):
        return array.astype(np.float32)
    if is_float(array.dtype) and array.dtype not in (np.float32, np.float64):
        return array.astype(np.float32)
    return array


def widest(array: np.ndarray) -> np.ndarray:
    """Floats as f64, complex numbers as complex128."""
    array = wide(array)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    return array.astype(np.complex128) if array.dtype.kind == "c" else array


_WIDER_THAN_F32 = {np.dtype(t) for t in ("i4", "u4", "i8", "u8", "f8")}
_ROUNDED_FROM_F32 = {t for t in map(np.dtype, DTYPES.values()) if is_float(t)} - {
    np.dtype(t) for t in ("f2", "f4", "f8")
}


def narrow(array: Any, dtype: np.dtype) -> np.ndarray:
    """Rounded to a type; integers wrap."""
    array = np.asarray(array)
    if array.dtype == dtype:
        return array
    if is_small_integer(dtype):
        bits = bit_width(dtype)
        low = array.astype(np.int64) & ((1 << bits) - 1)
        if is_signed(dtype):
            low = np.where(low >= 1 << (bits - 1), low - (1 << bits), low)
        return low.astype(np.int8).astype(dtype)
    if dtype in _ROUNDED_FROM_F32 and array.dtype in _WIDER_THAN_F32:
        array = _rounded_to_odd(array)  # ml_dtypes goes through f32, which would round twice
    if dtype.name == "float8_e8m0fnu":  # ml_dtypes 0.6 rounds up what is above its least number, 2^-127
        array = np.where((array > 0) & (array < 1.5 * 2.0**-127), array.dtype.type(2.0**-127), array)
    return array.astype(dtype)


def _rounded_to_odd(array: np.ndarray) -> np.ndarray:
    """f64 and integers as f32, inexact numbers with an odd last bit: rounded again, to at most 22 bits, they are what the
    numbers themselves are rounded to."""
    if array.dtype.kind in "iu":
        array = _as_f64(array)
    near = array.astype(np.float32)
    even = np.isfinite(near) & (near != array) & (near.view(np.uint32) & 1 == 0)
    return np.where(even, np.nextafter(near, np.where(array > near, np.inf, -np.inf).astype(np.float32)), near)


def _as_f64(array: np.ndarray) -> np.ndarray:
    """Integers as f64; beyond 53 bits, bit 11 says whether one of those below it is set, which get lost."""
    if array.dtype.itemsize < 8:
        return array.astype(np.float64)
    size = np.where(array < 0, ~array, array).astype(np.uint64) + (array < 0)
    low = np.uint64(0x7FF)
    lost = (size >> np.uint64(53) > 0) & (size & low > 0)
    whole = np.where(lost, (size & ~low) | np.uint64(0x800), size).astype(np.float64)
    return np.where(array < 0, -whole, whole)


def unsigned(array: np.ndarray) -> np.ndarray:
    """The bits of integers as unsigned numbers of a type numpy has."""
    bits = bit_width(array.dtype)
    data = wide(array)
    return data.view(f"u{data.dtype.itemsize}") & np.array((1 << bits) - 1, f"u{data.dtype.itemsize}")
