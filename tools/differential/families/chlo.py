"""The chlo dialect: functions, elementwise ops that broadcast, and a few structured ones."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.builder.value import Value
from hlo.dialect.attributes import RaggedDotDimensionNumbers
from hlo.tools.differential import data
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import (
    COMPLEX,
    COMPUTED,
    FLOATS,
    INTEGERS,
    LARGE_FLOATS,
    NATIVE_FLOATS,
    NUMBERS,
)
from hlo.tools.differential.families.elementwise import BINARY
from hlo.tools.differential.table import generates

UNARY = {
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan"), (*FLOATS, *COMPLEX)),
    **dict.fromkeys(("conj", "square"), (*FLOATS, *COMPLEX)),
    **dict.fromkeys(("bessel_i1e", "digamma", "erf", "erf_inv", "erfc", "lgamma"), FLOATS),
    **dict.fromkeys(("is_inf", "is_neg_inf", "is_pos_inf"), FLOATS),
}


@generates(*(f"chlo.{n}" for n in UNARY), weight=8)
def unary(draft: Draft, name: str) -> Any:
    return draft.op(name, draft.any(UNARY[name.partition(".")[2]], largest=120))


ORDERS = {"polygamma": LARGE_FLOATS, "zeta": LARGE_FLOATS, "next_after": NATIVE_FLOATS, "mulhi": INTEGERS}


@generates("chlo.next_after", "chlo.mulhi", weight=8)
def binary(draft: Draft, name: str) -> Any:
    lhs = draft.any(ORDERS[name.partition(".")[2]])
    return draft.op(name, lhs, draft.like(lhs))


@generates("chlo.polygamma", "chlo.zeta", weight=6)
def of_two_numbers(draft: Draft, name: str) -> Any:
    """A small whole order, and a positive number: elsewhere both are huge or undefined."""
    element = draft.element(LARGE_FLOATS)
    shape = draft.shape((0, 1, 2), 60)
    order = draft.typed(shape, element, "positive")
    if name.endswith("polygamma"):
        order = draft.op("round_nearest_even", order)
    return draft.op(name, order, draft.typed(shape, element, "positive"))


BROADCAST = {f"broadcast_{n}": BINARY[n] for n in BINARY} | {"broadcast_next_after": NATIVE_FLOATS}


def _pair(draft: Draft, elements: tuple[str, ...]) -> tuple[Value, Value, list[int] | None]:
    """Operands of two ranks, with sizes of 1 that are repeated, and where the dimensions of the smaller one go."""
    source = draft.source
    large = draft.any(elements)
    dimensions = source.subset(large.rank) if source.chance(60) else list(range(large.rank))
    shape = [1 if source.chance(25) else sizes_of(large)[d] for d in dimensions]
    other = draft.typed(shape, element_of(large))
    usual = dimensions == list(range(large.rank - len(dimensions), large.rank))
    return (
        *((other, large) if source.chance(40) else (large, other)),
        None if usual and source.chance(70) else dimensions,
    )


@generates(*(f"chlo.{n}" for n in BROADCAST), weight=6)
def broadcast(draft: Draft, name: str) -> Any:
    lhs, rhs, dimensions = _pair(draft, BROADCAST[name.partition(".")[2]])
    return draft.op(name, lhs, rhs, broadcast_dimensions=dimensions)


@generates("chlo.broadcast_compare")
def broadcast_compare(draft: Draft, name: str) -> Any:
    lhs, rhs, dimensions = _pair(draft, COMPUTED)
    directions = ("EQ", "NE") if element_of(lhs) in COMPLEX else ("LT", "EQ", "NE", "GE", "GT", "LE")
    return draft.op(name, lhs, rhs, broadcast_dimensions=dimensions, comparison_direction=draft.source.pick(directions))


@generates("chlo.broadcast_polygamma", "chlo.broadcast_zeta", weight=4)
def broadcast_of_two_numbers(draft: Draft, name: str) -> Any:
    element = draft.element(LARGE_FLOATS)
    shape = draft.shape((1, 2), 60)
    order = draft.typed(shape[:1] if len(shape) == 1 else (1, shape[1]), element, "positive")
    if name.endswith("polygamma"):
        order = draft.op("round_nearest_even", order)
    return draft.op(name, order, draft.typed(shape, element, "positive"))


@generates("chlo.broadcast_select")
def broadcast_select(draft: Draft, name: str) -> Any:
    value = draft.any()
    small = [1 if draft.source.chance(30) else n for n in sizes_of(value)]
    pred = draft.typed(draft.source.pick([(), tuple(small), sizes_of(value)]), "i1")
    other = draft.typed(small[draft.source.integer(0, len(small)) :], element_of(value))
    return draft.op(name, pred, *((value, other) if draft.source.chance(50) else (other, value)))


@generates("chlo.constant", "chlo.constant_like", weight=5)
def constant(draft: Draft, name: str) -> Any:
    operand = draft.any((*INTEGERS[:4], "f32", "f64", "bf16"))
    element = element_of(operand)
    with draft.builder.context:
        if name.endswith("_like"):
            text = f"{draft.source.integer(-3, 5)}{'' if element.startswith('i') else '.5'} : {element}"
            return draft.op(name, operand, value=ir.Attribute.parse(text))
        from hlo.dialect.elements import make_elements

        array = data.array(element, sizes_of(operand), "exact", draft.source.integer(0, 2**32 - 1))
        return draft.op(name, value=make_elements(array, operand.type))


@generates("chlo.top_k")
def top_k(draft: Draft, name: str) -> Any:
    operand = draft.any((*INTEGERS, *FLOATS), ranks=(1, 2, 3))
    return draft.op(name, operand, draft.source.integer(0, sizes_of(operand)[-1]))


@generates("chlo.ragged_dot", weight=8)
def ragged_dot(draft: Draft, name: str) -> Any:
    """Rows in groups, each with its own matrix; groups of 0 rows among them, rows of no group last."""
    import numpy as np

    source = draft.source
    m, k, n, groups = source.pick([5, 1, 8]), source.pick([3, 1, 7]), source.pick([2, 1, 9]), source.pick([2, 1, 3])
    element = draft.element(("f32", "f64", "bf16", "f16", "i32"))
    sizes, left = [], m
    for _ in range(groups):
        sizes.append(source.integer(0, left))
        left -= sizes[-1]
    numbers = RaggedDotDimensionNumbers((), (), (1,), (1,), (0,), (0,))
    lhs, rhs = draft.typed((m, k), element, "exact"), draft.typed((groups, k, n), element, "exact")
    return draft.op(name, lhs, rhs, draft.given(np.array(sizes, np.int32), "i32"), numbers)


@generates("chlo.scan")
def scan(draft: Draft, name: str) -> Any:
    """Partial sums, from either end."""
    operand = draft.any(NUMBERS, ranks=(1, 2, 3), largest=120)
    along = draft.source.integer(0, operand.rank - 1)
    carry = draft.typed([n for d, n in enumerate(sizes_of(operand)) if d != along], element_of(operand))

    def body(x: Value, c: Value) -> list[Value]:
        total = draft.op("add", x, c)
        return [total, total]

    reverse = {"is_reverse": True} if draft.source.chance(40) else {}
    return draft.op(name, [operand], [carry], body=body, dimension=along, **reverse)
