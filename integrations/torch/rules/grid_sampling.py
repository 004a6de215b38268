"""Images read at points that a grid holds (`grid_sample`), and the gradients by both.

The image has the shape (N, C, *sizes); the grid (N, *points, D) holds a number from -1 to 1 for each of the D image dimensions, the last
dimension's first. Along each dimension a point reads a few elements, `Tap`s; what it reads of the image are all combinations of them, each
with the product of their weights. Images are handled as rows of their C channels, one for each point or element (N * points, C).
bf16 and f16 are computed in f32."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.indexing import take
from hlo.torch.rules.scatter import put_rows

LINEAR, NEAREST, CUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
SHARPNESS = -0.75
"""The parameter of PyTorch's cubic weights."""


@dataclass(frozen=True)
class Sampling:
    """The attributes of the ops."""

    interpolation: int
    padding: int
    align_corners: bool


@dataclass(frozen=True)
class Tap:
    """For each point one element along a dimension: its index, whether it lies in the image, its weight, and the derivative of the
    weight by the number in the grid."""

    index: Value
    is_inside: Value
    weight: Value
    slope: Value


@dataclass(frozen=True)
class Corner:
    """A combination of taps, one a dimension: for each point the row of the image that it reads, and whether that lies in the image."""

    taps: Sequence[Tap]
    row: Value
    is_inside: Value

    def weight(self, b: Any, slope_of: int | None = None) -> Value:
        """The product of the weights, or its derivative by the number along one dimension; zero outside of the image."""
        factors = [t.slope if d == slope_of else t.weight for d, t in enumerate(self.taps)]
        product = functools.reduce(b.multiply, factors)
        return b.select(self.is_inside, product, b.full(product.shape, 0, dtype_of(product)))

    def read(self, b: Any, rows: Value) -> Value:
        """The rows of the image; zeros outside of it."""
        found = take(b, rows, self.row, 0)
        is_inside = b.over(self.is_inside, found.shape, [0])
        return b.select(is_inside, found, b.full(found.shape, 0, dtype_of(found)))


@rule("grid_sampler_2d", "grid_sampler_3d")
def grid_sampler(b: Any, x: Value, grid: Value, interpolation: int, padding: int, align_corners: bool) -> Value:
    corners = list(_corners(b, x, b.wide(grid), Sampling(interpolation, padding, align_corners)))
    sizes = [*x.shape[:2], *grid.shape[1:-1]]
    if not corners:
        return b.full(sizes, 0, dtype_of(x))
    return b.cast(_channels_first(b, _combined(b, _rows(b, b.wide(x)), corners), sizes), dtype_of(x))


def _combined(b: Any, rows: Value, corners: Sequence[Corner]) -> Value:
    """What all points read: for each the sum of its corners' rows with their weights. The corners are a dimension, not
    terms: a sum along it is a kernel of its own, which goes along the rows whatever the order in which its result is
    wanted."""
    if len(corners) == 1:
        return corners[0].read(b, rows)
    read, is_inside, weight = (
        b.concatenate(*(b.reshape(v, [*v.shape, 1]) for v in values), dimension=1)
        for values in zip(*((c.row, c.is_inside, c.weight(b)) for c in corners))
    )
    found = take(b, rows, read, 0)
    kept = b.select(b.over(is_inside, found.shape, [0, 1]), found, b.full(found.shape, 0, dtype_of(rows)))
    return b.total(b.multiply(kept, b.over(weight, found.shape, [0, 1])), [1])


@rule("grid_sampler_2d_backward", "grid_sampler_3d_backward")
def grid_sampler_backward(
    b: Any,
    gradient: Value,
    x: Value,
    grid: Value,
    interpolation: int,
    padding: int,
    align_corners: bool,
    mask: Sequence[bool],
) -> list[Value | None]:
    g, rows = _rows(b, b.wide(gradient)), _rows(b, b.wide(x))
    corners = list(_corners(b, x, b.wide(grid), Sampling(interpolation, padding, align_corners)))
    results = [
        lambda: b.cast(_channels_first(b, _image_gradient(b, g, rows, corners), x.shape), dtype_of(x)),
        lambda: b.cast(b.reshape(_grid_gradient(b, g, rows, x.rank - 2, corners), list(grid.shape)), dtype_of(grid)),
    ]
    return [make() if wanted else None for make, wanted in zip(results, mask)]


def _rows(b: Any, x: Value) -> Value:
    """(N, C, *sizes) as (N * sizes, C)."""
    order = [0, *range(2, x.rank), 1]
    return b.reshape(b.transpose(x, order), [math.prod(x.shape[d] for d in order[:-1]), x.shape[1]])


def _channels_first(b: Any, rows: Value, sizes: Sequence[int | None]) -> Value:
    """Rows as an array of the sizes (N, C, *sizes)."""
    channels_last = b.reshape(rows, [sizes[0], *sizes[2:], sizes[1]])
    return b.transpose(channels_last, [0, len(sizes) - 1, *range(1, len(sizes) - 1)])


def _image_gradient(b: Any, g: Value, rows: Value, corners: Sequence[Corner]) -> Value:
    """Each point's gradient, added where the point has read."""
    result = b.full(rows.shape, 0, dtype_of(rows))
    for corner in corners:
        updates = b.multiply(g, b.over(corner.weight(b), g.shape, [0]))
        result = put_rows(b, result, corner.row, updates, 0, b.add)
    return result


def _grid_gradient(b: Any, g: Value, rows: Value, count: int, corners: Sequence[Corner]) -> Value:
    totals = [b.full(g.shape[:1], 0, dtype_of(g))] * count
    for corner in corners:
        pulled = b.total(b.multiply(g, corner.read(b, rows)), [1])
        totals = [b.add(total, b.multiply(pulled, corner.weight(b, d))) for d, total in enumerate(totals)]
    return b.concatenate(*(b.reshape(total, [*total.shape, 1]) for total in reversed(totals)), dimension=1)


def _corners(b: Any, x: Value, grid: Value, sampling: Sampling) -> Iterator[Corner]:
    """All that the points read; nothing of an empty image, batch or grid."""
    if 0 in x.shape or 0 in grid.shape:
        return
    sizes: list[Any] = list(x.shape[2:])
    numbers = [b.flat(b.slice_in_dim(grid, d, d + 1, 1, grid.rank - 1)) for d in reversed(range(len(sizes)))]
    taps = [_taps(b, number, size, sampling) for number, size in zip(numbers, sizes)]
    batch = b.flat(b.positions(grid.shape[:-1], 0))
    for chosen in itertools.product(*taps):
        row = batch
        for tap, size in zip(chosen, sizes):
            row = b.add(b.multiply(row, size), tap.index)
        yield Corner(chosen, row, functools.reduce(b.and_, [tap.is_inside for tap in chosen]))


def _taps(b: Any, number: Value, size: int, sampling: Sampling) -> list[Tap]:
    """What a number in the grid reads along a dimension."""
    scale = (size - 1) / 2 if sampling.align_corners else size / 2
    coordinate = b.multiply(b.add(number, 1), scale)
    coordinate = coordinate if sampling.align_corners else b.subtract(coordinate, 0.5)
    if sampling.interpolation == CUBIC:
        return _cubic_taps(b, coordinate, scale, size, sampling)
    coordinate, slope = _padded(b, coordinate, size, sampling)
    slope = b.multiply(slope, scale)
    if sampling.interpolation == NEAREST:
        nothing, one = (b.full(coordinate.shape, v, dtype_of(coordinate)) for v in (0, 1))
        return [_tap(b, b.round_nearest_even(coordinate), size, one, nothing)]
    first = b.floor(coordinate)
    part = b.subtract(coordinate, first)
    return [
        _tap(b, first, size, b.subtract(1, part), b.negate(slope)),
        _tap(b, b.add(first, 1), size, part, slope),
    ]


def _cubic_taps(b: Any, coordinate: Value, scale: float, size: int, sampling: Sampling) -> list[Tap]:
    """Two elements on each side, weighted by their distances."""
    first = b.floor(coordinate)
    part = b.subtract(coordinate, first)
    rest = b.subtract(1, part)
    rows = ((-1, b.add(part, 1), _FAR, 1), (0, part, _NEAR, 1), (1, rest, _NEAR, -1), (2, b.add(rest, 1), _FAR, -1))
    taps = []
    for step, distance, (weight, slope), sign in rows:
        index, _ = _padded(b, b.add(first, step), size, sampling)
        by_number = b.multiply(_polynomial(b, distance, slope), sign * scale)
        taps.append(_tap(b, index, size, _polynomial(b, distance, weight), by_number))
    return taps


def _with_derivative(cubic: Sequence[float]) -> tuple[Sequence[float], Sequence[float]]:
    """The coefficients of a polynomial, the highest power's first, and those of its derivative."""
    degree = len(cubic) - 1
    return cubic, [(degree - n) * c for n, c in enumerate(cubic[:-1])]


_NEAR = _with_derivative((SHARPNESS + 2, -(SHARPNESS + 3), 0, 1))
_FAR = _with_derivative((SHARPNESS, -5 * SHARPNESS, 8 * SHARPNESS, -4 * SHARPNESS))
"""The weights of elements at distances up to 1, and from 1 to 2 (Keys, Cubic convolution interpolation, 1981)."""


def _polynomial(b: Any, x: Value, coefficients: Sequence[float]) -> Value:
    step: Callable[[Any, float], Any] = lambda total, coefficient: b.add(b.multiply(total, x), coefficient)
    return functools.reduce(step, coefficients[1:], b.full(x.shape, coefficients[0], dtype_of(x)))


def _tap(b: Any, coordinate: Value, size: int, weight: Value, slope: Value) -> Tap:
    is_inside = b.and_(b.ge(coordinate, 0), b.le(coordinate, size - 1))
    safe = b.select(is_inside, coordinate, b.full(coordinate.shape, 0, dtype_of(coordinate)))
    return Tap(b.cast(safe, torch.int64), is_inside, weight, slope)


def _padded(b: Any, coordinate: Value, size: int, sampling: Sampling) -> tuple[Value, Value]:
    """The coordinate in the image that stands for one outside of it, and its derivative."""
    one = b.full(coordinate.shape, 1, dtype_of(coordinate))
    if sampling.padding == ZEROS:
        return coordinate, one
    slope = one
    if sampling.padding == REFLECTION:
        low, span = (0.0, size - 1.0) if sampling.align_corners else (-0.5, float(size))
        coordinate, slope = _reflected(b, coordinate, low, span)
    is_free = b.and_(b.gt(coordinate, 0), b.lt(coordinate, size - 1))
    coordinate = b.minimum(b.maximum(coordinate, 0), size - 1)
    return coordinate, b.select(is_free, slope, b.full(coordinate.shape, 0, dtype_of(coordinate)))


def _reflected(b: Any, coordinate: Value, low: float, span: float) -> tuple[Value, Value]:
    """Thrown back at `low` and at `low + span` until it lies between them."""
    if span == 0:
        nothing = b.full(coordinate.shape, 0, dtype_of(coordinate))
        return nothing, nothing
    distance = b.subtract(coordinate, low)
    rest = b.remainder(b.abs(distance), b.full(coordinate.shape, 2 * span, dtype_of(coordinate)))
    is_rising = b.eq(b.lt(distance, 0), b.ge(rest, span))
    one = b.full(coordinate.shape, 1, dtype_of(coordinate))
    return b.add(b.minimum(rest, b.subtract(2 * span, rest)), low), b.select(is_rising, one, b.negate(one))
