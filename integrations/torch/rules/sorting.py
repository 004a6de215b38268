"""Sorting, and elements by their rank."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import dimension_of
from hlo.torch.registry import rule
from hlo.torch.rules.running import cummax


@rule("sort")
def sort(b: Any, x: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    """Values and their indices; equal ones keep their order, NaN counts as the greatest."""
    if not x.rank:
        return x, b.number(0, torch.int64)
    along = dimension_of(dim, x.rank)
    if 0 in x.shape:
        return x, b.full(x.shape, 0, torch.int64)
    indices = b.positions(x.shape, along)
    return b.sort([x, indices], lambda *four: _before(b, four[0], four[1], descending), along, True)


@rule("sort.stable")
def sort_stable(
    b: Any, x: Value, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    return sort(b, x, dim, descending)


def _before(b: Any, first: Value, second: Value, descending: bool) -> Value:
    """By keys that the compiler has routines for: in the total order, zeros and NaNs of either sign being one number each."""
    keys, order = (_key(b, v) for v in (first, second)), "GT" if descending else "LT"
    return b.compare(*keys, order, "TOTALORDER" if dtype_of(first).is_floating_point else None)


def _key(b: Any, x: Value) -> Value:
    if not dtype_of(x).is_floating_point:
        return x
    zero, nan = (b.full(x.shape, v, dtype_of(x)) for v in (0, math.nan))
    return b.select(b.ne(x, x), nan, b.select(b.eq(x, zero), zero, x))


@rule("topk")
def topk(b: Any, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Value, Value]:
    values, indices = sort(b, x, dim, largest)
    if not x.rank:
        return values, indices
    along = dimension_of(dim, x.rank)
    return b.slice_in_dim(values, 0, k, 1, along), b.slice_in_dim(indices, 0, k, 1, along)


@rule("kthvalue")
def kthvalue(b: Any, x: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The k-th smallest, from 1, and where it stands."""
    values, indices = sort(b, x, dim)
    return _picked(b, values, indices, b.full(_without(x, dim), k - 1, torch.int64), dim, keepdim)


@rule("mode")
def mode(b: Any, x: Value, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    """The element that stands most often, the least one of several, and its last index."""
    values, indices = sort(b, x, dim)
    if not x.rank or 0 in x.shape:
        return _picked(b, values, indices, b.full(_without(x, dim), 0, torch.int64), dim, keepdim)
    along, size = dimension_of(dim, x.rank), x.shape[dimension_of(dim, x.rank)]
    number = b.positions(x.shape, along)
    before = b.slice_in_dim(values, 0, size - 1, 1, along)  # type: ignore[operator]
    after = b.slice_in_dim(values, 1, size, 1, along)
    edge = b.full([1 if d == along else n for d, n in enumerate(x.shape)], True, torch.bool)
    is_first = b.concatenate(edge, b.ne(before, after), dimension=along)
    start = cummax(b, b.select(is_first, number, b.full(x.shape, 0, torch.int64)), along)[0]
    length = b.subtract(number, start)
    most = b.folded(length, 0, b.maximum, [along], keep=True)
    is_longest = b.eq(length, b.expand_to(most, x.shape))
    rank = b.folded(b.select(is_longest, number, b.full(x.shape, size, torch.int64)), size, b.minimum, [along])
    return _picked(b, values, indices, rank, dim, keepdim)


@rule("median.dim")
def median_dim(b: Any, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """The lower one of an even number; NaN where there is one, and where the first one stands."""
    values, indices = sort(b, x, dim)
    if not x.rank or 0 in x.shape:
        return _picked(b, values, indices, b.full(_without(x, dim), 0, torch.int64), dim, keepdim)
    size: Any = x.shape[dimension_of(dim, x.rank)]
    numbers = _count_of_numbers(b, x, dim)
    middle = b.full(numbers.shape, (size - 1) // 2, torch.int64)
    return _picked(b, values, indices, b.select(b.eq(numbers, size), middle, numbers), dim, keepdim)


@rule("nanmedian.dim")
def nanmedian_dim(b: Any, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    """Of those that are numbers; NaN where none is."""
    values, indices = sort(b, x, dim)
    if not x.rank or 0 in x.shape:
        return _picked(b, values, indices, b.full(_without(x, dim), 0, torch.int64), dim, keepdim)
    last = b.subtract(_count_of_numbers(b, x, dim), 1)
    middle = b.divide(b.maximum(last, b.full(last.shape, 0, torch.int64)), 2)
    return _picked(b, values, indices, middle, dim, keepdim)


def _empty_limit(x: Any, *_: Any, **named: Any) -> str | None:
    return "of no elements" if x.numel() == 0 else None


@rule("median", limit=_empty_limit)
def median(b: Any, x: Value) -> Value:
    return median_dim(b, b.flat(x), 0)[0]


@rule("nanmedian", limit=_empty_limit)
def nanmedian(b: Any, x: Value) -> Value:
    return nanmedian_dim(b, b.flat(x), 0)[0]


def _without(x: Value, dim: int) -> list[Any]:
    return [n for d, n in enumerate(x.shape) if d != dimension_of(dim, x.rank)]


def _count_of_numbers(b: Any, x: Value, dim: int) -> Value:
    """How many elements along a dimension are not NaN."""
    return b.total(b.cast(b.eq(x, x), torch.int64), [dimension_of(dim, x.rank)])


def _picked(b: Any, values: Value, indices: Value, ranks: Value, dim: int, keepdim: bool) -> tuple[Value, Value]:
    """Of sorted rows the elements of the given ranks."""
    from hlo.torch.rules.indexing import gather

    if not values.rank:
        return values, indices
    along = dimension_of(dim, values.rank)
    kept = [*ranks.shape[:along], 1, *ranks.shape[along:]]
    found = (gather(b, v, along, b.reshape(ranks, kept)) for v in (values, indices))
    return tuple(v if keepdim else b.reshape(v, list(ranks.shape)) for v in found)  # type: ignore[return-value]
