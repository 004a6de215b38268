"""Types of the IR as the model holds them: one numpy array of a value a thread; a memref as an address a thread."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from hlo.errors import HloError
from hlo.lazy_dataclasses import dataclass
from hlo.runtime.gpu.layout import row_major
from hlo.runtime.gpu.model.code import Type
from hlo.runtime.gpu.plan import TensorMap

NUMPY = {
    "i1": np.dtype(bool),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "complex<f64>": np.dtype(np.complex128),
}


def numpy_type(kind: Type) -> np.dtype:
    """The dtype of a scalar or of elements. Raises HloError for a type that kernels do not have."""
    if kind.element not in NUMPY:
        raise HloError(f"the GPU's numpy model has no {kind.element}, only {', '.join(NUMPY)}")
    return NUMPY[kind.element]


@dataclass(frozen=True)
class Memref:
    """`address`: of the element at index 0, for each thread or for all; strides in elements."""

    address: np.ndarray | int
    shape: tuple[int, ...]
    strides: tuple[np.ndarray | int, ...]
    dtype: np.dtype


def memref_at(address: np.ndarray | int, kind: Type) -> Memref:
    """A memref of an identity-layout type."""
    return Memref(address, kind.shape, row_major(kind.shape), numpy_type(kind))


def byte_size(kind: Type) -> int:
    """Of a memref type, in bytes."""
    return prod(kind.shape) * numpy_type(kind).itemsize


def element_of(one: TensorMap) -> np.dtype:
    """Of the array that a tensor map describes."""
    return NUMPY["f32" if one.kind == "tf32" else one.kind]
