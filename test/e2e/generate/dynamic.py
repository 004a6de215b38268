"""Ops whose sizes the program computes."""

from __future__ import annotations

import numpy as np
from cases import Case, file, ramp, tensor


@file
def dynamic_pad() -> list[Case]:
    """Amounts that the program computes, for a result of a static shape."""
    x, value = ramp(2, 3), np.array(-1, np.float32)
    low, high, interior = (np.array(v, np.int64) for v in ((1, -1), (0, 2), (1, 0)))
    want = np.full((4, 4), -1, np.float32)
    want[1::2, :2] = x[:, 1:]
    types = f"({', '.join(map(tensor, (x, value, low, high, interior)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, value, low, high, interior],
            f"%r = stablehlo.dynamic_pad %0, %1, %2, %3, %4 : {types}",
            [want],
        )
    ]


@file
def real_dynamic_slice() -> list[Case]:
    x = ramp(4, 6)
    start, limit, stride = (np.array(v, np.int64) for v in ((1, 0), (3, 6), (1, 2)))
    want = x[1:3, 0:6:2].copy()
    types = f"({', '.join(map(tensor, (x, start, limit, stride)))}) -> {tensor(want)}"
    return [
        Case(
            "run_time_amounts",
            [x, start, limit, stride],
            f"%r = stablehlo.real_dynamic_slice %0, %1, %2, %3 : {types}",
            [want],
        )
    ]
