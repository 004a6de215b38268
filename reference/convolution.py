"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import convolution as ops
from hlo.reference.contraction import factor
from hlo.reference.conversion import converted
from hlo.reference.data_movement import pad
from hlo.reference.reduction import strided
from hlo.reference.table import evaluates


@evaluates(ops.ConvolutionOp)
def evaluate_convolution(call, lhs, rhs):
    return convolve(call, lhs, rhs, call.padding)


@evaluates(ops.DynamicConvOp)
def evaluate_dynamic_conv(call, lhs, rhs, padding):
    return convolve(call, lhs, rhs, [tuple(map(int, row)) for row in padding])


def convolve(call: Any, lhs: np.ndarray, rhs: np.ndarray, padding: Sequence[Sequence[int]]) -> np.ndarray:
    """Input as (batch, spatial..., feature), kernel as (spatial..., in, out); groups one after another."""
    n, dtype = call.dimension_numbers, call.dtype()
    image = lhs.transpose(n.input_batch_dimension, *n.input_spatial_dimensions, n.input_feature_dimension)
    kernel = rhs.transpose(
        *n.kernel_spatial_dimensions, n.kernel_input_feature_dimension, n.kernel_output_feature_dimension
    )
    kernel = np.flip(kernel, tuple(d for d, reverse in enumerate(call.window_reversal) if reverse))
    low, high = zip(*padding) if len(padding) else ((), ())
    image = pad(factor(image, dtype), 0, [0, *low, 0], [0, *high, 0], [0, *(d - 1 for d in call.lhs_dilation), 0])
    parts = _groups(call, image, factor(kernel, dtype))
    result = np.concatenate([_correlate(i, k, call.window_strides, call.rhs_dilation) for i, k in parts], axis=-1)
    order = (n.output_batch_dimension, *n.output_spatial_dimensions, n.output_feature_dimension)
    return converted(result, dtype).transpose(np.argsort(order))


def _groups(call: Any, image: np.ndarray, kernel: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    if call.batch_group_count > 1:
        count, axis = call.batch_group_count, 0
    else:
        count, axis = call.feature_group_count, -1
    return list(zip(np.split(image, count, axis), np.split(kernel, count, -1)))


def _correlate(image: np.ndarray, kernel: np.ndarray, strides: Sequence[int], dilation: Sequence[int]) -> np.ndarray:
    """The elements of a dilated kernel are not adjacent; nothing is between them (a 0 there would meet infinities)."""
    spatial = kernel.shape[:-2]
    extents = [(k - 1) * d + 1 if k else 0 for k, d in zip(spatial, dilation)]
    size = [(n - k) // s + 1 if 0 < n >= k else 0 for n, k, s in zip(image.shape[1:-1], extents, strides)]
    shape = [image.shape[0], *size, image.shape[-1]]
    result = np.zeros([*shape[:-1], kernel.shape[-1]], image.dtype)
    for offset in np.ndindex(*spatial):
        result += (
            strided(image, [0, *(o * d for o, d in zip(offset, dilation)), 0], shape, [1, *strides, 1]) @ kernel[offset]
        )
    return result
