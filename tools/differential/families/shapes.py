"""Ops that move elements: reshape, transpose, broadcast, pad, slice, concatenate, reverse, iota, constants."""

from __future__ import annotations

import math
from typing import Any

from hlo.tools.differential.draft import LARGEST, Draft, element_of, sizes_of
from hlo.tools.differential.elements import COMPLEX, FLOATS, INTEGERS
from hlo.tools.differential.table import generates


@generates("reshape", weight=40)
def reshape(draft: Draft, name: str) -> Any:
    operand = draft.any()
    return draft.op(name, operand, result_type=(_factors(draft, math.prod(sizes_of(operand))), element_of(operand)))


def _factors(draft: Draft, count: int) -> list[int]:
    """Sizes with this product, ones among them."""
    if count == 0:
        return [*draft.source.integers(draft.source.integer(0, 2), 1, 4), 0]
    sizes: list[int] = []
    while count > 1 and len(sizes) < 5:
        sizes.append(draft.source.pick([n for n in range(2, count + 1) if count % n == 0]))
        count //= sizes[-1]
    sizes += [count] if count > 1 else []
    for _ in range(draft.source.weighted({0: 60, 1: 25, 2: 15})):
        sizes.insert(draft.source.integer(0, len(sizes)), 1)
    return sizes


@generates("transpose", weight=40)
def transpose(draft: Draft, name: str) -> Any:
    operand = draft.any()
    return draft.op(name, operand, draft.source.permutation(operand.rank))


@generates("reverse", weight=20)
def reverse(draft: Draft, name: str) -> Any:
    operand = draft.any()
    return draft.op(name, operand, draft.source.subset(operand.rank))


@generates("broadcast_in_dim", weight=40)
def broadcast_in_dim(draft: Draft, name: str) -> Any:
    """Dimensions in any order; sizes of 1 are repeated."""
    operand = draft.any()
    rank = operand.rank + draft.source.weighted({0: 30, 1: 40, 2: 20, 3: 10})
    dimensions = draft.source.permutation(rank)[: operand.rank]
    if draft.source.chance(60):
        dimensions.sort()
    sizes, room = [1] * rank, LARGEST // max(math.prod(sizes_of(operand)), 1)
    for d in draft.source.permutation(rank):
        own = sizes_of(operand)[dimensions.index(d)] if d in dimensions else 1
        sizes[d] = own if own != 1 else draft.source.pick([1, 2, 3, 5, 8, 0]) if room >= 8 else 1
        room //= max(sizes[d], 1) if own == 1 else 1
    return draft.op(name, operand, dimensions, result_type=(sizes, element_of(operand)))


@generates("broadcast")
def broadcast(draft: Draft, name: str) -> Any:
    operand = draft.any(largest=60)
    return draft.op(
        name, operand, draft.source.integers(draft.source.integer(0, 2), 0 if draft.source.chance(5) else 1, 3)
    )


@generates("concatenate", weight=30)
def concatenate(draft: Draft, name: str) -> Any:
    first = draft.any(ranks=(1, 2, 3, 4, 5), largest=200)
    dimension = draft.source.integer(0, first.rank - 1)
    parts = [first]
    for _ in range(draft.source.weighted({1: 50, 2: 25, 0: 10, 3: 15})):
        sizes = list(sizes_of(first))
        sizes[dimension] = draft.source.pick([1, 2, 3, 0, 5])
        parts.append(draft.typed(sizes, element_of(first)))
    return draft.op(name, [parts[i] for i in draft.source.permutation(len(parts))], dimension=dimension)


@generates("pad", weight=30)
def pad(draft: Draft, name: str) -> Any:
    """Negative padding cuts; the result's sizes stay at 0 or more."""
    operand = draft.any(ranks=(0, 1, 2, 3, 4), largest=80)
    low, high, interior = [], [], []
    for size in sizes_of(operand):
        between = draft.source.weighted({0: 60, 1: 25, 2: 15})
        whole = size + max(size - 1, 0) * between
        first = draft.source.weighted({0: 40, 1: 20, 2: 15, -1: 25})
        last = draft.source.weighted({0: 40, 1: 20, 3: 10, -1: 20, -2: 10})
        low.append(first if whole + first >= 0 else 0)
        high.append(last if whole + low[-1] + last >= 0 else 0)
        interior.append(between)
    return draft.op(name, operand, draft.typed((), element_of(operand)), low, high, interior)


@generates("slice", weight=40)
def slice_(draft: Draft, name: str) -> Any:
    operand = draft.any()
    starts = [draft.source.integer(0, n) for n in sizes_of(operand)]
    limits = [draft.source.integer(s, n) if draft.source.chance(50) else n for s, n in zip(starts, sizes_of(operand))]
    strides = [draft.source.weighted({1: 60, 2: 20, 3: 15, 9: 5}) for _ in starts]
    return draft.op(name, operand, starts, limits, strides)


@generates("iota", weight=20)
def iota(draft: Draft, name: str) -> Any:
    shape = draft.shape((1, 2, 3, 4))
    return draft.op(
        name,
        draft.source.integer(0, len(shape) - 1),
        result_type=(shape, draft.element((*INTEGERS, *FLOATS, *COMPLEX))),
    )


@generates("constant")
def constant(draft: Draft, name: str) -> Any:
    from hlo.tools.differential.data import array

    element = draft.element()
    kind = draft.source.pick(["exact", "random", "special"] if element not in COMPLEX else ["exact"])
    return draft.builder.constant(array(element, draft.shape(), kind, draft.source.integer(0, 2**32 - 1)), element)
