"""Whether a compiled result agrees with the reference's, element by element.

Near: integers and booleans equal, floats within 4 units in the last place (functions promise 2, the reference rounds
once more). What is not near may still be right: sums in another order, a comparison of two nearly equal numbers. Then
the reference is run again with every inexact step moved a little (moved.py), and a result has to lie where these runs
lie: inside their range, stretched by twice its width. Where the runs disagree about a discrete value, it is open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from hlo.lazy_dataclasses import dataclass

NEAR = 4
"""Units in the last place."""
STRETCH = 2.0


@dataclass(frozen=True)
class Difference:
    """One element of one result."""

    result: int
    index: tuple[int, ...]
    compiled: Any
    reference: Any

    def __str__(self) -> str:
        return f"result {self.result} at {list(self.index)}: compiled {self.compiled}, reference {self.reference}"


def is_exact(dtype: np.dtype) -> bool:
    return dtype.kind in "iub" or dtype.name in ("int2", "int4", "uint2", "uint4")


def parts(array: np.ndarray) -> np.ndarray:
    """Floats as f64; complex numbers as two of them in a last dimension."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], axis=-1).astype(np.float64)
    return array.astype(np.float64)


def units(dtype: np.dtype, size: np.ndarray) -> np.ndarray:
    """One unit in the last place of numbers of this size."""
    info: Any = ml_dtypes.finfo(np.float32 if dtype == np.complex64 else np.float64 if dtype.kind == "c" else dtype)
    least = float(info.smallest_subnormal) if dtype.name != "float8_e8m0fnu" else float(info.smallest_normal)
    return np.maximum(np.nan_to_num(size, posinf=float(info.max)) * float(info.eps), least)


def _size(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The size of numbers; of a complex one for both of its parts."""
    size = np.abs(values)
    return np.broadcast_to(size.max(axis=-1, keepdims=True), size.shape) if dtype.kind == "c" else size


def not_near(compiled: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """For each element whether it is not near."""
    if is_exact(reference.dtype):
        return np.asarray(compiled != reference)
    with np.errstate(all="ignore"):
        a, b = parts(compiled), parts(reference)
        near = (
            (a == b)
            | ((a != a) & (b != b))
            | (np.abs(a - b) <= NEAR * units(reference.dtype, _size(b, reference.dtype)))
        )
    return np.asarray(~_whole(near, reference.dtype))


def _whole(each: np.ndarray, dtype: np.dtype) -> np.ndarray:
    return np.asarray(each.all(axis=-1)) if dtype.kind == "c" else each


def differs(compiled: np.ndarray, runs: Sequence[np.ndarray]) -> np.ndarray:
    """For each element whether it lies where none of the runs (the first: not moved) lets it be."""
    reference = runs[0]
    suspicious = not_near(compiled, reference)
    if is_exact(reference.dtype):
        steady = np.all([r == reference for r in runs], axis=0)
        return suspicious & steady
    with np.errstate(all="ignore"):
        moved = np.stack([parts(r) for r in runs])
        finite = np.isfinite(moved)
        steady = _whole(finite.all(axis=0) | ~finite.any(axis=0), reference.dtype)
        low, high = moved.min(axis=0), moved.max(axis=0)
        margin = STRETCH * (high - low) + NEAR * units(reference.dtype, _size(parts(reference), reference.dtype))
        value = parts(compiled)
        inside = _whole((value >= low - margin) & (value <= high + margin), reference.dtype)
        same_kind = np.all([_kinds(r) == _kinds(reference) for r in runs], axis=0)
        wrong_kind = (_kinds(compiled) != _kinds(reference)) & ~_finite(reference)
    outside = np.where(_finite(reference), ~inside, wrong_kind)
    return suspicious & steady & same_kind & outside


def _finite(array: np.ndarray) -> np.ndarray:
    return _whole(np.isfinite(parts(array)), array.dtype)


def _kinds(array: np.ndarray) -> np.ndarray:
    """0 finite, 1 NaN, 2 and 3 infinities; of a complex number that is not finite only that it is not: what parts it
    has depends on the formula."""
    if array.dtype.kind == "c":
        return np.where(_finite(array), 0, 1)
    values = parts(array)
    return np.select([np.isnan(values), values == np.inf, values == -np.inf], [1, 2, 3], 0)


def first_difference(
    compiled: Sequence[np.ndarray], runs: Sequence[Sequence[np.ndarray]], skipped: Sequence[int] = ()
) -> Difference | None:
    """The first element of the first result that differs from all runs of the reference (near: from its only one)."""
    for number, found in enumerate(compiled):
        own = [run[number] for run in runs]
        if found.shape != own[0].shape or found.dtype != own[0].dtype:
            return Difference(number, (), f"{found.dtype}{list(found.shape)}", f"{own[0].dtype}{list(own[0].shape)}")
        if number in skipped or not found.size:
            continue
        wrong = not_near(found, own[0]) if len(own) == 1 else differs(found, own)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            return Difference(number, index, found[index], own[0][index])
    return None
