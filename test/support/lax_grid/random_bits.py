"""Random bits: exactly JAX's."""

from __future__ import annotations

import jax
import numpy as np
from jax import lax
from jax._src.random import threefry2x32

from lax_grid.rows import Cell, Row

KEY = np.array([1, 0xDEADBEEF], np.uint32)
LONG_KEY = np.array([1, 2, 3, 0xDEADBEEF], np.uint32)


def drawn(function) -> tuple[Cell, ...]:
    return (Cell(lambda k: function(jax.random.wrap_key_data(k)), (KEY,)),)


def bits(key):
    return [
        jax.random.bits(key, shape, t)
        for shape in ((), (7,), (3, 5), (0,))
        for t in ("uint8", "uint16", "uint32", "uint64")
    ]


def generated() -> tuple[Cell, ...]:
    shapes = [((5,), np.uint32), ((3, 3), np.uint64), ((2, 7), np.uint8), ((), np.uint16)]
    algorithms = (lax.RandomAlgorithm.RNG_DEFAULT, lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX)
    return tuple(
        Cell(lambda k, s=s, t=t, a=a: lax.rng_bit_generator(k, s, t, a), (LONG_KEY,))
        for s, t in shapes
        for a in algorithms
    )


def threefry(a, b, c, d):
    return threefry2x32.threefry2x32_p.bind(a, b, c, d)


COUNTS = np.arange(9, dtype=np.uint32)
ROWS = [
    Row("random_bits", drawn(bits), ulps=0),
    Row("random_split", drawn(lambda k: jax.random.key_data(jax.random.split(k, 5))), ulps=0),
    Row("random_fold_in", drawn(lambda k: jax.random.key_data(jax.random.fold_in(k, 7))), ulps=0),
    Row("random_seed", (Cell(lambda s: jax.random.key_data(jax.random.key(s)), (np.int32(-7),)),), ulps=0),
    Row("random_wrap", drawn(jax.random.key_data), ulps=0),
    Row("random_unwrap", drawn(jax.random.key_data), ulps=0),
    Row("random_clone", drawn(lambda k: jax.random.key_data(jax.random.clone(k))), ulps=0),
    Row("random_gamma", drawn(lambda k: jax.random.gamma(k, 2.5, (4,), np.float32)), ulps=16),
    Row("threefry2x32", (Cell(threefry, (np.uint32(3), np.uint32(9), COUNTS, COUNTS[::-1].copy())),), ulps=0),
    Row("rng_bit_generator", generated(), ulps=0),
]
