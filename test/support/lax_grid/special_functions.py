"""Special functions: everyday numbers and special values, f32 and narrower against float64."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.unary import TWO
from lax_grid.values import REAL, dtype_of, special

THREE = TWO | {"float32": 3, "float64": 3}
UNARY = {
    "bessel_i0e": (lax.bessel_i0e, THREE | {"float64": 8}),
    "bessel_i1e": (lax.bessel_i1e, THREE | {"float64": 8}),
    "digamma": (lax.digamma, TWO | {"float32": 3, "float64": 4}),
    "erf": (lax.erf, TWO),
    "erf_inv": (lax.erf_inv, TWO | {"float32": 4, "float64": 4}),
    "erfc": (lax.erfc, TWO | {"float32": 5, "float64": 16}),
    "lgamma": (lax.lgamma, TWO | {"float32": 3, "float64": 16}),
}
A = (0.1, 0.5, 1.0, 2.5, 7.0, 30.0, 0.0, -1.0, np.inf, np.nan)
X = (0.0, 0.01, 0.5, 1.0, 3.0, 7.5, 40.0, -0.5, np.inf, np.nan)
P = (0.0, 0.1, 0.5, 0.9, 1.0, -0.1, 1.1, np.nan)


def away_from_zeros(name: str, kind: str) -> np.ndarray:
    """In f64 digamma loses digits beside its zeros below 0, and JAX's lgamma beside 1 and 2: tested above them."""
    values = special(kind)
    least = {"digamma": 0, "lgamma": 2.2}.get(name, -np.inf) if kind == "float64" else -np.inf
    return values if least == -np.inf else values[values > least]


def pairs(function, first, second) -> tuple[Cell, ...]:
    left, right = (a.ravel() for a in np.meshgrid(first, second))
    return tuple(Cell(function, (left.astype(t), right.astype(t))) for t in map(dtype_of, REAL))


def triples() -> tuple[Cell, ...]:
    grids = [g.ravel() for g in np.meshgrid((0.5, 1.0, 3.0, 12.0), (0.5, 2.0, 9.0), P)]
    return tuple(Cell(lax.betainc, tuple(g.astype(t) for g in grids)) for t in map(dtype_of, REAL))


LOOSE = {"float32": 64, "float64": 400, "bfloat16": 1, "float16": 1}
"""Continued fractions and series: XLA's own error in f64 is of this size."""

INCOMPLETE = LOOSE | {"float64": 1000}
"""exp(a log x - x - lgamma(a)), whose exponent is up to 140 here, and so is the factor of its rounding."""

ROWS = [
    *(
        Row(name, tuple(Cell(f, (away_from_zeros(name, t),)) for t in REAL), ulps=ulps, wide=True)
        for name, (f, ulps) in UNARY.items()
    ),
    Row("igamma", pairs(lax.igamma, A, X), ulps=INCOMPLETE, wide=True),
    Row("igammac", pairs(lax.igammac, A, X), ulps=INCOMPLETE, wide=True),
    Row("igamma_grad_a", pairs(lax.igamma_grad_a, A[:6], X[1:7]), ulps=INCOMPLETE | {"float32": 4000}, wide=True),
    Row("polygamma", pairs(lax.polygamma, (0.0, 1.0, 2.0, 5.0), (0.1, 0.5, 1.0, 3.3, 20.0)), ulps=LOOSE, wide=True),
    Row("zeta", pairs(lax.zeta, (1.0, 1.5, 2.0, 5.0, 20.0, np.nan), (0.5, 1.0, 3.3, 20.0)), ulps=LOOSE, wide=True),
    # In f32 JAX's series is itself off by 6e-5 at (12, 0.5, 0.9), where SciPy has 0.11552285.
    Row("regularized_incomplete_beta", triples(), ulps=LOOSE | {"float32": 1000, "float64": 2000}),
]
