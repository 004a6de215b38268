"""The numpy types of MLIR's element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hlo.dialect.numpy_types import DTYPES
from hlo.errors import CompileError

if TYPE_CHECKING:
    from mlir import ir


def element_dtype(element: ir.Type, what: str) -> np.dtype:
    """The numpy type of an element type; `what` names the value in the error."""
    found = DTYPES.get(_spelling(element))
    if found is None:
        supported = ", ".join(name for name in DTYPES if name != "index")
        raise CompileError(f"{what}: element type {element} is not supported; supported: {supported}")
    return found


def _spelling(element: ir.Type) -> str:
    """A quantized element is seen as the integer that it is stored as."""
    from mlir.dialects import quant

    if not isinstance(element, quant.QuantizedType):
        return str(element)
    return f"{'' if element.is_signed else 'u'}i{element.storage_type_integral_width}"
