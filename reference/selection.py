"""Comparisons, and ops that select."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from hlo.dialect.stablehlo import selection
from hlo.reference.elementwise import maximum, minimum
from hlo.reference.table import evaluates
from hlo.reference.values import is_float, narrow, wide


def ordered_bits(x: np.ndarray) -> np.ndarray:
    """Floats as integers in the total order of IEEE 754: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. The NaN of the
    FNUZ types has the bits that -0 has elsewhere; like every NaN with that sign it comes before all numbers."""
    bits = x.view(f"i{x.dtype.itemsize}")
    if x.dtype.itemsize == 1:  # the sign of f6 and f4 is not the byte's highest bit
        bits = bits << np.int8(8 - ml_dtypes.finfo(x.dtype).bits)
    least = np.iinfo(bits.dtype).min
    if x.dtype.name.endswith("fnuz"):
        return np.where(bits < 0, np.where(bits == least, least, (bits ^ np.iinfo(bits.dtype).max) + 1), bits)
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


COMPARISONS = {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal, "LT": np.less}  # fmt: skip


@evaluates(selection.CompareOp, elementwise=True)
def evaluate_compare(call, lhs, rhs):
    """Complex numbers by the lexicographic order of (real, imaginary) parts."""
    if call.compare_type == "TOTALORDER" and is_float(lhs.dtype):
        lhs, rhs = ordered_bits(lhs), ordered_bits(rhs)
    if call.compare_type == "WEAKORDER" and is_float(lhs.dtype):
        return _compare_weak_order(call.comparison_direction, wide(lhs), wide(rhs))
    compare = COMPARISONS[call.comparison_direction]
    if lhs.dtype.kind != "c" or call.comparison_direction in ("EQ", "NE"):
        return compare(wide(lhs), wide(rhs))
    strict = np.less if call.comparison_direction[0] == "L" else np.greater
    return strict(lhs.real, rhs.real) | ((lhs.real == rhs.real) & compare(lhs.imag, rhs.imag))


def _compare_weak_order(direction, lhs, rhs):
    """NaNs are one number above +inf, zeros are one number: of the ranks that sorting gives."""
    _, ranks = np.unique(np.stack([lhs + 0.0, rhs + 0.0]), return_inverse=True, equal_nan=True)
    return COMPARISONS[direction](*ranks.reshape(2, *lhs.shape))


@evaluates(selection.SelectOp, elementwise=True)
def evaluate_select(call, pred, on_true, on_false):
    return np.where(pred, on_true, on_false)


@evaluates(selection.ClampOp, elementwise=True)
def evaluate_clamp(call, low, x, high):
    return narrow(minimum(maximum(wide(x), wide(low)), wide(high)), call.dtype())
