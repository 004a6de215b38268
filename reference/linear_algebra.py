"""Decompositions, solves and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.stablehlo import linear_algebra as ops
from hlo.reference.table import evaluates
from hlo.reference.values import narrow, widest


@evaluates(ops.CholeskyOp)
def evaluate_cholesky(call, a):
    """Reads and writes one triangle; a matrix that is not positive definite gives NaN."""
    size = a.shape[-1]
    if not a.size:
        return a
    rows = widest(a).reshape(-1, size, size)
    lower = rows if call.lower else np.swapaxes(rows, 1, 2).conj()
    factors = np.array([_cholesky(np.tril(m)) for m in lower]).reshape(a.shape)
    return narrow(factors if call.lower else np.swapaxes(factors, -1, -2).conj(), call.dtype())


def _cholesky(lower: np.ndarray) -> np.ndarray:
    full = lower + np.tril(lower, -1).conj().T
    try:
        return np.linalg.cholesky(full)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(full, np.nan))


@evaluates(ops.TriangularSolveOp)
def evaluate_triangular_solve(call, a, b):
    """op(a) x = b, or x op(a) = b: the latter is op(a)^T x^T = b^T."""
    matrix, right = widest(a), widest(b)
    matrix = np.tril(matrix) if call.lower else np.triu(matrix)
    lower = call.lower
    if call.transpose_a != "NO_TRANSPOSE":
        matrix, lower = np.swapaxes(matrix, -1, -2), not lower
        matrix = matrix.conj() if call.transpose_a == "ADJOINT" else matrix
    if not call.left_side:
        matrix, lower, right = np.swapaxes(matrix, -1, -2), not lower, np.swapaxes(right, -1, -2)
    solved = _substituted(matrix, right, lower, call.unit_diagonal)
    return narrow(solved if call.left_side else np.swapaxes(solved, -1, -2), call.dtype())


def _substituted(matrix: np.ndarray, right: np.ndarray, lower: bool, unit: bool) -> np.ndarray:
    size, x = matrix.shape[-1], right.copy()
    for row in range(size) if lower else reversed(range(size)):
        known = slice(0, row) if lower else slice(row + 1, size)
        product = np.einsum("...k,...kn->...n", matrix[..., row, known], x[..., known, :])
        x[..., row, :] -= product
        if not unit:
            x[..., row, :] /= matrix[..., row, row, None]
    return x


FFTS: dict[str, Any] = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn}


@evaluates(ops.FftOp)
def evaluate_fft(call, operand):
    lengths = list(call.fft_length)
    axes = list(range(operand.ndim - len(lengths), operand.ndim))
    if 0 in operand.shape or 0 in lengths:
        return np.zeros(call.shape(), call.dtype())
    return narrow(FFTS[call.fft_type](widest(operand), s=lengths, axes=axes), call.dtype())
