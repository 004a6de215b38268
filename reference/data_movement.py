"""Ops that rearrange elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import data_movement
from hlo.dialect.types import DYNAMIC
from hlo.reference.table import evaluates


@evaluates(data_movement.BroadcastInDimOp)
def evaluate_broadcast_in_dim(call, operand):
    if DYNAMIC in call.shape():
        raise ValueError("the sizes of the result are not known")
    return broadcast(operand, call.shape(), call.broadcast_dimensions)


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
    if call.shape().count(DYNAMIC) > 1:
        raise ValueError("the sizes of the result are not known")
    return operand.reshape(call.shape())


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
