"""The greatest elements of windows at random positions (`fractional_max_pool2d`), and their gradients. PyTorch draws one number for each plane and dimension
outside of the op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import gather
from hlo.torch.rules.pooling import flat_indices, greatest_of_windows, returned


def _register(count: int, order: Sequence[int]) -> None:
    """`order`: which of a plane's random numbers is that of each dimension."""

    @rule(f"fractional_max_pool{count}d")
    def build(
        b: Any, x: Value, kernel_size: Sequence[int], output_size: Sequence[int], samples: Value
    ) -> tuple[Value, Value]:
        parts = [x, flat_indices(b, x, count)]
        for d, number in enumerate(order):
            along = x.rank - count + d
            sample = b.reshape(b.slice_in_dim(samples, number, number + 1, 1, 2), list(x.shape[:-count]))
            starts = _starts(b, sample, x.shape[along], kernel_size[d], output_size[d])
            parts = [_windows(b, part, starts, along, kernel_size[d]) for part in parts]
            parts = greatest_of_windows(b, parts, along + 1)
        return parts[0], b.cast(parts[1], torch.int64)

    @rule(f"fractional_max_pool{count}d_backward")
    def build_backward(b: Any, gradient: Value, x: Value, kernel_size: Any, output_size: Any, indices: Value) -> Value:
        return returned(b, gradient, x, indices, count)


_register(2, (1, 0))
_register(3, (0, 1, 2))


def _starts(b: Any, sample: Value, size: Any, kernel: int, count: int) -> Value:
    """Where each plane's windows begin, along a new last dimension; the last one ends where the plane does."""
    kind, sizes = dtype_of(sample), [*sample.shape, count]
    step = b.full(sizes, (size - kernel) / (count - 1) if count > 1 else 0, kind)
    number, shift = b.positions(sizes, sample.rank, kind), b.over(sample, sizes, range(sample.rank))
    first = b.cast(b.multiply(shift, step), torch.int64)
    start = b.subtract(b.cast(b.multiply(b.add(number, shift), step), torch.int64), first)
    is_last = b.eq(b.positions(sizes, sample.rank), count - 1)
    return b.select(is_last, b.full(sizes, size - kernel, torch.int64), start)


def _windows(b: Any, x: Value, starts: Value, along: int, kernel: int) -> Value:
    """A dimension as windows and their elements. `starts`: (planes, windows)."""
    planes, count = starts.rank - 1, starts.shape[-1]
    sizes = [*x.shape[:along], count, kernel, *x.shape[along + 1 :]]
    index = b.add(b.over(starts, sizes, [*range(planes), along]), b.positions(sizes, along + 1))
    flat = b.reshape(index, [*x.shape[:along], count * kernel, *x.shape[along + 1 :]])  # type: ignore[operator]
    return b.reshape(gather(b, x, along, flat), sizes)
