"""Sizes, types and arrays that draws are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

Generator = np.random.Generator

FLOATS: tuple[Any, ...] = (np.float32, np.float32, np.float32, ml_dtypes.bfloat16, np.float16, np.float64)
"""f32 has half of the draws."""

COMPLEX: tuple[Any, ...] = (np.complex64, np.complex64, np.complex128)


def one_of(rng: Generator, choices: Sequence[Any]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def size(rng: Generator, low: int, high: int) -> int:
    """Log-uniform between both, which may be drawn."""
    return min(high, int(math.exp(rng.uniform(math.log(low), math.log(high + 1)))))


def sizes(rng: Generator, rank: int, low: int, high: int) -> tuple[int, ...]:
    """Of an array whose number of elements is log-uniform between `low` and `high`."""
    remaining, result = float(size(rng, low, high)), []
    for left in range(rank, 1, -1):
        result.append(size(rng, 1, max(1, round(remaining ** (2 / left)))))
        remaining /= result[-1]
    shape = [*result, max(1, round(remaining))]
    return tuple(shape[i] for i in rng.permutation(rank))


def array(rng: Generator, shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers; integers between -100 and 100."""
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        return rng.integers(0 if kind.kind == "u" else -100, 100, tuple(shape)).astype(dtype)
    values = rng.standard_normal(tuple(shape), dtype=np.float32)
    if kind.kind == "c":
        return (values + 1j * rng.standard_normal(tuple(shape), dtype=np.float32)).astype(dtype)
    return values.astype(dtype)


def positive(rng: Generator, shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray:
    return (np.abs(array(rng, shape, np.float32)) + np.float32(0.1)).astype(dtype)


def label(dtype: Any) -> str:
    return np.dtype(dtype).name


def by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def unit_weights(rng: Generator, shape: Sequence[int], dtype: Any = np.float32) -> np.ndarray:
    """Normal numbers whose sums over all but the last dimension have about unit variance."""
    fan_in = max(1, math.prod(shape[:-1]))
    return (array(rng, shape) / np.float32(math.sqrt(fan_in))).astype(dtype)
