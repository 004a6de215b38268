"""Matmuls of groups of different sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.chlo.structured import RaggedDotOp
from hlo.reference.contraction import dot_general
from hlo.reference.table import evaluates
from hlo.reference.values import wide


@evaluates(RaggedDotOp)
def evaluate_ragged_dot(call, lhs, rhs, group_sizes):
    """Groups of the ragged dimension. Free: each meets its own part of rhs, rows of no group give 0. Contracted: each gives a
    product of its own. A batch dimension: they make no difference."""
    n = call.ragged_dot_dimension_numbers
    (ragged,) = n.lhs_ragged_dimensions
    plain = DotDimensionNumbers(
        lhs_batching_dimensions=n.lhs_batching_dimensions,
        rhs_batching_dimensions=n.rhs_batching_dimensions,
        lhs_contracting_dimensions=n.lhs_contracting_dimensions,
        rhs_contracting_dimensions=n.rhs_contracting_dimensions,
    )
    if ragged in n.lhs_batching_dimensions:
        return dot_general(plain, lhs, rhs, call.dtype())
    ends = np.cumsum(group_sizes, dtype=np.int64)
    parts = [slice(int(end - size), int(end)) for end, size in zip(ends, wide(group_sizes))]
    result = np.zeros(call.shape(), call.dtype())
    products = _products_of_groups if ragged in n.lhs_contracting_dimensions else _rows_of_groups
    products(n, plain, lhs, rhs, parts, result)
    return result


def _products_of_groups(n: Any, plain: DotDimensionNumbers, lhs: Any, rhs: Any, parts: Any, result: np.ndarray) -> None:
    (ragged,) = n.lhs_ragged_dimensions
    partner = n.rhs_contracting_dimensions[n.lhs_contracting_dimensions.index(ragged)]
    for group, part in enumerate(parts):
        result[group] = dot_general(plain, _part(lhs, ragged, part), _part(rhs, partner, part), result.dtype)


def _rows_of_groups(n: Any, plain: DotDimensionNumbers, lhs: Any, rhs: Any, parts: Any, result: np.ndarray) -> None:
    (ragged,), (along,) = n.lhs_ragged_dimensions, n.rhs_group_dimensions
    gone = (*n.lhs_batching_dimensions, *n.lhs_contracting_dimensions)
    position = len(n.lhs_batching_dimensions) + sum(d not in gone for d in range(ragged))
    numbers = _without(plain, along)
    for group, part in enumerate(parts):
        rows, matrix = _part(lhs, ragged, part), np.take(rhs, group, along)
        _part(result, position, part)[...] = dot_general(numbers, rows, matrix, result.dtype)


def _part(x: np.ndarray, dimension: int, part: slice) -> np.ndarray:
    """A view of a range of one dimension."""
    index = (*[slice(None)] * dimension, part)
    return x[index]


def _without(n: DotDimensionNumbers, dropped: int) -> DotDimensionNumbers:
    """The numbers for a rhs that has lost a dimension."""
    batching, contracting = (
        tuple(d - (d > dropped) for d in dimensions)
        for dimensions in (n.rhs_batching_dimensions, n.rhs_contracting_dimensions)
    )
    return replace(n, rhs_batching_dimensions=batching, rhs_contracting_dimensions=contracting)
