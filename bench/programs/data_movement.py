"""Programs that move, order or count data."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from bench.programs.program import Program, integers, normal


def _matrix():
    return (normal(4096, 1024),)


def _vector():
    return (normal(262144),)


def _scatter_add(x, places, updates):
    return x.at[places].add(updates)


def _rotate(x):
    return jnp.concatenate([jnp.pad(x[:, 512:], ((0, 0), (0, 8))), x[:, :512] * 2], axis=1)


def _complex():
    return ((normal(256, 4096) + 1j * normal(256, 4096, seed=1)).astype(np.complex64),)


PROGRAMS = [
    Program("transpose + 1 4096x1024", lambda x: x.T + 1, _matrix),
    Program("transpose 0213 8x128x8x64", lambda x: x.transpose(0, 2, 1, 3) * 2, lambda: (normal(8, 128, 8, 64),)),
    Program(
        "gather 8192 rows of 512",
        lambda x, i: x[i],
        lambda: (normal(16384, 512), integers(8192, low=0, high=16384)),
    ),
    Program(
        "scatter-add 8192 rows of 512",
        _scatter_add,
        lambda: (normal(16384, 512), integers(8192, low=0, high=16384), normal(8192, 512, seed=1)),
    ),
    Program("pad, slice, concatenate", _rotate, _matrix),
    Program("cumulative sum 4096x1024", lambda x: jnp.cumsum(x, axis=1), _matrix, operations=4096.0 * 1024),
    Program("reverse and add", lambda x: x[:, ::-1] + x, _matrix),
    Program("sort 262144", jnp.sort, _vector, operations=0, skip=("IREE",)),
    Program("argsort 262144", jnp.argsort, _vector, operations=0, skip=("IREE",)),
    Program("sort of rows 1024x256", lambda x: jnp.sort(x, axis=1), lambda: (normal(1024, 256),), operations=0),
    Program("top 8 of 1024x1024", lambda x: jax.lax.top_k(x, 8), lambda: (normal(1024, 1024),), operations=0),
    Program("fft 256x4096", jnp.fft.fft, _complex, operations=5.0 * 256 * 4096 * 12),
    Program(
        "random normal 1024x1024",
        lambda key: jax.random.normal(jax.random.wrap_key_data(key), (1024, 1024)),
        lambda: (np.array([1, 2], np.uint32),),
    ),
]
