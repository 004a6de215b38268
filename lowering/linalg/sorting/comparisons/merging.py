"""Sorts by comparison, on rows of several operands at once, and what they are made of: insertion, merging. Stable: of
equal elements the first one stays first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import (
    Index,
    add,
    both,
    changed_if,
    element,
    for_loop,
    if_else,
    index,
    less,
    load,
    minimum,
    mul,
    shape,
    store,
    sub,
    while_loop,
)
from hlo.lowering.numbers import integer

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

    def goes_on(hole: ir.Value, *row: ir.Value) -> ir.Value:
        return both(less(start, hole), lambda: before(moving, load(row, [sub(hole, 1)])))

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
    truth = integer(1)

    def compare() -> ir.Value:
        is_less = lambda: [before(load(source, [right[0]]), load(source, [left[0]]))]
        return if_else(less(*left), [truth], is_less, lambda: [arith.constant(truth, 1)])[0]

    return both(less(*right), compare)


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
        let_in = lambda: sink(store(candidate, row, [last]), last, base, before)
        return changed_if(before(candidate, load(row, [last])), row, let_in)

    return for_loop(kept, count, offer, best)


def merge_sort_rows(operands: Values, dimension: int, before: Before, through: Callable) -> Values:
    """Sorts each row of the operands along `dimension`, in contiguous scratch: runs of RUN elements by insertion, then
    merges back and forth between two scratch rows, so that nothing is copied between passes. `through`: how the rows
    are gone through."""
    length = shape(operands[0])[dimension]

    def sort(row: Row, first: Values, second: Values) -> tuple[Values, Values]:
        first = for_loop(0, length, lambda k, *into: store(row(k), into, [k]), first)
        return _sort(first, second, length, before)

    return _through_rows(operands, dimension, length, sort, through)


def first_of_rows(operands: Values, dimension: int, before: Before, kept: int, through: Callable) -> Values:
    """The same of only the first `kept` elements of each row: these are kept sorted during one walk along it."""
    length = shape(operands[0])[dimension]

    def find(row: Row, first: Values, second: Values) -> tuple[Values, Values]:
        return (select(first, 0, kept, length, row, before) if kept else first), second

    return _through_rows(operands, dimension, kept, find, through)


Row = Callable[[Index], Values]
"""Element k of each operand."""


def _through_rows(operands: Values, dimension: int, count: int, sort: Callable[[Row, Values, Values], tuple[Values, Values]], through: Callable) -> Values:  # fmt: skip
    """The operands, with the first `count` elements of each row those that `sort` leaves in the first of two scratch
    rows."""
    scratch = [tensor.empty([max(count, 1)], element(v)) for v in operands * 2]
    rows = [1 if d == dimension else size for d, size in enumerate(shape(operands[0]))]

    def sort_row(position: list[Index], *state: ir.Value) -> Values:
        results, first, second = _groups(state, 3)

        def at(k: Index) -> list[Index]:
            return [*position[:dimension], k, *position[dimension + 1 :]]

        first, second = sort(lambda k: load(results, at(k)), first, second)
        results = for_loop(0, count, lambda k, *whole: store(load(first, [k]), whole, at(k)), results)
        return [*results, *first, *second]

    return through(rows, sort_row, [*operands, *scratch])[: len(operands)]


def _sort(first: Values, second: Values, length: int, before: Before) -> tuple[Values, Values]:
    """Sorts `first`; `second` is scratch of the same shape."""
    first = _sort_runs(first, length, before)
    if length <= RUN:
        return first, second
    passes = ((length - 1) // RUN).bit_length()

    def merge_twice(_: Index, width: ir.Value, *state: ir.Value) -> Values:
        a, b = _groups(state, 2)
        b = _merge_runs(a, b, width, length, before)
        a = _merge_runs(b, a, mul(width, 2), length, before)
        return [mul(width, 4), *a, *b]

    start = arith.constant(ir.IndexType.get(), RUN)
    _, *state = for_loop(0, (passes + 1) // 2, merge_twice, [start, *first, *second])
    return tuple(_groups(state, 2))  # type: ignore[return-value]


def _sort_runs(row: Values, length: int, before: Before) -> Values:
    """Insertion sort within each run of RUN elements."""

    def one(start: Index, *row: ir.Value) -> Values:
        return sort_run(row, (start, minimum(add(start, RUN), length)), before)

    return for_loop(0, length, one, row, step=RUN)


def _merge_runs(source: Values, target: Values, width: Index, length: int, before: Before) -> Values:
    """Merges neighbouring sorted runs of `width` elements of `source` into `target`."""

    def merge_pair(low: Index, *target: ir.Value) -> Values:
        middle = minimum(add(low, width), length)
        high = minimum(add(low, mul(width, 2)), length)
        return merge(source, target, (low, middle), (middle, high), (low, high), before)

    return for_loop(0, length, merge_pair, target, step=mul(width, 2))


def _groups(state: Sequence[ir.Value], count: int) -> list[Values]:
    """Splits values carried together into equal groups."""
    size = len(state) // count
    return [list(state[i * size : (i + 1) * size]) for i in range(count)]
