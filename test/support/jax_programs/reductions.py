"""Reductions and cumulative functions."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .arrays import booleans, integers, normal, positive

FLOATS = (jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.prod, jnp.var, jnp.std, jnp.argmax, jnp.argmin, jnp.nanmean, jnp.nansum,
          jax.scipy.special.logsumexp, jnp.ptp, jnp.median, jnp.count_nonzero, jnp.linalg.norm)  # fmt: skip
INTEGERS = (jnp.sum, jnp.prod, jnp.max, jnp.min, jnp.argmax, jnp.argmin, jnp.any, jnp.all, jnp.count_nonzero)
CUMULATIVE = (jnp.cumsum, jnp.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp)


def over(functions, *axes):
    return lambda x: [f(x, axis=a) for f in functions for a in axes]


def gradients(x):
    functions = (jnp.prod, jnp.max, jnp.var, jax.scipy.special.logsumexp, lambda v: jnp.sum(jnp.cumsum(v, 1) ** 2),
                 lambda v: jnp.sum(jnp.cumprod(v, 0)), jnp.median, lambda v: jnp.sum(lax.cummax(v, 1)))  # fmt: skip
    return [jax.grad(f)(x) for f in functions]


def wide_reduce(x, y):
    def both(a, b):
        larger = a[0] >= b[0]
        return jnp.where(larger, a[0], b[0]), jnp.where(larger, a[1], b[1])

    return lax.reduce((x, y), (jnp.float32(-jnp.inf), jnp.int32(0)), both, (1,))


PROGRAMS = [
    ("float_0_1", over(FLOATS, 0, 1), (normal(7, 5),), 1e-4),
    ("float_odd_ranks", over(FLOATS, 2), (normal(2, 3, 17, 4),), 1e-4),
    (
        "float_tuple",
        lambda x: [f(x, axis=(0, 2)) for f in (jnp.sum, jnp.max, jnp.var, jnp.any, jnp.all)],
        (normal(4, 9, 5),),
        1e-4,
    ),
    ("float_all", lambda x: [f(x) for f in FLOATS if f is not jnp.linalg.norm], (normal(5, 6),), 1e-4),
    ("rank_6", lambda x: (x.sum((1, 3, 5)), x.max((0, 2)), x.mean(4), x.argmax(2)), (normal(2, 3, 2, 4, 3, 5),), 1e-4),
    ("int32", over(INTEGERS, 0, 1), (integers(6, 9, low=-5, high=5),)),
    ("int8", over(INTEGERS, 0, 1), (integers(6, 9, low=-5, high=5, dtype=np.int8),)),
    ("uint8", over(INTEGERS, 0, 1), (integers(6, 9, dtype=np.uint8),)),
    ("bool", over((jnp.any, jnp.all, jnp.sum, jnp.argmax, jnp.max), 0, 1), (booleans(6, 9),)),
    ("complex", over((jnp.sum, jnp.mean, jnp.prod, jnp.cumsum), 0, 1), (normal(4, 5, dtype=np.complex64),), 1e-4),
    ("half", lambda x: (x.sum(1), x.max(0), x.mean(0)), (normal(9, 33, dtype=np.float16),), 1e-2),
    ("cumulative", over(CUMULATIVE, 0, 1, 2), (positive(5, 7, 3),), 1e-4),
    ("cumulative_reverse", lambda x: [f(x, axis=1, reverse=True) for f in CUMULATIVE[2:]], (positive(5, 40),), 1e-4),
    ("cumulative_int", over(CUMULATIVE[:3], 0, 1), (integers(5, 70, low=-2, high=3),)),
    ("cumulative_long", lambda x: jnp.cumsum(x), (normal(5000),), 1e-4),
    ("gradients", gradients, (positive(4, 6),), 1e-4),
    ("wide_reduce", wide_reduce, (normal(5, 8), integers(5, 8))),
    (
        "nan",
        lambda x: [
            f(x, axis=1)
            for f in (jnp.max, jnp.min, jnp.argmax, jnp.argmin, jnp.nanmax, jnp.nanmin, jnp.nanstd, jnp.nanargmax)
        ],
        (np.where(np.eye(4, 7), np.nan, normal(4, 7)).astype(np.float32),),
        1e-4,
    ),
    ("large", lambda x: (x.sum(0), x.sum(1), x.max(), x.mean((0, 1)), jnp.argmax(x, 1)), (normal(1030, 517),), 1e-4),
    (
        "zero",
        lambda x: (x.sum(0), x.sum(1), x.prod(), jnp.any(x, 0), jnp.cumsum(x, 1), x.max(1, initial=0)),
        (normal(0, 4),),
    ),
    ("scalar", lambda x: (jnp.sum(x), jnp.max(x), jnp.mean(x), jnp.var(x)), (np.float32(3),)),
    (
        "windows",
        lambda x: [
            lax.reduce_window(x, i, f, (2, 3), (1, 2), "SAME")
            for i, f in ((0.0, lax.add), (-jnp.inf, lax.max), (jnp.inf, lax.min), (1.0, lax.mul))
        ],
        (normal(9, 11),),
        1e-4,
    ),
    (
        "window_dilated",
        lambda x: lax.reduce_window(
            x, 0.0, lax.add, (2, 2), (1, 1), "VALID", base_dilation=(2, 1), window_dilation=(1, 3)
        ),
        (normal(6, 9),),
        1e-4,
    ),
    ("window_int", lambda x: lax.reduce_window(x, np.int32(0), lax.add, (3,), (1,), "SAME"), (integers(19),)),
]
