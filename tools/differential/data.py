"""The numbers programs are run on: mostly small ones that are exact in every type, random ones, special ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from hlo.dialect.elements import DTYPES
from hlo.tools.differential.elements import BOOL, COMPLEX, FLOATS, INTEGERS, UNSIGNED, WIDTHS

Generator = np.random.Generator


def array(name: str, shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """Elements of type `name`; `kind` is one of KINDS."""
    generator = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        if name in COMPLEX:
            part = name[8:-1]
            real, imaginary = (_floats(part, shape, kind, generator) for _ in range(2))
            return (real + 1j * imaginary).astype(DTYPES[name]) if kind != "special" else _join(real, imaginary, name)
        if name in BOOL:
            return np.asarray(generator.integers(0, 2, shape) > 0)
        return (_floats if name in FLOATS else _integers)(name, shape, kind, generator)


def _join(real: np.ndarray, imaginary: np.ndarray, name: str) -> np.ndarray:
    result = np.empty(real.shape, DTYPES[name])
    result.real, result.imag = real, imaginary
    return result


def _integers(name: str, shape: tuple[int, ...], kind: str, generator: Generator) -> np.ndarray:
    bits = WIDTHS[name]
    low, high = (0, 2**bits - 1) if name in UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if kind in ("exact", "positive"):
        values: Any = generator.integers(max(low, -5 if kind == "exact" else 1), min(high, 9), shape, endpoint=True)
    elif kind == "special":
        values = generator.choice(np.array([low, high, low + 1, high - 1, 0, 1, max(low, -1)], object), shape)
    else:
        values = generator.integers(low, high, shape, np.uint64 if low == 0 else np.int64, endpoint=True)
    return np.asarray(values).astype(f"{'u' if low == 0 else ''}int{max(bits, 8)}").astype(DTYPES[name])


def _quarters(shape: tuple[int, ...], generator: Generator) -> np.ndarray:
    return generator.integers(-12, 12, shape, endpoint=True) / 4


FLOAT_KINDS: dict[str, Callable[[tuple[int, ...], Generator], np.ndarray]] = {
    "exact": _quarters,
    "random": lambda shape, generator: generator.normal(0, 2, shape),
    "wide": lambda shape, generator: generator.normal(0, 1, shape) * np.exp2(generator.integers(-12, 12, shape)),
    "positive": lambda shape, generator: generator.uniform(0.25, 4, shape),
}
KINDS = (*FLOAT_KINDS, "special")


def _floats(name: str, shape: tuple[int, ...], kind: str, generator: Generator) -> np.ndarray:
    dtype = DTYPES[name]
    if kind != "special":
        return np.asarray(FLOAT_KINDS[kind](shape, generator)).astype(dtype)
    info: Any = ml_dtypes.finfo(dtype)
    if name == "f8E8M0FNU":
        values = [float(info.max), float(info.smallest_normal), np.nan, 1.0, 2.0]
    else:
        tiny, denormal, largest = (float(v) for v in (info.smallest_normal, info.smallest_subnormal, info.max))
        values = [np.inf, -np.inf, np.nan, -0.0, 0.0, largest, -largest, tiny, denormal, -denormal, 1.0, -1.5, 3.0]
    chosen = np.array(values).astype(dtype)
    return np.asarray(chosen[generator.integers(0, len(values), shape)])


__all__ = ["INTEGERS", "KINDS", "array"]
