"""Data movement: transposes, reversals, pads, slices, concatenations; gathers and scatters."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from bench.draws.sizes import Generator, array, by, label, one_of, size, sizes
from bench.programs.program import Program

TYPES = (np.float32, np.float32, np.int8, ml_dtypes.bfloat16, np.float64, np.complex64)


def movement(rng: Generator) -> Program:
    dtype, rank = one_of(rng, TYPES), int(rng.integers(1, 5))
    shape = sizes(rng, rank, 256, 1 << 21)
    order, axis = [int(d) for d in rng.permutation(rank)], int(rng.integers(rank))
    step = int(rng.integers(1, 4))
    low, high = (int(v) for v in rng.integers(0, 4, 2))
    kinds = {
        "transpose": lambda x: jnp.transpose(x, order),
        "reverse": lambda x: jnp.flip(x, axis),
        "pad": lambda x: jnp.pad(x, [(low, high)] * rank),
        "slice": lambda x: jax.lax.slice_in_dim(x, 0, None, step, axis),
        "concatenate": lambda x: jnp.concatenate([x, x + 1, jnp.flip(x, axis)], axis),
        "tile": lambda x: jnp.tile(x, [2] * rank),
        "roll": lambda x: jnp.roll(x, 3, axis),
        "transpose and add": lambda x: jnp.transpose(x, order) + 1,
        "reshape and transpose": lambda x: jnp.transpose(x.reshape(shape[0], -1)),
    }
    kind = one_of(rng, list(kinds))
    x = array(rng, shape, dtype)
    name = f"{kind} {by(shape)} order {order} axis {axis} step {step} {label(dtype)}"
    return Program(name, kinds[kind], lambda: (x,))


def indexing(rng: Generator) -> Program:
    rows, columns, count = size(rng, 16, 1 << 15), size(rng, 1, 512), size(rng, 1, 1 << 14)
    table, updates = array(rng, [rows, columns]), array(rng, [count, columns])
    where = rng.integers(0, rows, count).astype(np.int32)
    kinds: dict[str, Any] = {
        "take rows": (lambda t, u, i: t[i], lambda t, u, i: t[i]),
        "take columns": (lambda t, u, i: t[:64, i % columns], lambda t, u, i: t[:64, i % columns]),
        "scatter add": (lambda t, u, i: t.at[i].add(u), None),
        "scatter max": (lambda t, u, i: t.at[i].max(u), None),
        "segment sum": (lambda t, u, i: jax.ops.segment_sum(u, i, rows), None),
        "dynamic slice": (lambda t, u, i: jax.lax.dynamic_slice(t, (i[0], 0), (max(1, rows // 2), columns)), None),
        "one hot": (lambda t, u, i: jax.nn.one_hot(i % 64, 64), None),
    }
    kind = one_of(rng, list(kinds))
    function, in_numpy = kinds[kind]
    return Program(f"{kind} {rows}x{columns} by {count}", function, lambda: (table, updates, where), in_numpy=in_numpy)
