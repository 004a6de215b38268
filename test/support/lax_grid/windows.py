"""Windows: reductions with padding, strides and both dilations, and their gradients."""

from __future__ import annotations

import numpy as np
from jax import lax
from jax._src.lax import windowed_reductions

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, REAL, usual

WINDOWS = (
    ((2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    ((3, 2), (2, 1), ((1, 2), (0, 1)), (1, 1), (1, 1)),
    ((2, 2), (1, 2), ((1, 1), (2, 0)), (2, 1), (1, 2)),
    ((1, 5), (1, 1), ((0, 0), (4, 0)), (1, 1), (1, 1)),
)
FUNCTIONS = {
    "reduce_window_sum": (lax.add, 0),
    "reduce_window_max": (lax.max, -np.inf),
    "reduce_window_min": (lax.min, np.inf),
}


def windows(name: str) -> tuple[Cell, ...]:
    primitive = getattr(windowed_reductions, f"{name}_p")

    def call(x, window):
        size, strides, padding, base, dilation = window
        return primitive.bind(
            x,
            window_dimensions=size,
            window_strides=strides,
            padding=padding,
            base_dilation=base,
            window_dilation=dilation,
        )

    types = [(usual(t, (6, 7)), w) for t in ALL for w in WINDOWS[1:3]]
    shapes = [(usual("float32", (6, 7)), w) for w in WINDOWS] + [(usual("float32", (0, 7)), WINDOWS[3])]
    return tuple(Cell(lambda x, w=w: call(x, w), (x,)) for x, w in types + shapes)


def any_window() -> tuple[Cell, ...]:
    def call(x, first):
        return lax.reduce_window(x, first, lambda a, b: a + b + a * b, (2, 2), (1, 1), ((1, 0), (0, 1)))

    def two(x, y):
        body = lambda a, b: (lax.add(a[0], b[0]), lax.max(a[1], b[1]))
        return lax.reduce_window((x, y), (np.float32(0), np.int32(-9)), body, (2, 3), (2, 1), "SAME")

    several = Cell(two, (usual("float32", (5, 6)), usual("int32", (5, 6))))
    return (
        *(Cell(call, (usual(t, (3, 4)), np.zeros((), t))) for t in ("int8", "int32", "uint16", "float32", "float64")),
        several,
    )


def selected(select) -> tuple[Cell, ...]:
    def call(x, source):
        return windowed_reductions._select_and_scatter_add(source, x, select, (2, 3), (1, 2), ((0, 1), (1, 1)))

    return tuple(Cell(call, (usual(t, (5, 6)), usual(t, (5, 3), 2))) for t in (*REAL, "int32", "uint8"))


def scattered() -> tuple[Cell, ...]:
    def call(x, source, first):
        return windowed_reductions._select_and_scatter(
            x, lax.ge, (2, 2), (2, 2), ((0, 0), (0, 0)), source, first, lax.mul
        )

    return tuple(Cell(call, (usual(t, (4, 6)), usual(t, (2, 3), 2), usual(t, ()))) for t in ("float32", "int32"))


def gathered() -> tuple[Cell, ...]:
    def call(x, y, select):
        return windowed_reductions._select_and_gather_add(
            x, y, select, (2, 3), (1, 2), ((0, 1), (1, 1)), (1, 1), (1, 1)
        )

    return tuple(
        Cell(lambda x, y, s=s: call(x, y, s), (usual(t, (5, 6)), usual(t, (5, 6), 2)))
        for s in (lax.ge_p, lax.le_p)
        for t in ("float32", "bfloat16", "float16")
    )


ROWS = [
    *(Row(name, windows(name), ulps={"": 4, "bfloat16": 1, "float16": 1}, scale=2) for name in FUNCTIONS),
    Row("reduce_window", any_window(), ulps=3, scale=2),
    Row("select_and_scatter_add", selected(lax.ge_p), ulps=2, scale=2),
    Row("select_and_scatter_add", selected(lax.le_p), ulps=2, scale=2),
    Row("select_and_scatter", scattered(), ulps=2),
    Row("select_and_gather_add", gathered(), ulps=1),
]
