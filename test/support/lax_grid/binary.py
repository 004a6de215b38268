"""Elementwise primitives of two and three operands: every special value with every other one."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.unary import ROUNDED, TWO
from lax_grid.values import ALL, COMPLEX, FEW_SHAPES, INTEGERS, REAL, normal, pairs, usual

LOGARITHMS = {"complex64": 64, "complex128": 64}
"""The angle of a complex power is a product with a logarithm: its rounding is that of a number of some tens."""

FUNCTIONS = {
    "add": (lax.add, ROUNDED),
    "and": (lax.bitwise_and, 0),
    "atan2": (lax.atan2, TWO),
    "complex": (lax.complex, ROUNDED),
    "div": (lax.div, ROUNDED | {"complex64": 4, "complex128": 4}),
    "eq": (lax.eq, 0),
    "eq_to": (lax.eq_to_p.bind, 0),
    "ge": (lax.ge, 0),
    "gt": (lax.gt, 0),
    "le": (lax.le, 0),
    "le_to": (lax.le_to_p.bind, 0),
    "lt": (lax.lt, 0),
    "lt_to": (lax.lt_to_p.bind, 0),
    "max": (lax.max, ROUNDED),
    "min": (lax.min, ROUNDED),
    "mul": (lax.mul, ROUNDED | {"complex64": 2, "complex128": 2}),
    "mulhi": (lax.mulhi, 0),
    "ne": (lax.ne, 0),
    "or": (lax.bitwise_or, 0),
    "pow": (lax.pow, TWO | LOGARITHMS),
    "rem": (lax.rem, ROUNDED),
    "shift_left": (lax.shift_left, 0),
    "shift_right_arithmetic": (lax.shift_right_arithmetic, 0),
    "shift_right_logical": (lax.shift_right_logical, 0),
    "sub": (lax.sub, ROUNDED),
    "xor": (lax.bitwise_xor, 0),
}
NARROW = {"eq_to", "le_to", "lt_to"}
"""Depend on the element type: compared with JAX in that type."""

UNSUPPORTED = {
    "mulhi": ("int4", "uint4"),
    **dict.fromkeys(("eq_to", "le_to", "lt_to"), COMPLEX),
    "atan2": COMPLEX,
    "pow": COMPLEX,
}
"""mulhi of four bits and nextafter of eight (not in its row) are compile errors of hlo. JAX writes a total order of complex numbers, which the specification does not
allow (compare, C3). Complex atan2 and pow are in rows of their own: their special values are open."""


def arguments(without: tuple[str, ...] = ()) -> list[tuple[np.ndarray, np.ndarray]]:
    shapes = [(usual("float32", shape), usual("float32", shape, 2)) for shape in FEW_SHAPES]
    return [pairs(name) for name in ALL if name not in without] + shapes


def neighbours() -> tuple[Cell, ...]:
    """Without subnormal operands, which XLA takes as zero."""
    grids = [np.meshgrid(normal(name), normal(name)) for name in REAL]
    return tuple(Cell(lax.nextafter, tuple(g.ravel() for g in grid)) for grid in grids)


def powers_of_integers() -> tuple[Cell, ...]:
    exponents = [
        (pairs(name)[0], np.abs(usual("int32", pairs(name)[0].shape))) for name in (*REAL, *COMPLEX, *INTEGERS)
    ]
    return tuple(Cell(lax.pow, a) for a in exponents)


def clamped() -> tuple[Cell, ...]:
    vectors = [(pairs(name)[0], pairs(name)[1], pairs(name)[0][::-1].copy()) for name in ALL]
    scalars = [(np.float32(-0.5), usual("float32"), np.float32(0.7)), (np.int8(-3), usual("int8"), np.int8(4))]
    return tuple(Cell(lax.clamp, a) for a in vectors + scalars)


def selections() -> tuple[Cell, ...]:
    two = [(usual("bool", pairs(name)[0].shape), *pairs(name)) for name in ALL]
    three = [(np.array([0, 2, 1, 1], np.int32), *(usual(name, (4,), seed) for seed in (1, 2, 3))) for name in ALL]
    scalar = [(np.bool_(True), usual("float32"), usual("float32", seed=2))]
    return tuple(Cell(lax.select_n, a) for a in two + three + scalar)


ROWS = [
    *(
        Row(name, tuple(Cell(f, a) for a in arguments(UNSUPPORTED.get(name, ()))), ulps=ulps, wide=name not in NARROW)
        for name, (f, ulps) in FUNCTIONS.items()
    ),
    Row("pow", powers_of_integers(), ulps={"": 4} | LOGARITHMS, wide=True),
    Row("atan2", tuple(Cell(lax.atan2, (usual(n), usual(n, seed=2))) for n in COMPLEX), ulps=32, wide=True),
    Row("pow", tuple(Cell(lax.pow, (usual(n), usual(n, seed=2))) for n in COMPLEX), ulps=32, wide=True),
    Row("nextafter", neighbours(), ulps=0),
    Row("clamp", clamped(), ulps=0, wide=True),
    Row("select_n", selections(), ulps=0),
]
