"""Elementwise ops: operands of one type, mostly of one shape."""

from __future__ import annotations

from typing import Any

from hlo.dialect.stablehlo.conversion import ConvertOp  # noqa: F401  (fills the registry)
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import (
    ANY,
    BOOL,
    COMPLEX,
    COMPUTED,
    FLOATS,
    INTEGERS,
    NATIVE_FLOATS,
    NUMBERS,
    ORDERED,
    SIGNED,
    WIDTHS,
)
from hlo.tools.differential.table import generates

UNARY = {
    "abs": (*SIGNED, *FLOATS, *COMPLEX),
    "negate": NUMBERS,
    "sign": (*SIGNED, *FLOATS, *COMPLEX),
    "not": (*BOOL, *INTEGERS),
    "popcnt": INTEGERS,
    "count_leading_zeros": INTEGERS,
    "is_finite": FLOATS,
    "real": (*FLOATS, *COMPLEX),
    "imag": (*FLOATS, *COMPLEX),
    **dict.fromkeys(("ceil", "floor", "round_nearest_afz", "round_nearest_even"), FLOATS),
    **dict.fromkeys(("exp2", "log2"), FLOATS),  # the angle of a complex power of two, im ln 2, is rounded before it is reduced
    **dict.fromkeys(
        ("cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine",
         "sqrt", "tan", "tanh"),
        (*FLOATS, *COMPLEX),
    ),
}  # fmt: skip
BINARY = {
    "add": COMPUTED,
    "subtract": NUMBERS,
    "multiply": COMPUTED,
    "divide": NUMBERS,
    "remainder": (*INTEGERS, *FLOATS),
    "maximum": COMPUTED,
    "minimum": COMPUTED,
    "power": NUMBERS,
    "atan2": (*FLOATS, *COMPLEX),
    **dict.fromkeys(("and", "or", "xor"), (*BOOL, *INTEGERS)),
    **dict.fromkeys(("shift_left", "shift_right_logical", "shift_right_arithmetic"), INTEGERS),
    "complex": NATIVE_FLOATS,
}


@generates(*UNARY)
def unary(draft: Draft, name: str) -> Any:
    return draft.op(name, draft.any(UNARY[name.partition(".")[2]]))


@generates(*BINARY)
def binary(draft: Draft, name: str) -> Any:
    mnemonic = name.partition(".")[2]
    lhs = draft.any(BINARY[mnemonic])
    rhs = draft.like(lhs)
    if mnemonic.startswith("shift") and draft.source.chance(60):
        rhs = draft.typed(sizes_of(lhs), element_of(lhs), "positive")
    return draft.op(name, *((rhs, lhs) if draft.source.chance(20) else (lhs, rhs)))


@generates("compare", weight=25)
def compare(draft: Draft, name: str) -> Any:
    lhs = draft.any(COMPUTED)
    directions = ("LT", "EQ", "NE", "GE", "GT", "LE")
    total = element_of(lhs) in FLOATS and draft.source.chance(20)
    return draft.op(name, lhs, draft.like(lhs), draft.source.pick(directions), "TOTALORDER" if total else None)


@generates("select", weight=25)
def select(draft: Draft, name: str) -> Any:
    chosen = draft.any(ANY)
    pred = draft.typed(() if draft.source.chance(25) else sizes_of(chosen), "i1")
    return draft.op(name, pred, chosen, draft.like(chosen))


@generates("clamp", weight=20)
def clamp(draft: Draft, name: str) -> Any:
    operand = draft.any(ORDERED)
    low, high = (
        draft.typed(() if draft.source.chance(40) else sizes_of(operand), element_of(operand)) for _ in range(2)
    )
    return draft.op(name, low, operand, high)


@generates("convert", weight=50)
def convert(draft: Draft, name: str) -> Any:
    return draft.op(name, draft.any(), dtype=draft.element(COMPUTED))


@generates("bitcast_convert", weight=15)
def bitcast_convert(draft: Draft, name: str) -> Any:
    """To an equal width; to a narrower one (a dimension more); to a wider one (a dimension less)."""
    operand = draft.any(tuple(e for e in ANY if e != "i1"))
    width, last = WIDTHS[element_of(operand)], sizes_of(operand)[-1] if operand.rank else None

    def fits(target: str) -> bool:
        new = WIDTHS[target]
        return new == width or (width % new == 0 and operand.rank < 6) or (last is not None and last * width == new)

    targets = [e for e in ANY if e != "i1" and fits(e) and (e in COMPLEX) == (element_of(operand) in COMPLEX)]
    target = draft.element(targets)
    if WIDTHS[target] < width and element_of(operand) in (*FLOATS, *COMPLEX):
        operand = draft.new(sizes_of(operand), element_of(operand))  # the lower bits of a computed number are open
    return draft.op(name, operand, dtype=target)


@generates("reduce_precision", weight=15)
def reduce_precision(draft: Draft, name: str) -> Any:
    return draft.op(name, draft.any(FLOATS), draft.source.integer(1, 11), draft.source.integer(0, 30))
