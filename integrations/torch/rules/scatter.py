"""Elements put at indices that other tensors hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.dialect.attributes import ScatterDimensionNumbers
from hlo.torch.element_types import dtype_of, is_integral
from hlo.torch.graph_builder import dimension_of, highest, lowest
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import IndexPlan, _has_masks, from_the_end, index_vectors


def put_at(b: Any, x: Value, vectors: Value, updates: Value, combine: Callable[[Value, Value], Value]) -> Value:
    """x with `updates` combined into the elements at coordinates along the last dimension of `vectors`."""
    whole = tuple(range(x.rank))
    numbers = ScatterDimensionNumbers(
        update_window_dims=(),
        inserted_window_dims=whole,
        scatter_dims_to_operand_dims=whole,
        index_vector_dim=vectors.rank - 1,
    )
    return b.op("scatter", x, vectors, updates, combine, scatter_dimension_numbers=numbers)


def _scattered(b: Any, x: Value, dim: int, index: Value, source: Value, combine: Any) -> Value:
    """For each element of `index`, the element of source there is combined into x at the coordinates that `index` says."""
    if not x.rank:
        return b.reshape(_scattered(b, b.reshape(x, [1]), 0, b.flat(index), b.flat(source), combine), [])
    if not index.rank:
        index = b.reshape(index, [1] * x.rank)
    if 0 in index.shape or 0 in x.shape:
        return x
    if source.rank == 0:
        source = b.reshape(source, [1] * x.rank)
    part = b.slice(source, [0] * x.rank, list(index.shape)) if source.shape != index.shape else source
    return put_at(b, x, index_vectors(b, index, dimension_of(dim, x.rank)), part, combine)


@rule("scatter.src")
def scatter_src(b: Any, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _scattered(b, x, dim, index, source, lambda old, new: new)


@rule("scatter.value")
def scatter_value(b: Any, x: Value, dim: int, index: Value, value: Any) -> Value:
    return _scattered(b, x, dim, index, b.full(index.shape, value, dtype_of(x)), lambda old, new: new)


@rule("scatter.reduce")
def scatter_src_reduce(b: Any, x: Value, dim: int, index: Value, source: Value, *, reduce: str) -> Value:
    """`reduce`: add, multiply."""
    combine, _ = _REDUCTIONS[_OLD_NAMES[reduce]](b, dtype_of(x))
    return _scattered(b, x, dim, index, source, combine)


@rule("scatter.value_reduce")
def scatter_value_reduce(b: Any, x: Value, dim: int, index: Value, value: Any, *, reduce: str) -> Value:
    return scatter_src_reduce(b, x, dim, index, b.full(index.shape, value, dtype_of(x)), reduce=reduce)


_OLD_NAMES = {"add": "sum", "multiply": "prod"}
"""The reductions of `scatter` under the names that `scatter_reduce` has for them."""


@rule("scatter_add")
def scatter_add(b: Any, x: Value, dim: int, index: Value, source: Value) -> Value:
    return _scattered(b, x, dim, index, source, b.or_ if dtype_of(x) == torch.bool else b.add)


@rule("scatter_reduce.two")
def scatter_reduce(
    b: Any, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True
) -> Value:
    """`reduce`: sum, prod, mean, amax, amin. Without itself, x counts only where nothing is put."""
    return _reduced(b, x, source, reduce, include_self, lambda *a: _scattered(b, a[0], dim, index, *a[1:]))


def _reduced(b: Any, x: Value, source: Value, reduce: str, include_self: bool, put: Callable[..., Value]) -> Value:
    """`put(x, source, combine)`: x with the elements of a tensor of the source's shape combined into it."""
    dtype = dtype_of(x)
    combine, start = _REDUCTIONS[reduce](b, dtype)
    base = x if include_self else put(x, b.full(source.shape, start, dtype), lambda old, new: new)
    result = put(base, source, combine)
    if reduce != "mean":
        return result
    counts = put(b.full(x.shape, int(include_self), dtype), b.full(source.shape, 1, dtype), b.add)
    return _quotient(b, result, counts)


_REDUCTIONS: dict[str, Callable[[Any, torch.dtype], tuple[Any, Any]]] = {
    "sum": lambda b, dtype: (b.or_ if dtype == torch.bool else b.add, 0),
    "mean": lambda b, dtype: (b.or_ if dtype == torch.bool else b.add, 0),
    "prod": lambda b, dtype: (b.and_ if dtype == torch.bool else b.multiply, 1),
    "amax": lambda b, dtype: (b.maximum, lowest(dtype)),
    "amin": lambda b, dtype: (b.minimum, highest(dtype)),
}


def _quotient(b: Any, total: Value, counts: Value) -> Value:
    """The mean of so many elements, at least one; of integers, rounded down."""
    from hlo.torch.rules.arithmetic import floor_divide

    counts = b.maximum(counts, b.full(total.shape, 1, dtype_of(total)))
    return floor_divide(b, total, counts) if is_integral(dtype_of(total)) else b.divide(total, counts)


@rule("put")
def put(b: Any, x: Value, index: Value, source: Value, accumulate: bool = False) -> Value:
    """Elements put at indices in the flattened tensor."""
    count = math.prod(x.shape)  # type: ignore[arg-type]
    flat = index_put(b, b.flat(x), [b.flat(index)], b.flat(source), accumulate) if count else b.flat(x)
    return b.reshape(flat, list(x.shape))


def _is_mask(index: Any) -> bool:
    return index is not None and (dtype_of(index) if isinstance(index, Value) else index.dtype) == torch.bool


def _put_limit(x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> str | None:
    """One number can be put where a mask holds."""
    given = [i for i in indices if i is not None]
    if len(given) == 1 and _is_mask(given[0]) and values.numel() == 1 and not accumulate:
        return None
    return _has_masks(x, indices)


@rule("index_put", "_unsafe_index_put", limit=_put_limit)
def index_put(b: Any, x: Value, indices: Sequence[Value | None], values: Value, accumulate: bool = False) -> Value:
    if any(_is_mask(i) for i in indices):
        return _put_where(b, x, indices, values)
    plan = IndexPlan(b, x, indices)
    updates = b.expand_to(b.cast(values, dtype_of(x)), plan.result_sizes)
    if 0 in plan.result_sizes or 0 in x.shape:
        return x
    numbers = ScatterDimensionNumbers(
        update_window_dims=tuple(plan.rest_dimensions),
        inserted_window_dims=tuple(plan.along),
        scatter_dims_to_operand_dims=tuple(plan.along),
        index_vector_dim=len(plan.sizes),
    )
    add = b.or_ if dtype_of(x) == torch.bool else b.add
    combine = add if accumulate else (lambda old, new: new)
    return b.op("scatter", x, plan.vectors(), updates, combine, scatter_dimension_numbers=numbers)


def _put_where(b: Any, x: Value, indices: Sequence[Value | None], values: Value) -> Value:
    """One number where a mask over some dimensions holds."""
    first, mask = next((d, i) for d, i in enumerate(indices) if i is not None)
    chosen = b.over(mask, x.shape, range(first, first + mask.rank))
    return b.select(chosen, b.expand_to(b.reshape(b.cast(values, dtype_of(x)), []), x.shape), x)


@rule("index_add")
def index_add(b: Any, x: Value, dim: int, index: Value, source: Value, *, alpha: Any = 1) -> Value:
    scaled = source if alpha == 1 else b.multiply(source, b.full(source.shape, alpha, dtype_of(source)))
    return _rows_put(b, x, dim, index, scaled, b.or_ if dtype_of(x) == torch.bool else b.add)


@rule("index_copy")
def index_copy(b: Any, x: Value, dim: int, index: Value, source: Value) -> Value:
    """Indices may count from the end: PyTorch makes an index_fill, which takes them, an index_copy."""
    size = x.shape[dimension_of(dim, x.rank)] if x.rank else 1
    return _rows_put(b, x, dim, from_the_end(b, index, size), source, lambda old, new: new)  # type: ignore[arg-type]


@rule("index_reduce")
def index_reduce(
    b: Any, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True
) -> Value:
    """`reduce`: prod, mean, amax, amin. Without itself, x counts only where nothing is put."""
    return _reduced(b, x, source, reduce, include_self, lambda *a: _rows_put(b, a[0], dim, index, *a[1:]))


def _rows_put(b: Any, x: Value, dim: int, index: Value, source: Value, combine: Any) -> Value:
    if not x.rank:
        return b.reshape(_rows_put(b, b.reshape(x, [1]), 0, index, b.flat(source), combine), [])
    index = b.flat(index)
    if 0 in index.shape or 0 in x.shape:
        return x
    return put_rows(b, x, index, b.reshape(source, [*source.shape] or [1]), dimension_of(dim, x.rank), combine)


def put_rows(b: Any, x: Value, indices: Value, rows: Value, along: int, combine: Any) -> Value:
    """Slices combined into x at indices along a dimension. `indices` has rank 1."""
    others = tuple(d for d in range(x.rank) if d != along)
    numbers = ScatterDimensionNumbers(
        update_window_dims=others,
        inserted_window_dims=(along,),
        scatter_dims_to_operand_dims=(along,),
        index_vector_dim=1,
    )
    return b.op("scatter", x, indices, rows, combine, scatter_dimension_numbers=numbers)


@rule("masked_scatter")
def masked_scatter(b: Any, x: Value, mask: Value, source: Value) -> Value:
    """Where the mask holds, the elements of source one after another."""
    from hlo.torch.rules.indexing import take

    chosen, old = b.together(mask, x)
    if 0 in old.shape:
        return old
    flat = b.flat(chosen)
    number = _numbers_among(b, flat)
    taken = take(b, b.flat(source), b.maximum(number, b.full(number.shape, 0, torch.int64)), 0)
    return b.reshape(b.select(flat, taken, b.flat(old)), list(old.shape))


def _numbers_among(b: Any, chosen: Value) -> Value:
    """For each element of a mask of rank 1, the number of the last one that holds up to it among those that hold; -1 if there is none."""
    from hlo.torch.rules.reductions import cumsum

    return b.subtract(cumsum(b, chosen, 0), 1)


@rule("masked_scatter_backward")
def masked_scatter_backward(b: Any, gradient: Value, mask: Value, sizes: Sequence[int]) -> Value:
    """The gradient by `source`, of these sizes: what has been put into the result, and zero for the rest."""
    chosen, g = b.together(mask, gradient)
    count = math.prod(sizes)
    base = b.full([count], 0, dtype_of(g))
    if 0 in g.shape or not count:
        return b.reshape(base, sizes)
    flat = b.flat(chosen)
    indices = b.select(flat, _numbers_among(b, flat), b.full(flat.shape, count, torch.int64))
    vectors = b.reshape(indices, [*indices.shape, 1])
    return b.reshape(put_at(b, base, vectors, b.flat(g), lambda old, new: new), sizes)
