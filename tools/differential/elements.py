"""Element types by their names in programs, and how often they are chosen."""

from __future__ import annotations

from hlo.dialect.elements import DTYPES, SMALL_FLOATS

BOOL = ("i1",)
SMALL_INTEGERS = ("i4", "ui4", "i2", "ui2")
SIGNED = ("i32", "i8", "i16", "i64", "i4", "i2")
UNSIGNED = ("ui32", "ui8", "ui16", "ui64", "ui4", "ui2")
INTEGERS = (*SIGNED, *UNSIGNED)
NATIVE_FLOATS = ("f32", "f64")
LARGE_FLOATS = ("f32", "f64", "bf16", "f16")
FLOATS = (*LARGE_FLOATS, *(f for f in SMALL_FLOATS if f != "f8E8M0FNU"))
COMPLEX = ("complex<f32>", "complex<f64>")
NUMBERS = (*INTEGERS, *FLOATS, *COMPLEX)
ANY = (*BOOL, *NUMBERS, "f8E8M0FNU")
"""f8E8M0FNU has neither signs nor zero: it is moved and converted from, but not computed with."""
COMPUTED = (*BOOL, *NUMBERS)
ORDERED = (*BOOL, *INTEGERS, *FLOATS)
INDICES = ("i32", "i64", "ui32", "i8", "ui8", "i16", "ui16", "ui64")

_OFTEN = {"f32": 30, "i1": 10, "i32": 14, "f64": 10, "bf16": 8, "f16": 8, "i64": 6, "i8": 6, "ui8": 6, "ui32": 5,
          "ui64": 4, "i16": 3, "ui16": 3, "complex<f32>": 6, "complex<f64>": 3}  # fmt: skip
WEIGHTS = {name: _OFTEN.get(name, 1) for name in ANY}

WIDTHS = (
    {name: DTYPES[name].itemsize * 8 for name in ANY} | {"i1": 1} | {name: int(name[-1]) for name in SMALL_INTEGERS}
)
WIDTHS |= {name: int(name[1]) for name in SMALL_FLOATS}


def is_float(name: str) -> bool:
    return name in FLOATS
