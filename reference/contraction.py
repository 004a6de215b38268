"""Matmuls: dot_general and its forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.stablehlo import contraction as ops
from hlo.reference.conversion import converted
from hlo.reference.table import evaluates
from hlo.reference.values import is_float, is_integer, wide, widest


def factor(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An operand in the type in which products are summed: f64, complex128, or the result's integers where the operand has any."""
    if is_float(x.dtype) or x.dtype.kind == "c":
        return widest(x)
    if is_integer(dtype):
        return wide(x).astype(np.uint64 if dtype.name.startswith("u") else np.int64)
    return x if x.dtype.kind == dtype.kind == "b" else wide(x).astype(np.float64)


@evaluates(ops.DotGeneralOp)
def evaluate_dot_general(call, lhs, rhs):
    return dot_general(call.dot_dimension_numbers, lhs, rhs, call.dtype())


def dot_general(n: DotDimensionNumbers, lhs: np.ndarray, rhs: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Batch, then what is left of lhs, then what is left of rhs."""
    left = _grouped(lhs, n.lhs_batching_dimensions, n.lhs_contracting_dimensions)
    right = _grouped(rhs, n.rhs_batching_dimensions, n.rhs_contracting_dimensions)
    product = factor(left[0], dtype) @ np.swapaxes(factor(right[0], dtype), 1, 2)
    batch = [lhs.shape[d] for d in n.lhs_batching_dimensions]
    return converted(product, dtype).reshape([*batch, *left[1], *right[1]])


def _grouped(x: np.ndarray, batch: Sequence[int], contracted: Sequence[int]) -> tuple[np.ndarray, list[int]]:
    """As a (batch, free, contracted) array, and the sizes of the free dimensions."""
    free = [d for d in range(x.ndim) if d not in (*batch, *contracted)]
    size = [int(np.prod([x.shape[d] for d in group], dtype=np.int64)) for group in (batch, free, contracted)]
    return x.transpose([*batch, *free, *contracted]).reshape(size), [x.shape[d] for d in free]


@evaluates(ops.DotOp)
def evaluate_dot(call, lhs, rhs):
    """By matmul: `np.dot` takes infinity times a single 0 for 0."""
    return converted(factor(lhs, call.dtype()) @ factor(rhs, call.dtype()), call.dtype())


@evaluates(ops.EinsumOp, ops.UnaryEinsumOp)
def evaluate_einsum(call, *operands):
    return converted(np.einsum(call.einsum_config, *(factor(x, call.dtype()) for x in operands)), call.dtype())
