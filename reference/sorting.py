"""Sorting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.dialect.stablehlo import sorting
from hlo.reference.table import evaluates


@evaluates(sorting.SortOp)
def evaluate_sort(call, *inputs):
    """Neighbours are swapped, in even and odd rounds, while the comparator wants it: stable."""
    if not inputs[0].ndim or not inputs[0].size:
        return list(inputs)
    rows = [np.moveaxis(x, call.dimension, -1).copy() for x in inputs]
    length = rows[0].shape[-1]
    quiet = number = 0
    while quiet < 2 and number <= 2 * length:
        quiet = 0 if _exchange(call, rows, number % 2) else quiet + 1
        number += 1
    return [np.moveaxis(x, -1, call.dimension) for x in rows]


def _exchange(call: Any, rows: Sequence[np.ndarray], first: int) -> bool:
    end = first + (rows[0].shape[-1] - first) // 2 * 2
    left, right = [x[..., first:end:2] for x in rows], [x[..., first + 1 : end : 2] for x in rows]
    swap = call.apply(0, *(v for pair in zip(right, left) for v in pair))[0]
    if not swap.any():
        return False
    for a, b in zip(left, right):
        a[...], b[...] = np.where(swap, b, a), np.where(swap, a, b)
    return True
