"""Which lines of one text are lines of the next: patience diff, which aligns lines that are there once and then what is between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

Pair = tuple[int, int]

SMALL = 250_000
"""Products of two lengths up to which all pairs are looked at where no line is there once."""


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Pair]:
    """Positions of equal items, ascending in both."""
    return sorted(_align(old, new, (0, len(old)), (0, len(new))))


def _align(old: Sequence[Hashable], new: Sequence[Hashable], a: Pair, b: Pair) -> Iterator[Pair]:
    waiting = [(a, b)]
    while waiting:
        (start, end), (first, last) = waiting.pop()
        while start < end and first < last and old[start] == new[first]:
            yield start, first
            start, first = start + 1, first + 1
        while start < end and first < last and old[end - 1] == new[last - 1]:
            end, last = end - 1, last - 1
            yield end, last
        if start == end or first == last:
            continue
        anchors = _anchors(old, new, (start, end), (first, last))
        if anchors:
            edges = [(start - 1, first - 1), *anchors, (end, last)]
            yield from anchors
            waiting += [((p + 1, q), (r + 1, s)) for (p, r), (q, s) in pairwise(edges)]
        elif (end - start) * (last - first) <= SMALL:
            blocks = SequenceMatcher(None, old[start:end], new[first:last], autojunk=False).get_matching_blocks()
            yield from ((start + i + n, first + j + n) for i, j, size in blocks for n in range(size))


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable], a: Pair, b: Pair) -> list[Pair]:
    """Items that each side has once, in the longest order that both have."""
    once_old, once_new = _once(old, a), _once(new, b)
    return _longest_ascending([(once_old[item], j) for item, j in once_new.items() if item in once_old])


def _once(items: Sequence[Hashable], within: Pair) -> dict[Hashable, int]:
    counts = Counter(items[n] for n in range(*within))
    return {items[n]: n for n in range(*within) if counts[items[n]] == 1}


def _longest_ascending(pairs: list[Pair]) -> list[Pair]:
    """Of pairs whose second numbers ascend, the most whose first ones do, too."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(pairs)
    for number, (i, _) in enumerate(pairs):
        length = bisect_left(tails, i)
        tails[length : length + 1] = [i]
        ends[length : length + 1] = [number]
        before[number] = ends[length - 1] if length else -1
    chosen: list[Pair] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]
