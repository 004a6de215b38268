"""`--linear-algebra`: factorisations and solves of given orders, single, batched and in loops, beside XLA; a table of ratios.

Results do not depend on signs that libraries choose, and are compared like those of draws (bench/draws/run.py)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np

from bench.contenders import Hlo, Xla
from bench.draws.run import Drawn, measured
from bench.machine import processor_name
from bench.programs.program import Program

ORDERS = (2, 3, 5, 8, 16, 32, 64, 128, 300, 512)
BATCH, STEPS = 100, 20
MOST_OF_BATCH = 128
"""The largest order of a batch: larger ones take seconds a turn, in LAPACK on both sides."""

Function = Callable[[jax.Array, jax.Array], tuple[jax.Array, ...]]

OPERATIONS: dict[str, Function] = {
    "cholesky": lambda a, b: (jnp.linalg.cholesky(a),),
    "lu": lambda a, b: jax.lax.linalg.lu(a)[:2],
    "qr": lambda a, b: tuple(jnp.abs(x) for x in jnp.linalg.qr(a)),
    "eigh": lambda a, b: (jnp.linalg.eigh(a)[0], jnp.abs(jnp.linalg.eigh(a)[1])),
    "svd": lambda a, b: (jnp.abs(jnp.linalg.svd(a)[0]), jnp.linalg.svd(a)[1]),
    "triangular": lambda a, b: (jax.scipy.linalg.solve_triangular(a, b, lower=True),),
    "solve": lambda a, b: (jnp.linalg.solve(a, b),),
    "inv": lambda a, b: (jnp.linalg.inv(a),),
    "det": lambda a, b: (jnp.linalg.det(a),),
    "cholesky behind a matmul": lambda a, b: (jnp.linalg.cholesky(a @ a.mT),),
}


def _in_a_loop(function: Function) -> Function:
    """Each step depends on the one before, so that none moves in front of the loop."""

    def looped(a: jax.Array, b: jax.Array) -> tuple[jax.Array, ...]:
        def step(_: jax.Array, state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            one = 1 + state[0].ravel()[0].astype(a.dtype) * 1e-9
            return function(a * one, b)

        return jax.lax.fori_loop(0, STEPS, step, function(a, b))

    return looped


def _matrix(order: int, batch: list[int]) -> np.ndarray:
    """Symmetric, of eigenvalues between 1 and 2."""
    rng = np.random.default_rng(order)
    q = np.linalg.qr(rng.standard_normal([*batch, order, order]))[0]
    return np.ascontiguousarray((q * np.linspace(1, 2, order)) @ q.swapaxes(-1, -2), np.float32)


def _programs(only: list[str]) -> Iterator[tuple[str, str, int, Program]]:
    """The operation, how it is called, the order, the program; of those whose name contains one of `only`, if there are any."""
    for operation, function in OPERATIONS.items():
        for form, batch in (("single", []), ("batch", [BATCH]), ("loop", [])):
            for order in ORDERS:
                name = f"{operation} {form} {order}"
                if (form == "batch" and order > MOST_OF_BATCH) or (only and not any(o in name for o in only)):
                    continue
                called = _in_a_loop(function) if form == "loop" else function
                inputs = (_matrix(order, batch), np.ones([*batch, order, 4], np.float32))
                yield operation, form, order, Program(name, called, lambda inputs=inputs: inputs)


def run(options: argparse.Namespace) -> int:
    print(f"{processor_name()}, {options.threads} threads: XLA's time over hlo's", flush=True)
    rounds, duration = (5, 0.01) if options.quick else (9, 0.03)
    contenders, table, wrong = [Hlo(), Xla()], {}, 0
    for operation, form, order, program in _programs(options.only):
        drawn: Drawn = measured(operation, program, contenders, rounds, duration)
        ratio = drawn.ratio("XLA")
        wrong += bool(drawn.wrong)
        table.setdefault((operation, form), {})[order] = "wrong" if drawn.wrong else f"{ratio:.2f}" if ratio else "–"
        times = " ".join(f"{name} {min(turns) * 1e3:.4g} ms" for name, turns in drawn.row.turns.items())
        print(program.name, drawn.wrong or times, flush=True)
    print(f"\n| | {' | '.join(map(str, ORDERS))} |\n|---|{'---:|' * len(ORDERS)}")
    for (operation, form), cells in table.items():
        print(f"| {operation}, {form} | {' | '.join(cells.get(o, '') for o in ORDERS)} |")
    return 1 if wrong else 0
