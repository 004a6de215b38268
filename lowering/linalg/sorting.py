"""sort: a stable merge sort of every line along one dimension, as a "loops" kernel.

A line is copied into contiguous scratch, sorted in runs of RUN elements by insertion, merged back and forth between
two scratch buffers (so nothing is copied between passes) and written back: O(n log n) comparisons for any operands
and any comparator. Where only the first few of each line are used (top-k), just these are kept sorted during one walk
along the line; the rest of the line is left as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from mlir import ir
from mlir.dialects import arith, scf, tensor

from hlo.dialect.stablehlo import SliceOp, SortOp
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    extract,
    first_trips,
    for_loop,
    if_else,
    index,
    insert,
    less,
    minimum,
    mul,
    nest,
    shape,
    sub,
)
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalars import scalar_block

RUN = 16
"""Runs of this length are sorted by insertion."""

MOST_SELECTED = 64
"""Up to so many first elements are selected instead of sorting the whole line, if it is at least four times as long."""

Values = list[ir.Value]
Before = Callable[[Values, Values], ir.Value]
"""Whether the first element of each operand must come before the second (i1)."""


@lowers(SortOp)
def lower_sort(op: SortOp, lowering: Lowering) -> Values:
    operands = [lowering[v] for v in op.inputs]
    extents = shape(operands[0])
    if not extents or extents[op.dimension] < 2:
        return operands
    dimension = op.dimension % len(extents)

    def before(a: Values, b: Values) -> ir.Value:
        pairs = list(chain.from_iterable(zip(a, b, strict=True)))
        return scalar_block(lowering, op.comparator.blocks[0], pairs)[0]

    kept = _used_first(op, dimension)
    few = kept <= MOST_SELECTED and 4 * kept <= extents[dimension]

    def build(*arguments: ir.Value) -> Values:
        return sort_lines(list(arguments), dimension, before, kept if few else None)

    types = [v.type for v in operands]
    return lowering.outline(
        "top_k" if few else "sort",
        operands,
        types,
        build,
        tied={i: i for i in range(len(operands))},
        independent=first_trips([n for d, n in enumerate(extents) if d != dimension]),
    )


def _used_first(op: SortOp, dimension: int) -> int:
    """How many first elements of each line anything uses: all, unless every use is a slice of the first ones."""
    limits = [0]
    for result in op.results:
        for use in result.uses:
            user = use.owner.operation.opview
            if not isinstance(user, SliceOp) or user.start_indices[dimension] != 0:
                return ir.RankedTensorType(result.type).shape[dimension]
            limits.append(user.limit_indices[dimension])
    return max(limits)


def sort_lines(operands: Values, dimension: int, before: Before, kept: int | None = None) -> Values:
    """Sorts each line of the operands along `dimension`; `kept`: only so many first elements of it."""
    extents = shape(operands[0])
    length = extents[dimension]
    scratch = [tensor.empty([length if kept is None else max(kept, 1)], element(v)) for v in operands * 2]
    lines = [1 if d == dimension else size for d, size in enumerate(extents)]

    def sort_line(position: list[Index], *state: ir.Value) -> Values:
        results, first, second = _groups(state, 3)

        def at(k: Index) -> list[Index]:
            return [*position[:dimension], k, *position[dimension + 1 :]]

        count = length if kept is None else kept
        first = for_loop(0, count, lambda k, *line: _store(_load(results, at(k)), line, [k]), first)
        if kept is None:
            first, second = _sort(first, second, length, before)
        elif kept:
            first = _select(first, kept, length, lambda k: _load(results, at(k)), before)
        results = for_loop(0, count, lambda k, *whole: _store(_load(first, [k]), whole, at(k)), results)
        return [*results, *first, *second]

    return nest(lines, sort_line, [*operands, *scratch])[: len(operands)]


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


def _select(first: Values, kept: int, length: int, load: Callable[[Index], Values], before: Before) -> Values:
    """`first` holds the line's first elements; sorts them, then lets each later one in that comes before the last."""
    first = for_loop(1, kept, lambda k, *line: _sink(line, k, 0, before), first)

    def offer(k: Index, *line: ir.Value) -> Values:
        candidate, last = load(k), index(kept - 1)
        return if_else(
            before(candidate, _load(line, [last])),
            [v.type for v in line],
            lambda: _sink(_store(candidate, line, [last]), last, 0, before),
            lambda: list(line),
        )

    return for_loop(kept, length, offer, first)


def _sort_runs(line: Values, length: int, before: Before) -> Values:
    """Insertion sort within each run of RUN elements."""

    def sort_run(start: Index, *line: ir.Value) -> Values:
        end = minimum(add(start, RUN), length)
        return for_loop(add(start, 1), end, lambda k, *line: _sink(line, k, start, before), line)

    return for_loop(0, length, sort_run, line, step=RUN)


def _sink(line: Sequence[ir.Value], k: Index, start: Index, before: Before) -> Values:
    """Moves element k down to its place among the sorted ones from `start` to k - 1."""
    moving = _load(line, [k])
    loop = scf.WhileOp([k.type, *(v.type for v in line)], [k, *line])
    condition = loop.before.blocks.append(*(v.type for v in loop.operands))
    with ir.InsertionPoint(condition):
        hole, *state = condition.arguments
        goes_on = if_else(
            less(start, hole),
            [ir.IntegerType.get_signless(1)],
            lambda: [before(moving, _load(state, [sub(hole, 1)]))],
            lambda: [arith.constant(ir.IntegerType.get_signless(1), 0)],
        )
        scf.ConditionOp(goes_on[0], [hole, *state])
    shift = loop.after.blocks.append(*(v.type for v in loop.operands))
    with ir.InsertionPoint(shift):
        hole, *state = shift.arguments
        below = sub(hole, 1)
        scf.YieldOp([below, *_store(_load(state, [below]), state, [hole])])
    hole, *state = loop.results
    return _store(moving, state, [hole])


def _merge_runs(source: Values, target: Values, width: Index, length: int, before: Before) -> Values:
    """Merges neighbouring sorted runs of `width` elements of `source` into `target`."""

    def merge_pair(low: Index, *target: ir.Value) -> Values:
        middle = minimum(add(low, width), length)
        high = minimum(add(low, mul(width, 2)), length)

        def step(k: Index, left: Index, right: Index, *target: ir.Value) -> Values:
            take_right = _take_right(source, (left, middle), (right, high), before)
            chosen = arith.select(take_right, right, left)
            return [
                arith.select(take_right, left, add(left, 1)),
                arith.select(take_right, add(right, 1), right),
                *_store(_load(source, [chosen]), target, [k]),
            ]

        return for_loop(low, high, step, [low, middle, *target])[2:]

    return for_loop(0, length, merge_pair, target, step=mul(width, 2))


def _take_right(source: Values, left: tuple[Index, Index], right: tuple[Index, Index], before: Before) -> ir.Value:
    """Whether the next element of a merge is the right run's: at equality the left one comes first (stability).
    Each run is given as its next position and its end."""
    i1 = ir.IntegerType.get_signless(1)

    def compare() -> Values:
        return if_else(
            less(*left),
            [i1],
            lambda: [before(_load(source, [right[0]]), _load(source, [left[0]]))],
            lambda: [arith.constant(i1, 1)],
        )

    return if_else(less(*right), [i1], compare, lambda: [arith.constant(i1, 0)])[0]


def _load(line: Sequence[ir.Value], position: Sequence[Index]) -> Values:
    return [extract(v, position) for v in line]


def _store(values: Sequence[ir.Value], line: Sequence[ir.Value], position: Sequence[Index]) -> Values:
    return [insert(value, into, position) for value, into in zip(values, line, strict=True)]


def _groups(state: Sequence[ir.Value], count: int) -> list[Values]:
    """Splits values carried together into equal groups."""
    size = len(state) // count
    return [list(state[i * size : (i + 1) * size]) for i in range(count)]
