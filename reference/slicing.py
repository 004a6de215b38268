"""Slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import slicing
from hlo.reference.table import evaluates


@evaluates(slicing.SliceOp)
def evaluate_slice(call, operand):
    return operand[tuple(map(slice, call.start_indices, call.limit_indices, call.strides))]


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
