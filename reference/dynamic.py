"""Ops whose sizes are operands, and those that compute with sizes."""

from __future__ import annotations

import numpy as np

from hlo.dialect.stablehlo import dynamic
from hlo.reference.constants import iota
from hlo.reference.data_movement import broadcast, pad
from hlo.reference.table import evaluates


def sizes(array: np.ndarray) -> tuple[int, ...]:
    """Sizes or indices that a program gives as a tensor."""
    return tuple(int(n) for n in np.asarray(array).reshape(-1))


@evaluates(dynamic.DynamicIotaOp)
def evaluate_dynamic_iota(call, output_shape):
    return iota(sizes(output_shape), call.iota_dimension, call.dtype())


@evaluates(dynamic.DynamicBroadcastInDimOp)
def evaluate_dynamic_broadcast_in_dim(call, operand, output_dimensions):
    return broadcast(operand, sizes(output_dimensions), call.broadcast_dimensions)


@evaluates(dynamic.DynamicReshapeOp)
def evaluate_dynamic_reshape(call, operand, output_shape):
    return operand.reshape(sizes(output_shape))


@evaluates(dynamic.DynamicPadOp)
def evaluate_dynamic_pad(call, operand, value, low, high, interior):
    return pad(operand, value, sizes(low), sizes(high), sizes(interior))


@evaluates(dynamic.RealDynamicSliceOp)
def evaluate_real_dynamic_slice(call, operand, start, limit, strides):
    return operand[tuple(map(slice, sizes(start), sizes(limit), sizes(strides)))]


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
