"""What sorts are made of, on rows of several operands at once: insertion, merging. Stable: of equal elements the first one
stays first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.linalg.loops import Index, add, for_loop, if_else, index, less, load, store, sub, while_loop

RUN = 16
"""Runs of this length are sorted by insertion."""

Values = list[ir.Value]
Before = Callable[[Values, Values], ir.Value]
"""Whether the first element of each operand must come before the second (i1)."""

Span = tuple[Index, Index]
"""First place, and the one behind the last."""


def sink(row: Sequence[ir.Value], k: Index, start: Index, before: Before) -> Values:
    """Moves element k down to its place among the sorted ones from `start` to k - 1."""
    moving = load(row, [k])
    i1 = ir.IntegerType.get_signless(1)

    def goes_on(hole: ir.Value, *row: ir.Value) -> ir.Value:
        compare = lambda: [before(moving, load(row, [sub(hole, 1)]))]
        return if_else(less(start, hole), [i1], compare, lambda: [arith.constant(i1, 0)])[0]

    def shift(hole: ir.Value, *row: ir.Value) -> Values:
        below = sub(hole, 1)
        return [below, *store(load(row, [below]), row, [hole])]

    hole, *state = while_loop([k, *row], goes_on, shift)
    return store(moving, state, [hole])


def sort_run(row: Sequence[ir.Value], span: Span, before: Before) -> Values:
    """Insertion sort of some neighbours."""
    first, end = span
    return for_loop(add(first, 1), end, lambda k, *row: sink(row, k, first, before), row)


def merge(
    source: Sequence[ir.Value], target: Sequence[ir.Value], left: Span, right: Span, into: Span, before: Before
) -> Values:
    """Merges two sorted parts of `source` into a part of `target`, which is as long as both."""

    def step(k: Index, first: Index, second: Index, *target: ir.Value) -> Values:
        takes_right = _takes_right(source, (first, left[1]), (second, right[1]), before)
        chosen = arith.select(takes_right, second, first)
        return [
            arith.select(takes_right, first, add(first, 1)),
            arith.select(takes_right, add(second, 1), second),
            *store(load(source, [chosen]), target, [k]),
        ]

    return for_loop(*into, step, [index(left[0]), index(right[0]), *target])[2:]


def _takes_right(source: Sequence[ir.Value], left: Span, right: Span, before: Before) -> ir.Value:
    """Whether the next element of a merge is the right run's: at equality the left one comes first (stability).
    Each run is given as its next position and its end."""
    i1 = ir.IntegerType.get_signless(1)

    def compare() -> Values:
        return if_else(
            less(*left),
            [i1],
            lambda: [before(load(source, [right[0]]), load(source, [left[0]]))],
            lambda: [arith.constant(i1, 1)],
        )

    return if_else(less(*right), [i1], compare, lambda: [arith.constant(i1, 0)])[0]


def select(
    best: Sequence[ir.Value],
    base: Index,
    kept: int,
    count: Index,
    element_at: Callable[[Index], Values],
    before: Before,
) -> Values:
    """Makes the `kept` places of `best` from `base` on hold the first of `count` elements (at least `kept`), in order: each
    later one is let in that comes before the last."""
    best = for_loop(0, kept, lambda k, *row: store(element_at(k), row, [add(base, k)]), best)
    best = sort_run(best, (base, add(base, kept)), before)

    def offer(k: Index, *row: ir.Value) -> Values:
        candidate, last = element_at(k), index(add(base, kept - 1))
        return if_else(
            before(candidate, load(row, [last])),
            [v.type for v in row],
            lambda: sink(store(candidate, row, [last]), last, base, before),
            lambda: list(row),
        )

    return for_loop(kept, count, offer, best)
