"""`--linear-algebra [--dtype NAME] [--orders ORDERS]`: factorisations and solves of given orders, single, batched and in
loops, beside XLA; a table of ratios.

Results do not depend on signs that libraries choose, and are compared like those of draws (bench/draws/run.py)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.contenders import Hlo, Xla
from bench.draws.run import Drawn, measured
from bench.machine import processor_name
from bench.programs.program import Program

ORDERS = (2, 3, 5, 8, 16, 32, 64, 128, 300, 512)
"""Where --orders says no others."""

BATCHES = 16, 100
MOST_OF_BATCH = 128
"""The largest order of a batch: larger ones take seconds a turn, in LAPACK on both sides."""

STEPS, FEW_STEPS = 20, 3
"""Of loops; of orders above `MOST_OF_BATCH`, whose steps take long, the latter."""

PAUSE, OPENBLAS_THREADS = 0.15, 64
"""Seconds before a turn of orders above the latter on several threads: OpenBLAS's threads look for work for 2 ** 28
cycles after a call, on cores that the other side needs."""

Function = Callable[[jax.Array, jax.Array], tuple[jax.Array, ...]]

OPERATIONS: dict[str, Function] = {
    "cholesky": lambda a, b: (jnp.linalg.cholesky(a),),
    "lu": lambda a, b: jax.lax.linalg.lu(a)[:2],
    "qr": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.qr(a)),
    "eigh": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.eigh(a)),
    "svd": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.svd(a)),
    "eig": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.eig(_unsymmetric(a))),
    "eigvals": lambda a, b: (jnp.sort(jnp.abs(jnp.linalg.eigvals(_unsymmetric(a)))),),
    "triangular": lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, lower=True),),
    "solve": lambda a, b: (jnp.linalg.solve(a, b),),
    "inv": lambda a, b: (jnp.linalg.inv(a),),
    "det": lambda a, b: (jnp.linalg.det(a),),
    "lstsq": lambda a, b: (jnp.linalg.lstsq(a, b)[0] if a.ndim == 2 else jax.vmap(jnp.linalg.lstsq)(a, b)[0],),
    "pseudoinverse": lambda a, b: (jnp.linalg.pinv(a),),
    "slogdet": lambda a, b: tuple(jnp.linalg.slogdet(a)),
    "lu_solve": lambda a, b: (jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a), b),),
    "cho_solve": lambda a, b: (jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b),),
    "matrix_power": lambda a, b: (jnp.linalg.matrix_power(a, 5),),
    "expm": lambda a, b: (jax.scipy.linalg.expm(a),),
    "cholesky behind a matmul": lambda a, b: (jnp.linalg.cholesky(a @ a.mT.conj()),),
    "eigvalsh": lambda a, b: (jnp.linalg.eigvalsh(a),),
    "svdvals": lambda a, b: (jnp.linalg.svdvals(a),),
    "schur": lambda a, b: (jnp.abs(_each(jax.scipy.linalg.schur)(_unsymmetric(a))[0]),),
    "hessenberg": lambda a, b: (jnp.abs(_each(jax.scipy.linalg.hessenberg)(_unsymmetric(a))),),
    "tridiagonal": lambda a, b: tuple(jnp.abs(x) for x in jax.lax.linalg.tridiagonal(a, lower=True)[1:3]),
    "sqrtm": lambda a, b: (_each(jax.scipy.linalg.sqrtm)(a),),
    "polar": lambda a, b: (_each(jax.scipy.linalg.polar)(a)[0],),
    "sylvester": lambda a, b: (_each(jax.scipy.linalg.solve_sylvester)(a, a, a),),
    "lu_pivots": lambda a, b: (jax.lax.linalg.lu_pivots_to_permutation(jax.lax.linalg.lu(a)[1], a.shape[-1]),),
    "tridiagonal_solve": lambda a, b: (jax.lax.linalg.tridiagonal_solve(*_diagonals(a), b),),
    "eigh_tridiagonal": lambda a, b: (_each(_values_of_tridiagonal)(a),),
    "qr of tall": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.qr(a[..., : -(-a.shape[-1] // 4)])),
    "svd of tall": lambda a, b: tuple(
        jnp.abs(x) for x in jnp.linalg.svd(a[..., : -(-a.shape[-1] // 4)], full_matrices=False)
    ),
    "householder_product": lambda a, b: (jax.lax.linalg.householder_product(jnp.tril(a, -1) / 8, b[..., 0]),),
    "qr_multiply": lambda a, b: (jnp.abs(_each(jax.scipy.linalg.qr_multiply)(a, b.mT)[0]),),
    "triangular upper": lambda a, b: (jax.scipy.linalg.solve_triangular(a, b),),
    "triangular transposed": lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, trans=1, lower=True),),
    "triangular adjoint": lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, trans=2),),
    "triangular unit": lambda a, b: (jax.scipy.linalg.solve_triangular(a / 8, b, lower=True, unit_diagonal=True),),
    "triangular from the right": lambda a, b: (jax.lax.linalg.triangular_solve(a, b.mT, lower=True),),
    "triangular from the right, transposed": lambda a, b: (
        jax.lax.linalg.triangular_solve(a, b.mT, lower=True, transpose_a=True),
    ),
    "triangular of a vector": lambda a, b: (_each(jax.scipy.linalg.solve_triangular)(a, b[..., 0]),),
    "triangular of a matrix": lambda a, b: (jax.scipy.linalg.solve_triangular(a, a, lower=True),),
    "triangular of a matrix, from the right": lambda a, b: (jax.lax.linalg.triangular_solve(a, a, lower=True),),
    "one triangle for all": lambda a, b: (_of_one(jax.scipy.linalg.solve_triangular)(a, b),),
    "one matrix for all": lambda a, b: (_of_one(jnp.linalg.solve)(a, b),),
    "solve of a vector": lambda a, b: (_each(jnp.linalg.solve)(a, b[..., 0]),),
    "solve of a positive": lambda a, b: (jax.scipy.linalg.solve(a, b, assume_a="pos"),),
    "gaussian likelihood": lambda a, b: (_each(_likelihood)(a, b[..., 0]),),
    "gradient of cholesky": lambda a, b: (_gradient(jnp.linalg.cholesky, a),),
    "gradient of solve": lambda a, b: (_gradient(lambda a: jnp.linalg.solve(a, b), a),),
    "gradient of inv": lambda a, b: (_gradient(jnp.linalg.inv, a),),
    "gradient of slogdet": lambda a, b: (_gradient(lambda a: jnp.linalg.slogdet(a)[1], a),),
    "gradient of eigh": lambda a, b: (_gradient(lambda a: jnp.linalg.eigh(a)[0], a),),
    "gradient of svdvals": lambda a, b: (_gradient(jnp.linalg.svdvals, a),),
    "gradient of qr": lambda a, b: (_gradient(lambda a: jnp.linalg.qr(a)[1], a),),
    "gradient of a likelihood": lambda a, b: (_gradient(lambda a: _each(_likelihood)(a, b[..., 0]), a),),
    "norm of order 2": lambda a, b: (jnp.linalg.norm(a, 2, axis=(-2, -1)),),
    "cond": lambda a, b: (jnp.linalg.cond(a),),
    "matrix_rank": lambda a, b: (jnp.linalg.matrix_rank(a),),
}


def _each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of each matrix of a batch, where `function` takes one."""
    return lambda a, *others: (jax.vmap(function) if a.ndim > 2 else function)(a, *others)


def _of_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """The first matrix with all right sides."""
    return lambda a, b: jax.vmap(lambda one: function(a[0], one))(b) if a.ndim > 2 else function(a, b)


def _diagonals(a: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Of 4 on the diagonal, so that they are far from singular; from an array that a loop changes."""
    one = jnp.ones_like(a[..., 0])
    return a[..., 1].at[..., 0].set(0), 4 * one, a[..., 0].at[..., -1].set(0)


def _values_of_tridiagonal(a: jax.Array) -> jax.Array:
    return jax.scipy.linalg.eigh_tridiagonal(jnp.diagonal(a).real, jnp.diagonal(a, 1).real, eigvals_only=True)


def _likelihood(a: jax.Array, b: jax.Array) -> jax.Array:
    factor = jnp.linalg.cholesky(a)
    solved = jax.scipy.linalg.solve_triangular(factor, b, lower=True)
    return -0.5 * jnp.sum(jnp.abs(solved) ** 2) - jnp.sum(jnp.log(jnp.diagonal(factor).real))


def _gradient(function: Callable[[jax.Array], jax.Array], a: jax.Array) -> jax.Array:
    return jax.grad(lambda a: jnp.sum(jnp.abs(function(a)) ** 2))(a)


def _unsymmetric(a: jax.Array) -> jax.Array:
    return jnp.triu(a) - jnp.tril(a, -1)


def _in_a_loop(function: Function) -> Function:
    """Each step depends on the one before, so that none moves in front of the loop."""

    def looped(a: jax.Array, b: jax.Array) -> tuple[jax.Array, ...]:
        def step(_: jax.Array, state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            one = 1 + state[0].ravel()[0].real.astype(a.dtype) * 1e-9
            return function(a * one, b)

        steps = STEPS if a.shape[-1] <= MOST_OF_BATCH else FEW_STEPS
        return jax.lax.fori_loop(0, steps, step, function(a, b))

    return looped


def _matrix(order: int, batch: list[int], dtype: str) -> np.ndarray:
    """Hermitian, of eigenvalues between 1 and 2."""
    rng, sizes = np.random.default_rng(order), [*batch, order, order]
    full = rng.standard_normal(sizes)
    if np.dtype(dtype).kind == "c":
        full = full + 1j * rng.standard_normal(sizes)
    q = np.linalg.qr(full)[0]
    return np.ascontiguousarray((q * np.linspace(1, 2, order)) @ q.swapaxes(-1, -2).conj(), dtype)


def _programs(
    only: list[str] | None, dtype: str, orders: Sequence[int] = ORDERS
) -> Iterator[tuple[str, str, int, Program]]:
    """The operation, how it is called, the order, the program; of those whose name contains one of `only`, if there are any."""
    for operation, function in OPERATIONS.items():
        for form, batch in (("single", []), *((f"batch of {count}", [count]) for count in BATCHES), ("loop", [])):
            for order in orders:
                name = f"{operation} {form} {order}"
                if (batch and order > MOST_OF_BATCH) or (only and not any(o in name for o in only)):
                    continue
                called = _in_a_loop(function) if form == "loop" else function
                inputs = (_matrix(order, batch, dtype), np.ones([*batch, order, 4], dtype))
                yield operation, form, order, Program(name, called, lambda inputs=inputs: inputs)


def run(options: argparse.Namespace) -> int:
    print(f"{processor_name()}, {options.threads} threads, {options.dtype}: XLA's time over hlo's", flush=True)
    rounds, duration = (5, 0.01) if options.quick else (9, 0.03)
    orders: Sequence[int] = options.orders or ORDERS
    contenders, table, wrong = [Hlo(), Xla()], {}, 0
    for operation, form, order, program in _programs(options.only, options.dtype, orders):
        pause = PAUSE if options.threads > 1 and order > OPENBLAS_THREADS else 0.0
        drawn: Drawn = measured(operation, program, contenders, rounds, duration, pause)
        ratio = drawn.ratio("XLA")
        wrong += bool(drawn.wrong)
        table.setdefault((operation, form), {})[order] = "wrong" if drawn.wrong else f"{ratio:.2f}" if ratio else "–"
        times = " ".join(f"{name} {min(turns) * 1e3:.4g} ms" for name, turns in drawn.row.turns.items())
        print(program.name, drawn.wrong or f"{ratio or 0:.2f} ({times})", flush=True)
    print(f"\n| | {' | '.join(map(str, orders))} |\n|---|{'---:|' * len(orders)}")
    for (operation, form), cells in table.items():
        print(f"| {operation}, {form} | {' | '.join(cells.get(o, '') for o in orders)} |")
    return 1 if wrong else 0
