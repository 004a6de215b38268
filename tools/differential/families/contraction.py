"""Products summed over dimensions: dot_general, dot, einsum, convolution."""

from __future__ import annotations

import string
from typing import Any

from hlo.builder.value import Value
from hlo.dialect.attributes import ConvDimensionNumbers, DotDimensionNumbers
from hlo.tools.differential.draft import Draft
from hlo.tools.differential.elements import NUMBERS
from hlo.tools.differential.table import generates

SIZES = {1: 15, 2: 20, 3: 20, 4: 10, 5: 10, 7: 10, 8: 5, 0: 3, 16: 5, 19: 3}


def _sizes(draft: Draft, count: int, largest: int) -> list[int]:
    sizes: list[int] = []
    for _ in range(count):
        room = max(largest, 1)
        sizes.append(draft.source.weighted({s: w for s, w in SIZES.items() if s <= room}))
        largest //= max(sizes[-1], 1)
    return sizes


def _operand(
    draft: Draft, parts: list[tuple[str, int]], name: str, finite: bool = False
) -> tuple[Value, dict[str, int]]:
    """A tensor with these named dimensions in any order, and where each is. `finite`: whether a padded 0 times an element
    that is not finite is NaN, or left out, is open."""
    order = draft.source.permutation(len(parts))
    placed = [parts[i] for i in order]
    sizes = [size for _, size in placed]
    return draft.typed(sizes, name, "exact" if finite else ""), {key: d for d, (key, _) in enumerate(placed)}


@generates("dot_general", weight=50)
def dot_general(draft: Draft, name: str) -> Any:
    """Batch, contracting and free dimensions of both sides in any order."""
    source = draft.source
    batch = [(f"b{i}", n) for i, n in enumerate(_sizes(draft, source.weighted({0: 55, 1: 30, 2: 15}), 6))]
    contracted = [(f"k{i}", n) for i, n in enumerate(_sizes(draft, source.weighted({1: 70, 2: 20, 0: 10}), 40))]
    left = [(f"m{i}", n) for i, n in enumerate(_sizes(draft, source.weighted({1: 60, 0: 20, 2: 20}), 24))]
    right = [(f"n{i}", n) for i, n in enumerate(_sizes(draft, source.weighted({1: 60, 0: 20, 2: 20}), 24))]
    element = draft.element(NUMBERS)
    lhs, at_left = _operand(draft, [*batch, *contracted, *left], element)
    rhs, at_right = _operand(draft, [*batch, *contracted, *right], element)
    pairs = [[at[key] for key, _ in names] for names in (batch, contracted) for at in (at_left, at_right)]
    result = _result_element(draft, element)
    precision = source.pick([None, ["HIGHEST", "DEFAULT"]])
    return draft.op(name, lhs, rhs, DotDimensionNumbers(*map(tuple, pairs)), precision, dtype=result)


def _result_element(draft: Draft, element: str) -> str:
    """The operands' type, or a wider one that sums of it are often kept in."""
    wider = {"i8": "i32", "ui8": "ui32", "bf16": "f32", "f16": "f32", "f8E4M3FN": "f32", "f8E5M2": "f32", "i4": "i32"}
    return wider[element] if element in wider and draft.source.chance(40) else element


@generates("dot", weight=15)
def dot(draft: Draft, name: str) -> Any:
    m, k, n = _sizes(draft, 3, 2000)
    element = draft.element(NUMBERS)
    left, right = draft.source.pick([([m, k], [k, n]), ([k], [k, n]), ([m, k], [k]), ([k], [k])])
    return draft.op(
        name, draft.typed(left, element), draft.typed(right, element), dtype=_result_element(draft, element)
    )


@generates("einsum", weight=15)
def einsum(draft: Draft, name: str) -> Any:
    """Letters in one or both operands, kept or summed. In which order is open, and with it what infinities give."""
    source = draft.source
    letters = string.ascii_lowercase[: source.integer(1, 5)]
    sizes = dict(zip(letters, _sizes(draft, len(letters), 150)))
    left = [letters[i] for i in source.permutation(len(letters))[: source.integer(1, min(len(letters), 3))]]
    right = [c for c in letters if c not in left or source.chance(50)]
    right = [right[i] for i in source.permutation(len(right))]
    used = [c for c in letters if (c in left or c in right) and source.chance(60)]
    result = [used[i] for i in source.permutation(len(used))]
    element = draft.element(NUMBERS)
    operands = [draft.typed([sizes[c] for c in term], element, "exact") for term in (left, right)]
    return draft.op(name, *operands, f"{''.join(left)},{''.join(right)}->{''.join(result)}")


@generates("unary_einsum", weight=8)
def unary_einsum(draft: Draft, name: str) -> Any:
    operand = draft.any(NUMBERS, ranks=(1, 2, 3, 4))
    letters = string.ascii_lowercase[: operand.rank]
    kept = [letters[i] for i in draft.source.permutation(operand.rank)[: draft.source.integer(0, operand.rank)]]
    return draft.op(name, operand, f"{letters}->{''.join(kept)}")


@generates("convolution", "dynamic_conv", weight=25)
def convolution(draft: Draft, name: str) -> Any:
    """Zero to three spatial dimensions anywhere; strides, dilations, padding, reversal, feature or batch groups."""
    source = draft.source
    spatial = source.weighted({1: 35, 2: 45, 0: 5, 3: 15})
    groups = source.weighted({1: 65, 2: 25, 3: 10})
    of_batch = groups > 1 and source.chance(35)
    batch = source.pick([1, 2, 3]) * (groups if of_batch else 1)
    inner, outer = source.pick([1, 2, 3, 4]), source.pick([1, 2, 3, 5]) * groups
    window = [_spatial(draft) for _ in range(spatial)]
    element = draft.element(NUMBERS)
    lhs, left = _operand(
        draft,
        [("b", batch), ("f", inner * (1 if of_batch else groups)), *((f"s{i}", w[0]) for i, w in enumerate(window))],
        element,
        finite=True,
    )
    rhs, right = _operand(
        draft, [("i", inner), ("o", outer), *((f"s{i}", w[1]) for i, w in enumerate(window))], element, finite=True
    )
    out = source.permutation(spatial + 2)
    positions = [[at[f"s{i}"] for i in range(spatial)] for at in (left, right)]
    numbers = ConvDimensionNumbers(
        left["b"], left["f"], tuple(positions[0]), right["i"], right["o"], tuple(positions[1]), out[0], out[1], tuple(out[2:])
    )  # fmt: skip
    attributes: dict[str, Any] = {
        "window_strides": [w[2] for w in window],
        "lhs_dilation": [w[3] for w in window],
        "rhs_dilation": [w[4] for w in window],
        "window_reversal": [w[6] for w in window],
        "dimension_numbers": numbers,
        "feature_group_count": 1 if of_batch else groups,
        "batch_group_count": groups if of_batch else 1,
    }
    padding = [w[5] for w in window]
    if name == "stablehlo.convolution":
        return draft.op(name, lhs, rhs, padding=padding, dtype=_result_element(draft, element), **attributes)
    import numpy as np

    static = draft.op("convolution", lhs, rhs, padding=padding, dtype=element, **attributes)
    sizes = draft.builder.constant(np.array(padding, np.int64).reshape(-1, 2), "i64")
    return draft.op(name, lhs, rhs, sizes, result_type=static.type, **attributes)


def _spatial(draft: Draft) -> tuple[int, int, int, int, int, tuple[int, int], bool]:
    """Size, kernel size, stride, both dilations, padding and reversal of a spatial dimension."""
    source = draft.source
    size, kernel = source.pick([3, 1, 4, 5, 7, 9, 0]), source.pick([1, 2, 3, 4])
    padding = (source.weighted({0: 50, 1: 30, 2: 10, -1: 10}), source.weighted({0: 50, 1: 30, 2: 10, -1: 10}))
    base = source.weighted({1: 75, 2: 25})
    dilated = (size - 1) * base + 1 if size else 0
    legal = dilated + padding[0] >= 0 and dilated + sum(padding) >= 0
    return (size, kernel, source.weighted({1: 60, 2: 30, 3: 10}), base, source.weighted({1: 75, 2: 25}),
            padding if legal else (0, 0), source.chance(20))  # fmt: skip
