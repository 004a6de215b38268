"""Constants of the IR as numpy arrays, and back. A splat is an array without strides: it takes no memory at any size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import DTYPES, SMALL_FLOATS, is_splat, make_elements, read_elements
from hlo.dialect.stablehlo import ConstantOp
from hlo.dialect.types import element_type, is_complex, is_float

__all__ = ["constant_of", "dtype_of", "is_splat", "is_zero", "known_scalar", "read_constant", "splat"]

_SMALL = {"i2", "i4", "ui2", "ui4", *SMALL_FLOATS}


def dtype_of(element: ir.Type) -> np.dtype | None:
    """The numpy type of an element type, None for those that are not folded (f8, i4, quantized)."""
    return None if str(element) in _SMALL else DTYPES.get(str(element))


def read_constant(op: ir.OpView) -> np.ndarray | None:
    """The value of a stablehlo.constant; None when its kind is not folded."""
    t = op.results[0].type
    if not isinstance(t, ir.RankedTensorType) or dtype_of(t.element_type) is None:
        return None
    return read_elements(op.attributes["value"])


def known_scalar(value: ir.Value) -> np.ndarray | None:
    """The number that a tensor of rank 0 holds, of any element type; None where it is no constant."""
    op = value.owner
    if isinstance(op, ir.Block):
        return None
    if op.name == "stablehlo.broadcast_in_dim":
        return known_scalar(op.operands[0])
    return read_elements(op.attributes["value"]) if op.name == "stablehlo.constant" else None


def constant_of(array: np.ndarray, t: ir.Type) -> ir.Value:
    """A constant with these elements, at the insertion point."""
    return ConstantOp.create(results=[t], value=make_elements(array, t)).result


def splat(value: ir.Value) -> Any:
    """The real number that all elements of a constant have, or of one that is broadcast; or None. That of ui64 beyond i64 is negative."""
    op = value.owner
    if isinstance(op, ir.Block):
        return None
    if op.name == "stablehlo.broadcast_in_dim":
        return splat(op.operands[0])
    element = element_type(value.type)
    if op.name != "stablehlo.constant" or is_complex(element) or dtype_of(element) is None:
        return None
    attribute = op.attributes["value"]
    is_known = isinstance(attribute, ir.DenseElementsAttr) and attribute.is_splat
    return attribute.get_splat_value().value if is_known else None


def is_zero(value: ir.Value, negative: bool) -> bool:
    """0.0 or -0.0; of integers, 0."""
    found = splat(value)
    if found is None or found != 0:
        return False
    return not is_float(element_type(value.type)) or (math.copysign(1.0, found) < 0) == negative
