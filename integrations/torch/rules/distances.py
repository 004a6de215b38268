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
    return _norm(b, _apart(b, x, y), p)


@rule("_cdist_backward")
def cdist_backward(b: Any, gradient: Value, x: Value, y: Value, p: float, distances: Value) -> Value:
    """The gradient by x, of all batches; where there is nothing to sum, zeros of the shape of x, as PyTorch has it."""
    apart = _apart(b, x, y)
    return b.full(x.shape, 0, dtype_of(x)) if 0 in apart.shape else _pulled(b, gradient, apart, p, distances)


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
    places = b.constant(pairs + pairs.T)
    return _pulled(b, take(b, gradient, places, 0), _apart(b, x, x), p, take(b, distances, places, 0))


def _apart(b: Any, x: Value, y: Value) -> Value:
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


def _norm(b: Any, apart: Value, p: float) -> Value:
    """Along the last dimension."""
    size, last, dtype = b.abs(apart), [apart.rank - 1], dtype_of(apart)
    if p == 0:
        return b.total(b.cast(b.ne(apart, 0), dtype), last)
    if p == 1:
        return b.total(size, last)
    if p == 2:
        return b.sqrt(b.total(b.multiply(apart, apart), last))
    if p == math.inf:
        return b.folded(size, 0, b.maximum, last)
    total = b.total(b.power(size, b.full(size.shape, p, dtype)), last)
    return b.power(total, b.full(total.shape, 1 / p, dtype))


def _pulled(b: Any, gradient: Value, apart: Value, p: float, distances: Value) -> Value:
    """The gradient by the rows on the left of `apart`: sums over those on the right."""
    last, sizes = apart.rank - 1, apart.shape
    distance, g = (b.over(v, sizes, range(last)) for v in (distances, gradient))
    return b.total(b.multiply(g, _norm_gradient(b, apart, p, distance)), [last - 1])


def _norm_gradient(b: Any, apart: Value, p: float, distance: Value) -> Value:
    """Of `_norm` by each element: sign(x) * (|x| / distance)^(p - 1), zero for x = 0 and where the distance is zero."""
    dtype, sign = dtype_of(apart), b.sign(apart)
    nothing = b.full(apart.shape, 0, dtype)
    if p == 0:
        return nothing
    if p == 1:
        return sign
    if p == math.inf:
        return b.select(b.eq(b.abs(apart), distance), sign, nothing)
    ratio = b.divide(b.abs(apart), distance)
    slope = ratio if p == 2 else b.power(ratio, b.full(apart.shape, p - 1, dtype))
    return b.select(b.or_(b.eq(apart, 0), b.eq(distance, 0)), nothing, b.multiply(sign, slope))
