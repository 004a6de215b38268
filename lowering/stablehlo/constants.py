"""Constants of the IR as numpy arrays, and back. A splat is an array without strides: it takes no memory at any size."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
from mlir import ir

from hlo.dialect.types import element_type, is_complex, is_float

_FLOAT_DTYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[-+]?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?")


def dtype_of(element: ir.Type) -> np.dtype | None:
    """The numpy type of an element type, None for those that are not folded (complex, f8, i4, quantized)."""
    if is_float(element):
        return _FLOAT_DTYPES.get(str(element))
    if not isinstance(element, ir.IntegerType):
        return None
    if element.width == 1:
        return np.dtype(bool)
    if element.width not in (8, 16, 32, 64):
        return None
    return np.dtype(f"{'u' if element.is_unsigned else 'i'}{element.width // 8}")


def read_constant(op: ir.OpView) -> np.ndarray | None:
    """The value of a stablehlo.constant; None when its kind is not known here."""
    t = op.results[0].type
    if not isinstance(t, ir.RankedTensorType) or is_complex(t.element_type):
        return None  # the bindings cannot hold elements of complex<...>
    dtype, value = dtype_of(t.element_type), op.attributes["value"]
    if dtype is None or not isinstance(value, ir.DenseElementsAttr):
        return None
    if value.is_splat:
        return np.broadcast_to(_splat(value, dtype), t.shape)
    if dtype == ml_dtypes.bfloat16:
        return _parse_bf16(str(value)).reshape(t.shape)
    return np.array(value).reshape(t.shape)


def is_splat(array: np.ndarray) -> bool:
    return array.size == 1 or not any(array.strides)


def make_constant(array: np.ndarray, t: ir.Type) -> ir.Attribute:
    """The elements attribute of an array in the type of a tensor."""
    if is_splat(array) and array.size > 0:
        data = np.asarray(array.flat[0]).reshape(())
        if data.dtype == bool:
            return ir.DenseElementsAttr.get_splat(t, ir.BoolAttr.get(bool(data)))
        return ir.Attribute.parse(f'dense<"0x{data.tobytes().hex().upper()}"> : {t}')
    data = np.ascontiguousarray(array)
    if data.dtype == bool:
        packed = np.packbits(data.reshape(-1), bitorder="little")
        return ir.DenseElementsAttr.get(packed, type=element_type(t), shape=list(data.shape))
    if data.dtype == ml_dtypes.bfloat16:
        data = data.view(np.uint16)
    return ir.DenseElementsAttr.get(data, type=t)


def _splat(value: ir.DenseElementsAttr, dtype: np.dtype) -> np.ndarray:
    number = value.get_splat_value().value
    if dtype.kind == "u":
        number &= (1 << (8 * dtype.itemsize)) - 1  # the bindings read ui64 as signed
    return np.array(number, dtype)


def _parse_bf16(text: str) -> np.ndarray:
    """The bindings give no elements of bf16: they are read from the attribute's text."""
    body = text[text.index("<") + 1 : text.rindex(">")].rsplit("> :", 1)[0]
    if body.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(body[3 : body.index('"', 3)]), ml_dtypes.bfloat16)
    numbers = _NUMBER.findall(body)
    bits = [int(n, 16) if n.startswith("0x") else _bf16_bits(float(n)) for n in numbers]
    return np.array(bits, np.uint16).view(ml_dtypes.bfloat16)


def _bf16_bits(number: float) -> int:
    return int(np.array(number, ml_dtypes.bfloat16).view(np.uint16))
