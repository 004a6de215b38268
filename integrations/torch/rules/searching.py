"""Positions of numbers among sorted ones, and how many there are in ranges of one size."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of, result_type
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import gather
from hlo.torch.rules.scatter import put_rows


@rule("searchsorted.Tensor", "searchsorted.Scalar")
def searchsorted(
    b: Any,
    boundaries: Value,
    x: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Value | None = None,
) -> Value:
    """The number of elements before each x would be put into its row of `boundaries`: before those that are equal, or
    behind them (`right`)."""
    rows = boundaries if sorter is None else gather(b, boundaries, boundaries.rank - 1, sorter)
    common = result_type(rows, x)
    rows, wanted = b.cast(rows, common), b.cast(x, common)
    flat = b.reshape(wanted, [1]) if not wanted.rank else wanted
    if rows.rank == 1:
        flat = b.flat(flat)
    found = _halved(b, rows, flat, right or side == "right")
    return b.cast(b.reshape(found, list(wanted.shape)), torch.int32 if out_int32 else torch.int64)


@rule("bucketize.Tensor", "bucketize.Scalar")
def bucketize(b: Any, x: Any, boundaries: Value, *, out_int32: bool = False, right: bool = False) -> Value:
    return searchsorted(b, boundaries, x, out_int32=out_int32, right=right)


def _halved(b: Any, rows: Value, wanted: Value, is_right: bool) -> Value:
    """What is left of each row's range, halved until nothing is; NaN goes behind all."""
    size: Any = rows.shape[-1]
    first, end = (b.full(wanted.shape, n, torch.int64) for n in (0, size))
    if 0 in wanted.shape or not size:
        return first
    for _ in range(math.ceil(math.log2(size + 1))):
        middle = b.divide(b.add(first, end), 2)
        found = gather(b, rows, rows.rank - 1, b.minimum(middle, size - 1))
        is_behind = b.not_(b.gt(found, wanted) if is_right else b.ge(found, wanted))
        is_open = b.lt(first, end)
        first = b.select(b.and_(is_open, is_behind), b.add(middle, 1), first)
        end = b.select(b.and_(is_open, b.not_(is_behind)), middle, end)
    return first


def _range_limit(x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> str | None:
    return "from the least to the greatest element, which must be finite" if min == max else None


@rule("histc", limit=_range_limit)
def histc(b: Any, x: Value, bins: int = 100, min: Any = 0, max: Any = 0) -> Value:
    """How many elements are in each of `bins` ranges from `min` to `max`, which is in the last one; others do not count."""
    flat, counts = b.flat(x), b.full([bins], 0, torch.int64)
    if 0 in x.shape:
        return b.cast(counts, dtype_of(x))
    is_inside = b.and_(b.ge(flat, min), b.le(flat, max))
    above = b.select(is_inside, b.subtract(flat, min), b.full(flat.shape, 0, dtype_of(flat)))
    bin_number = b.cast(b.divide(b.multiply(above, bins), b.full(flat.shape, max - min, dtype_of(flat))), torch.int64)
    found = put_rows(b, counts, b.minimum(bin_number, bins - 1), b.cast(is_inside, torch.int64), 0, b.add)
    return b.cast(found, dtype_of(x))
