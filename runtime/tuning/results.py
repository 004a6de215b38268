"""Whether a candidate's results are those of the untuned code."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
from mlir import ir

from hlo.runtime.tuning.neighbours import Fields

ROUNDINGS = 8
"""Units in the last place of the largest result that two orders of n additions may differ by, over the square root of n."""
ORDER = ("vectorize", "block_k", "dot_product", "swap_operands")
ORDER_OF_DOTS = ("vector", "unroll_m", "unroll_n")
"""Fields of a contraction that decide in which order products are added; the second ones where vectors run along k."""


def same_order(untuned: Fields, candidate: Fields, additions: int) -> bool:
    """Whether two schedules combine in the same order, so that results have the same bits. `additions`: reduced elements of a result."""
    if additions <= 1:
        return True
    if "stages" in untuned:
        changed = [[{**s, "threads": 1} for s in one["stages"]] for one in (untuned, candidate)]
        return changed[0] == changed[1]
    dots = "k" in (untuned["vectorize"], candidate["vectorize"])
    return all(untuned[name] == candidate[name] for name in ORDER + ORDER_OF_DOTS * dots)


def agree(found: Sequence[np.ndarray], wanted: Sequence[np.ndarray], additions: int, bits: bool) -> bool:
    """Whether all results have the same bits, or are within rounding: NaN and infinities at the same indices, integers equal."""
    return all(_agree(one, other, additions, bits) for one, other in zip(found, wanted, strict=True))


def _agree(found: np.ndarray, wanted: np.ndarray, additions: int, bits: bool) -> bool:
    if found.tobytes() == wanted.tobytes():
        return True
    if bits or wanted.dtype.kind in "iub":
        return False
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    unit = float(_unit(wanted.dtype))
    a, b = found.astype(wide), wanted.astype(wide)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    a, b = a[finite], b[finite]
    allowed = ROUNDINGS * sqrt(additions) * unit * np.abs(b).max(initial=0.0)
    return bool((np.abs(a - b) <= allowed).all())


def _unit(dtype: np.dtype) -> Any:
    """The distance of 1 and the next number of a type."""
    import ml_dtypes

    return (np.finfo if dtype.kind in "fc" and dtype.isbuiltin else ml_dtypes.finfo)(dtype).eps


def reduced_elements(module: ir.Module) -> int:
    """The most elements that a value of a kernel's program is combined from; 1 where nothing is reduced."""
    from hlo.runtime.tuning.work import reduction_size

    found = [1]

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(reduction_size(op))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return max(found)
