"""Element types, shapes and the numbers that the grid calls primitives with: special values first."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np

SIGNED = ("int4", "int8", "int16", "int32", "int64")
UNSIGNED = ("uint4", "uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
TINY = (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3b11fnuz",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e3m4",
    "float8_e4m3",
)
REAL = ("bfloat16", "float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *INTEGERS, *TINY, *REAL, *COMPLEX)
SHAPES = ((), (0,), (1,), (1, 1, 1), (7,), (3, 0, 2), (3, 5), (2, 3, 1, 2, 2))
FEW_SHAPES = ((), (3, 0, 2), (3, 5))
"""A number, nothing, and an odd shape: for the elementwise primitives, whose element types matter more."""
MATRICES = ((1, 1), (3, 3), (5, 5), (2, 4, 4))
FLOATS = {name: (int(ml_dtypes.finfo(name).nmant), int(ml_dtypes.finfo(name).minexp)) for name in TINY + REAL}
"""Bits of the fraction and the exponent of the smallest normal number."""
PARTS = {"complex64": np.dtype("float32"), "complex128": np.dtype("float64")}
NUMBERS = (
    *(0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 2.0, 3.0, -3.0, 0.1, -0.7),
    *(3.3, -7.25, 12.0, -20.3, 88.7, -87.4, 100.7, -103.9, 709.7, -745.0, 1e-3, -1e-5, 1e10, -1e10, 1e-20, 1e30),
    *(np.pi, -np.pi / 2, 0.9999999, 1.0000001, 170.3, -0.3678794, 4.9, 33.0),
)


def dtype_of(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, name))


def integers(dtype: np.dtype) -> np.ndarray:
    """The ends of the range, numbers beside them and around zero."""
    limits = ml_dtypes.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    wanted = [0, 1, 2, 3, 5, 7, 11, 31, 63, 100, -1, -2, -3, -7, -31, low, low + 1, low // 2, high, high - 1, high // 2]
    return np.array([value for value in dict.fromkeys(wanted) if low <= value <= high]).astype(dtype)


def floats(dtype: np.dtype) -> np.ndarray:
    """NUMBERS, and the largest, smallest normal and smallest subnormal number with both signs."""
    limits = ml_dtypes.finfo(dtype)
    ends = [float(limits.max), float(limits.tiny), float(limits.smallest_subnormal), float(limits.tiny) / 4]
    values = np.array([*NUMBERS, *ends, *(-e for e in ends), 1 + float(limits.eps)])
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def complexes(dtype: np.dtype) -> np.ndarray:
    """Special values in either part, both sides of the branch cuts, large and small moduli."""
    parts = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan, 1e-30, 1e10, 3.3)
    pairs = np.array(list(itertools.product(parts, parts)))
    result = np.empty(len(pairs), dtype)
    result.real, result.imag = pairs[:, 0], pairs[:, 1]
    return result


def special(name: str) -> np.ndarray:
    """The numbers of an element type that go wrong first, as a vector."""
    if name == "bool":
        return np.array([True, False])
    dtype = dtype_of(name)
    if name in INTEGERS:
        return integers(dtype)
    return complexes(dtype) if name in COMPLEX else floats(dtype)


def normal(name: str) -> np.ndarray:
    """The same without subnormal numbers, where XLA takes them as zero."""
    values = special(name)
    if name not in REAL:
        return values
    return values[(values == 0) | ~(np.abs(values) < ml_dtypes.finfo(values.dtype).tiny)]


def pairs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Every special value with every other one."""
    values = special(name)
    if name in COMPLEX:
        values = values[::3]
    left, right = np.meshgrid(np.arange(values.size), np.arange(values.size))
    return values[left.ravel()], values[right.ravel()]


def usual(name: str, shape: tuple[int, ...] = (3, 5), seed: int = 1) -> np.ndarray:
    """Everyday numbers: small integers, normal floats."""
    random = np.random.default_rng(seed)
    if name == "bool":
        return random.integers(0, 2, shape).astype(bool)
    dtype = dtype_of(name)
    if name in INTEGERS:
        low, high = (0, 8) if name in UNSIGNED else (-7, 8)
        return random.integers(low, high, shape).astype(dtype)
    if name in COMPLEX:
        return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(dtype)
    return np.asarray(random.standard_normal(shape)).astype(dtype)
