"""Products of matrices and convolutions."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, COMPLEX, REAL, usual

SUMS = {"": 4, "bfloat16": 1, "float16": 1}
DOTS = (
    ((3, 5), (5, 4), ((1,), (0,)), ((), ())),
    ((2, 3, 5), (2, 5, 4), ((2,), (1,)), ((0,), (0,))),
    ((5, 3, 2), (2, 5, 4), ((2, 0), (0, 1)), ((), ())),
    ((3,), (4,), ((), ()), ((), ())),
    ((0, 5), (5, 2), ((1,), (0,)), ((), ())),
    ((3, 0), (0, 2), ((1,), (0,)), ((), ())),
    ((1, 7), (7, 1), ((1,), (0,)), ((), ())),
    ((2, 3, 1, 4), (3, 2, 4, 2), ((3,), (2,)), ((0, 1), (1, 0))),
)
CONVOLUTIONS = (
    ((1, 3, 6, 7), (4, 3, 2, 3), {"window_strides": (1, 1), "padding": "SAME"}),
    ((2, 4, 6, 7), (6, 2, 3, 2), {"window_strides": (2, 1), "padding": ((1, 2), (0, 1)), "feature_group_count": 2}),
    ((4, 3, 5, 5), (6, 3, 2, 2), {"window_strides": (1, 1), "padding": "VALID", "batch_group_count": 2}),
    ((1, 2, 4, 4), (3, 2, 2, 2), {"window_strides": (1, 1), "padding": ((2, 1), (1, 2)), "lhs_dilation": (2, 2)}),
    ((1, 2, 7, 7), (3, 2, 2, 2), {"window_strides": (1, 2), "padding": ((-1, 1), (0, 0)), "rhs_dilation": (3, 2)}),
    ((1, 2, 9), (3, 2, 4), {"window_strides": (2,), "padding": ((1, 1),)}),
    ((1, 1, 3, 4, 5), (2, 1, 2, 2, 3), {"window_strides": (1, 1, 1), "padding": "SAME"}),
)


def dots() -> tuple[Cell, ...]:
    types = [(name, *DOTS[0]) for name in ALL] + [(name, *DOTS[1]) for name in (*REAL, *COMPLEX, "int8", "int32")]
    shapes = [("float32", *dot) for dot in DOTS]
    return tuple(
        Cell(lambda x, y, d=(c, b): lax.dot_general(x, y, d), (usual(n, left), usual(n, right, 2)))
        for n, left, right, c, b in types + shapes
    )


def mixed() -> tuple[Cell, ...]:
    kinds = (
        ("int8", "int32"),
        ("bfloat16", "float32"),
        ("float16", "float32"),
        ("uint8", "int32"),
        ("int8", "float32"),
    )
    return tuple(
        Cell(
            lambda x, y, t=t: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=np.dtype(t)),
            (usual(n, (9, 17)), usual(n, (17, 5), 2)),
        )
        for n, t in kinds
    )


def convolutions() -> tuple[Cell, ...]:
    types = [(name, *CONVOLUTIONS[0]) for name in (*REAL, *COMPLEX, "int8", "int32", "uint8")]
    shapes = [("float32", *convolution) for convolution in CONVOLUTIONS]
    return tuple(
        Cell(lambda x, w, k=k: lax.conv_general_dilated(x, w, **k), (usual(n, x), usual(n, w, 2)))
        for n, x, w, k in types + shapes
    )


def ragged() -> tuple[Cell, ...]:
    sizes = np.array([3, 0, 4], np.int32)
    return tuple(
        Cell(lax.ragged_dot, (usual(name, (7, 5)), usual(name, (3, 5, 4), 2), sizes)) for name in ("float32", "float64")
    )


def scaled() -> tuple[Cell, ...]:
    arrays = (
        usual("float32", (3, 64)),
        usual("float32", (64, 4), 2),
        usual("float32", (3, 2), 3),
        usual("float32", (2, 4), 4),
    )
    lhs, rhs, left, right = (a.astype(np.float32) for a in arrays)
    return (Cell(lambda a, b, s, t: lax.scaled_dot(a, b, lhs_scale=s, rhs_scale=t), (lhs, rhs, left, right)),)


ROWS = [
    Row("dot_general", dots(), ulps=SUMS, scale=2),
    Row("dot_general", mixed(), ulps=SUMS, scale=2),
    Row("conv_general_dilated", convolutions(), ulps=SUMS, scale=3),
    Row("ragged_dot_general", ragged(), ulps=SUMS, scale=2),
]
