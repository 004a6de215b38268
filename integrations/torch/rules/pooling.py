"""Pooling: the greatest element or the mean of windows, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import highest, lowest
from hlo.torch.layouts import memory_order
from hlo.torch.registry import rule


@dataclass(frozen=True)
class Windows:
    """Windows along the last dimensions of sizes `sizes`: `counts` of them, which reach `high` elements beyond the end."""

    sizes: list[int]
    kernel: list[int]
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    counts: list[int]

    @property
    def high(self) -> list[int]:
        rows = zip(self.sizes, self.kernel, self.stride, self.padding, self.dilation, self.counts)
        return [max((count - 1) * s + n * (k - 1) + 1 - size - p, 0) for size, k, s, p, n, count in rows]

    def over(self, rank: int) -> dict[str, Any]:
        """The arguments of reduce_window for an array of a rank."""
        outer = rank - len(self.sizes)
        return {
            "window_dimensions": [1] * outer + self.kernel,
            "window_strides": [1] * outer + self.stride,
            "window_dilations": [1] * outer + self.dilation,
            "padding": [(0, 0)] * outer + list(zip(self.padding, self.high)),
        }


def windows(x: Value, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, count: int) -> Windows:
    """Those of an op's arguments, of which each is a number or one a dimension; no stride means that of the kernel."""
    kernel, padding, dilation = (_each(v, count) for v in (kernel, padding, dilation))
    stride = _each(stride, count) if stride not in (None, []) else kernel
    sizes: list[Any] = list(x.shape[-count:])
    counts = [_count(*row, ceil_mode) for row in zip(sizes, kernel, stride, padding, dilation)]
    return Windows(sizes, kernel, stride, padding, dilation, counts)


def _count(size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are; with ceil_mode also one that begins before the end of the array and its padding and reaches beyond it."""
    free = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (free + (stride - 1 if ceil_mode else 0)) // stride + 1
    return count - 1 if ceil_mode and (count - 1) * stride >= size + padding else count


def _each(given: Any, count: int) -> list[int]:
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    return listed * count if len(listed) == 1 else listed


@rule("max_pool2d_with_indices")
def max_pool2d(
    b: Any, x: Value, kernel: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    return _max_pool(b, x, windows(x, kernel, stride, padding, dilation, ceil_mode, 2))


@rule("max_pool3d_with_indices")
def max_pool3d(
    b: Any, x: Value, kernel: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    return _max_pool(b, x, windows(x, kernel, stride, padding, dilation, ceil_mode, 3))


def _max_pool(b: Any, x: Value, window: Windows) -> tuple[Value, Value | None]:
    """The greatest element of each window, and its index in the flattened dimensions if anything reads it: without, the window is an extreme in vectors."""
    if not b.is_result_used(1):
        least = b.number(lowest(dtype_of(x)), dtype_of(x))
        return b.reduce_window(x, least, b.maximum, **window.over(x.rank)), None
    order = _order_in_memory(b, x)
    x, index = (b.transpose(v, order) for v in (x, flat_indices(b, x, len(window.sizes))))
    greater = lambda *four: _greater(b, *four)
    over = {name: [given[d] for d in order] for name, given in window.over(x.rank).items()}
    results = b.reduce_window([x, index], _outside(b, x, index), greater, **over)
    values, found = (b.transpose(v, [order.index(d) for d in range(x.rank)]) for v in results)
    return values, b.cast(found, torch.int64)


def _order_in_memory(b: Any, x: Value) -> list[int]:
    """The dimensions of the operand of the pool that is being built, from the one with the greatest stride to the one with the least."""
    meta = b.node.args[0].meta.get("val")
    is_static = isinstance(meta, torch.Tensor) and all(type(n) is int for n in meta.shape)
    return list(memory_order(meta).order) if is_static else list(range(x.rank))


def flat_indices(b: Any, x: Value, count: int) -> Value:
    """Of each element the index in the last dimensions, flattened: 32 bits where these do, so that vectors have as many of them as of most elements."""
    kind = torch.int32 if math.prod(x.shape[-count:]) < 1 << 31 else torch.int64  # type: ignore[arg-type]
    index = b.full(x.shape, 0, kind)
    for d in range(x.rank - count, x.rank):
        index = b.add(b.multiply(index, x.shape[d]), b.cast(b.positions(x.shape, d), kind))
    return index


def _outside(b: Any, x: Value, index: Value) -> list[Value]:
    """What is less than all elements, and its index."""
    return [b.number(least(dtype_of(v)), dtype_of(v)) for v, least in ((x, lowest), (index, highest))]


def _greater(b: Any, value: Value, index: Value, other: Value, other_index: Value) -> tuple[Value, Value]:
    """The first of the greatest; NaN is greater than all, the last one of several, and what lies outside (the highest index) less."""
    takes = b.or_(b.gt(value, other), b.and_(b.eq(value, other), b.lt(index, other_index)))
    if dtype_of(value).is_floating_point:
        is_nan, other_is_number = b.ne(value, value), b.eq(other, other)
        takes = b.or_(takes, b.and_(is_nan, b.or_(other_is_number, b.gt(index, other_index))))
    return b.select(takes, value, other), b.select(takes, index, other_index)


@rule("max_pool2d_with_indices_backward")
def max_pool2d_backward(
    b: Any,
    gradient: Value,
    x: Value,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Value,
) -> Value:
    """Each gradient goes to the index of its window's element."""
    return returned(b, gradient, x, indices, 2)


@rule("max_pool3d_with_indices_backward")
def max_pool3d_backward(
    b: Any,
    gradient: Value,
    x: Value,
    kernel: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: bool,
    indices: Value,
) -> Value:
    return returned(b, gradient, x, indices, 3)


def returned(b: Any, gradient: Value, x: Value, indices: Value, count: int) -> Value:
    from hlo.torch.rules.scatter import scatter_add

    outer = math.prod(x.shape[:-count])  # type: ignore[arg-type]
    lines = [b.reshape(v, [outer, math.prod(v.shape[-count:])]) for v in (x, indices, gradient)]  # type: ignore[arg-type]
    base = b.full(lines[0].shape, 0, dtype_of(b.wide(x)))
    return b.cast(b.reshape(scatter_add(b, base, 1, lines[1], b.wide(lines[2])), list(x.shape)), dtype_of(x))


@rule("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(b: Any, x: Value, output_size: Sequence[int]) -> tuple[Value, Value | None]:
    """The greatest elements of windows of nearly equal sizes, and their indices in the flattened dimensions if anything reads them."""
    count = len(output_size)
    if 0 in x.shape or 0 in output_size:
        sizes = [*x.shape[:-count], *output_size]
        return b.full(sizes, 0, dtype_of(x)), b.full(sizes, 0, torch.int64)
    parts = [x, flat_indices(b, x, count)] if b.is_result_used(1) else [x]
    for d, size in enumerate(output_size):
        along = x.rank - count + d
        parts = [_in_windows(b, part, along, size) for part in parts]
        parts = greatest_of_windows(b, parts, along + 1)
    return parts[0], b.cast(parts[1], torch.int64) if len(parts) > 1 else None


def greatest_of_windows(b: Any, parts: Sequence[Value], along: int) -> list[Value]:
    """The first of the greatest elements along a dimension, and its index: of elements and their indices, or of elements alone."""
    if len(parts) == 1:
        return [b.folded(parts[0], lowest(dtype_of(parts[0])), b.maximum, [along])]
    return list(b.reduce(parts, _outside(b, *parts), lambda *four: _greater(b, *four), dimensions=[along]))


def _in_windows(b: Any, x: Value, along: int, count: int) -> Value:
    """A dimension as windows and their elements; shorter windows have their last element more than once."""
    from hlo.torch.rules.indexing import take

    size: Any = x.shape[along]
    ranges = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    longest = max(end - start for start, end in ranges)
    indices = np.array([[min(start + k, end - 1) for k in range(longest)] for start, end in ranges], np.int64)
    return take(b, x, b.constant(indices), along)


@rule("adaptive_max_pool2d_backward")
def adaptive_max_pool2d_backward(b: Any, gradient: Value, x: Value, indices: Value) -> Value:
    return returned(b, gradient, x, indices, 2)


@rule("adaptive_max_pool3d_backward")
def adaptive_max_pool3d_backward(b: Any, gradient: Value, x: Value, indices: Value) -> Value:
    return returned(b, gradient, x, indices, 3)


def _average(count: int) -> Any:
    def build(
        b: Any,
        x: Value,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        include: bool = True,
        divisor: Any = None,
    ) -> Value:
        window = windows(x, kernel, stride, padding, 1, ceil_mode, count)
        wide = b.wide(x)
        total = b.reduce_window(wide, b.number(0, dtype_of(wide)), b.add, **window.over(x.rank))
        return b.cast(_divided(b, total, window, include, divisor), dtype_of(x))

    return build


avg_pool1d, avg_pool2d, avg_pool3d = (rule(f"avg_pool{n}d")(_average(n)) for n in (1, 2, 3))


def _divided(b: Any, total: Value, window: Windows, include: bool, divisor: int | None) -> Value:
    """By the number of elements in each window, with or without padding; integers rounded toward zero."""
    if divisor is not None:
        return b.divide(total, b.full(total.shape, divisor, dtype_of(total)))
    counts = [_elements(window, d, include) for d in range(len(window.sizes))]
    product = counts[0]
    for row in counts[1:]:
        product = product[..., None] * row
    first = total.rank - product.ndim
    numbers = b.cast(b.constant(product.astype(np.float32)), dtype_of(total))
    return b.divide(total, b.over(numbers, total.shape, range(first, total.rank)))


def _elements(window: Windows, d: int, include: bool) -> np.ndarray:
    starts = np.arange(window.counts[d]) * window.stride[d] - window.padding[d]
    ends = np.minimum(starts + window.kernel[d], window.sizes[d] + window.padding[d])
    return ends - starts if include else np.minimum(ends, window.sizes[d]) - np.maximum(starts, 0)


def _average_backward(count: int) -> Any:
    def build(
        b: Any,
        gradient: Value,
        x: Value,
        kernel: Any,
        stride: Any,
        padding: Any,
        ceil_mode: bool,
        include: bool,
        divisor: Any,
    ) -> Value:
        window = windows(x, kernel, stride, padding, 1, ceil_mode, count)
        parts = _divided(b, b.wide(gradient), window, include, divisor)
        return b.cast(_spread(b, parts, window), dtype_of(x))

    return build


avg_pool2d_backward, avg_pool3d_backward = (rule(f"avg_pool{n}d_backward")(_average_backward(n)) for n in (2, 3))


def _spread(b: Any, parts: Value, window: Windows) -> Value:
    """For each element the sum of the parts of all windows that hold it."""
    outer = parts.rank - len(window.sizes)
    low = [k - 1 - p for k, p in zip(window.kernel, window.padding)]
    rows = zip(window.sizes, window.kernel, window.stride, window.counts, low)
    high = [size + k - 1 - before - ((count - 1) * s + 1) for size, k, s, count, before in rows]
    none = [0] * outer
    spread = b.pad(parts, b.number(0, dtype_of(parts)), none + low, none + high, none + [s - 1 for s in window.stride])
    return b.reduce_window(spread, b.number(0, dtype_of(parts)), b.add, [1] * outer + window.kernel)


@rule("_adaptive_avg_pool2d", "_adaptive_avg_pool3d")
def adaptive_avg_pool(b: Any, x: Value, output_size: Sequence[int]) -> Value:
    """Means of windows of nearly equal sizes, one dimension after another."""
    result, first = b.wide(x), x.rank - len(output_size)
    for d, count in enumerate(output_size):
        result = _means(b, result, first + d, count)
    return b.cast(result, dtype_of(x))


def _means(b: Any, x: Value, along: int, count: int) -> Value:
    size: Any = x.shape[along]
    if size % count == 0:
        parts = b.reshape(x, [*x.shape[:along], count, size // count, *x.shape[along + 1 :]])
        return b.divide(b.total(parts, [along + 1]), max(size // count, 1))
    return along_by_matrix(b, x, along, _weights(size, count))


def along_by_matrix(b: Any, x: Value, along: int, matrix: np.ndarray) -> Value:
    """The product of a matrix, (new size, size), with each row along a dimension."""
    from hlo.dialect.attributes import DotDimensionNumbers

    weights = b.cast(b.constant(matrix), dtype_of(x))
    found = b.op("dot_general", x, weights, DotDimensionNumbers((), (), (along,), (1,)))
    order = [*range(along), x.rank - 1, *range(along, x.rank - 1)]
    return b.transpose(found, order)


def _weights(size: int, count: int) -> np.ndarray:
    """What each element counts in each window's mean."""
    matrix = np.zeros((count, size))
    for i in range(count):
        start, end = i * size // count, -(-(i + 1) * size // count)
        matrix[i, start:end] = 1 / (end - start)
    return matrix


@rule("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(b: Any, gradient: Value, x: Value) -> Value:
    count = 2 if "2d" in str(b.node.target) else 3
    result = b.wide(gradient)
    for d in range(x.rank - count, x.rank):
        result = along_by_matrix(b, result, d, _weights(x.shape[d], gradient.shape[d]).T)  # type: ignore[arg-type]
    return b.cast(result, dtype_of(x))
