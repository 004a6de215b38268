"""What the tables consist of: a Row tests one primitive, its Cells are calls of it on given arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from lax_grid.values import FLOATS


@dataclass(frozen=True)
class Cell:
    """One call: a function of jax.lax and the arrays (numpy) it is called with."""

    function: Callable
    arguments: tuple[np.ndarray, ...]

    def __str__(self) -> str:
        return ", ".join(f"{a.dtype}{list(a.shape)}" for a in self.arguments)


@dataclass(frozen=True)
class Row:
    """The calls that test a primitive, and how near their results must be.

    `ulps` is the largest distance to the expected value in units in its last place, by element type where a mapping is
    given; `scale` adds that many units in the last place of the result's largest number, for sums that cancel.
    `wide` takes the expected values from float64 or complex128, rounded to the element type once (numpy's where
    oracles.py names the primitive, else JAX's): XLA computes narrow floats with errors of its own and flushes subnormal
    numbers, and neither is what a program should get.
    `checks` replaces the comparison: a function of the cell's arguments and the found results."""

    primitive: str
    cells: tuple[Cell, ...]
    ulps: float | dict[str, float] = 2.0
    scale: float = 0.0
    wide: bool = False
    checks: Callable | None = None
    note: str = field(default="", compare=False)

    def limit(self, dtype: np.dtype) -> float:
        if isinstance(self.ulps, dict):
            return self.ulps.get(dtype.name, self.ulps.get("", 2.0))
        return self.ulps


def cells(function: Callable, *arguments: Iterable[np.ndarray]) -> tuple[Cell, ...]:
    """The same call on several tuples of arrays."""
    return tuple(Cell(function, tuple(a)) for a in arguments)


def spacing(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The distance to the next number of `dtype`, in float64, at each of `values` (finite)."""
    bits, smallest = FLOATS[dtype.name]
    exponents = np.frexp(np.abs(values))[1] - 1
    return np.exp2(np.maximum(exponents, smallest).astype(np.float64) - bits) if values.size else values


def largest_finite(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0)) if finite.size else math.nan
