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
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    rows, columns, width = x.shape[-2], y.shape[-2], x.shape[-1]
    count = len(batch)
    sizes = [*batch, rows, columns, width]
    left, right = (b.expand_to(v, [*batch, *v.shape[-2:]]) for v in (x, y))
    outer = list(range(count))
    apart = b.subtract(
        b.over(left, sizes, [*outer, count, count + 2]), b.over(right, sizes, [*outer, count + 1, count + 2])
    )
    return _norm(b, apart, p)


@rule("_pdist_forward")
def pdist(b: Any, x: Value, p: float = 2) -> Value:
    """The distances of all pairs of rows, the first one's first."""
    first, second = (b.constant(v.astype(np.int64)) for v in np.triu_indices(x.shape[0], 1))  # type: ignore[arg-type]
    return _norm(b, b.subtract(take(b, x, first, 0), take(b, x, second, 0)), p)


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
