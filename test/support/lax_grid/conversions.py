"""Conversions between all pairs of element types, bit patterns, reduced precision."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from jax import lax

from lax_grid.rows import Cell, Row
from lax_grid.values import ALL, COMPLEX, INTEGERS, REAL, TINY, dtype_of, normal, special

WIDTHS = {
    1: ("bool",),
    4: ("int4", "uint4"),
    8: ("int8", "uint8", *TINY),
    16: ("int16", "uint16", "bfloat16", "float16"),
}
WIDTHS |= {32: ("int32", "uint32", "float32"), 64: ("int64", "uint64", "float64")}


def fits(values: np.ndarray, target: str) -> np.ndarray:
    """The values that an integer type can hold: the specification leaves the others open. Complex: the real part."""
    if target not in INTEGERS or values.dtype.name in ("bool", *INTEGERS):
        return values
    limits, real = ml_dtypes.iinfo(dtype_of(target)), values.real.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return values[np.isfinite(real) & (real > float(limits.min) - 1) & (real < float(limits.max))]


def conversions(source: str) -> tuple[Cell, ...]:
    targets = [name for name in ALL if source not in COMPLEX or name in COMPLEX or name == "bool"]
    return tuple(
        Cell(
            lambda x, t=t: lax.convert_element_type(x, dtype_of(t)),
            (fits(normal(source) if t == "bool" else special(source), t),),
        )
        for t in targets
    )


def bitcasts() -> tuple[Cell, ...]:
    same = [(a, b) for names in WIDTHS.values() for a in names for b in names]
    other = [("float32", "uint8"), ("int64", "float16"), ("uint16", "int4"), ("float64", "int32"), ("int8", "uint4")]
    cells = [Cell(lambda x, t=t: lax.bitcast_convert_type(x, dtype_of(t)), (special(s),)) for s, t in same + other]
    narrow = [("uint8", "float32", 4), ("int16", "int64", 4), ("uint32", "float64", 2), ("int4", "int8", 2)]
    grouped = [
        Cell(lambda x, t=t: lax.bitcast_convert_type(x, dtype_of(t)), (np.resize(special(s), (5, n)),))
        for s, t, n in narrow
    ]
    return tuple(cells + grouped)


def precisions() -> tuple[Cell, ...]:
    kinds = ((8, 7), (5, 10), (4, 3), (5, 2), (8, 23), (2, 1), (11, 52), (3, 0))
    return tuple(
        Cell(lambda x, e=e, m=m: lax.reduce_precision(x, e, m), (special(name),)) for e, m in kinds for name in REAL
    )


ROWS = [
    *(Row("convert_element_type", conversions(name), ulps=0.5, wide=False) for name in ALL),
    Row("bitcast_convert_type", bitcasts(), ulps=0),
    Row("reduce_precision", precisions(), ulps=0),
]
