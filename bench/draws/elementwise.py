"""Elementwise programs: random DAGs of ops, real and complex."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.draws.sizes import COMPLEX, FLOATS, Generator, by, label, one_of, positive, sizes
from bench.draws.sizes import array as drawn_array
from bench.programs.program import Program

Op = Callable[..., Any]

CHEAP: dict[str, Op] = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "subtract": lambda x, y: x - y,
    "maximum": jnp.maximum,
    "select": lambda x, y: jnp.where(x > y, x, y * 0.5),
    "divide": lambda x, y: x / (1 + y * y),
    "sqrt": lambda x, y: jnp.sqrt(jnp.abs(x)),
}
COSTLY: dict[str, Op] = {
    "exp": lambda x, y: jnp.exp(-jnp.abs(x)),
    "log": lambda x, y: jnp.log1p(jnp.abs(x)),
    "tanh": lambda x, y: jnp.tanh(x),
    "sin": lambda x, y: jnp.sin(x),
    "cos": lambda x, y: jnp.cos(x + y),
    "erf": lambda x, y: jax.lax.erf(x),
    "logistic": lambda x, y: jax.nn.sigmoid(x),
    "power": lambda x, y: jnp.power(jnp.abs(x) + 0.5, 1.7),
    "atan2": jnp.arctan2,
}
COMPLEX_OPS: dict[str, Op] = {
    "add": lambda x, y: x + y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / (y + 3),
    "conj": lambda x, y: jnp.conj(x) * y,
    "abs": lambda x, y: y * jnp.abs(x),
    "exp": lambda x, y: jnp.exp(x * 0.1),
    "sqrt": lambda x, y: jnp.sqrt(x),
    "log": lambda x, y: jnp.log(x + 4),
    "real": lambda x, y: jax.lax.complex(jnp.real(x), jnp.imag(y)),
}


def elementwise(rng: Generator) -> Program:
    dtype = one_of(rng, FLOATS)
    shape = sizes(rng, int(rng.integers(1, 4)), 64, 1 << 21)
    names = [one_of(rng, list(one_of(rng, (CHEAP, CHEAP, COSTLY)))) for _ in range(int(rng.integers(1, 12)))]
    inputs = drawn_array(rng, shape, dtype), positive(rng, shape[-1:] if rng.random() < 0.3 else shape, dtype)
    return _dag(rng, names, {**CHEAP, **COSTLY}, inputs, f"{by(shape)} {label(dtype)}")


def complex_elementwise(rng: Generator) -> Program:
    dtype = one_of(rng, COMPLEX)
    shape = sizes(rng, int(rng.integers(1, 4)), 64, 1 << 19)
    names = [one_of(rng, list(COMPLEX_OPS)) for _ in range(int(rng.integers(1, 6)))]
    inputs = drawn_array(rng, shape, dtype), drawn_array(rng, shape, dtype)
    return _dag(rng, names, COMPLEX_OPS, inputs, f"{by(shape)} {label(dtype)}")


def _dag(rng: Generator, names: list[str], ops: dict[str, Op], inputs: tuple[np.ndarray, ...], what: str) -> Program:
    """Each op reads two of the values before it, the last one more often."""
    sources = [
        [int(rng.integers(n + 2)) if rng.random() < 0.4 else n + 1, int(rng.integers(n + 2))] for n in range(len(names))
    ]

    def function(*values: Any) -> Any:
        known = list(values)
        for name, (first, second) in zip(names, sources):
            known.append(ops[name](known[first], known[second]))
        return known[-1]

    return Program(f"{' '.join(names)} {what}", function, lambda: inputs)
