"""Element types of programs and of numpy arrays."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from mlir import ir

from hlo.errors import CompileError

_NAMES = {
    "i1": np.bool_,
    **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"ui{n}": f"uint{n}" for n in (8, 16, 32, 64)},
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
    "complex<f64>": np.complex128,
}

DTYPES: dict[str, np.dtype] = {name: np.dtype(dtype) for name, dtype in _NAMES.items()}
"""numpy's type by the element type's spelling."""

_ELEMENTS = {dtype: name for name, dtype in DTYPES.items()}


def dtype_name(dtype: np.dtype) -> str:
    """The spelling of a numpy type as an element type; numpy's own name if there is none."""
    return _ELEMENTS.get(np.dtype(dtype), np.dtype(dtype).name)


def element_dtype(element: ir.Type, what: str) -> np.dtype:
    """The numpy type of an element type; `what` names the value in the error."""
    found = DTYPES.get(str(element))
    if found is None:
        raise CompileError(f"{what}: element type {element} is not supported; supported: {', '.join(DTYPES)}")
    return found
