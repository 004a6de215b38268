"""Images resized with antialiasing (`interpolate(antialias=True)`), and the gradients: along each dimension the product
with a matrix of weights. Each new element is a weighted mean of all elements that its filter reaches; where an image
gets smaller the filter is as much wider."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.pooling import along_by_matrix

Filter = Callable[[np.ndarray], np.ndarray]


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(1 - np.abs(x), 0)


def _cubic(x: np.ndarray, sharpness: float = -0.5) -> np.ndarray:
    """Keys, Cubic convolution interpolation, 1981."""
    d = np.abs(x)
    near = ((sharpness + 2) * d - (sharpness + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * sharpness - 4 * sharpness
    return np.where(d < 1, near, np.where(d < 2, far, 0.0))


def _lanczos(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0.0)


_FILTERS: dict[str, tuple[Filter, int]] = {"bilinear": (_triangle, 1), "bicubic": (_cubic, 2), "lanczos": (_lanczos, 3)}
"""Each with how far it reaches to a side."""


def _weights(name: str, size: int, count: int, align_corners: bool, factor: float | None) -> np.ndarray:
    """(count, size): of each new element the weights of all old ones. `factor`: the new size over the old one where it
    is not their ratio."""
    kernel, reach = _FILTERS[name]
    scale = _scale(size, count, align_corners, factor)
    width = max(scale, 1.0)
    rows = np.zeros((count, size))
    for i in range(count):
        center = scale * (i + 0.5)
        start = max(math.trunc(center - reach * width + 0.5), 0)
        end = min(math.trunc(center + reach * width + 0.5), size)
        weights = kernel((np.arange(start, end) - center + 0.5) / width)
        rows[i, start:end] = weights / (weights.sum() or 1)
    return rows


def _scale(size: int, count: int, align_corners: bool, factor: float | None) -> float:
    """The distance of new elements, in old ones. That is all that `align_corners` changes: centers stay at halves, as in PyTorch."""
    if align_corners:
        return (size - 1) / (count - 1) if count > 1 else 0.0
    return 1 / factor if factor else size / count


def _limit(x: Any, *_: Any) -> str | None:
    return None if x.dtype.is_floating_point else "of integers, in fixed-point numbers"


def _register(name: str) -> None:
    def matrices(
        sizes: Sequence[int], counts: Sequence[int], align: bool, factors: Sequence[float | None]
    ) -> list[np.ndarray]:
        return [_weights(name, size, count, align, f) for size, count, f in zip(sizes, counts, factors)]

    @rule(f"_upsample_{name}2d_aa", limit=_limit)
    def build(
        b: Any, x: Value, output_size: Sequence[int], align_corners: bool, scales_h: Any = None, scales_w: Any = None
    ) -> Value:
        return _resized(b, x, matrices(x.shape[2:], output_size, align_corners, (scales_h, scales_w)))  # type: ignore[arg-type]

    @rule(f"_upsample_{name}2d_aa_backward", limit=_limit)
    def build_backward(
        b: Any,
        gradient: Value,
        output_size: Sequence[int],
        input_size: Sequence[int],
        align_corners: bool,
        scales_h: Any = None,
        scales_w: Any = None,
    ) -> Value:
        made = matrices(input_size[2:], output_size, align_corners, (scales_h, scales_w))
        return _resized(b, gradient, [m.T for m in made])


for _name in _FILTERS:
    _register(_name)


def _resized(b: Any, x: Value, matrices: Sequence[np.ndarray]) -> Value:
    """Columns first, then rows, rounded to the type of the image after each, as eager mode does."""
    result = x
    for dimension, matrix in ((3, matrices[1]), (2, matrices[0])):
        result = b.cast(along_by_matrix(b, b.wide(result), dimension, matrix), dtype_of(x))
    return result
