"""Elementwise primitives of one operand: special values of every element type that JAX accepts, some shapes in f32."""

from __future__ import annotations

import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, FEW_SHAPES, INTEGERS, TINY, special, usual

ROUNDED = {"": 0.5, "complex64": 2, "complex128": 2}
"""Correctly rounded; complex functions are sums and products of rounded numbers."""
TWO = {
    **dict.fromkeys((*TINY, "bfloat16", "float16"), 0.51),
    "float32": 2,
    "float64": 2,
    "complex64": 4,
    "complex128": 4,
}
"""Narrow floats are rounded once from an f32 result, which may miss the nearest number by the f32 error."""
THREE = TWO | {"float32": 3, "float64": 3}
MADE = {"": 1, "float32": 4, "float64": 4, "complex64": 16, "complex128": 16}
"""JAX writes these as programs of several ops: the narrow types round after each."""

FUNCTIONS = {
    "abs": (lax.abs, TWO),
    "acos": (lax.acos, THREE),
    "acosh": (lax.acosh, THREE),
    "asin": (lax.asin, THREE),
    "asinh": (lax.asinh, THREE),
    "atan": (lax.atan, TWO),
    "atanh": (lax.atanh, THREE),
    "cbrt": (lax.cbrt, TWO),
    "ceil": (lax.ceil, ROUNDED),
    "clz": (lax.clz, 0),
    "conj": (lax.conj, ROUNDED),
    "copy": (lax.copy_p.bind, ROUNDED),
    "cos": (lax.cos, TWO),
    "cosh": (lax.cosh, THREE),
    "exp": (lax.exp, TWO),
    "exp2": (lax.exp2, MADE),
    "expm1": (lax.expm1, TWO),
    "floor": (lax.floor, ROUNDED),
    "imag": (lax.imag, ROUNDED),
    "is_finite": (lax.is_finite, 0),
    "log": (lax.log, TWO),
    "log1p": (lax.log1p, TWO),
    "logistic": (lax.logistic, MADE),
    "neg": (lax.neg, ROUNDED),
    "not": (lax.bitwise_not, 0),
    "population_count": (lax.population_count, 0),
    "real": (lax.real, ROUNDED),
    "rsqrt": (lax.rsqrt, TWO),
    "sign": (lax.sign, TWO),
    "sin": (lax.sin, TWO),
    "sinh": (lax.sinh, THREE),
    "sqrt": (lax.sqrt, ROUNDED),
    "square": (lax.square, ROUNDED),
    "tan": (lax.tan, TWO),
    "tanh": (lax.tanh, TWO),
}
"""The call and the largest error in units in the last place, by element type."""

WRONG = {"population_count": ("int4",)}
"""XLA counts -8 bits in an int4 of -1."""


def arguments(without: tuple[str, ...] = ()) -> list[tuple[np.ndarray]]:
    return [(special(name),) for name in ALL if name not in without] + [
        (usual("float32", shape),) for shape in FEW_SHAPES
    ]


def rounding() -> tuple[Cell, ...]:
    ways = (lax.RoundingMethod.AWAY_FROM_ZERO, lax.RoundingMethod.TO_NEAREST_EVEN)
    return tuple(Cell(lambda x, way=way: lax.round(x, way), a) for way in ways for a in arguments())


def integer_powers() -> tuple[Cell, ...]:
    """All exponents in the types that programs use, two of them in every type."""
    others = (*TINY, *INTEGERS[:2], *INTEGERS[3:])
    cases = [(n, others if n not in (3, -1) else ()) for n in (0, 1, 2, 3, 7, -1, -2)]
    return tuple(Cell(lambda x, n=n: lax.integer_pow(x, n), a) for n, left in cases for a in arguments(left))


ROWS = [
    *(
        Row(name, tuple(Cell(f, a) for a in arguments(WRONG.get(name, ()))), ulps=ulps, wide=ulps is not MADE)
        for name, (f, ulps) in FUNCTIONS.items()
    ),
    Row("round", rounding(), ulps=0.5, wide=True),
    Row("integer_pow", integer_powers(), ulps=MADE),
]
