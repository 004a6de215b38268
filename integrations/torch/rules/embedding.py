"""Rows of a table, sums, means and greatest elements of bags of them, and the gradients."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import lowest, sizes_of
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import take
from hlo.torch.rules.scatter import put_rows


@rule("embedding_dense_backward")
def embedding_dense_backward(
    b: Any, gradient: Value, indices: Value, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Value:
    """Each row's sum of the gradients at the indices that read it, without those of the padding row."""
    dtype, row_numbers = dtype_of(gradient), b.cast(b.flat(indices), torch.int64)
    width = gradient.shape[-1]
    rows = b.reshape(b.wide(gradient), [math.prod(indices.shape), width])  # type: ignore[arg-type]
    if scale_grad_by_freq:
        counts = put_rows(
            b,
            b.full([num_weights], 0, dtype_of(rows)),
            row_numbers,
            b.full(row_numbers.shape, 1, dtype_of(rows)),
            0,
            b.add,
        )
        rows = b.divide(rows, b.over(take(b, counts, row_numbers, 0), rows.shape, [0]))
    kept = b.over(b.ne(row_numbers, padding_idx), rows.shape, [0])
    rows = b.select(kept, rows, b.full(rows.shape, 0, dtype_of(rows)))
    base = b.full([num_weights, width], 0, dtype_of(rows))
    return b.cast(base if 0 in rows.shape else put_rows(b, base, row_numbers, rows, 0, b.add), dtype)


SUM, MEAN, MAX = range(3)


@rule("_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(
    b: Any,
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Value | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Value, ...]:
    """Of each bag the sum, mean or maximum of its rows; which bag each index is in; how many rows a bag has; which row
    its maxima are from. The last three are for gradients: of those that no gradient reads PyTorch's kernel leaves some
    empty."""
    count = sizes_of(offsets)[0] - include_last_offset
    row_numbers, bags = b.cast(indices, torch.int64), _bags(b, indices, b.slice_in_dim(offsets, 0, count, 1, 0))
    sizes = [count, weight.shape[1]]
    kept = b.ne(row_numbers, padding_idx)
    totals = _added_rows(b, b.cast(kept, torch.int64), bags, count)
    if mode == MAX:
        result, source = _greatest_rows(b, weight, row_numbers, bags, kept, count)
    else:
        result, source = _summed_rows(b, weight, row_numbers, bags, kept, count, per_sample_weights), totals
        if mode == MEAN:
            divisor = b.cast(b.maximum(totals, 1), dtype_of(result))
            result = b.divide(result, b.over(divisor, sizes, [0]))
    kept_for_gradients = zip((bags, totals, source), b.node.meta["val"][1:])
    return b.cast(result, dtype_of(weight)), *(_as_wanted(b, v, like) for v, like in kept_for_gradients)


def _as_wanted(b: Any, value: Value, like: Any) -> Value:
    """A value, or zeros where PyTorch expects another size: one that no gradient reads."""
    sizes = [int(n) for n in like.shape]
    return b.cast(value, like.dtype) if list(value.shape) == sizes else b.full(sizes, 0, like.dtype)


def _bags(b: Any, indices: Value, offsets: Value) -> Value:
    """For each index the last bag that begins at or before it."""
    from hlo.torch.rules.searching import searchsorted

    number = b.positions(indices.shape, 0)
    return b.subtract(searchsorted(b, b.cast(offsets, torch.int64), number, right=True), 1)


def _added_rows(b: Any, rows: Value, bags: Value, count: int) -> Value:
    base = b.full([count, *rows.shape[1:]], 0, dtype_of(rows))
    return base if 0 in rows.shape or not count else put_rows(b, base, bags, rows, 0, b.add)


def _summed_rows(
    b: Any, weight: Value, row_numbers: Value, bags: Value, kept: Value, count: int, factors: Value | None
) -> Value:
    rows = b.wide(take(b, weight, row_numbers, 0))
    if factors is not None:
        rows = b.multiply(rows, b.over(b.cast(factors, dtype_of(rows)), rows.shape, [0]))
    return _added_rows(
        b, b.select(b.over(kept, rows.shape, [0]), rows, b.full(rows.shape, 0, dtype_of(rows))), bags, count
    )


def _greatest_rows(
    b: Any, weight: Value, row_numbers: Value, bags: Value, kept: Value, count: int
) -> tuple[Value, Value]:
    """The greatest elements, zeros for a bag without rows, and the row of the table that each is from: the first one of several."""
    rows, sizes = take(b, weight, row_numbers, 0), [count, weight.shape[1]]
    if 0 in rows.shape or not count:
        return b.full(sizes, 0, dtype_of(rows)), b.full(sizes, 0, torch.int64)
    least = b.full(rows.shape, lowest(dtype_of(rows)), dtype_of(rows))
    candidates = b.select(b.over(kept, rows.shape, [0]), rows, least)
    base = b.full(sizes, lowest(dtype_of(rows)), dtype_of(rows))
    greatest = put_rows(b, base, bags, candidates, 0, b.maximum)
    is_greatest = b.and_(b.eq(candidates, take(b, greatest, bags, 0)), b.over(kept, rows.shape, [0]))
    nowhere = row_numbers.shape[0]
    number = b.select(is_greatest, b.positions(rows.shape, 0), b.full(rows.shape, nowhere, torch.int64))
    first = put_rows(b, b.full(sizes, nowhere, torch.int64), bags, number, 0, b.minimum)
    is_empty = b.eq(first, nowhere)
    source = take(b, row_numbers, b.select(is_empty, b.full(sizes, 0, torch.int64), first), 0)
    return b.select(is_empty, b.full(sizes, 0, dtype_of(rows)), greatest), source


def _bag_limit(*arguments: Any) -> str | None:
    """PyTorch 2.13's kernel divides by how often other rows are read (`counts[indices_data[i]]` for the i-th row that is read)."""
    *_, by_frequency, _, sparse = arguments[:10]
    return "gives a sparse tensor" if sparse else "divides by frequencies, of other rows" if by_frequency else None


@rule("_embedding_bag_backward", limit=_bag_limit)
def embedding_bag_backward(
    b: Any,
    gradient: Value,
    indices: Value,
    offsets: Value,
    bags: Value,
    totals: Value,
    source: Value,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Value | None,
    padding_idx: int = -1,
) -> Value:
    """The gradient by the table: each bag's goes to its rows, that of a maximum to the row that it is from."""
    if mode == MAX:
        return _gradient_of_maxima(b, gradient, source, totals, num_weights)
    where = _bags_again(b, indices, offsets, bags)
    rows = b.wide(take(b, gradient, where, 0))
    if mode == MEAN:
        divisor = b.cast(b.maximum(b.cast(totals, torch.int64), 1), dtype_of(rows))
        rows = b.divide(rows, b.over(take(b, divisor, where, 0), rows.shape, [0]))
    if per_sample_weights is not None:
        rows = b.multiply(rows, b.over(b.cast(per_sample_weights, dtype_of(rows)), rows.shape, [0]))
    return b.cast(embedding_dense_backward(b, rows, indices, num_weights, padding_idx, False), dtype_of(gradient))


def _bags_again(b: Any, indices: Value, offsets: Value, bags: Value) -> Value:
    """Which bag each index is in, where the forward op has not kept it."""
    return b.cast(bags, torch.int64) if bags.shape == indices.shape else _bags(b, indices, offsets)


def _gradient_of_maxima(b: Any, gradient: Value, source: Value, totals: Value, num_weights: int) -> Value:
    from hlo.torch.rules.scatter import scatter_add

    has_rows = b.over(b.gt(totals, 0), gradient.shape, [0])
    parts = b.select(has_rows, gradient, b.full(gradient.shape, 0, dtype_of(gradient)))
    base = b.full([num_weights, gradient.shape[1]], 0, dtype_of(gradient))
    return scatter_add(b, base, 0, source, parts)


@rule("_embedding_bag_per_sample_weights_backward")
def embedding_bag_weights_backward(
    b: Any,
    gradient: Value,
    weight: Value,
    indices: Value,
    offsets: Value,
    bags: Value,
    mode: int,
    padding_idx: int = -1,
) -> Value:
    """Each row's product with its bag's gradient."""
    row_numbers = b.cast(indices, torch.int64)
    where = _bags_again(b, indices, offsets, bags)
    products = b.multiply(b.wide(take(b, gradient, where, 0)), b.wide(take(b, weight, row_numbers, 0)))
    found = b.cast(b.total(products, [1]), dtype_of(gradient))
    return b.select(b.ne(row_numbers, padding_idx), found, b.full(found.shape, 0, dtype_of(found)))
