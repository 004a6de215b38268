"""Reductions and running reductions along every kind of dimension."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, INTEGERS, REAL, special, usual

AXES = (
    ((3, 5), (0,)),
    ((3, 5), (1,)),
    ((3, 5), (0, 1)),
    ((2, 3, 4, 1, 5), (0, 2, 4)),
    ((0, 4), (0,)),
    ((4, 0), (0,)),
    ((), ()),
)
ROUNDING = {"": 6, "bfloat16": 1, "float16": 1}
FUNCTIONS = {
    "reduce_and": lambda x, axes: lax.reduce_and(x, axes),
    "reduce_or": lambda x, axes: lax.reduce_or(x, axes),
    "reduce_xor": lambda x, axes: lax.reduce_xor(x, axes),
    "reduce_max": lambda x, axes: lax.reduce_max(x, axes),
    "reduce_min": lambda x, axes: lax.reduce_min(x, axes),
    "reduce_prod": lambda x, axes: lax.reduce_prod(x, axes),
    "reduce_sum": lambda x, axes: lax.reduce_sum(x, axes),
}
RUNNING = {
    "cumsum": lax.cumsum,
    "cumprod": lax.cumprod,
    "cummax": lax.cummax,
    "cummin": lax.cummin,
    "cumlogsumexp": lax.cumlogsumexp,
}


def reduced(function) -> tuple[Cell, ...]:
    """Every type along one dimension, floats and booleans over all shapes."""
    types = [(name, (3, 5), (i % 2,)) for i, name in enumerate(ALL)]
    shapes = [(name, shape, axes) for name in ("float32", "bool") for shape, axes in AXES]
    return tuple(Cell(lambda x, a=axes: function(x, a), (usual(n, shape),)) for n, shape, axes in types + shapes)


def running(function, kinds=ALL) -> tuple[Cell, ...]:
    """Every type along one dimension, forwards or backwards; f32 both ways and over all shapes."""
    ways = [(name, (4, 6), i % 2, i % 2 == 1) for i, name in enumerate(kinds)]
    both = [("float32", (4, 6), axis, reverse) for axis, reverse in ((0, False), (1, True))]
    shapes = [*both, *(("float32", shape, 0, False) for shape in ((33,), (1,), (0,), (2, 3, 2, 1, 2)))]
    return tuple(Cell(lambda x, a=a, r=r: function(x, a, r), (usual(n, s),)) for n, s, a, r in ways + shapes)


def arguments(function) -> tuple[Cell, ...]:
    types = [(special(name), 0, np.int32) for name in (*INTEGERS, *REAL)]
    shapes = [(usual("float32", (4, 7)), axis, index) for axis in (0, 1) for index in (np.int8, np.int64, np.uint32)]
    return tuple(Cell(lambda x, a=a, t=t: function(x, a, t), (x,)) for x, a, t in types + shapes)


def several() -> tuple[Cell, ...]:
    def both(x, y, p, q):
        return lax.reduce((x, y), (p, q), lambda a, b: (a[0] + b[0], lax.max(a[1], b[1])), (1,))

    kinds = [(name, other) for name in ("float32", "int32", "uint8") for other in ("int8", "float32")]
    return tuple(Cell(both, (usual(a), usual(b), usual(a, ()), usual(b, ()))) for a, b in kinds)


ROWS = [
    *(Row(name, reduced(f), ulps=ROUNDING, scale=2) for name, f in FUNCTIONS.items()),
    *(
        Row(
            name,
            running(f, REAL if name == "cumlogsumexp" else ALL),
            ulps={"": 8, "bfloat16": 3, "float16": 3},
            scale=3,
        )
        for name, f in RUNNING.items()
    ),
    Row("argmax", arguments(lax.argmax)),
    Row("argmin", arguments(lax.argmin)),
    Row("reduce", several(), ulps=2, scale=1),
]
