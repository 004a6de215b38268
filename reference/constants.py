"""Constants and indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.elements import read_elements
from hlo.dialect.stablehlo import constants
from hlo.reference.table import evaluates
from hlo.reference.values import narrow, stored_dtype


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


def iota(shape: Sequence[int], dimension: int, dtype: np.dtype) -> np.ndarray:
    indices = narrow(np.arange(shape[dimension]), dtype)
    return np.broadcast_to(indices.reshape([-1 if d == dimension else 1 for d in range(len(shape))]), shape)
