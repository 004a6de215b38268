"""Shapes, constants, slices, and their forms whose sizes are operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.elements import read_elements
from hlo.dialect.stablehlo import constants, data_movement, dynamic, slicing
from hlo.reference.table import evaluates
from hlo.reference.values import narrow, stored_dtype


def sizes(array: np.ndarray) -> tuple[int, ...]:
    """Sizes or indices that a program gives as a tensor."""
    return tuple(int(n) for n in np.asarray(array).reshape(-1))


@evaluates(constants.ConstantOp)
def evaluate_constant(call):
    found = read_elements(call.value)
    if found is None:
        return _other_constant(call)
    return (
        found if found.dtype == stored_dtype(call.op.output.type) else found.astype(stored_dtype(call.op.output.type))
    )


def _other_constant(call: Any) -> np.ndarray:
    raise call.unsupported(f"a constant {str(call.value)[:60]}")


@evaluates(constants.IotaOp)
def evaluate_iota(call):
    return iota(call.shape(), call.iota_dimension, call.dtype())


@evaluates(dynamic.DynamicIotaOp)
def evaluate_dynamic_iota(call, output_shape):
    return iota(sizes(output_shape), call.iota_dimension, call.dtype())


def iota(shape: Sequence[int], dimension: int, dtype: np.dtype) -> np.ndarray:
    indices = narrow(np.arange(shape[dimension]), dtype)
    return np.broadcast_to(indices.reshape([-1 if d == dimension else 1 for d in range(len(shape))]), shape)


@evaluates(data_movement.BroadcastInDimOp)
def evaluate_broadcast_in_dim(call, operand):
    return broadcast(operand, call.shape(), call.broadcast_dimensions)


@evaluates(dynamic.DynamicBroadcastInDimOp)
def evaluate_dynamic_broadcast_in_dim(call, operand, output_dimensions):
    return broadcast(operand, sizes(output_dimensions), call.broadcast_dimensions)


def broadcast(operand: np.ndarray, shape: Sequence[int], dimensions: Sequence[int]) -> np.ndarray:
    """Dimension i of the operand becomes dimension dimensions[i]; sizes of 1 are repeated."""
    order: Any = np.argsort(dimensions) if len(dimensions) else []
    between = [1] * len(shape)
    for source, target in enumerate(dimensions):
        between[target] = operand.shape[source]
    return np.broadcast_to(operand.transpose([int(d) for d in order]).reshape(between), shape)


@evaluates(data_movement.BroadcastOp)
def evaluate_broadcast(call, operand):
    return np.broadcast_to(operand, (*call.broadcast_sizes, *operand.shape))


@evaluates(data_movement.ReshapeOp)
def evaluate_reshape(call, operand):
    return operand.reshape(call.shape())


@evaluates(dynamic.DynamicReshapeOp)
def evaluate_dynamic_reshape(call, operand, output_shape):
    return operand.reshape(sizes(output_shape))


@evaluates(data_movement.TransposeOp)
def evaluate_transpose(call, operand):
    return operand.transpose(call.permutation)


@evaluates(data_movement.ReverseOp)
def evaluate_reverse(call, operand):
    return np.flip(operand, tuple(call.dimensions))


@evaluates(data_movement.ConcatenateOp)
def evaluate_concatenate(call, *inputs):
    return np.concatenate(inputs, axis=call.dimension)


@evaluates(data_movement.PadOp)
def evaluate_pad(call, operand, value):
    return pad(operand, value, call.edge_padding_low, call.edge_padding_high, call.interior_padding)


@evaluates(dynamic.DynamicPadOp)
def evaluate_dynamic_pad(call, operand, value, low, high, interior):
    return pad(operand, value, sizes(low), sizes(high), sizes(interior))


def pad(
    operand: np.ndarray, value: Any, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
) -> np.ndarray:
    """Interior elements first, then both edges; negative edges cut away."""
    spread = [n + max(n - 1, 0) * i for n, i in zip(operand.shape, interior)]
    result = np.full([n + a + b for n, a, b in zip(spread, low, high)], value, operand.dtype)
    source, target = [], []
    for n, size, a, i in zip(operand.shape, result.shape, low, interior):
        kept = [k for k in range(n) if 0 <= a + k * (i + 1) < size]
        source.append(kept)
        target.append([a + k * (i + 1) for k in kept])
    result[np.ix_(*target)] = operand[np.ix_(*source)]
    return result


@evaluates(slicing.SliceOp)
def evaluate_slice(call, operand):
    return operand[tuple(map(slice, call.start_indices, call.limit_indices, call.strides))]


@evaluates(dynamic.RealDynamicSliceOp)
def evaluate_real_dynamic_slice(call, operand, start, limit, strides):
    return operand[tuple(map(slice, sizes(start), sizes(limit), sizes(strides)))]


def clamped_slices(operand: np.ndarray, start: Sequence[Any], extent: Sequence[int]) -> tuple[slice, ...]:
    """Slices of some sizes; a start that is too small or too large is moved."""
    starts = [min(max(int(s), 0), n - e) for s, n, e in zip(start, operand.shape, extent)]
    return tuple(slice(s, s + e) for s, e in zip(starts, extent))


@evaluates(slicing.DynamicSliceOp)
def evaluate_dynamic_slice(call, operand, *start):
    return operand[clamped_slices(operand, start, call.slice_sizes)]


@evaluates(slicing.DynamicUpdateSliceOp)
def evaluate_dynamic_update_slice(call, operand, update, *start):
    result = np.array(operand)
    result[clamped_slices(operand, start, update.shape)] = update
    return result


@evaluates(dynamic.GetDimensionSizeOp)
def evaluate_get_dimension_size(call, operand):
    size = operand.shape[call.dimension]
    if size > np.iinfo(call.dtype()).max:
        raise call.unsupported(
            f"a dimension of {size} elements, which the result's type ({call.dtype()}) has no number for"
        )
    return np.array(size, call.dtype())


@evaluates(dynamic.SetDimensionSizeOp)
def evaluate_set_dimension_size(call, operand, size):
    kept = [slice(int(size)) if d == call.dimension else slice(None) for d in range(operand.ndim)]
    return operand[tuple(kept)]


@evaluates(dynamic.ComputeReshapeShapeOp)
def evaluate_compute_reshape_shape(call, count, shape):
    """A size of -1 is what the others leave."""
    known = int(np.prod([n for n in sizes(shape) if n != -1], dtype=np.int64))
    return np.array([int(count) // max(known, 1) if n == -1 else n for n in sizes(shape)], call.dtype())
