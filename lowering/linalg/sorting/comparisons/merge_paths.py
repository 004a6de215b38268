"""A thread's share of merging two sorted runs: so many neighbours of the result.

Where in both runs its part begins and ends, a thread finds by halving the merge over and over, each cut within the last two
(the merge paths of Odeh, Green et al., "Merge Path", 2012): threads agree on the cuts, so that each element goes to one
place whatever the comparator says, and equal elements keep their order."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, for_loop, index, less, maximum, minimum, mul, sub, while_loop
from hlo.lowering.linalg.sorting.comparisons.merging import Before, Span, Values, load, merge


def merged_part(
    source: Values, target: Values, row: tuple[Index, Index], number: Index, width: int, share: int, before: Before
) -> Values:
    """Merges neighbouring runs of `width` elements of a row (where it begins, how long it is): writes elements `number` *
    `share` and those behind it, `share` together."""
    base, length = row
    first = mul(number, share)
    low = mul(arith.divui(index(first), index(2 * width)), 2 * width)
    middle, high = (minimum(add(low, n * width), length) for n in (1, 2))
    runs = _Runs(source, before, add(base, low), sub(middle, low), add(base, middle), sub(high, middle), share)
    begin, end = runs.cuts(sub(first, low), 2 * width)
    into = (add(base, first), add(base, minimum(add(first, share), high)))
    return merge(source, target, (begin[0], end[0]), (begin[1], end[1]), into, before)


@dataclass(frozen=True)
class _Runs:
    """Two neighbouring sorted runs of `source`: where each begins, and its size."""

    source: Values
    before: Before
    left: Index
    left_size: Index
    right: Index
    right_size: Index
    share: int

    def cuts(self, first: Index, most: int) -> tuple[Span, Span]:
        """What part of each run the `share` elements of the merge from number `first` on come from: places of the left and of
        the right run where it begins, and where it ends. `most`: elements of both runs, where none is cut short."""
        halvings = (most // self.share).bit_length() - 1
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
