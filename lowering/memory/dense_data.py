"""Access to the value of a constant as bytes, without a copy and for every element type.

The Python bindings cannot hold a dense attribute of complex numbers and cannot view one of bf16; MLIR's C API can."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from mlir import _mlir_libs


class _StringRef(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _Handle(ctypes.Structure):
    """MlirOperation, MlirAttribute: one pointer, passed by value."""

    _fields_ = [("pointer", ctypes.c_void_p)]


@functools.cache
def _library() -> ctypes.PyDLL:
    from pathlib import Path

    library = ctypes.PyDLL(str(next(Path(_mlir_libs.__path__[0]).glob("libMLIRPythonCAPI.so*"))))
    for name, result, *arguments in (
        ("mlirOperationGetAttributeByName", _Handle, _Handle, _StringRef),
        ("mlirOperationSetAttributeByName", None, _Handle, _StringRef, _Handle),
        ("mlirDenseElementsAttrGetRawData", ctypes.c_void_p, _Handle),
        ("mlirDenseElementsAttrIsSplat", ctypes.c_bool, _Handle),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _operation(op: Any) -> _Handle:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    capsule = op.operation._CAPIPtr
    return _Handle(get(capsule, name(capsule)))


def copy_attribute(name: str, source: Any, target: Any) -> None:
    """Gives `target` the attribute of `source`, whatever its kind."""
    data = name.encode()
    key = _StringRef(data, len(data))
    value = _library().mlirOperationGetAttributeByName(_operation(source), key)
    _library().mlirOperationSetAttributeByName(_operation(target), key, value)


def raw_value(op: Any, name: str = "value") -> tuple[int, bool]:
    """The address of a dense attribute's data (one element when it is a splat), and whether it is a splat. The data
    lives as long as the op's context."""
    data = name.encode()
    value = _library().mlirOperationGetAttributeByName(_operation(op), _StringRef(data, len(data)))
    return _library().mlirDenseElementsAttrGetRawData(value), _library().mlirDenseElementsAttrIsSplat(value)
