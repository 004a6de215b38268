"""Loops, branches, functions with rules of their own."""

from __future__ import annotations

import jax
import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, COMPLEX, usual

TYPES = ("bool", "int8", "uint64", "bfloat16", "float32", "float64", "complex64")


def over(function, types=ALL, shape=(3, 5)) -> tuple[Cell, ...]:
    return tuple(Cell(function, (usual(name, shape),)) for name in types)


def loop(x):
    return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, lax.select(s[1] == s[1], s[1] * s[1], s[1])), (0, x))


def scan(x):
    return lax.scan(lambda c, r: (c * r, c + r), x[0], x, reverse=True)


def branch(x):
    return lax.cond(abs(x[0, 0]) == 0, lambda v: v * v, lambda v: v + v, x)


def choose(x):
    return [
        lax.switch(
            np.int32(i) + lax.convert_element_type(abs(x[0, 0]) * 0, np.int32),
            [lambda v: v, lambda v: v * v, lambda v: v + v],
            x,
        )
        for i in (-1, 1, 7)
    ]


def linear_solve(x):
    return lax.custom_linear_solve(lambda v: v * 2, x, lambda matvec, b: b / 2, symmetric=True)


@jax.custom_jvp
def with_tangent(x):
    return x * x


with_tangent.defjvp(lambda p, t: (p[0] * p[0], t[0]))


@jax.custom_vjp
def with_cotangent(x):
    return x + x


with_cotangent.defvjp(lambda x: (x + x, None), lambda _, g: (g,))


@jax.custom_batching.custom_vmap
def with_batching(x):
    return x + x


@with_batching.def_vmap
def _(size, is_batched, x):
    return x + x, is_batched[0]


def composite(x):
    return lax.composite(lambda v: v * v, "test.square")(x)


def platform(x):
    return lax.platform_dependent(x, cpu=lambda v: v + v, default=lambda v: v * v)


ROWS = [
    Row("while", over(loop, TYPES), ulps=8),
    Row("scan", over(scan), ulps=2),
    Row("cond", over(branch), ulps=2),
    Row("cond", over(choose, TYPES), ulps=2),
    Row("custom_linear_solve", over(linear_solve, ("float32", "float64", *COMPLEX)), ulps=2),
    Row("custom_jvp_call", over(with_tangent, TYPES), ulps=1),
    Row("custom_vjp_call", over(with_cotangent, TYPES), ulps=1),
    Row("composite", over(composite, TYPES), ulps=1),
    Row("platform_index", over(platform, TYPES), ulps=1),
    Row("jit", over(jax.jit(lambda x: x + x), TYPES), ulps=1),
    Row("remat2", over(jax.checkpoint(lambda x: x * x), TYPES), ulps=1),
    Row("custom_vmap_call", over(with_batching, TYPES), ulps=1),
]
