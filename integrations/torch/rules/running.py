"""Cumulative ops that carry more than a sum or product from element to element."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import dimension_of, highest, lowest
from hlo.torch.registry import rule


@rule("cummax")
def cummax(b: Any, x: Value, dim: int) -> tuple[Value, Value]:
    return _extremes(b, x, dim, "GE", lowest(dtype_of(x)))


@rule("cummin")
def cummin(b: Any, x: Value, dim: int) -> tuple[Value, Value]:
    return _extremes(b, x, dim, "LE", highest(dtype_of(x)))


def _extremes(b: Any, x: Value, dim: int, order: str, start: Any) -> tuple[Value, Value]:
    """The greatest (or least) of all elements up to each one, and its last index; NaN is beyond all numbers."""
    if not x.rank or 0 in x.shape:
        return x, b.full(x.shape, 0, torch.int64)
    along = dimension_of(dim, x.rank)
    rest = [n for d, n in enumerate(x.shape) if d != along]

    def step(value: Value, index: Value, found: Value, found_index: Value) -> tuple[Value, ...]:
        takes = b.compare(value, found, order)
        if dtype_of(x).is_floating_point:
            takes = b.or_(takes, b.ne(value, value))
        both = b.select(takes, value, found), b.select(takes, index, found_index)
        return *both, *both

    starts = [b.full(rest, start, dtype_of(x)), b.full(rest, 0, torch.int64)]
    return tuple(b.scan([x, b.positions(x.shape, along)], starts, step, along)[:2])  # type: ignore[return-value]


def _limit(x: Any, dim: int) -> str | None:
    return "complex numbers" if x.dtype.is_complex else None


@rule("logcumsumexp", limit=_limit)
def logcumsumexp(b: Any, x: Value, dim: int) -> Value:
    """log(exp(x0) + ... + exp(xi)), from logarithm to logarithm, so that no sum overflows; in f64, as PyTorch does."""
    if not x.rank or 0 in x.shape:
        return x
    along, wide = dimension_of(dim, x.rank), b.cast(x, torch.float64)
    rest = [n for d, n in enumerate(x.shape) if d != along]

    def step(value: Value, total: Value) -> tuple[Value, ...]:
        made = _log_of_sum(b, value, total)
        return made, made

    start = b.full(rest, -math.inf, dtype_of(wide))
    return b.cast(b.scan([wide], [start], step, along)[0], dtype_of(x))


def _log_of_sum(b: Any, x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)); infinities that are equal stay what they are."""
    low, high = b.minimum(x, y), b.maximum(x, y)
    is_same = b.and_(b.eq(low, high), b.eq(b.abs(low), math.inf))
    return b.select(is_same, high, b.add(b.log_plus_one(b.exponential(b.subtract(low, high))), high))
