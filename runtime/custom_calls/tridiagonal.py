"""The target `tridiagonal_solve_perturbed_ffi`: what JAX makes of `lax.linalg.tridiagonal_solve(..., perturb_singular=True)` on CPUs.

Operands: the lower diagonal (its first element is not used), the diagonal, the upper diagonal (its last is not used), and the
right-hand sides as columns; leading dimensions are batches. Elimination with partial pivoting, then, as LAPACK's routine lagts
does it for inverse iteration, a substitution that moves pivots away from zero where a quotient would overflow."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.runtime.custom_calls.registry import register


@register("tridiagonal_solve_perturbed_ffi", borrows=True)
def solve_perturbed(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, b: np.ndarray) -> np.ndarray:
    result = np.empty_like(b)
    with np.errstate(all="ignore"):
        for index in np.ndindex(b.shape[:-2]):
            result[index] = _solved(lower[index], diagonal[index], upper[index], b[index])
    return result


def _solved(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, b: np.ndarray) -> np.ndarray:
    bands, b = np.zeros((3, len(diagonal) + 2), diagonal.dtype), b.copy()  # of U: the diagonal and the two above it
    bands[0, :-2], bands[1, : len(upper) - 1] = diagonal, upper[:-1]
    for i in range(len(diagonal) - 1):
        _eliminate(bands, lower[i + 1], b, i)
    return _substituted(bands[:, : len(diagonal)], b)


def _eliminate(bands: np.ndarray, below: Any, b: np.ndarray, i: int) -> None:
    """Takes a multiple of row i from the next, whose first element is `below`; the row with the larger element comes first."""
    if below == 0:
        return
    row, following = bands[:, i].copy(), np.array([below, bands[0, i + 1], bands[1, i + 1]])
    if np.abs(below) > np.abs(row[0]):
        row, following = following, row
        b[[i, i + 1]] = b[[i + 1, i]]
    factor = following[0] / row[0]
    bands[:, i] = row
    bands[:2, i + 1] = following[1:] - factor * row[1:]
    b[i + 1] -= factor * b[i]


def _substituted(bands: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solves U x = b from the last row up. A pivot is moved by eps times the largest element of U, by twice as much until the
    quotients fit."""
    info = np.finfo(b.dtype)
    step = max(info.eps * np.max(np.abs(bands)), info.tiny)
    x = np.zeros((len(b) + 2, b.shape[1]), b.dtype)
    for i in reversed(range(len(b))):
        rest = b[i] - bands[1, i] * x[i + 1] - bands[2, i] * x[i + 2]
        x[i] = rest / _pivot(bands[0, i], np.max(np.abs(rest), initial=0), step, info)
    return x[:-2]


def _pivot(pivot: Any, dividend: Any, step: Any, info: Any) -> Any:
    """The pivot of a row; `dividend`: the size of the largest of its right-hand sides."""
    moved = np.copysign(step, pivot.real)
    while np.abs(pivot) < info.tiny or np.abs(pivot) < dividend * info.tiny:
        pivot = pivot + moved
        moved = moved * 2
    return pivot
