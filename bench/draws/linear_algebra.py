"""Linear algebra: factorisations, solves, eigenvalues; single, batched, in loops. Results do not depend on signs that
libraries choose."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from bench.draws.sizes import Generator, array, by, label, one_of, size
from bench.programs.program import Program

TYPES = (np.float32, np.float32, np.float64, np.complex64)


def _steps(a: Any, b: Any) -> Any:
    def step(x: Any, _: Any) -> Any:
        return jnp.linalg.solve(a, x) * 0.5 + b, None

    return jax.lax.scan(step, b, None, 20)[0]


def _root(a: Any, b: Any) -> Any:
    values, vectors = jnp.linalg.eigh(a)
    return (vectors * jnp.sqrt(jnp.abs(values))[..., None, :]) @ vectors.conj().swapaxes(-1, -2)


def _triangular(a: Any, b: Any) -> Any:
    return jax.scipy.linalg.solve_triangular(a, b, lower=True)


KINDS: dict[str, Any] = {
    "solve": (jnp.linalg.solve, np.linalg.solve),
    "solve in a scan": (_steps, None),
    "inverse": (lambda a, b: jnp.linalg.inv(a), lambda a, b: np.linalg.inv(a)),
    "determinant": (lambda a, b: jnp.linalg.slogdet(a)[1], lambda a, b: np.linalg.slogdet(a)[1]),
    "cholesky": (lambda a, b: jnp.linalg.cholesky(a), lambda a, b: np.linalg.cholesky(a)),
    "cholesky solve": (lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), None),
    "qr": (lambda a, b: jnp.abs(jnp.linalg.qr(a)[1]), lambda a, b: np.linalg.qr(a)[1]),
    "eigenvalues": (lambda a, b: jnp.linalg.eigvalsh(a), lambda a, b: np.linalg.eigvalsh(a)),
    "function of a matrix": (_root, None),
    "singular values": (lambda a, b: jnp.linalg.svd(a, compute_uv=False), lambda a, b: scipy_values(a)),
    "triangular solve": (_triangular, None),
}


def scipy_values(a: np.ndarray) -> Any:
    return scipy.linalg.svdvals(a) if a.ndim == 2 else np.linalg.svd(a, compute_uv=False)


def linear_algebra(rng: Generator) -> Program:
    kind, dtype = one_of(rng, list(KINDS)), one_of(rng, TYPES)
    order = size(rng, 2, 512 if rng.random() < 0.3 else 48)
    batch = [size(rng, 2, 256)] if order <= 48 and rng.random() < 0.5 else []
    count = size(rng, 1, 16)
    a = array(rng, [*batch, order, order], dtype)
    a = (a @ a.conj().swapaxes(-1, -2) / order + 2 * np.eye(order)).astype(dtype)  # positive definite
    b = array(rng, [*batch, order, count], dtype)
    function, in_numpy = KINDS[kind]
    name = f"{kind} {by(a.shape)}, {count} {label(dtype)}"
    return Program(name, function, lambda: (a, b), in_numpy=in_numpy)
