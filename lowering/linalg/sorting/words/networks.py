"""Sorting networks whose comparisons are minima and maxima of vectors (Batcher 1968; Knuth, volume 3, 5.3.4).

    ColumnNetwork   vectors across rows: each column is a row, of any length; blocks are sorted in registers, runs are merged by bitonic networks, in loops over vectors
    BlockNetwork    vectors along one row of some hundred words, in scratch of whole groups: groups of vectors are sorted by column and transposed, which leaves runs in each vector; these are merged

A run that is merged with the one before it is read backwards. What is beyond the end counts as larger than all, so that
nothing is ever exchanged with it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, index, less, maximum, minimum, mul, sub, switch, while_loop
from hlo.lowering.linalg.parts import Array, Number, chosen
from hlo.lowering.linalg.sorting.words.vectors import VECTOR_BITS, WordVectors, at_once, ordered

GROUP = 8
"""Vectors, at most, that are sorted by column: no more than a vector has lanes."""

Pairs = Sequence[tuple[int, int]]

BLOCK = 16
"""Vectors whose columns are sorted in registers, of rows that are columns."""

RESTS = (1, 2, 3, 4, 8, BLOCK)
"""Vectors that are left behind whole blocks have a network for the next of these sizes: one vector needs none."""


@dataclass(frozen=True)
class ColumnNetwork:
    """Sorts the columns of `count` vectors, which are contiguous in arrays from index `begin` on."""

    vectors: WordVectors
    begin: Index
    count: Index

    def sort(self, words: Array) -> Array:
        """Sorts blocks, then merges runs of BLOCK * 2^n vectors to runs of twice as many."""
        merging = list(_merging_pairs(BLOCK // 2, BLOCK))

        def double(n: ir.Value, *words: ir.Value) -> list[ir.Value]:
            apart = exchange_apart(Array(words), self.count, _run(n, BLOCK), n, self._exchange)
            return [add(n, 1), *self._each_block(apart, merging).tensors]

        goes_on = lambda n, *_: less(_run(n, BLOCK), self.count)
        start = [index(0), *self._each_block(words, list(sorting_pairs(BLOCK))).tensors]
        return Array(tuple(while_loop(start, goes_on, double)[1:]))

    def _at(self, number: Index) -> list[Index]:
        return [add(self.begin, mul(number, self.vectors.lanes))]

    def _exchange(self, words: Array, first: Index, second: Index, _: bool) -> Array:
        low, high = ordered(*(self.vectors.load(words, self._at(n)) for n in (first, second)))
        return self.vectors.store(high, self.vectors.store(low, words, self._at(first)), self._at(second))

    def _each_block(self, words: Array, pairs: Pairs) -> Array:
        """Exchanges pairs within each block; what is behind whole blocks, by the network of the first of RESTS that it does not exceed."""
        whole, place = arith.andi(index(self.count), index(-BLOCK)), ir.IndexType.get()
        words = words.loop(0, whole, lambda start, words: self._block(words, start, BLOCK, pairs), BLOCK)
        exceeded = [arith.index_castui(place, less(add(whole, size), self.count)) for size in RESTS[:-1]]
        block = lambda shorter, size: lambda: self._block(words, whole, size, pairs, shorter + 1).tensors
        blocks = [lambda: words.tensors, *map(block, RESTS, RESTS[1:])]
        types = [t.type for t in words.tensors]
        return Array(tuple(switch(functools.reduce(arith.addi, exceeded), types, blocks)))

    def _block(self, words: Array, start: Index, size: int, pairs: Pairs, present: int = BLOCK) -> Array:
        """Exchanges pairs of `size` vectors, of which those from number `present` on may be beyond the end: what is
        stored in the last one's memory before that are not words."""
        number = lambda n: add(start, n) if n < present else minimum(add(start, n), sub(self.count, 1))
        rows = [self.vectors.load(words, self._at(number(n))) for n in range(size)]
        most = (self.vectors.splat(self.vectors.most),) * len(words.tensors)
        for n in range(present, size):
            rows[n] = chosen(less(add(start, n), self.count), rows[n], most)
        for a, b in (p for p in pairs if max(p) < size):
            rows[a], rows[b] = ordered(rows[a], rows[b])
        for n in reversed(range(size)):
            words = self.vectors.store(rows[n], words, self._at(number(n)))
        return words


@dataclass(frozen=True)
class BlockNetwork:
    """Sorts `count` vectors, which make groups, in scratch."""

    vectors: WordVectors

    @property
    def _group(self) -> int:
        return min(GROUP, self.vectors.lanes)

    def sort(self, vector: Callable[[Index], Number], scratch: Array, count: Index) -> Array:
        """The scratch with the sorted words of `vector(number)`."""
        scratch = self._each_group(count, vector, self._sorted_groups, scratch)

        def double(power: ir.Value, *scratch: ir.Value) -> list[ir.Value]:
            return [add(power, 1), *self._merge(Array(scratch), count, power).tensors]

        start = [index(self._group.bit_length() - 1), *scratch.tensors]
        goes_on = lambda power, *_: less(_run(power), count)
        return Array(tuple(while_loop(start, goes_on, double)[1:]))

    def padded(self, size: Index) -> Index:
        """Vectors of the groups that hold `size` elements."""
        groups = arith.divui(
            index(add(size, self._group * self.vectors.lanes - 1)), index(self._group * self.vectors.lanes)
        )
        return mul(groups, self._group)

    def _each_group(self, count: Index, vector: Callable[[Index], Number] | None, made: Callable[[list[Number]], list[Number]], scratch: Array) -> Array:  # fmt: skip
        """The scratch with what is made of the vectors of each group (by default its own): two groups at a time, where
        there are registers for both."""

        def groups(scratch: Array, start: Index, number: int) -> Array:
            rows = [(vector or (lambda n: self._load(scratch, n)))(add(start, n)) for n in range(number * self._group)]
            return self._store_all(made(rows), scratch, start)

        if not self._pairs_groups:
            return scratch.loop(0, count, lambda i, scratch: groups(scratch, i, 1), self._group)
        pairs = arith.andi(index(count), index(-2 * self._group))
        scratch = scratch.loop(0, pairs, lambda i, scratch: groups(scratch, i, 2), 2 * self._group)
        return scratch.loop(pairs, count, lambda i, scratch: groups(scratch, i, 1), self._group)

    @property
    def _pairs_groups(self) -> bool:
        return self.vectors.bits == VECTOR_BITS

    def _load(self, scratch: Array, number: Index) -> Number:
        return self.vectors.load(scratch, [mul(number, self.vectors.lanes)])

    def _store(self, value: Number, scratch: Array, number: Index) -> Array:
        return self.vectors.store(value, scratch, [mul(number, self.vectors.lanes)])

    def _store_all(self, rows: Sequence[Number], scratch: Array, start: Index) -> Array:
        for n, row in enumerate(rows):
            scratch = self._store(row, scratch, add(start, n))
        return scratch

    def _sorted_groups(self, rows: Sequence[Number]) -> list[Number]:
        """Each group sorted. Each column becomes a run in a vector; runs are merged until a run has all vectors."""
        rows, starts = list(rows), range(0, len(rows), self._group)
        for a, b in ((start + a, start + b) for a, b in sorting_pairs(self._group) for start in starts):
            rows[a], rows[b] = ordered(rows[a], rows[b])
        for distance in (1 << n for n in range(self._group.bit_length() - 1)):
            for a in (n for n in range(len(rows)) if not n & distance):
                rows[a], rows[a + distance] = self.vectors.exchanged(rows[a], rows[a + distance], distance)
        run = self._group
        while run < self.vectors.lanes:
            order = [n ^ (run - 1) if n & run else n for n in range(self.vectors.lanes)]
            rows = self._ordered_lanes([self.vectors.shuffled(v, v, order) for v in rows], 2 * run)
            run *= 2
        run = 1
        while run < self._group:
            rows = self._merged(rows, run)
            run *= 2
        return rows

    def _merged(self, rows: Sequence[Number], run: int) -> list[Number]:
        """Neighbouring runs of `run` vectors."""
        rows = list(rows)
        for start in range(0, len(rows), 2 * run):
            for a, b in ((start + n, start + 2 * run - 1 - n) for n in range(run)):
                rows[a], rows[b] = ordered(rows[a], self.vectors.reversed(rows[b]))
        return self._cleaned(self._in_step(rows), run)

    def _cleaned(self, rows: Sequence[Number], size: int) -> list[Number]:
        """Sorts each part of `size` vectors; every part is bitonic."""
        rows = list(rows)
        for distance in (size >> n for n in range(1, size.bit_length())):
            for a in (n for n in range(len(rows)) if not n & distance):
                rows[a], rows[a + distance] = ordered(rows[a], rows[a + distance])
            rows = self._in_step(rows)
        return self._ordered_lanes(rows, self.vectors.lanes)

    def _merge(self, scratch: Array, count: Index, power: ir.Value) -> Array:
        """Merges neighbouring runs of 2^power vectors, the last comparisons in registers."""
        scratch = exchange_apart(scratch, count, _run(power), sub(power, self._group.bit_length() - 1), self._exchange)
        return self._each_group(count, None, lambda rows: self._cleaned(rows, self._group), scratch)

    def _exchange(self, scratch: Array, first: Index, second: Index, is_backwards: bool) -> Array:
        """Lanes of a second vector that is read backwards stay so: of what is bitonic any order of lanes is sorted in
        the end that is one of all vectors compared with it."""
        other = self._load(scratch, second)
        low, high = ordered(self._load(scratch, first), self.vectors.reversed(other) if is_backwards else other)
        return self._store(high, self._store(low, scratch, first), second)

    def _ordered_lanes(self, rows: Sequence[Number], size: int) -> list[Number]:
        """Sorts each part of `size` lanes, which is bitonic, of vectors, two at a time. A comparison of all of them
        comes before the next one: they do not wait for each other."""
        pairs = list(zip(rows[::2], rows[1::2], strict=True))
        for distance in (size >> n for n in range(1, size.bit_length())):
            exchanged = [self.vectors.exchanged(a, b, distance) for a, b in pairs]
            rows = self._in_step([v for a, b in exchanged for v in ordered(a, b)])
            pairs = list(zip(rows[::2], rows[1::2], strict=True))
        # Each comparison has left a bit of the index one bit higher in the lane, the last one in the vector's number.
        lanes = self.vectors.lanes
        order = [(n & -size) + n % size // 2 + (n % 2) * lanes for n in range(lanes)]
        return [
            self.vectors.shuffled(a, b, [n + upper * size // 2 for n in order]) for a, b in pairs for upper in (0, 1)
        ]

    def _in_step(self, rows: Sequence[Number]) -> list[Number]:
        """The vectors of two groups, each with that of the other one, so that LLVM does not put the code of one group
        behind that of the other: then either waits for its own results."""
        if len(rows) != 2 * self._group:
            return list(rows)
        width, tied = len(rows[0]), [at_once((*a, *b)) for a, b in zip(rows[: self._group], rows[self._group :])]
        return [tuple(both[:width]) for both in tied] + [tuple(both[width:]) for both in tied]


def _run(power: ir.Value, of: int = 1) -> ir.Value:
    """of * 2^power"""
    return arith.shli(index(of), power)


Exchange = Callable[[Array, Index, Index, bool], Array]
"""Leaves the smaller of two units at the first place, the larger one at the second; the second one is read backwards, or not."""


def exchange_apart(words: Array, count: Index, run: Index, halvings: Index, exchange: Exchange) -> Array:
    """The comparisons of a bitonic merge of neighbouring runs of `run` units, a power of two, of `count`: of each with
    that of the next run which is as far from its end, then of units half as far apart as runs are, and so on for so
    many `halvings`. What is beyond the end is larger than all."""

    def backwards(start: Index, words: Array) -> Array:
        last = sub(add(start, mul(run, 2)), 1)
        first = maximum(0, sub(add(last, 1), count))
        return words.loop(first, run, lambda i, words: exchange(words, add(start, i), sub(last, i), True))

    def apart(halving: Index, words: Array) -> Array:
        distance = arith.shrui(index(run), index(add(halving, 1)))

        def part(start: Index, words: Array) -> Array:
            stop = minimum(add(start, distance), sub(count, distance))
            return words.loop(start, stop, lambda i, words: exchange(words, i, add(i, distance), False))

        return words.loop(0, sub(count, distance), part, mul(distance, 2))

    return words.loop(0, sub(count, run), backwards, mul(run, 2)).loop(0, halvings, apart)


def _merging_pairs(distance: int, size: int) -> Iterator[tuple[int, int]]:
    while distance:
        yield from ((s + i, s + i + distance) for s in range(0, size, 2 * distance) for i in range(distance))
        distance //= 2


def sorting_pairs(size: int) -> Iterator[tuple[int, int]]:
    """Batcher's odd-even merge sort of `size` elements, a power of two."""
    run = 1
    while run < size:
        distance = run
        while distance:
            for start in range(distance % run, size - distance, 2 * distance):
                for i in range(start, min(start + distance, size - distance)):
                    if i // (2 * run) == (i + distance) // (2 * run):
                        yield i, i + distance
            distance //= 2
        run *= 2
