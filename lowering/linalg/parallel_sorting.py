"""Sorting of long lines by many threads, as loops whose turns are independent (`parallel_nest`), a launch each on a GPU.

Sort: runs of RUN elements, a thread a run; then passes that merge neighbouring runs, a thread RUN elements of the result.
Where in both runs its part begins and ends, a thread finds by halving the merge over and over, each cut within the last two
(the merge paths of Odeh, Green et al., "Merge Path", 2012): threads agree on the cuts, so that each element goes to one
place whatever the comparator says, and equal elements keep their order.

Selection of the first few: a thread selects in a part of a line; what is left is a line of candidates, shorter by far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.lines import Lines
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    for_loop,
    index,
    less,
    linear,
    maximum,
    minimum,
    mul,
    parallel_nest,
    shape,
    sub,
    while_loop,
)
from hlo.lowering.linalg.merging import RUN, Before, Span, Values, load, merge, select, sort_run, store

SHORT, MANY = 64, 256
"""Lines up to this length are sorted by a thread each, if there are so many of them."""

PART = 256
"""Elements of a line, at least, that a thread selects the first few of."""


def pays(lines: int, length: int) -> bool:
    """Whether lines are sorted faster by many threads together than by one each."""
    return length > (SHORT if lines >= MANY else RUN)


def sort_lines_in_parallel(operands: Values, dimension: int, before: Before, kept: int | None = None) -> Values:
    """As sort_lines: sorts each line of the operands along `dimension`; `kept`: only so many first elements of it."""
    lines = Lines(tuple(shape(operands[0])), dimension)
    if kept == 0:
        return operands
    found = _selected(operands, lines, kept, before) if kept else _sorted(operands, lines, before)
    length = kept or lines.length

    def put(place: list[Index], *whole: ir.Value) -> Values:
        return store(load(found, [linear(place, [lines.count, length])]), whole, lines.at(*place))

    return parallel_nest([lines.count, length], put, operands)


def _sorted(operands: Values, lines: Lines, before: Before) -> Values:
    size = [lines.count, lines.length]
    scratch = [tensor.empty([prod(size)], element(v)) for v in operands]

    def take(place: list[Index], *flat: ir.Value) -> Values:
        return store(load(operands, lines.at(*place)), flat, [linear(place, size)])

    return sort_flat(parallel_nest(size, take, scratch), lines.count, lines.length, before)


def sort_flat(arrays: Values, count: int, length: int, before: Before) -> Values:
    """Sorts `count` lines that lie one behind the other in arrays of rank 1."""
    runs = -(-length // RUN)

    def run(place: list[Index], *arrays: ir.Value) -> Values:
        line, number = place
        first, base = mul(number, RUN), mul(line, length)
        end = minimum(add(first, RUN), length)
        return sort_run(arrays, (add(base, first), add(base, end)), before)

    arrays = parallel_nest([count, runs], run, arrays)
    other = [tensor.empty(shape(v), element(v)) for v in arrays]
    width = RUN
    while width < length:
        arrays, other = _merged(arrays, other, count, length, width, before), arrays
        width *= 2
    return arrays


def _merged(source: Values, target: Values, count: int, length: int, width: int, before: Before) -> Values:
    """Merges neighbouring runs of `width` elements; each turn makes RUN elements of the target."""

    def part(place: list[Index], *target: ir.Value) -> Values:
        line, number = place
        base, first = mul(line, length), mul(number, RUN)
        low = mul(arith.divui(index(first), index(2 * width)), 2 * width)
        middle, high = (minimum(add(low, n * width), length) for n in (1, 2))
        runs = _Runs(source, before, add(base, low), sub(middle, low), add(base, middle), sub(high, middle))
        begin, end = runs.cuts(sub(first, low), 2 * width)
        into = (add(base, first), add(base, minimum(add(first, RUN), high)))
        return merge(source, target, (begin[0], end[0]), (begin[1], end[1]), into, before)

    return parallel_nest([count, -(-length // RUN)], part, target)


@dataclass(frozen=True)
class _Runs:
    """Two neighbouring sorted runs of `source`: where each begins, and its size."""

    source: Values
    before: Before
    left: Index
    left_size: Index
    right: Index
    right_size: Index

    def cuts(self, first: Index, most: int) -> tuple[Span, Span]:
        """What part of each run the RUN elements of the merge from number `first` on come from: places of the left and of
        the right run where it begins, and where it ends. `most`: elements of both runs, where none is cut short."""
        halvings = (most // RUN).bit_length() - 1
        total = add(self.left_size, self.right_size)

        def halve(_: Index, begin: Index, end: Index, low: Index, high: Index) -> Values:
            middle = arith.shrui(add(begin, end), index(1))
            cut = self._cut([minimum(d, total) for d in (begin, middle, end)], low, high)
            earlier = less(first, middle)
            pairs = ((begin, middle), (middle, end), (low, cut), (cut, high))
            return [arith.select(earlier, *pair) for pair in pairs]

        start = [index(v) for v in (0, most, 0, self.left_size)]
        begin, end, low, high = for_loop(0, halvings, halve, start)
        return self._places(minimum(begin, total), low), self._places(minimum(end, total), high)

    def _places(self, number: Index, from_left: Index) -> Span:
        return add(self.left, from_left), add(self.right, sub(number, from_left))

    def _cut(self, numbers: Sequence[Index], low: Index, high: Index) -> Index:
        """How many of the first `number` elements of the merge are of the left run; `numbers`: those of the cut before it,
        of this one, of the cut after it; `low`, `high`: how many there are of the left run before the other two."""
        before, number, after = numbers
        first = maximum(low, sub(number, sub(after, high)))
        last = minimum(high, sub(number, sub(before, low)))

        def narrow(first: Index, last: Index) -> Values:
            middle = arith.shrui(add(first, last), index(1))
            left = load(self.source, [add(self.left, middle)])
            right = load(self.source, [add(self.right, sub(sub(number, 1), middle))])
            is_right_first = self.before(right, left)
            return [arith.select(is_right_first, first, add(middle, 1)), arith.select(is_right_first, middle, last)]

        return while_loop([index(first), index(last)], less, narrow)[0]


def _selected(operands: Values, lines: Lines, kept: int, before: Before) -> Values:
    """The first `kept` of each line, in arrays of rank 1."""
    found = _selected_of_parts(operands, lines, kept, before)
    size = [lines.count, shape(found[0])[0] // lines.count]
    while size[1] > kept:
        candidates = [tensor.expand_shape(_type(v, size), v, [[0, 1]], [], size) for v in found]
        found = _selected_of_parts(candidates, Lines(tuple(size), 1), kept, before)
        size[1] = shape(found[0])[0] // lines.count
    return found


def _type(value: ir.Value, size: Sequence[int]) -> ir.Type:
    return ir.RankedTensorType.get(size, element(value))


def _selected_of_parts(operands: Values, lines: Lines, kept: int, before: Before) -> Values:
    """The first `kept` of each part of a line, part by part: equal elements keep their order."""
    parts = max(1, lines.length // PART)
    size, longer = divmod(lines.length, parts)
    best = [tensor.empty([lines.count * parts * kept], element(v)) for v in operands]

    def part(place: list[Index], *best: ir.Value) -> Values:
        line, number = place
        start = add(mul(number, size), minimum(number, longer))
        count = add(size, arith.select(less(number, longer), index(1), index(0))) if longer else size
        base = mul(linear(place, [lines.count, parts]), kept)
        return select(best, base, kept, count, lambda k: load(operands, lines.at(line, add(start, k))), before)

    return parallel_nest([lines.count, parts], part, best)
