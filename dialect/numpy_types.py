"""The numpy types of element types. Nothing of MLIR is needed for them, and where ml_dtypes is not installed, which
saved programs do not need, there are those of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes: Any = None  # type: ignore[no-redef]

SMALL_FLOATS = {
    f"f{bits}{name}": f"float{bits}_{name.lower()}"
    for bits, names in (
        (8, ("E3M4", "E4M3", "E4M3FN", "E4M3FNUZ", "E4M3B11FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")),
        (6, ("E2M3FN", "E3M2FN")),
        (4, ("E2M1FN",)),
    )
    for name in names
}
"""The names that ml_dtypes has for floats of at most 8 bits."""

DTYPES: dict[str, np.dtype] = {
    "i1": np.dtype(bool),
    **{f"i{n}": np.dtype(f"int{n}") for n in (8, 16, 32, 64)},
    **{f"ui{n}": np.dtype(f"uint{n}") for n in (8, 16, 32, 64)},
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "complex<f64>": np.dtype(np.complex128),
}
"""The numpy type of each element type. Those of less than a byte take a whole one."""

OTHERS = {
    "bf16": "bfloat16",
    **{f"{u}i{n}": f"{u}int{n}" for u in ("", "u") for n in (2, 4)},
    **SMALL_FLOATS,
}
"""The names that ml_dtypes has for the rest."""

if ml_dtypes is not None:
    DTYPES.update((name, np.dtype(getattr(ml_dtypes, python))) for name, python in OTHERS.items())

_ELEMENTS = {dtype: name for name, dtype in DTYPES.items() if name != "index"}


def is_whole(dtype: np.dtype) -> bool:
    """Whether it is one of integers or booleans, integers of less than a byte included."""
    return dtype.kind in "iub" or dtype.name.startswith(("int", "uint"))


def limits(dtype: np.dtype) -> tuple[int, int]:
    """The least and the greatest number of a type of integers or booleans."""
    if dtype.kind == "b":
        return 0, 1
    bits = int(dtype.name.lstrip("uint"))
    return (0, (1 << bits) - 1) if dtype.name.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def plain(array: np.ndarray) -> np.ndarray:
    """The same numbers in a type that numpy prints."""
    if array.dtype.kind != "V":
        return array
    return array.astype(np.int32 if is_whole(array.dtype) else np.float32)


def dtype_name(dtype: np.dtype) -> str:
    """The spelling of a numpy type as an element type; numpy's own name if there is none."""
    return _ELEMENTS.get(np.dtype(dtype), np.dtype(dtype).name)
