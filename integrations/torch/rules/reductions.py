"""Reductions and cumulative ops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import REAL_PART, dtype_of, is_integral, wide_type
from hlo.torch.graph_builder import dimension_of, dimensions_of, highest, lowest
from hlo.torch.registry import rule
from hlo.torch.rules.running import running


def _summed_type(x: Value, dtype: torch.dtype | None) -> torch.dtype:
    """Of a sum or product: i64 for integers."""
    return dtype or (torch.int64 if is_integral(dtype_of(x)) else dtype_of(x))


@rule("sum", "sum.dim_IntList")
def sum_(b: Any, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    kind = _summed_type(x, dtype)
    wide = b.cast(x, wide_type(kind))
    return b.cast(b.total(wide, dimensions_of(dim, x.rank), keepdim), kind)


@rule("mean", "mean.dim")
def mean(b: Any, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    kind = dtype or dtype_of(x)
    along = dimensions_of(dim, x.rank)
    total = b.total(b.cast(x, wide_type(kind)), along, keepdim)
    return b.cast(b.divide(total, b.full(total.shape, _count(x, along), dtype_of(total))), kind)


def _count(x: Value, along: Sequence[int]) -> int:
    return math.prod(x.shape[d] for d in along)  # type: ignore[misc]


@rule("prod", "prod.dim_int")
def prod(b: Any, x: Value, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
    kind = _summed_type(x, dtype)
    return b.cast(b.folded(b.cast(x, wide_type(kind)), 1, b.multiply, dimensions_of(dim, x.rank), keepdim), kind)


@rule("amax")
def amax(b: Any, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    return b.folded(x, lowest(dtype_of(x)), b.maximum, dimensions_of(dim, x.rank), keepdim)


@rule("amin")
def amin(b: Any, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    return b.folded(x, highest(dtype_of(x)), b.minimum, dimensions_of(dim, x.rank), keepdim)


@rule("max")
def max_(b: Any, x: Value) -> Value:
    return amax(b, x)


@rule("min")
def min_(b: Any, x: Value) -> Value:
    return amin(b, x)


@rule("any", "any.dim", "any.dims")
def any_(b: Any, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    if isinstance(dim, list) and not dim:
        dim = None
    found = b.folded(b.cast(x, torch.bool), False, b.or_, dimensions_of(dim, x.rank), keepdim)
    return b.cast(found, torch.uint8) if dtype_of(x) == torch.uint8 else found


@rule("all", "all.dim", "all.dims")
def all_(b: Any, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
    found = b.folded(b.cast(x, torch.bool), True, b.and_, dimensions_of(dim, x.rank), keepdim)
    return b.cast(found, torch.uint8) if dtype_of(x) == torch.uint8 else found


@rule("max.dim")
def max_dim(b: Any, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    return _extreme(b, x, dim, keepdim, "GT")


@rule("min.dim")
def min_dim(b: Any, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    return _extreme(b, x, dim, keepdim, "LT")


@rule("argmax")
def argmax(b: Any, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    return _index_of_extreme(b, x, dim, keepdim, "GT")


@rule("argmin")
def argmin(b: Any, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    return _index_of_extreme(b, x, dim, keepdim, "LT")


def _index_of_extreme(b: Any, x: Value, dim: int | None, keepdim: bool, order: str) -> Value:
    if dim is not None:
        return _extreme(b, x, dim, keepdim, order)[1]
    index = _extreme(b, b.flat(x), 0, False, order)[1]
    return b.reshape(index, [1] * x.rank) if keepdim else index


def _extreme(b: Any, x: Value, dim: int, keepdim: bool, order: str) -> tuple[Value, Value]:
    """The greatest (or least) element and its first index; NaN is beyond all numbers."""
    dtype = dtype_of(x)
    if not x.rank:
        return x, b.number(0, torch.int64)
    along = dimension_of(dim, x.rank)
    start = lowest(dtype) if order == "GT" else highest(dtype)
    values = (x, b.positions(x.shape, along))
    starts = (b.number(start, dtype), b.number(2**63 - 1, torch.int64))
    found = b.reduce(values, starts, lambda *four: _further(b, order, *four), dimensions=[along])
    return tuple(b.kept(v, x.shape, [along]) for v in found) if keepdim else tuple(found)  # type: ignore[return-value]


def _further(b: Any, order: str, value: Value, index: Value, other: Value, other_index: Value) -> tuple[Value, Value]:
    is_further, is_equal = b.compare(value, other, order), b.eq(value, other)
    if dtype_of(value).is_floating_point:
        is_nan, other_is_nan = b.ne(value, value), b.ne(other, other)
        is_further = b.or_(is_further, b.and_(is_nan, b.not_(other_is_nan)))
        is_equal = b.or_(is_equal, b.and_(is_nan, other_is_nan))
    takes = b.or_(is_further, b.and_(is_equal, b.lt(index, other_index)))
    return b.select(takes, value, other), b.select(takes, index, other_index)


@rule("var.dim", "var.correction")
def var(
    b: Any, x: Value, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Value:
    """The mean square of the distance from the mean, with count - correction as divisor."""
    taken = (1 if unbiased is None else int(unbiased)) if correction is None else correction
    return moments(b, x, dimensions_of(dim, x.rank), taken, keepdim)[0]


@rule("var_mean.correction")
def var_mean(
    b: Any, x: Value, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> tuple[Value, Value]:
    return moments(b, x, dimensions_of(dim, x.rank), 1 if correction is None else correction, keepdim)


def moments(b: Any, x: Value, along: Sequence[int], correction: Any, keepdim: bool) -> tuple[Value, Value]:
    """Variance and mean along dimensions."""
    dtype, wide, count = dtype_of(x), b.wide(x), _count(x, along)
    middle = b.divide(b.total(wide, along, keep=True), count) if along else wide
    difference = b.subtract(wide, b.expand_to(middle, x.shape))
    squares = (
        b.add(b.square(b.real(difference)), b.square(b.imag(difference))) if dtype.is_complex else b.square(difference)
    )
    total = b.total(squares, along, keepdim)
    divided = b.divide(total, b.full(total.shape, max(count - correction, 0), dtype_of(total)))
    if not keepdim and along:
        middle = b.reshape(middle, [n for d, n in enumerate(x.shape) if d not in along])
    return b.cast(divided, REAL_PART.get(dtype, dtype)), b.cast(middle, dtype)


@rule("cumsum")
def cumsum(b: Any, x: Value, dim: int, *, dtype: Any = None) -> Value:
    kind = _summed_type(x, dtype)
    return b.cast(_running(b, b.cast(x, wide_type(kind)), dim, 0, b.add), kind)


@rule("cumprod")
def cumprod(b: Any, x: Value, dim: int, *, dtype: Any = None) -> Value:
    kind = _summed_type(x, dtype)
    return b.cast(_running(b, b.cast(x, wide_type(kind)), dim, 1, b.multiply), kind)


def _running(b: Any, x: Value, dim: int, start: Any, body: Any) -> Value:
    """The reduction of all elements up to each one: windows that reach back to the beginning."""
    if not x.rank or 0 in x.shape:
        return x
    return running(b, x, b.number(start, dtype_of(x)), body, dimension_of(dim, x.rank))
