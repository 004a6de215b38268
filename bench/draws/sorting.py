"""Sorting and selection: all key types, payloads, single and many lines."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from bench.draws.sizes import Generator, array, by, label, one_of, size, sizes
from bench.programs.program import Program

TYPES = (np.float32, np.float32, np.int32, np.uint32, np.int8, np.int16, ml_dtypes.bfloat16, np.float64, np.int64)


def _keys(rng: Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Random over all of an integer type, or with many equal ones."""
    if np.dtype(dtype).kind not in "iu" or rng.random() < 0.3:
        return array(rng, shape, dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


def sorting(rng: Generator) -> Program:
    dtype, rank = one_of(rng, TYPES), int(one_of(rng, (1, 1, 2, 3)))
    shape = sizes(rng, rank, 64, 1 << 19)
    axis = int(rng.integers(rank)) if rng.random() < 0.3 else rank - 1
    keys, payload = _keys(rng, shape, dtype), array(rng, shape)
    kinds: dict[str, Any] = {
        "sort": (lambda x, p: jnp.sort(x, axis), lambda x, p: np.sort(x, axis)),
        "sort descending": (lambda x, p: jnp.sort(x, axis, descending=True), None),
        "argsort": (lambda x, p: jnp.argsort(x, axis), lambda x, p: np.argsort(x, axis, kind="stable")),
        "sort with payload": (lambda x, p: jax.lax.sort((x, p), dimension=axis, num_keys=1), None),
        "sort by two keys": (lambda x, p: jax.lax.sort((x, p), dimension=axis, num_keys=2), None),
    }
    kind = one_of(rng, [*kinds, "sort", "argsort"])
    function, in_numpy = kinds[kind]
    known = label(dtype) != "bfloat16"
    name = f"{kind} {by(shape)} axis {axis} {label(dtype)}"
    return Program(name, function, lambda: (keys, payload), in_numpy=in_numpy if known else None)


def selection(rng: Generator) -> Program:
    dtype = one_of(rng, (np.float32, np.float32, np.int32, ml_dtypes.bfloat16))
    shape = (size(rng, 1, 64), size(rng, 64, 1 << 14)) if rng.random() < 0.7 else (size(rng, 256, 1 << 18),)
    k = size(rng, 1, shape[-1] - 1)
    kinds: dict[str, Any] = {
        "top": (lambda x: jax.lax.top_k(x, k), lambda x: np.partition(x, shape[-1] - k, -1)),
        "smallest of": (lambda x: jnp.sort(x, -1)[..., :k], lambda x: np.partition(x, k - 1, -1)),
        "median": (lambda x: jnp.median(x.astype(np.float32), -1), lambda x: np.median(x, -1)),
    }
    kind = one_of(rng, ("top", "top", "smallest of", "median"))
    function, in_numpy = kinds[kind]
    x = _keys(rng, shape, dtype)
    known = label(dtype) != "bfloat16"
    return Program(
        f"{kind} {k} of {by(shape)} {label(dtype)}", function, lambda: (x,), in_numpy=in_numpy if known else None
    )
