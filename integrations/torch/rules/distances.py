"""Distances of rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import take


@rule("_cdist_forward")
def cdist(b: Any, x: Value, y: Value, p: float, compute_mode: int | None = None) -> Value:
    """The distance of each row of x from each row of y."""
    return _norm(b, _difference(b, x, y), p)


@rule("_cdist_backward")
def cdist_backward(b: Any, gradient: Value, x: Value, y: Value, p: float, distances: Value) -> Value:
    """The gradient by x, of all batches; where there is nothing to sum, zeros of the shape of x, as PyTorch has it."""
    difference = _difference(b, x, y)
    return b.full(x.shape, 0, dtype_of(x)) if 0 in difference.shape else _pulled(b, gradient, difference, p, distances)


@rule("_pdist_forward")
def pdist(b: Any, x: Value, p: float = 2) -> Value:
    """The distances of all pairs of rows, the first one's first."""
    first, second = (b.constant(v.astype(np.int64)) for v in np.triu_indices(x.shape[0], 1))  # type: ignore[arg-type]
    return _norm(b, b.subtract(take(b, x, first, 0), take(b, x, second, 0)), p)


@rule("_pdist_backward")
def pdist_backward(b: Any, gradient: Value, x: Value, p: float, distances: Value) -> Value:
    """As the gradient by the rows of a matrix of all distances, in which each pair stands twice."""
    count: Any = x.shape[0]
    pairs = np.zeros((count, count), np.int64)
    pairs[np.triu_indices(count, 1)] = np.arange(count * (count - 1) // 2)
    numbers = b.constant(pairs + pairs.T)
    return _pulled(b, take(b, gradient, numbers, 0), _difference(b, x, x), p, take(b, distances, numbers, 0))


def _difference(b: Any, x: Value, y: Value) -> Value:
    """Each row of x minus each row of y: (*batch, rows of x, rows of y, width)."""
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    rows, columns, width = x.shape[-2], y.shape[-2], x.shape[-1]
    count = len(batch)
    sizes = [*batch, rows, columns, width]
    left, right = (b.expand_to(v, [*batch, *v.shape[-2:]]) for v in (x, y))
    outer = list(range(count))
    return b.subtract(
        b.over(left, sizes, [*outer, count, count + 2]), b.over(right, sizes, [*outer, count + 1, count + 2])
    )


def _norm(b: Any, difference: Value, p: float) -> Value:
    """Along the last dimension."""
    size, last, dtype = b.abs(difference), [difference.rank - 1], dtype_of(difference)
    if p == 0:
        return b.total(b.cast(b.ne(difference, 0), dtype), last)
    if p == 1:
        return b.total(size, last)
    if p == 2:
        return b.sqrt(b.total(b.multiply(difference, difference), last))
    if p == math.inf:
        return b.folded(size, 0, b.maximum, last)
    total = b.total(b.power(size, b.full(size.shape, p, dtype)), last)
    return b.power(total, b.full(total.shape, 1 / p, dtype))


def _pulled(b: Any, gradient: Value, difference: Value, p: float, distances: Value) -> Value:
    """The gradient by the rows on the left of `difference`: sums over those on the right."""
    last, sizes = difference.rank - 1, difference.shape
    distance, g = (b.over(v, sizes, range(last)) for v in (distances, gradient))
    return b.total(b.multiply(g, _norm_gradient(b, difference, p, distance)), [last - 1])


def _norm_gradient(b: Any, difference: Value, p: float, distance: Value) -> Value:
    """Of `_norm` by each element: sign(x) * (|x| / distance)^(p - 1), zero for x = 0 and where the distance is zero."""
    dtype, sign = dtype_of(difference), b.sign(difference)
    nothing = b.full(difference.shape, 0, dtype)
    if p == 0:
        return nothing
    if p == 1:
        return sign
    if p == math.inf:
        return b.select(b.eq(b.abs(difference), distance), sign, nothing)
    ratio = b.divide(b.abs(difference), distance)
    slope = ratio if p == 2 else b.power(ratio, b.full(difference.shape, p - 1, dtype))
    return b.select(b.or_(b.eq(difference, 0), b.eq(distance, 0)), nothing, b.multiply(sign, slope))
