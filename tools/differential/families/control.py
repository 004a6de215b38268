"""Branches, loops, tuples, calls, composites, tokens, asynchronous pairs: programs inside of programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hlo.builder.value import Value
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import FLOATS, INTEGERS
from hlo.tools.differential.table import GENERATORS, WEIGHTS, generates

DEEPEST = 2


def some_ops(draft: Draft, ops: Sequence[str] = ()) -> None:
    """One to three ops in the region that is open."""
    names = [n if "." in n else f"stablehlo.{n}" for n in ops] or list(GENERATORS)
    allowed = {n: WEIGHTS[n] for n in names if draft.depth < DEEPEST or n not in NESTING}
    for _ in range(draft.source.weighted({1: 40, 2: 35, 3: 25})):
        if ops:
            scalar_op(draft, draft.source.pick(list(allowed)))
        else:
            name = draft.source.weighted(allowed)
            draft.keep(GENERATORS[name](draft, name))
            draft.values = [v for v in draft.values if v not in draft.unchecked]


def scalar_op(draft: Draft, name: str) -> None:
    """An elementwise op when a value there fits it: in a region of scalars nothing else may be."""
    from hlo.tools.differential.families.elementwise import BINARY, UNARY

    mnemonic, before = name.partition(".")[2], draft.values
    allowed = {**UNARY, **BINARY}.get(mnemonic)
    fits = [v for v in before if allowed is None or element_of(v) in allowed]
    if not fits:
        return
    draft.values = [draft.source.pick(fits)]
    try:
        made = GENERATORS[name](draft, name)
    finally:
        draft.values = before
    if made.rank == 0:
        draft.keep(made)


def branch(draft: Draft, types: Sequence[Value]) -> Any:
    """A region without arguments that gives values of the types of some values."""

    def body() -> list[Value]:
        with draft.inside([], captured=True):
            some_ops(draft)
            return [draft.like(t) for t in types]

    return body


def _models(draft: Draft) -> list[Value]:
    return [draft.any(largest=200) for _ in range(draft.source.weighted({1: 60, 2: 30, 3: 10}))]


@generates("if", weight=15)
def if_(draft: Draft, name: str) -> Any:
    models = _models(draft)
    return draft.op(name, draft.typed((), "i1"), branch(draft, models), branch(draft, models))


@generates("case", weight=12)
def case(draft: Draft, name: str) -> Any:
    models = _models(draft)
    index = draft.scalar(draft.source.pick([0, 1, 2, 3, -1, 7, -(2**31)]), "i32")
    return draft.op(name, index, [branch(draft, models) for _ in range(draft.source.weighted({2: 50, 1: 15, 3: 35}))])


@generates("while", weight=15)
def while_(draft: Draft, name: str) -> Any:
    """Counts to a small number; the body's other values are of the types of what comes in."""
    models = _models(draft)
    least = draft.source.integer(0, 4)
    counter = draft.scalar(draft.source.pick([0, 1, 5]), "i32")

    def cond(i: Value, *rest: Value) -> Value:
        return draft.op("compare", i, draft.builder.constant(least, "i32"), "LT")

    def body(i: Value, *rest: Value) -> list[Value]:
        with draft.inside(rest, captured=draft.source.chance(60)):
            some_ops(draft)
            return [draft.op("add", i, draft.builder.constant(1, "i32")), *(draft.like(r) for r in rest)]

    return draft.op(name, [counter, *models], cond, body)


@generates("optimization_barrier", weight=8)
def optimization_barrier(draft: Draft, name: str) -> Any:
    return draft.op(name, _models(draft))


@generates("tuple", "get_tuple_element", weight=6)
def tuple_(draft: Draft, name: str) -> Any:
    """A tuple, maybe in a tuple, and one of its parts."""
    parts = _models(draft)
    made = draft.op("tuple", parts)
    number = draft.source.integer(0, len(parts) - 1)
    if draft.source.chance(40):
        made = draft.op("get_tuple_element", draft.op("tuple", [parts[0], made]), 1)
    return draft.op("get_tuple_element", made, number)


@generates("func.call", "composite", weight=8)
def call(draft: Draft, name: str) -> Any:
    models = _models(draft)

    def body(*arguments: Value) -> list[Value]:
        with draft.inside(arguments, captured=False):
            some_ops(draft)
            return [draft.source.pick(draft.values), *draft.values[-1:]]

    function = draft.builder.function(body, *(m.type for m in models))
    if name == "func.call":
        return draft.builder.call(function, *models)
    return draft.builder.composite("random.composite", *models, decomposition=function)


@generates("create_token", "after_all", weight=3)
def token(draft: Draft, name: str) -> Any:
    """Tokens through a barrier with a value, so that they are there for something."""
    made = draft.op("create_token")
    if name.endswith("after_all"):
        made = draft.op(name, [made, draft.op("create_token")])
    return draft.op("optimization_barrier", [draft.any(), made])


@generates("async_start", "async_done", weight=4)
def asynchronous(draft: Draft, name: str) -> Any:
    operand = draft.any((*INTEGERS, *FLOATS), ranks=(1, 2))
    first, *rest = sizes_of(operand)
    if not first:  # what is gathered has at least one element
        operand = draft.typed((1, *rest), element_of(operand))
    return draft.op("async_done", draft.op("async_start", [operand], lambda v: _gathered(draft, v)))


def _gathered(draft: Draft, value: Value) -> Value:
    return draft.op("all_gather", value, all_gather_dim=0, replica_groups=[[0]])


NESTING = {f"stablehlo.{n}" for n in ("if", "case", "while", "map", "composite")} | {"func.call"}
