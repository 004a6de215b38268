"""Random arguments of programs and kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hlo.dialect.numpy_types import is_whole, limits


def random_array(shape: Sequence[int], dtype: np.dtype, generator: np.random.Generator) -> np.ndarray:
    """Normally distributed numbers, integers from 0 to 9 (or the greatest), booleans."""
    if is_whole(dtype):
        return generator.integers(0, min(9, limits(dtype)[1]) + 1, shape).astype(dtype)
    if dtype.kind == "c":
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)
