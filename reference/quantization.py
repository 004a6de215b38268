"""Quantized values. Ops see the floats that they express; what an op gives is quantized again.

https://openxla.org/stablehlo/spec#quantized-element-types"""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import quant

from hlo.dialect.stablehlo import quantization as ops
from hlo.dialect.types import element_type, is_quantized, is_tensor
from hlo.reference.conversion import converted
from hlo.reference.table import evaluates
from hlo.reference.values import computed_dtype, narrow, stored_dtype, wide


def _parameters(element: Any, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Scales and zero points, in a shape that broadcasts."""
    if isinstance(element, quant.UniformQuantizedType):
        return np.array(element.scale), np.array(element.zero_point)
    shape = [-1 if d == element.quantized_dimension else 1 for d in range(rank)]
    return np.array(element.scales).reshape(shape), np.array(element.zero_points).reshape(shape)


def dequantize(value: Any, kind: ir.Type) -> Any:
    """(stored - zero_point) * scale; other values stay."""
    if not is_tensor(kind) or not is_quantized(element_type(kind)):
        return value
    scale, zero = _parameters(element_type(kind), value.ndim)
    real = computed_dtype(kind)
    with np.errstate(over="ignore"):
        steps = narrow(wide(value).astype(np.int64) - zero, real)
        return narrow(wide(steps) * wide(narrow(scale, real)), real)


def quantize(value: Any, kind: ir.Type) -> Any:
    """value / scale + zero_point, clamped to the storage's limits, then rounded to nearest even; NaN is 0; other values stay. Each
    step is one of the expressed type."""
    if not is_tensor(kind) or not is_quantized(element_type(kind)):
        return value
    element: Any = element_type(kind)
    scale, zero = _parameters(element, value.ndim)
    real = computed_dtype(kind)
    limits = element.storage_type_min, element.storage_type_max
    with np.errstate(all="ignore"):
        steps = narrow(wide(value) / wide(narrow(scale, real)), real)
        moved = narrow(wide(steps) + wide(narrow(zero, real)), real)
        clamped = np.clip(wide(moved), *(wide(narrow(n, real)) for n in limits))
    rounded = np.rint(clamped.astype(np.float64))
    whole = np.clip(np.where(np.isnan(rounded), 0, rounded), *limits)
    return narrow(whole.astype(np.int64), stored_dtype(kind))


@evaluates(ops.UniformQuantizeOp, ops.UniformDequantizeOp, elementwise=True)
def evaluate_uniform_quantize(call, x):
    """Of the expressed floats: the interpreter dequantizes operands and quantizes results."""
    return converted(x, call.dtype())
