"""The target `cpu_csr_sparse_dense_ffi`: what JAX makes of products of sparse matrices (jax.experimental.sparse.BCSR) on CPUs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls.registry import register


@register("cpu_csr_sparse_dense_ffi", borrows=True)
def csr_product(
    data: np.ndarray, row_starts: np.ndarray, columns: np.ndarray, rhs: np.ndarray, *, result_types: Sequence[ArrayType]
) -> np.ndarray:
    """A matrix of compressed rows (the elements data[k] of row r, with columns[k], are those from row_starts[r] to
    row_starts[r + 1]) times a vector or a matrix. Sums are taken in the type of the result, in the elements' order."""
    result = np.zeros(result_types[0].shape, result_types[0].dtype)
    rows = np.repeat(np.arange(len(row_starts) - 1), np.diff(row_starts))
    used = slice(int(row_starts[0]), int(row_starts[-1]))
    scale = data[used].reshape(-1, *[1] * (rhs.ndim - 1))
    np.add.at(result, rows, scale * rhs[columns[used]])
    return result
