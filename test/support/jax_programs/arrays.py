"""Arguments of the programs: the same numbers in every run."""

import numpy as np

RANDOM = np.random.default_rng(7)


def normal(*shape, dtype=np.float32):
    """Normally distributed; complex numbers have both parts so."""
    values = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.standard_normal(shape)
    return values.astype(dtype)


def positive(*shape, dtype=np.float32):
    return (np.abs(RANDOM.standard_normal(shape)) + 0.2).astype(dtype)


def unit(*shape, dtype=np.float32):
    return RANDOM.uniform(-0.95, 0.95, shape).astype(dtype)


def integers(*shape, low=0, high=10, dtype=np.int32):
    return RANDOM.integers(low, high, shape).astype(dtype)


def booleans(*shape):
    return RANDOM.integers(0, 2, shape).astype(bool)


KEY = np.array([3, 5], np.uint32)
