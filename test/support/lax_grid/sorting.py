"""Sorting, the largest elements."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, COMPLEX, INTEGERS, REAL, normal, usual


def sorts() -> tuple[Cell, ...]:
    types = [Cell(lambda x: lax.sort(x, is_stable=True), (normal(name),)) for name in ALL if name not in COMPLEX]
    numbers = [Cell(lambda x: lax.sort(x, dimension=0), (usual(name, (7, 3)),)) for name in COMPLEX]
    shapes = [
        Cell(lambda x, d=d: lax.sort(x, dimension=d), (usual("float32", s),))
        for s, d in (((0,), 0), ((1,), 0), ((33, 2), 0), ((2, 3, 5), 1), ((2, 300), 1))
    ]
    return tuple(types + numbers + shapes)


def several() -> tuple[Cell, ...]:
    keys = [(name, keys) for name in ("int8", "float32", "uint64", "bfloat16", "bool") for keys in (1, 2)]
    return tuple(
        Cell(
            lambda a, b, c, k=k: lax.sort((a, b, c), num_keys=k, dimension=1),
            (usual(n, (3, 40)), usual("int32", (3, 40), 2), usual("float64", (3, 40), 3)),
        )
        for n, k in keys
    )


def largest(function) -> tuple[Cell, ...]:
    types = [
        Cell(lambda x: function(x, 5), (np.unique(normal(name)[~np.isnan(normal(name))]),))
        for name in (*INTEGERS[1:5], *INTEGERS[6:], *REAL)
    ]
    shapes = [Cell(lambda x, k=k: function(x, k), (usual("float32", (3, 40)),)) for k in (0, 1, 7, 40)]
    return tuple(types + shapes)


ROWS = [
    Row("sort", sorts(), ulps=0),
    Row("sort", several(), ulps=0),
    Row("top_k", largest(lax.top_k), ulps=0),
    Row("approx_top_k", largest(lambda x, k: lax.approx_max_k(x, max(k, 1), recall_target=1.0)), ulps=0),
    Row("approx_top_k", largest(lambda x, k: lax.approx_min_k(x, max(k, 1), recall_target=1.0)), ulps=0),
]
