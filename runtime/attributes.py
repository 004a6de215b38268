"""MLIR attributes as Python values, for configurations of custom calls."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo.runtime.dtypes import DTYPES


def python_value(attribute: ir.Attribute) -> Any:
    """Strings, numbers, arrays, dictionaries and dense elements as str, int, float, list, dict and numpy arrays; other
    kinds as their text."""
    for kind, convert in _CONVERSIONS:
        if isinstance(attribute, kind):
            return convert(attribute)
    return str(attribute)


def _dense(attribute: Any) -> np.ndarray:
    shaped = ir.RankedTensorType(attribute.type)
    dtype = DTYPES.get(str(shaped.element_type))
    try:
        array = np.array(attribute)
    except TypeError:  # no buffer for bf16: element by element
        array = np.array([attribute[i] for i in range(len(attribute))])
    array = array if dtype is None else array.astype(dtype)
    return array.reshape(shaped.shape)


_CONVERSIONS: tuple[tuple[Any, Any], ...] = (
    (ir.StringAttr, lambda a: a.value),
    (ir.BoolAttr, lambda a: a.value),
    (ir.IntegerAttr, lambda a: a.value),
    (ir.FloatAttr, lambda a: a.value),
    (ir.DenseI64ArrayAttr, list),
    (ir.DenseI32ArrayAttr, list),
    (ir.DenseBoolArrayAttr, list),
    (ir.DenseIntElementsAttr, _dense),
    (ir.DenseFPElementsAttr, _dense),
    (ir.ArrayAttr, lambda a: [python_value(x) for x in a]),
    (ir.DictAttr, lambda a: {x.name: python_value(x.attr) for x in a}),
)
