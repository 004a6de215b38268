"""Fourier transforms of all four kinds, of any length, in batches."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import usual

LENGTHS = (1, 2, 7, 8, 12, 30)


def transforms() -> tuple[Cell, ...]:
    made = []
    for n in LENGTHS:
        for c, r in (("complex64", "float32"), ("complex128", "float64")):
            made += [(c, (2, n), "fft", (n,)), (c, (2, n), "ifft", (n,)), (r, (2, n), "rfft", (n,))]
            made.append((c, (2, n // 2 + 1), "irfft", (n,)))
    made += [("complex64", (2, 3, 4, 5), "fft", (4, 5)), ("float32", (3, 4, 6), "rfft", (3, 4, 6))]
    made.append(("complex128", (2, 3, 4), "irfft", (3, 6)))
    return tuple(Cell(lambda x, k=k, n=n: lax.fft(x, k, n), (real_edges(usual(t, s), k),)) for t, s, k, n in made)


def real_edges(x: np.ndarray, kind: str) -> np.ndarray:
    """The first and last number of a half spectrum are real: what an inverse makes of other ones is open."""
    if kind == "irfft":
        x = x.real.astype(x.dtype)
    return x


ROWS = [Row("fft", transforms(), ulps=8, scale=16)]
