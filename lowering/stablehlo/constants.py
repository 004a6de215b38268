"""Constants of the IR as numpy arrays, and back. A splat is an array without strides: it takes no memory at any size."""

from __future__ import annotations

import numpy as np
from mlir import ir

from hlo.dialect.elements import DTYPES, SMALL_FLOATS, is_splat, make_elements, read_elements

make_constant = make_elements

_SMALL = {"i2", "i4", "ui2", "ui4", *SMALL_FLOATS}


def dtype_of(element: ir.Type) -> np.dtype | None:
    """The numpy type of an element type, None for those that are not folded (complex, f8, i4, quantized)."""
    dtype = DTYPES.get(str(element))
    return None if dtype is None or dtype.kind == "c" or str(element) in _SMALL else dtype


def read_constant(op: ir.OpView) -> np.ndarray | None:
    """The value of a stablehlo.constant; None when its kind is not folded."""
    t = op.results[0].type
    if not isinstance(t, ir.RankedTensorType) or dtype_of(t.element_type) is None:
        return None
    return read_elements(op.attributes["value"])


__all__ = ["dtype_of", "is_splat", "make_constant", "read_constant"]
