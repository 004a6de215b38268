"""Sorting."""

from __future__ import annotations

from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import dimension_of
from hlo.torch.registry import rule


@rule("sort")
def sort(b: Any, x: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    """Values and their places; equal ones keep their order, NaN counts as the greatest."""
    if not x.rank:
        return x, b.number(0, torch.int64)
    along = dimension_of(dim, x.rank)
    if 0 in x.shape:
        return x, b.full(x.shape, 0, torch.int64)
    places = b.positions(x.shape, along)
    return b.sort([x, places], lambda *four: _before(b, four[0], four[1], descending), along, True)


@rule("sort.stable")
def sort_stable(
    b: Any, x: Value, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> tuple[Value, Value]:
    return sort(b, x, dim, descending)


def _before(b: Any, first: Value, second: Value, descending: bool) -> Value:
    less, greater = (second, first) if descending else (first, second)
    if not dtype_of(first).is_floating_point:
        return b.lt(less, greater)
    return b.or_(b.lt(less, greater), b.and_(b.ne(greater, greater), b.eq(less, less)))


@rule("topk")
def topk(b: Any, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Value, Value]:
    values, places = sort(b, x, dim, largest)
    if not x.rank:
        return values, places
    along = dimension_of(dim, x.rank)
    return b.slice_in_dim(values, 0, k, 1, along), b.slice_in_dim(places, 0, k, 1, along)
