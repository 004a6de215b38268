"""Functions of rows (softmax, norms) and reductions."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from bench.draws.sizes import FLOATS, Generator, array, by, label, one_of, sizes
from bench.programs.program import Program


def _layer_norm(x: Any, axis: int) -> Any:
    mean = x.mean(axis, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(axis, keepdims=True) + 1e-5)


def _causal_softmax(x: Any, axis: int) -> Any:
    """Each row up to its number in the dimension before; masked as attention does it."""
    before = (axis - 1) % x.ndim
    seen = jax.lax.broadcasted_iota(np.int32, x.shape, axis % x.ndim) <= jax.lax.broadcasted_iota(
        np.int32, x.shape, before
    )
    return jax.nn.softmax(jnp.where(seen, x, jnp.finfo(x.dtype).min), axis)


ROWS = {
    "softmax": lambda x, axis: jax.nn.softmax(x, axis),
    "causal softmax": _causal_softmax,
    "log softmax": lambda x, axis: jax.nn.log_softmax(x, axis),
    "layer norm": _layer_norm,
    "rms norm": lambda x, axis: x * jax.lax.rsqrt((x * x).mean(axis, keepdims=True) + 1e-5),
    "l2 norm": lambda x, axis: x / (jnp.sqrt((x * x).sum(axis, keepdims=True)) + 1),
    "less the largest": lambda x, axis: x - x.max(axis, keepdims=True),
    "logsumexp": lambda x, axis: jax.nn.logsumexp(x, axis),
}

REDUCTIONS = {
    "sum": (jnp.sum, np.sum),
    "max": (jnp.max, np.max),
    "mean": (jnp.mean, np.mean),
    "argmax": (jnp.argmax, np.argmax),
    "argmin": (jnp.argmin, np.argmin),
    "variance": (jnp.var, np.var),
    "any": (lambda x, axis: jnp.any(x > 2, axis), lambda x, axis: np.any(x > 2, axis)),
    "sum of squares": (lambda x, axis: (x * x).sum(axis), lambda x, axis: (x * x).sum(axis)),
}


def row_function(rng: Generator) -> Program:
    kind, dtype = one_of(rng, list(ROWS)), one_of(rng, FLOATS)
    shape = sizes(rng, int(rng.integers(1, 4)), 256, 1 << 22)
    axis = int(one_of(rng, (-1, -1, -1, 0)))
    x = array(rng, shape, dtype)
    return Program(f"{kind} {by(shape)} axis {axis} {label(dtype)}", lambda x: ROWS[kind](x, axis), lambda: (x,))


def reduction(rng: Generator) -> Program:
    kind, dtype = one_of(rng, list(REDUCTIONS)), one_of(rng, (*FLOATS, np.int32))
    if np.dtype(dtype).kind == "i" and kind in ("mean", "variance"):
        kind = "sum"
    shape = sizes(rng, int(rng.integers(1, 5)), 256, 1 << 22)
    axis = int(rng.integers(len(shape)))
    x = array(rng, shape, dtype)
    function, in_numpy = REDUCTIONS[kind]
    known = label(dtype) in ("float32", "float64", "int32")
    name = f"{kind} {by(shape)} axis {axis} {label(dtype)}"
    reference = (lambda x: in_numpy(x, axis=axis)) if known else None
    return Program(name, lambda x: function(x, axis=axis), lambda: (x,), in_numpy=reference)
