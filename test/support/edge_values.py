"""Every elementwise op on the edges of every element type (limits, zeros, NaN, shifts too far, division by zero), in
tensors without elements, of rank 0 and of rank 8: compiled against the reference.

    python test/support/edge_values.py 0 4        every 4th op, from the first (a worker); a line a finding, then DONE"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

import hlo
from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.dialect.stablehlo import elementwise, selection

TYPES = {
    "i1": np.bool_,
    "i4": ml_dtypes.int4,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui64": np.uint64,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
}
TOLERANCES = {"f32": 1e-5, "f64": 1e-12, "bf16": 1e-2}
EMPTY, RANK_8 = (2, 0, 3), (1, 1, 2, 1, 1, 1, 1)


def edges(dtype: str) -> np.ndarray:
    """The numbers at which ops are likely to go wrong."""
    kind = np.dtype(TYPES[dtype])
    if dtype == "i1":
        return np.array([False, True])
    if dtype in TOLERANCES:
        info: Any = ml_dtypes.finfo(kind)
        numbers = [0.0, -0.0, 1, -1, 0.5, -2.5, 3, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny]
        return np.array([float(x) for x in numbers]).astype(kind)
    info = ml_dtypes.iinfo(kind)
    low, high, bits = int(info.min), int(info.max), info.bits
    numbers = {low, low + 1, high, high - 1, 0, 1, 2, 3, bits - 1, bits, bits + 1, -1, -bits}
    return np.array([kind.type(n) for n in sorted(numbers) if low <= n <= high])


def ops() -> Iterator[Any]:
    make_context()
    for cls in OPS.values():
        family = cls.__module__ in (elementwise.__name__, selection.__name__) and not cls.REGIONS
        if family and cls.MNEMONIC not in ("select", "clamp") and all(a.optional for a in cls.ATTRIBUTES):
            yield cls


def operands(count: int, dtype: str) -> list[np.ndarray]:
    """All combinations of the edges."""
    grid = np.meshgrid(*[np.arange(len(edges(dtype)))] * count)
    return [edges(dtype)[g.reshape(-1)] for g in grid]


def shaped(array: np.ndarray) -> list[np.ndarray]:
    """In one dimension, without elements, of rank 0, of rank 8."""
    pair = np.resize(array, (*RANK_8, 7))
    return [array, np.empty(EMPTY, array.dtype), array[len(array) // 2], pair]


def findings(cls: Any) -> tuple[int, list[str]]:
    """How many element types the op takes, and what differs: one program for all of them."""
    b, arrays, results, owners = hlo.Builder(), [], [], []
    for dtype in TYPES:
        rows = list(zip(*(shaped(x) for x in operands(len(cls.OPERANDS), dtype)), strict=True))
        arrays += [np.asarray(x) for row in rows for x in row]
        values = [[b.parameter((x.shape, dtype)) for x in row] for row in rows]
        try:
            results += [b.op(cls.OPERATION_NAME, *row) for row in values]
        except hlo.HloError:
            continue  # the op does not take these elements; nothing uses the parameters
        owners += [(dtype, row) for row in rows]
    module = b.build(*results)
    compiled, reference = (hlo.compile(module, target=t)(*arrays) for t in ("cpu", "reference"))
    found = zip(owners, compiled, reference, strict=True)
    wrong = [f"{dtype} {d}" for (dtype, row), a, w in found for d in differences(row, a, w, dtype)]
    return len({dtype for dtype, _ in owners}), wrong


def differences(row: Any, found: np.ndarray, wanted: np.ndarray, dtype: str) -> Iterator[str]:
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        yield f"{found.dtype}{found.shape} for {wanted.dtype}{wanted.shape}"
        return
    if dtype in TOLERANCES and found.dtype != np.bool_:
        a, w = found.astype(np.float64), np.asarray(wanted).astype(np.float64)
        with np.errstate(all="ignore"):
            bad = ~np.isclose(a, w, TOLERANCES[dtype], 1e-300 if dtype == "f64" else 1e-37, equal_nan=True)
    else:
        bad = np.asarray(found != wanted)
    for place in np.argwhere(bad)[:3]:
        at = tuple(place)
        yield f"{[str(np.asarray(x)[at]) for x in row]} gives {found[at]}, the reference {np.asarray(wanted)[at]}"


def main(start: str, step: str) -> None:
    compared = 0
    for cls in list(ops())[int(start) :: int(step)]:
        print("START", cls.MNEMONIC, flush=True)
        count, found = findings(cls)
        compared += count
        for finding in found:
            print("BAD", cls.MNEMONIC, finding, flush=True)
    print("DONE", compared, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
