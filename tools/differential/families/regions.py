"""Ops with regions over scalars: reductions, windows, sorts, maps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hlo.builder.value import Value
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import BOOL, COMPLEX, COMPUTED, FLOATS, INTEGERS, ORDERED
from hlo.tools.differential.table import generates

Combine = Callable[[Value, Value], Value]


def combine(draft: Draft, name: str) -> tuple[Combine, Value]:
    """An operation on two scalars that gives the same in any order and grouping, and what to start with: a reduction
    may meet its start several times, so that it is neutral, unless meeting it again changes nothing."""
    if name in COMPLEX:
        choices = ["add", "multiply"]
    elif name in (*BOOL, *INTEGERS):
        choices = ["add", "maximum", "minimum", "multiply", "and", "or", "xor"]
    else:
        choices = ["add", "maximum", "minimum", "multiply"]
    op = draft.source.pick(choices)
    start = {"add": 0, "xor": 0, "multiply": 1}.get(op, draft.source.pick([0, 1]))
    if name in BOOL and op == "add":
        op = "or"  # what add of booleans is
    return (lambda a, b: draft.op(op, a, b)), draft.scalar(start, name)


def _window_of(draft: Draft, size: int) -> tuple[int, int, int, int, tuple[int, int]]:
    """Window size, stride, base dilation, window dilation and padding of one dimension."""
    source = draft.source
    window = source.weighted({1: 35, 2: 30, 3: 25, 4: 10})
    stride = source.weighted({1: 60, 2: 25, 3: 15})
    base, spread = source.weighted({1: 80, 2: 15, 3: 5}), source.weighted({1: 80, 2: 20})
    low, high = source.weighted({0: 50, 1: 25, 2: 15, -1: 10}), source.weighted({0: 50, 1: 25, 2: 15, -1: 10})
    dilated = (size - 1) * base + 1 if size else 0
    return window, stride, base, spread, (low, high) if dilated + low >= 0 and dilated + low + high >= 0 else (0, 0)


def _running(draft: Draft, sizes: Sequence[int]) -> list[tuple[int, int, int, int, tuple[int, int]]]:
    """Windows that are all of one dimension up to an element, or from it on."""
    chosen = draft.source.integer(0, len(sizes) - 1)
    before = max(sizes[chosen] - 1, 0)
    ends = draft.source.pick([(before, 0), (0, before)])
    return [(max(n, 1), 1, 1, 1, ends) if d == chosen else (1, 1, 1, 1, (0, 0)) for d, n in enumerate(sizes)]


@generates("reduce", weight=60)
def reduce(draft: Draft, name: str) -> Any:
    operand = draft.any(COMPUTED)
    dimensions = draft.source.permutation(operand.rank)[: draft.source.integer(0, operand.rank)]
    if draft.source.chance(15) and element_of(operand) not in COMPLEX:
        return _arg_reduce(draft, name, operand, dimensions)
    inputs = [
        operand,
        *(
            draft.typed(sizes_of(operand), draft.element(COMPUTED))
            for _ in range(draft.source.weighted({0: 80, 1: 20}))
        ),
    ]
    starts, body = _bodies(draft, inputs)
    return draft.op(name, inputs, starts, body, dimensions)


def _bodies(draft: Draft, inputs: list[Value]) -> tuple[list[Value], Callable[..., list[Value]]]:
    """Each input combined on its own: starts and body."""
    chosen = [combine(draft, element_of(i)) for i in inputs]
    functions = [function for function, _ in chosen]

    def body(*scalars: Value) -> list[Value]:
        return [f(a, b) for f, a, b in zip(functions, scalars[: len(inputs)], scalars[len(inputs) :])]

    return [_start(draft, i, start) for i, (_, start) in zip(inputs, chosen)], body


def _start(draft: Draft, value: Value, neutral: Value) -> Value:
    """Sometimes a start that is not neutral: a reduction meets it once, a window also in its padding."""
    return draft.scalar(draft.source.pick([0, 1]), element_of(value)) if draft.source.chance(20) else neutral


def _arg_reduce(draft: Draft, name: str, operand: Value, dimensions: list[int]) -> Any:
    """The largest or smallest element and its number; of equal ones the first."""
    count = math.prod(sizes_of(operand))
    numbers = draft.given(np.arange(count, dtype=np.int32).reshape(sizes_of(operand)), "i32")
    direction = draft.source.pick(["GT", "LT"])
    total = "TOTALORDER" if element_of(operand) in FLOATS else None

    def body(a: Value, i: Value, b: Value, j: Value) -> list[Value]:
        better, equal = draft.op("compare", a, b, direction, total), draft.op("compare", a, b, "EQ", total)
        first = draft.op("and", equal, draft.op("compare", i, j, "LT"))
        keep = draft.op("or", better, first)
        return [draft.op("select", keep, a, b), draft.op("select", keep, i, j)]

    inits = [draft.scalar(0, element_of(operand)), draft.scalar(2**31 - 1, "i32")]
    return draft.op(name, [operand, numbers], inits, body, dimensions)


@generates("reduce_window", weight=30)
def reduce_window(draft: Draft, name: str) -> Any:
    operand = draft.any(COMPUTED, ranks=(1, 2, 3, 4, 0), largest=120)
    plans = [_window_of(draft, n) for n in sizes_of(operand)]
    if operand.rank and draft.source.chance(25):
        plans = _running(draft, sizes_of(operand))
    windows, strides, bases, spreads, padding = (list(c) for c in zip(*plans)) if plans else ([],) * 5
    inputs = [
        operand,
        *(
            draft.typed(sizes_of(operand), draft.element(COMPUTED))
            for _ in range(draft.source.weighted({0: 80, 1: 20}))
        ),
    ]
    starts, body = _bodies(draft, inputs)
    return draft.op(
        name,
        inputs,
        starts,
        body,
        windows,
        window_strides=strides,
        base_dilations=bases,
        window_dilations=spreads,
        padding=padding,
    )


@generates("select_and_scatter", weight=20)
def select_and_scatter(draft: Draft, name: str) -> Any:
    operand = draft.any(ORDERED, ranks=(1, 2, 3), largest=80)
    windows = [draft.source.integer(1, max(min(n, 3), 1)) for n in sizes_of(operand)]
    strides = [draft.source.pick([1, 2, 3]) for _ in windows]
    padding = [
        (0, 0) if n == 0 else (draft.source.integer(0, w - 1), draft.source.integer(0, w - 1))
        for w, n in zip(windows, sizes_of(operand))
    ]
    sizes = [
        max((n + p[0] + p[1] - w) // s + 1, 0) if n else 0
        for n, w, s, p in zip(sizes_of(operand), windows, strides, padding)
    ]
    element = element_of(operand)
    direction = draft.source.pick(["GE", "LE", "GT"])
    function, start = combine(draft, element)
    return draft.op(
        name,
        operand,
        draft.typed(sizes, element),
        start,
        lambda a, b: draft.op("compare", a, b, direction),
        function,
        windows,
        strides,
        padding,
    )


@generates("sort", weight=30)
def sort(draft: Draft, name: str) -> Any:
    """One to three inputs by the first, stable or of one input; any order of NaNs is given by the total order."""
    operand = draft.any(ORDERED, ranks=(1, 2, 3))
    inputs = [
        operand,
        *(
            draft.typed(sizes_of(operand), draft.element(COMPUTED))
            for _ in range(draft.source.weighted({0: 50, 1: 35, 2: 15}))
        ),
    ]
    direction = draft.source.pick(["LT", "GT"])
    total = "TOTALORDER" if element_of(operand) in FLOATS else None
    stable = len(inputs) > 1 or draft.source.chance(50)
    along = draft.source.integer(-operand.rank, operand.rank - 1)
    return draft.op(name, inputs, lambda a, b, *rest: draft.op("compare", a, b, direction, total), along, stable)


@generates("map", weight=20)
def map_(draft: Draft, name: str) -> Any:
    """A few elementwise ops on scalars, values from outside among them."""
    from hlo.tools.differential.families.control import some_ops

    first = draft.any(COMPUTED, largest=120)
    inputs = [
        first,
        *(draft.typed(sizes_of(first), draft.element()) for _ in range(draft.source.weighted({0: 60, 1: 40}))),
    ]

    def computation(*scalars: Value) -> Value:
        with draft.inside(scalars, captured=False):
            some_ops(draft, ELEMENTWISE)
            return draft.source.pick([v for v in draft.values if v.rank == 0][::-1])

    return draft.op(name, inputs, computation, list(range(first.rank)))


ELEMENTWISE = ("add", "multiply", "subtract", "maximum", "compare", "select", "convert", "negate", "tanh", "not", "and")


@generates("all_reduce", "reduce_scatter", "cross-replica-sum", "all_gather", "all_to_all", "collective_broadcast", "collective_permute", "collective_reduce", weight=4)  # fmt: skip
def collective(draft: Draft, name: str) -> Any:
    """Among one participant."""
    operand = draft.any(COMPUTED, ranks=(1, 2, 3) if name.endswith(("scatter", "gather", "all_to_all")) else None)
    along = draft.source.integer(0, max(operand.rank - 1, 0))
    if name.endswith(("scatter", "gather")) and not sizes_of(operand)[along]:  # the clauses want a size from 1 there
        operand, along = draft.new(draft.shape(ranks=(1, 2, 3), smallest_size=1), element_of(operand)), 0
    own: dict[str, Any] = {
        "all_reduce": lambda: {"computation": combine(draft, element_of(operand))[0], "replica_groups": [[0]]},
        "reduce_scatter": lambda: {
            "computation": combine(draft, element_of(operand))[0],
            "replica_groups": [[0]],
            "scatter_dimension": along,
        },
        "cross-replica-sum": lambda: {"replica_groups": [[0]]},
        "all_gather": lambda: {"replica_groups": [[0]], "all_gather_dim": along},
        "all_to_all": lambda: {
            "replica_groups": [[0]],
            "split_dimension": along,
            "concat_dimension": draft.source.integer(0, operand.rank - 1),
            "split_count": 1,
        },
        "collective_broadcast": lambda: {"replica_groups": [[0]]},
        "collective_reduce": lambda: {
            "computation": combine(draft, element_of(operand))[0],
            "replica_groups": [[0]],
        },
        "collective_permute": lambda: {"source_target_pairs": draft.source.pick([[[0, 0]], []])},
    }
    return draft.op(name, operand, **own[name.partition(".")[2]]())


@generates("replica_id", "partition_id", weight=2)
def process_number(draft: Draft, name: str) -> Any:
    return draft.op(name)
