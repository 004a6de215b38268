"""What a benchmark program is, and inputs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """`function` takes what `inputs()` returns.

    `operations`: floating point operations of a call, where XLA's cost analysis (which sees the body of a loop once)
    cannot say. `rate`: operations of its type in the time of one f32 operation (bf16 2, int8 4).
    `skip`: contenders that would need minutes. `in_numpy`: a function of numpy or SciPy that does the same work."""

    name: str
    function: Callable[..., Any]
    inputs: Callable[[], tuple[np.ndarray, ...]]
    operations: float | None = None
    rate: float = 1
    skip: tuple[str, ...] = ()
    in_numpy: Callable[..., Any] | None = None


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    values = np.random.default_rng([seed, *shape]).standard_normal(shape, dtype=np.float32)
    return (values * np.float32(scale)).astype(dtype)


def integers(*shape: int, low: int, high: int, dtype: Any = np.int32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).integers(low, high, shape).astype(dtype)
