"""Products of tensors: dot_general and its forms, convolution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.chlo.structured import RaggedDotOp
from hlo.dialect.stablehlo import contraction as ops
from hlo.dialect.stablehlo import convolution
from hlo.reference.data_movement import pad
from hlo.reference.reduction import strided
from hlo.reference.table import evaluates
from hlo.reference.values import is_integer, narrow, wide, widest


def factor(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """An operand in the type in which products are summed: f64, complex128, or the result's integers."""
    if is_integer(dtype):
        return wide(x).astype(np.uint64 if dtype.name.startswith("u") else np.int64)
    if is_integer(x.dtype):  # into floats
        return wide(x).astype(np.float64)
    return widest(x)


def total(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return value != 0 if dtype.kind == "b" else narrow(value, dtype)


@evaluates(ops.DotGeneralOp)
def evaluate_dot_general(call, lhs, rhs):
    return dot_general(call.dot_dimension_numbers, lhs, rhs, call.dtype())


def dot_general(n: DotDimensionNumbers, lhs: np.ndarray, rhs: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Batch, then what is left of lhs, then what is left of rhs."""
    left = _grouped(lhs, n.lhs_batching_dimensions, n.lhs_contracting_dimensions)
    right = _grouped(rhs, n.rhs_batching_dimensions, n.rhs_contracting_dimensions)
    product = factor(left[0], dtype) @ np.swapaxes(factor(right[0], dtype), 1, 2)
    batch = [lhs.shape[d] for d in n.lhs_batching_dimensions]
    return total(product, dtype).reshape([*batch, *left[1], *right[1]])


def _grouped(x: np.ndarray, batch: Sequence[int], contracted: Sequence[int]) -> tuple[np.ndarray, list[int]]:
    """As a (batch, free, contracted) array, and the sizes of the free dimensions."""
    free = [d for d in range(x.ndim) if d not in (*batch, *contracted)]
    size = [int(np.prod([x.shape[d] for d in group], dtype=np.int64)) for group in (batch, free, contracted)]
    return x.transpose([*batch, *free, *contracted]).reshape(size), [x.shape[d] for d in free]


@evaluates(ops.DotOp)
def evaluate_dot(call, lhs, rhs):
    """By matmul: `np.dot` takes infinity times a single 0 for 0."""
    return total(factor(lhs, call.dtype()) @ factor(rhs, call.dtype()), call.dtype())


@evaluates(ops.EinsumOp, ops.UnaryEinsumOp)
def evaluate_einsum(call, *operands):
    return total(np.einsum(call.einsum_config, *(factor(x, call.dtype()) for x in operands)), call.dtype())


@evaluates(RaggedDotOp)
def evaluate_ragged_dot(call, lhs, rhs, group_sizes):
    """Groups of the ragged dimension. Free: each meets its own part of rhs, rows of no group give 0. Contracted: each gives a
    product of its own. A batch dimension: they make no difference."""
    n = call.ragged_dot_dimension_numbers
    (ragged,) = n.lhs_ragged_dimensions
    plain = DotDimensionNumbers(
        lhs_batching_dimensions=n.lhs_batching_dimensions,
        rhs_batching_dimensions=n.rhs_batching_dimensions,
        lhs_contracting_dimensions=n.lhs_contracting_dimensions,
        rhs_contracting_dimensions=n.rhs_contracting_dimensions,
    )
    if ragged in n.lhs_batching_dimensions:
        return dot_general(plain, lhs, rhs, call.dtype())
    ends = np.cumsum(group_sizes, dtype=np.int64)
    parts = [slice(int(end - size), int(end)) for end, size in zip(ends, wide(group_sizes))]
    result = np.zeros(call.shape(), call.dtype())
    products = _products_of_groups if ragged in n.lhs_contracting_dimensions else _rows_of_groups
    products(n, plain, lhs, rhs, parts, result)
    return result


def _products_of_groups(n: Any, plain: DotDimensionNumbers, lhs: Any, rhs: Any, parts: Any, result: np.ndarray) -> None:
    (ragged,) = n.lhs_ragged_dimensions
    partner = n.rhs_contracting_dimensions[n.lhs_contracting_dimensions.index(ragged)]
    for group, part in enumerate(parts):
        result[group] = dot_general(plain, _part(lhs, ragged, part), _part(rhs, partner, part), result.dtype)


def _rows_of_groups(n: Any, plain: DotDimensionNumbers, lhs: Any, rhs: Any, parts: Any, result: np.ndarray) -> None:
    (ragged,), (along,) = n.lhs_ragged_dimensions, n.rhs_group_dimensions
    gone = (*n.lhs_batching_dimensions, *n.lhs_contracting_dimensions)
    position = len(n.lhs_batching_dimensions) + sum(d not in gone for d in range(ragged))
    numbers = _without(plain, along)
    for group, part in enumerate(parts):
        rows, matrix = _part(lhs, ragged, part), np.take(rhs, group, along)
        _part(result, position, part)[...] = dot_general(numbers, rows, matrix, result.dtype)


def _part(x: np.ndarray, dimension: int, part: slice) -> np.ndarray:
    """A view of a range of one dimension."""
    index = (*[slice(None)] * dimension, part)
    return x[index]


def _without(n: DotDimensionNumbers, dropped: int) -> DotDimensionNumbers:
    """The numbers for a rhs that has lost a dimension."""
    batching, contracting = (
        tuple(d - (d > dropped) for d in dimensions)
        for dimensions in (n.rhs_batching_dimensions, n.rhs_contracting_dimensions)
    )
    return replace(n, rhs_batching_dimensions=batching, rhs_contracting_dimensions=contracting)


@evaluates(convolution.ConvolutionOp)
def evaluate_convolution(call, lhs, rhs):
    return convolve(call, lhs, rhs, call.padding)


@evaluates(convolution.DynamicConvOp)
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
    return total(result, dtype).transpose(np.argsort(order))


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
