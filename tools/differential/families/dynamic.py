"""Ops whose shapes are values: constants, or computed from them; the result types are static."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hlo.builder.value import Value
from hlo.dialect.elements import DTYPES
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import FLOATS, INTEGERS
from hlo.tools.differential.families.shapes import _factors
from hlo.tools.differential.table import generates


def vector(draft: Draft, numbers: list[int] | tuple[int, ...]) -> Value:
    """A constant vector of sizes, or the sum of two."""
    name = draft.source.pick(["i32", "i64"])
    whole = np.array(numbers, DTYPES[name])
    if draft.source.chance(30):
        half = draft.builder.constant(whole // 2, name)
        return draft.op("add", half, draft.builder.constant(whole - whole // 2, name))
    return draft.builder.constant(whole, name)


@generates("dynamic_broadcast_in_dim", weight=8)
def dynamic_broadcast_in_dim(draft: Draft, name: str) -> Any:
    operand = draft.any(largest=100)
    shape = [*draft.source.integers(draft.source.integer(0, 2), 1, 3), *sizes_of(operand)]
    dimensions = list(range(len(shape) - operand.rank, len(shape)))
    shape = [3 if d in dimensions and n == 1 and draft.source.chance(50) else n for d, n in enumerate(shape)]
    return draft.op(name, operand, vector(draft, shape), dimensions, result_type=(shape, element_of(operand)))


@generates("dynamic_iota", weight=8)
def dynamic_iota(draft: Draft, name: str) -> Any:
    shape = draft.shape((1, 2, 3))
    along = draft.source.integer(0, len(shape) - 1)
    return draft.op(name, vector(draft, shape), along, result_type=(shape, draft.element((*INTEGERS, *FLOATS))))


@generates("dynamic_pad", weight=8)
def dynamic_pad(draft: Draft, name: str) -> Any:
    operand = draft.any(ranks=(1, 2, 3), largest=80)
    low, high, interior = (draft.source.integers(operand.rank, 0, 2) for _ in range(3))
    shape = [n + max(n - 1, 0) * i + a + b for n, a, b, i in zip(sizes_of(operand), low, high, interior)]
    element = element_of(operand)
    paddings = [vector(draft, v) for v in (low, high, interior)]
    kinds = {str(v.type) for v in paddings}
    if len(kinds) > 1:
        paddings = [draft.builder.constant(np.array(v, np.int64), "i64") for v in (low, high, interior)]
    return draft.op(name, operand, draft.typed((), element), *paddings, result_type=(shape, element))


@generates("dynamic_reshape", weight=8)
def dynamic_reshape(draft: Draft, name: str) -> Any:
    operand = draft.any()
    shape = _factors(draft, math.prod(sizes_of(operand)))
    return draft.op(name, operand, vector(draft, shape), result_type=(shape, element_of(operand)))


@generates("real_dynamic_slice", weight=8)
def real_dynamic_slice(draft: Draft, name: str) -> Any:
    operand = draft.any(ranks=(1, 2, 3))
    starts = [draft.source.integer(0, n) for n in sizes_of(operand)]
    limits = [draft.source.integer(s, n) for s, n in zip(starts, sizes_of(operand))]
    strides = [draft.source.pick([1, 2, 3]) for _ in starts]
    shape = [-(-(e - s) // t) for s, e, t in zip(starts, limits, strides)]
    parts = [draft.builder.constant(np.array(v, np.int64), "i64") for v in (starts, limits, strides)]
    return draft.op(name, operand, *parts, result_type=(shape, element_of(operand)))


@generates("get_dimension_size", weight=5)
def get_dimension_size(draft: Draft, name: str) -> Any:
    operand = draft.any(ranks=(1, 2, 3, 4, 5))
    return draft.op(name, operand, draft.source.integer(0, operand.rank - 1))
