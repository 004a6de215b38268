"""Found against expected: integers exactly, floats in units in the last place, special values and signs exactly."""

from __future__ import annotations

import numpy as np

from lax_grid.rows import Row, largest_finite, spacing
from lax_grid.values import COMPLEX, PARTS, REAL, TINY


def rounded(exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The nearest number of the element type, in float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        return exact.astype(dtype).astype(np.float64)


def wrong_floats(found: np.ndarray, exact: np.ndarray, limit: float, scale: float) -> np.ndarray:
    """Where a float result is too far from the exact one (float64), or another special value or zero."""
    nearest, dtype = rounded(exact, found.dtype), found.dtype
    found = found.astype(np.float64)
    finite = np.isfinite(nearest) & np.isfinite(found)
    exact = np.where(finite, np.where(np.isfinite(exact), exact, nearest), 0.0)
    allowed = limit * spacing(np.where(finite, nearest, 0.0), dtype)
    if scale:
        allowed = allowed + scale * spacing(np.array([largest_finite(nearest)]), dtype)
    far = np.abs(np.where(finite, found, 0.0) - exact) > allowed * (1 + 1e-9)
    same = (found == nearest) | (np.isnan(found) & np.isnan(nearest))
    signs = (found == 0) & (nearest == 0) & (np.signbit(found) != np.signbit(nearest)) & (scale == 0)
    return (finite & far) | (~finite & ~same) | signs


def wrong(found: np.ndarray, expected: np.ndarray, row: Row) -> np.ndarray:
    """Where a result is not what it should be."""
    name, limit = found.dtype.name, row.limit(found.dtype)
    if name in COMPLEX:
        return wrong_complex(found, expected.astype(np.complex128), limit, row.scale)
    if name in TINY + REAL:
        return wrong_floats(found, expected.astype(np.float64), limit, row.scale)
    return found != expected


def wrong_complex(found: np.ndarray, exact: np.ndarray, limit: float, scale: float) -> np.ndarray:
    """The error of a finite complex number is relative to its modulus. Of infinite ones the parts are compared, but not
    the sign of a zero; where the oracle's formula ends in NaN, another may well find a limit."""
    dtype = PARTS[found.dtype.name]
    with np.errstate(invalid="ignore", over="ignore"):
        modulus = np.maximum(np.abs(exact.real), np.abs(exact.imag))
        distance = np.maximum(np.abs(found.real - exact.real), np.abs(found.imag - exact.imag))
        nearest = exact.astype(found.dtype)
    finite = np.isfinite(nearest)
    allowed = limit * spacing(np.where(finite, modulus, 0.0), dtype)
    if scale:
        allowed = allowed + scale * spacing(np.array([largest_finite(np.where(finite, modulus, 0.0))]), dtype)
    parts = (found.real != nearest.real) & np.isinf(nearest.real) | (found.imag != nearest.imag) & np.isinf(
        nearest.imag
    )
    return np.where(finite, ~(distance <= allowed), parts & ~np.isnan(exact))


def report(cell, index: int, found: np.ndarray, expected: np.ndarray, bad: np.ndarray) -> str:
    """The first wrong numbers of a result, with the operands where they have its shape."""
    places = np.argwhere(bad)[:4]
    lines = [f"{cell}: result {index}, {int(bad.sum())} of {bad.size} wrong"]
    for place in map(tuple, places):
        operands = ", ".join(str(a[place]) for a in cell.arguments if a.shape == found.shape)
        lines.append(f"  at {list(map(int, place))} ({operands}): {found[place]!s}, expected {expected[place]!s}")
    return "\n".join(lines)
