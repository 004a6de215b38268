"""Convolutions and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.dialect.attributes import ConvDimensionNumbers
from hlo.torch.element_types import dtype_of
from hlo.torch.layouts import dense_layout
from hlo.torch.registry import rule
from hlo.torch.rules.products import accumulated_type


@rule("convolution")
def convolution(
    b: Any,
    x: Value,
    weight: Value,
    bias: Value | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Value:
    count = x.rank - 2
    stride, padding, dilation, extra = (_each(v, count) for v in (stride, padding, dilation, output_padding))
    dtype = None if bias is None else accumulated_type(x)  # rounded once, behind the bias
    if transposed:
        result = _spread(b, x, weight, stride, padding, dilation, extra, groups, dtype)
    else:
        pairs = [(p, p) for p in padding]
        result = _convolve(b, x, weight, stride, pairs, feature_group_count=groups, rhs_dilation=dilation, dtype=dtype)
    if bias is None:
        return result
    return b.cast(b.add(result, b.over(b.cast(bias, dtype_of(result)), result.shape, [1])), dtype_of(x))


FEW_FEATURES = 16
"""Vectors along so many features, or fewer, have empty lanes; along both kinds of features they are slower than along the positions of images."""


def _has_features_last(b: Any, x: Value, weight: Value, groups: int) -> bool:
    """Whether PyTorch has the operand of the convolution that is being built with features last in memory, enough of them for vectors: in each group,
    or one in each of many groups."""
    meta = b.node.args[0].meta.get("val")
    if not isinstance(meta, torch.Tensor) or any(type(n) is not int for n in meta.shape):
        return False
    made, given = (n or 0 for n in weight.shape[:2])
    features = max(made // groups, given)
    if max(features, groups if features == 1 else 0) < FEW_FEATURES:
        return False
    layout = dense_layout(meta.shape, meta.stride())
    return layout is not None and layout.order == _features_last(x.rank)


def _features_last(rank: int) -> tuple[int, ...]:
    return (0, *range(2, rank), 1)


def _convolve(
    b: Any, x: Value, weight: Value, stride: Any, padding: Any, feature_group_count: int, **named: Any
) -> Value:
    """A convolution with features first; of arrays that have them last in memory, by a kernel that has them last, with its operands and its result
    transposed. The operand lies so in memory, or is an element-wise function of what does, as is most of what reads the result; a copy of the
    kernel is small."""
    named["feature_group_count"] = feature_group_count
    if not _has_features_last(b, x, weight, feature_group_count):
        return b.conv(x, weight, stride, padding, **named)
    rank = x.rank
    last, positions = _features_last(rank), tuple(range(1, rank - 1))
    kernel = (rank - 2, rank - 1, tuple(range(rank - 2)))
    numbers = ConvDimensionNumbers(0, rank - 1, positions, *kernel, 0, rank - 1, positions)
    made = b.conv(b.transpose(x, last), b.transpose(weight, [*range(2, rank), 1, 0]), stride, padding, numbers, **named)
    return b.transpose(made, [last.index(d) for d in range(rank)])


def _each(given: Any, count: int) -> list[int]:
    """A number for each spatial dimension."""
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    return listed * count if len(listed) == 1 else listed


def _spread(
    b: Any,
    x: Value,
    weight: Value,
    stride: Any,
    padding: Any,
    dilation: Any,
    extra: Any,
    groups: int,
    dtype: str | None = None,
) -> Value:
    """The transposed convolution: each element of x adds the window of weights, (in, out / groups, ...), around its position."""
    kernel = _swapped(b, weight, groups)
    spatial = list(range(2, x.rank))
    pairs = []
    for d, p, n, more in zip(spatial, padding, dilation, extra):
        reach = n * (weight.shape[d] - 1) - p  # type: ignore[operator]
        pairs.append((reach, reach + more))
    named = dict(feature_group_count=groups, lhs_dilation=stride, rhs_dilation=dilation, dtype=dtype)
    return _convolve(b, x, b.reverse(kernel, spatial), [1] * len(spatial), pairs, **named)


def _swapped(b: Any, weight: Value, groups: int) -> Value:
    """(groups * in, out, ...) to (groups * out, in, ...)."""
    if groups == 1:
        return b.transpose(weight, [1, 0, *range(2, weight.rank)])
    first, second, *sizes = weight.shape
    parts = b.reshape(weight, [groups, first // groups, second, *sizes])  # type: ignore[operator]
    order = [0, 2, 1, *range(3, parts.rank)]
    return b.reshape(b.transpose(parts, order), [groups * second, first // groups, *sizes])  # type: ignore[operator]


@rule("convolution_backward")
def convolution_backward(
    b: Any, gradient: Value, x: Value, weight: Value, bias_sizes: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int, output_mask: Sequence[bool],
) -> list[Value | None]:  # fmt: skip
    window = [_each(v, x.rank - 2) for v in (stride, padding, dilation)]
    results = [
        lambda: _of_operand(b, gradient, x, weight, window, transposed, groups),
        lambda: _of_weight(b, *((x, gradient) if transposed else (gradient, x)), weight, window, groups),
        lambda: b.cast(b.total(b.wide(gradient), [d for d in range(x.rank) if d != 1]), dtype_of(gradient)),
    ]
    return [make() if wanted else None for make, wanted in zip(results, output_mask)]


def _of_operand(b: Any, gradient: Value, x: Value, weight: Value, window: Any, transposed: bool, groups: int) -> Value:
    stride, padding, dilation = window
    if transposed:
        pairs = []
        for d, s, p, n in zip(range(2, x.rank), stride, padding, dilation):
            read = (x.shape[d] - 1) * s + n * (weight.shape[d] - 1) + 1  # type: ignore[operator]
            pairs.append((p, read - gradient.shape[d] - p))  # type: ignore[operator]
        return _convolve(b, gradient, weight, stride, pairs, feature_group_count=groups, rhs_dilation=dilation)
    extra = []
    for d, s, p, n in zip(range(2, x.rank), stride, padding, dilation):
        covered = (gradient.shape[d] - 1) * s - 2 * p + n * (weight.shape[d] - 1) + 1  # type: ignore[operator]
        extra.append(x.shape[d] - covered)  # type: ignore[operator]
    return _spread(b, gradient, weight, stride, padding, dilation, extra, groups)


def _of_weight(b: Any, small: Value, large: Value, weight: Value, window: Any, groups: int) -> Value:
    """The gradient of weights (out, in / groups, ...): the convolution of what they read (`large`) with what they gave (`small`), over the
    batch as feature."""
    stride, padding, dilation = window
    pairs = []
    for d, s, p, n in zip(range(2, large.rank), stride, padding, dilation):
        reach = n * (weight.shape[d] - 1) + (small.shape[d] - 1) * s + 1  # type: ignore[operator]
        pairs.append((p, reach - large.shape[d] - p))  # type: ignore[operator]
    spatial = tuple(range(2, large.rank))
    numbers = ConvDimensionNumbers(1, 0, spatial, 0, 1, spatial, 1, 0, spatial)
    return b.conv(large, small, dilation, pairs, numbers, batch_group_count=groups, rhs_dilation=stride)
