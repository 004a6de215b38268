"""Random arguments of programs and kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def random_array(shape: Sequence[int], dtype: np.dtype, generator: np.random.Generator) -> np.ndarray:
    """Normally distributed numbers, integers from 0 to 9, booleans."""
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        return generator.integers(0, 10, shape).astype(dtype)
    if dtype.kind == "c":
        return (generator.standard_normal(shape) + 1j * generator.standard_normal(shape)).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)
