"""DLPack capsules: arrays in device memory, from and for other libraries, without a copy.

https://dmlc.github.io/dlpack/latest/c_api.html has the structures."""

from __future__ import annotations

import ctypes as C
from typing import Any

import ml_dtypes
import numpy as np

from hlo.lazy_dataclasses import dataclass

_KINDS = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT = 4
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class _Tensor(C.Structure):
    _fields_ = [
        ("data", C.c_void_p), ("device_type", C.c_int32), ("device_number", C.c_int32), ("dimensions", C.c_int32),
        ("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16), ("shape", C.POINTER(C.c_int64)),
        ("strides", C.POINTER(C.c_int64)), ("byte_offset", C.c_uint64),
    ]  # fmt: skip


class _Managed(C.Structure):
    _fields_ = [("tensor", _Tensor), ("context", C.c_void_p), ("deleter", C.c_void_p)]


_DELETER = C.CFUNCTYPE(None, C.c_void_p)
_DESTRUCTOR = C.CFUNCTYPE(None, C.c_void_p)
_new = C.PYFUNCTYPE(C.py_object, C.c_void_p, C.c_char_p, C.c_void_p)(("PyCapsule_New", C.pythonapi))
_is_valid = C.PYFUNCTYPE(C.c_int, C.c_void_p, C.c_char_p)(("PyCapsule_IsValid", C.pythonapi))
_pointer = C.PYFUNCTYPE(C.c_void_p, C.c_void_p, C.c_char_p)(("PyCapsule_GetPointer", C.pythonapi))
NAME = b"dltensor"


@dataclass(frozen=True)
class Description:
    """Where an array's data lies. `strides` in elements; None for row-major."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    dtype: np.dtype
    device: tuple[int, int]


_exported: dict[int, tuple[Any, ...]] = {}
"""What capsules that are in use refer to, by the address of their structure."""


@_DELETER
def _delete(address: int) -> None:
    _exported.pop(address, None)


@_DESTRUCTOR
def _destroy(capsule: int) -> None:
    """A capsule that nobody has consumed."""
    if _is_valid(capsule, NAME):
        _delete(_pointer(capsule, NAME))


def make_capsule(described: Description, owner: Any) -> Any:
    """A capsule for one consumer; `owner` lives as long as it is in use. Raises BufferError for element types that
    DLPack does not have."""
    code, bits = _element(described.dtype)
    shape = (C.c_int64 * len(described.shape))(*described.shape)
    tensor = _Tensor(described.address, *described.device, len(described.shape), code, bits, 1, shape, None, 0)
    managed = _Managed(tensor, None, C.cast(_delete, C.c_void_p))
    address = C.addressof(managed)
    _exported[address] = (managed, shape, owner)
    return _new(address, NAME, C.cast(_destroy, C.c_void_p))


def read_capsule(capsule: Any) -> Description:
    """Where a capsule's array is: as long as the capsule lives. Raises BufferError for what no program takes."""
    if not _is_valid(id(capsule), NAME):
        raise BufferError("not a DLPack capsule, or one that was used before")
    tensor = C.cast(_pointer(id(capsule), NAME), C.POINTER(_Managed)).contents.tensor
    dimensions = range(tensor.dimensions)
    strides = tuple(tensor.strides[n] for n in dimensions) if tensor.strides else None
    shape = tuple(tensor.shape[n] for n in dimensions)
    device = (tensor.device_type, tensor.device_number)
    return Description((tensor.data or 0) + tensor.byte_offset, shape, strides, _dtype(tensor), device)


def _element(dtype: np.dtype) -> tuple[int, int]:
    if dtype == _BFLOAT16:
        return _BFLOAT, 16
    if dtype.kind not in _KINDS:
        raise BufferError(f"DLPack has no element type {dtype}")
    return _KINDS[dtype.kind], 8 * dtype.itemsize


def _dtype(tensor: _Tensor) -> np.dtype:
    if (tensor.code, tensor.bits, tensor.lanes) == (_BFLOAT, 16, 1):
        return _BFLOAT16
    kinds = {code: kind for kind, code in _KINDS.items()}
    if tensor.code not in kinds or tensor.lanes != 1:
        raise BufferError(f"DLPack element type {tensor.code} of {tensor.bits} bits, {tensor.lanes} lanes")
    return np.dtype(f"{kinds[tensor.code]}{tensor.bits // 8}")
