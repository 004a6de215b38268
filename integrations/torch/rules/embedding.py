"""Rows of a table, and their gradients."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import take
from hlo.torch.rules.scatter import put_rows


@rule("embedding_dense_backward")
def embedding_dense_backward(
    b: Any, gradient: Value, indices: Value, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Value:
    """Each row's sum of the gradients at the places that read it, without those of the padding row."""
    dtype, places = dtype_of(gradient), b.cast(b.flat(indices), torch.int64)
    width = gradient.shape[-1]
    rows = b.reshape(b.wide(gradient), [math.prod(indices.shape), width])  # type: ignore[arg-type]
    if scale_grad_by_freq:
        counts = put_rows(
            b, b.full([num_weights], 0, dtype_of(rows)), places, b.full(places.shape, 1, dtype_of(rows)), 0, b.add
        )
        rows = b.divide(rows, b.over(take(b, counts, places, 0), rows.shape, [0]))
    kept = b.over(b.ne(places, padding_idx), rows.shape, [0])
    rows = b.select(kept, rows, b.full(rows.shape, 0, dtype_of(rows)))
    base = b.full([num_weights, width], 0, dtype_of(rows))
    return b.cast(base if 0 in rows.shape else put_rows(b, base, places, rows, 0, b.add), dtype)
