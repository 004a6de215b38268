"""Attention, as PyTorch's kernel for CPUs gives it to graphs."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.dialect.attributes import DotDimensionNumbers
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule


def _no_dropout(query: Any, key: Any, value: Any, dropout: float = 0.0, *_: Any, **__: Any) -> str | None:
    return "with dropout" if dropout else None


@rule("_scaled_dot_product_flash_attention_for_cpu", limit=_no_dropout)
def attention(
    b: Any,
    query: Value,
    key: Value,
    value: Value,
    dropout: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Value | None = None,
    scale: float | None = None,
) -> tuple[Value, Value]:
    """softmax(query key^T scale + mask) value, and the logarithm of the sum of exponentials of each row. Both are zero
    for a row without a key: PyTorch's kernel counts one exponential there."""
    scores = _scores(b, query, key, is_causal, attn_mask, scale)
    last = [scores.rank - 1]
    greatest = b.folded(scores, -math.inf, b.maximum, last, keep=True)
    is_empty = b.eq(greatest, -math.inf)
    shift = b.select(is_empty, b.full(greatest.shape, 0, dtype_of(greatest)), greatest)
    exponentials = b.exponential(b.subtract(scores, b.expand_to(shift, scores.shape)))
    total = b.total(exponentials, last, keep=True)
    total = b.select(is_empty, b.full(total.shape, 1, dtype_of(total)), total)
    weights = b.divide(exponentials, b.expand_to(total, scores.shape))
    result = _rows_times(b, b.cast(weights, dtype_of(value)), value, 2)
    logarithm = b.add(b.log(total), shift)
    return result, b.reshape(logarithm, list(scores.shape[:-1]))


def _scores(b: Any, query: Value, key: Value, is_causal: bool, mask: Value | None, scale: float | None) -> Value:
    """(batch, heads, queries, keys), in the wide type."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale  # type: ignore[arg-type]
    scores = _rows_times(b, b.wide(query), b.wide(key), 3)
    scores = b.multiply(scores, b.full(scores.shape, factor, dtype_of(scores)))
    if is_causal:
        rows, columns = (b.positions(scores.shape, d) for d in (2, 3))
        scores = b.select(b.ge(rows, columns), scores, b.full(scores.shape, -math.inf, dtype_of(scores)))
    if mask is None:
        return scores
    if dtype_of(mask) == torch.bool:
        return b.select(b.expand_to(mask, scores.shape), scores, b.full(scores.shape, -math.inf, dtype_of(scores)))
    return b.add(scores, b.expand_to(b.cast(mask, dtype_of(scores)), scores.shape))


def _rows_times(b: Any, x: Value, y: Value, of_y: int) -> Value:
    """Products of the matrices of each batch and head, over the last dimension of x and one of y. Heads of x that have
    the same one of y are rows of one matrix."""
    numbers = DotDimensionNumbers((0, 1), (0, 1), (3,), (of_y,))
    products = b.op("dot_general", _in_groups(b, x, y.shape[1]), y, numbers)  # type: ignore[arg-type]
    return b.reshape(products, [*x.shape[:3], products.shape[3]])


def _summed_over_rows(b: Any, x: Value, y: Value, heads: int) -> Value:
    """Products of the matrices of each batch, over the rows of all heads that read the same one of `heads`."""
    numbers = DotDimensionNumbers((0, 1), (0, 1), (2,), (2,))
    return b.op("dot_general", _in_groups(b, x, heads), _in_groups(b, y, heads), numbers)


def _in_groups(b: Any, x: Value, heads: int) -> Value:
    """(batch, heads * n, rows, columns) as (batch, heads, n * rows, columns)."""
    batch, all_heads, rows, columns = x.shape
    return b.reshape(x, [batch, heads, all_heads // heads * rows, columns]) if all_heads != heads else x  # type: ignore[operator]


def _no_dropout_backward(
    gradient: Any, query: Any, key: Any, value: Any, out: Any, logsumexp: Any, dropout: float, *_: Any, **__: Any
) -> str | None:
    return "with dropout" if dropout else None


@rule("_scaled_dot_product_flash_attention_for_cpu_backward", limit=_no_dropout_backward)
def attention_backward(
    b: Any, gradient: Value, query: Value, key: Value, value: Value, out: Value, logsumexp: Value, dropout: float, is_causal: bool, *,
    attn_mask: Value | None = None, scale: float | None = None,
) -> tuple[Value, Value, Value]:  # fmt: skip
    """The gradients of query, key and value; the weights are rematerialised from the rows' logarithms."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale  # type: ignore[arg-type]
    scores = _scores(b, query, key, is_causal, attn_mask, scale)
    weights = b.exponential(b.subtract(scores, b.over(b.wide(logsumexp), scores.shape, [0, 1, 2])))
    g, q, k, v, result = (b.wide(x) for x in (gradient, query, key, value, out))
    heads: int = key.shape[1]  # type: ignore[assignment]
    of_value = _summed_over_rows(b, weights, g, heads)
    of_weights = _rows_times(b, g, v, 3)
    total = b.total(b.multiply(g, result), [3], keep=True)
    of_scores = b.multiply(weights, b.subtract(of_weights, b.expand_to(total, scores.shape)))
    of_scores = b.multiply(of_scores, b.full(scores.shape, factor, dtype_of(scores)))
    found = _rows_times(b, of_scores, k, 2), _summed_over_rows(b, of_scores, q, heads), of_value
    return tuple(b.cast(v, dtype_of(x)) for v, x in zip(found, (query, key, value)))  # type: ignore[return-value]
