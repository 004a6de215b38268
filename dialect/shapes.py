"""Arithmetic on sizes, any of which may be DYNAMIC: windows, elements, lists of dimensions. No list need be legal,
unless a function says so."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.dialect.types import DYNAMIC

Padding = tuple[int, int]


def dilated(size: int, dilation: int) -> int:
    """The size after `dilation - 1` holes are put between neighbours."""
    if size in (DYNAMIC, 0):
        return size
    return (size - 1) * dilation + 1


def padded(size: int, low: int, high: int) -> int:
    """The size with elements added (or, if negative, taken away) on both sides."""
    return DYNAMIC if size == DYNAMIC else low + size + high


def window_count(size: int, window: int, stride: int) -> int:
    """How many windows fit into a size; stride is positive."""
    if DYNAMIC in (size, window):
        return DYNAMIC
    if size == 0 or window > size:
        return 0
    return (size - window) // stride + 1


def padded_with_interior(size: int, low: int, high: int, interior: int) -> int:
    """The size that `pad` gives; may be negative, and is then illegal."""
    if size == DYNAMIC:
        return DYNAMIC
    return size + max(size - 1, 0) * interior + low + high


def slice_size(start: int, limit: int, stride: int) -> int:
    """How many of start, start + stride, ... are below limit; stride is positive."""
    return -((start - limit) // stride)


def element_count(sizes: Sequence[int]) -> int:
    """The product of sizes; DYNAMIC when one is."""
    if DYNAMIC in sizes:
        return DYNAMIC
    count = 1
    for size in sizes:
        count *= size
    return count


def total(sizes: Sequence[int]) -> int:
    """The sum of sizes; DYNAMIC when one is."""
    return DYNAMIC if DYNAMIC in sizes else sum(sizes)


def without(sizes: Sequence[int], dimensions: Sequence[int]) -> list[int]:
    """The sizes but those at the positions `dimensions`."""
    return [size for position, size in enumerate(sizes) if position not in dimensions]


def combine(batch_sizes: Sequence[int], offset_sizes: Sequence[int], offset_dims: Sequence[int]) -> list[int]:
    """Sizes of a gather's result (or a scatter's updates): offset sizes at `offset_dims` (sorted, in range), batch
    sizes at the other dimensions."""
    batch, offset = iter(batch_sizes), iter(offset_sizes)
    rank = len(batch_sizes) + len(offset_dims)
    return [next(offset if d in offset_dims else batch) for d in range(rank)]
