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


def counts(array: np.ndarray, what: str) -> tuple[int, ...]:
    """Sizes, which numpy's functions would take for something else where they are negative. Raises ValueError."""
    found = sizes(array)
    if any(n < 0 for n in found):
        raise ValueError(f"{what} must not be negative, found {list(found)}")
    return found


@evaluates(dynamic.DynamicIotaOp)
def evaluate_dynamic_iota(call, output_shape):
    return iota(counts(output_shape, "output_shape"), call.iota_dimension, call.dtype())


@evaluates(dynamic.DynamicBroadcastInDimOp)
def evaluate_dynamic_broadcast_in_dim(call, operand, output_dimensions):
    return broadcast(operand, counts(output_dimensions, "output_dimensions"), call.broadcast_dimensions)


@evaluates(dynamic.DynamicReshapeOp)
def evaluate_dynamic_reshape(call, operand, output_shape):
    return operand.reshape(counts(output_shape, "output_shape"))


@evaluates(dynamic.DynamicPadOp)
def evaluate_dynamic_pad(call, operand, value, low, high, interior):
    return pad(operand, value, sizes(low), sizes(high), counts(interior, "interior_padding"))


@evaluates(dynamic.RealDynamicSliceOp)
def evaluate_real_dynamic_slice(call, operand, start, limit, strides):
    for first, last, step, size in zip(sizes(start), sizes(limit), sizes(strides), operand.shape):
        if not (0 <= first <= last <= size and step > 0):
            raise ValueError(
                f"0 <= start <= limit <= {size} and a stride above 0 expected, found {first}, {last} and {step}"
            )
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
    if not 0 <= size <= operand.shape[call.dimension]:
        raise ValueError(f"a size from 0 to {operand.shape[call.dimension]} expected, found {size}")
    kept = [slice(int(size)) if d == call.dimension else slice(None) for d in range(operand.ndim)]
    return operand[tuple(kept)]


@evaluates(dynamic.ComputeReshapeShapeOp)
def evaluate_compute_reshape_shape(call, count, shape):
    """A size of -1 is what the others leave."""
    known = int(np.prod([n for n in sizes(shape) if n != -1], dtype=np.int64))
    return np.array([int(count) // max(known, 1) if n == -1 else n for n in sizes(shape)], call.dtype())
