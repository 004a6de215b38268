"""Dense elements attributes as numpy arrays, for every element type, without a copy.

The bindings have no buffer for bf16, f8 and complex elements; MLIR's C API gives the bytes of all. Booleans are the
exception: MLIR packs eight in a byte."""

from __future__ import annotations

import ctypes
import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
from mlir import _mlir_libs, ir

from hlo.dialect.numpy_types import DTYPES as DTYPES
from hlo.dialect.numpy_types import SMALL_FLOATS as SMALL_FLOATS
from hlo.other_llvm import library as library_name


class _Handle(ctypes.Structure):
    """MlirAttribute: one pointer, passed by value."""

    _fields_ = [("pointer", ctypes.c_void_p)]


@functools.cache
def _library() -> ctypes.PyDLL:
    library = ctypes.PyDLL(library_name(next(Path(_mlir_libs.__path__[0]).glob("libMLIRPythonCAPI.so*"))))
    for name, result in (
        ("mlirDenseElementsAttrGetRawData", ctypes.c_void_p),
        ("mlirDenseElementsAttrIsSplat", ctypes.c_bool),
        ("mlirAttributeIsADenseElements", ctypes.c_bool),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, [_Handle]
    return library


def _handle(attribute: ir.Attribute) -> _Handle:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsule: Any = attribute._CAPIPtr
    return _Handle(get(capsule, name(capsule)))


def is_dense(attribute: ir.Attribute) -> bool:
    return _library().mlirAttributeIsADenseElements(_handle(attribute))


def read_elements(attribute: ir.Attribute) -> np.ndarray | None:
    """The array of a dense attribute; None for an element type without a numpy type, or another kind of attribute.

    A splat is a broadcast view (no strides). The array is a view of the attribute's bytes, whose context lives as long
    as it does; it is not to be written."""
    handle = _handle(attribute)
    if not _library().mlirAttributeIsADenseElements(handle):
        return None
    shaped = ir.ShapedType(attribute.type)
    dtype, shape = DTYPES.get(str(shaped.element_type)), tuple(shaped.shape)
    if dtype is None:
        return None
    count = math.prod(shape)
    if count == 0:
        return np.empty(shape, dtype)
    splat = _library().mlirDenseElementsAttrIsSplat(handle)
    address = _library().mlirDenseElementsAttrGetRawData(handle)
    if dtype.kind == "b":
        return _booleans(_bytes_at(attribute, address, 1 if splat else -(-count // 8)), shape, count, splat)
    stored = 1 if splat else count
    data = _bytes_at(attribute, address, stored * dtype.itemsize).view(dtype)
    return np.broadcast_to(data.reshape(()), shape) if splat else data.reshape(shape)


def _booleans(stored: np.ndarray, shape: tuple[int, ...], count: int, splat: bool) -> np.ndarray:
    if splat:
        return np.broadcast_to(np.array(bool(stored[0])), shape)
    return np.unpackbits(stored, count=count, bitorder="little").astype(bool).reshape(shape)


def _bytes_at(attribute: ir.Attribute, address: int, count: int) -> np.ndarray:
    """Bytes of an attribute, which they keep alive."""
    memory = (ctypes.c_char * count).from_address(address)
    memory.owner = attribute  # type: ignore[attr-defined]
    return np.frombuffer(memoryview(memory), np.uint8)


def make_elements(array: np.ndarray, tensor: ir.Type) -> ir.Attribute:
    """The dense attribute of an array, in the type of a tensor of its shape. An array without strides is a splat."""
    data = np.ascontiguousarray(array.reshape(-1)[:1] if is_splat(array) else array)
    if data.dtype.kind == "b" and data.size != 1:
        data = np.packbits(data.reshape(-1), bitorder="little")
    elif data.dtype.kind == "b":
        return ir.Attribute.parse(f"dense<{str(bool(data.flat[0])).lower()}> : {tensor}")
    if not data.size:
        return ir.Attribute.parse(f"dense<> : {tensor}")
    return ir.Attribute.parse(f'dense<"0x{data.tobytes().hex().upper()}"> : {tensor}')


def is_splat(array: np.ndarray) -> bool:
    """Whether an array is known to hold one value: one element, or a broadcast of one."""
    return array.size > 0 and (array.size == 1 or not any(array.strides))


def splat_of(attribute: ir.DenseElementsAttr, tensor: ir.Type) -> ir.Attribute:
    """The one value of a splat in all elements of another tensor of its element type."""
    number = attribute.get_splat_value()
    if isinstance(number, ir.Attribute) and not isinstance(number, ir.ArrayAttr):
        return ir.DenseElementsAttr.get_splat(tensor, number)
    array = read_elements(attribute)  # complex numbers are two attributes, which MLIR makes no splat of
    assert array is not None
    return make_elements(np.broadcast_to(array.reshape(-1)[0], ir.ShapedType(tensor).shape), tensor)
