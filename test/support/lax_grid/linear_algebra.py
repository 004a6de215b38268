"""Factorizations and solvers. LAPACK is behind both sides, so that results agree to rounding."""

from __future__ import annotations

import numpy as np
from jax import lax
from jax._src.lax import linalg

from lax_grid.rows import Cell, Row
from lax_grid.values import dtype_of, usual

TYPES = ("float32", "float64", "complex64", "complex128")
SHAPES = ((1, 1), (4, 4), (2, 5, 5))
NEAR = {"": 200}


def square(name: str, shape=(4, 4)) -> np.ndarray:
    return usual(name, shape) + 3 * np.eye(*shape[-2:], dtype=dtype_of(name))


def definite(name: str, shape=(4, 4)) -> np.ndarray:
    x = usual(name, shape)
    return x @ np.swapaxes(x.conj(), -1, -2) + shape[-1] * np.eye(shape[-1], dtype=dtype_of(name))


def on(function, make, shapes=SHAPES, types=TYPES) -> tuple[Cell, ...]:
    return tuple(Cell(function, (make(name, shape),)) for name in types for shape in shapes)


def triangular() -> tuple[Cell, ...]:
    ways = [(left, lower, turned) for left in (True, False) for lower in (True, False) for turned in (True, False)]
    types = [(name, *ways[0]) for name in TYPES[1:]] + [("float32", *way) for way in ways]
    return tuple(
        Cell(
            lambda a, b, s=s, w=w, t=t: linalg.triangular_solve(a, b, left_side=s, lower=w, transpose_a=t),
            (square(name), usual(name, (4, 4), 2)),
        )
        for name, s, w, t in types
    )


def diagonals() -> tuple[Cell, ...]:
    made = [(usual(n, (6,)), usual(n, (6,), 2) + 5, usual(n, (6,), 3), usual(n, (6, 2), 4)) for n in TYPES]
    edges = [(np.r_[0, a[1:]].astype(a.dtype), d, np.r_[c[:-1], 0].astype(a.dtype), b) for a, d, c, b in made]
    return tuple(Cell(linalg.tridiagonal_solve, arrays) for arrays in edges)


def householder() -> tuple[Cell, ...]:
    def product(x):
        return linalg.householder_product(*linalg.geqrf(x))

    return on(product, usual, ((5, 3),))


def products() -> tuple[Cell, ...]:
    ways = [(left, transpose) for left in (True, False) for transpose in (True, False)]
    return tuple(
        Cell(
            lambda x, c, s=s, t=t: linalg.ormqr(*linalg.geqrf(x), c, left=s, transpose=t),
            (usual(n, (4, 4)), usual(n, (4, 4), 2)),
        )
        for n in TYPES
        for s, t in ways
    )


def updates() -> tuple[Cell, ...]:
    factor = [np.ascontiguousarray(np.linalg.cholesky(definite(n)).T) for n in TYPES[:2]]
    return tuple(Cell(linalg.cholesky_update, (f, usual(f.dtype.name, (4,), 2))) for f in factor)


def spectra(function):
    """Eigenvalues (sorted: their order is open) instead of vectors, whose phase is open."""
    return lambda x: lax.sort(abs(function(x)))


ROWS = [
    Row("cholesky", on(linalg.cholesky, definite), ulps=NEAR, scale=20),
    Row("cholesky_update", updates(), ulps=NEAR, scale=20),
    Row("eig", on(spectra(lambda x: linalg.eig(x)[0]), square, ((4, 4), (2, 5, 5))), ulps=NEAR, scale=50),
    Row("eigh", on(lambda x: linalg.eigh(x)[1], definite), ulps=NEAR, scale=50),
    Row("geqrf", on(linalg.geqrf, usual, ((4, 4), (5, 3), (2, 3, 5))), ulps=NEAR, scale=50),
    Row("geqp3", on(lambda x: linalg.geqp3(x, np.zeros(x.shape[-1], np.int32)), usual, ((5, 3),)), ulps=NEAR, scale=50),
    Row("hessenberg", on(lambda x: linalg.hessenberg(x), square, ((4, 4),)), ulps=NEAR, scale=50),
    Row("householder_product", householder(), ulps=NEAR, scale=50),
    Row("lu", on(linalg.lu, square, (*SHAPES, (5, 3))), ulps=NEAR, scale=50),
    Row("lu_pivots_to_permutation", on(lambda x: linalg.lu_pivots_to_permutation(linalg.lu(x)[1], 7), square), ulps=0),
    Row("ormqr", products(), ulps=NEAR, scale=50),
    Row("qr", on(lambda x: linalg.qr(x, full_matrices=False), usual, ((5, 3), (3, 3))), ulps=NEAR, scale=50),
    Row("schur", on(lambda x: linalg.schur(x), definite, ((4, 4),)), ulps=NEAR, scale=200),
    Row("svd", on(lambda x: linalg.svd(x, compute_uv=False), usual, ((5, 3), (2, 3, 4))), ulps=NEAR, scale=50),
    Row(
        "symmetric_product",
        on(lambda x: linalg.symmetric_product(x, x), definite, ((4, 4),), TYPES[:2]),
        ulps=NEAR,
        scale=4,
    ),
    Row("triangular_solve", triangular(), ulps=NEAR, scale=20),
    Row("tridiagonal", on(lambda x: linalg.tridiagonal(x), definite, ((4, 4),)), ulps=NEAR, scale=50),
    Row("tridiagonal_solve", diagonals(), ulps=NEAR, scale=20),
]
