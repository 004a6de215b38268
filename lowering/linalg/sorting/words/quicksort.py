"""Sorting of rows of words in vectors along the row: quicksort, whose parts move what is to their sides of a pivot by
compressing or permuting vectors, in place (Bramas, "A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512",
2017), and which sorts short parts by networks (`networks.py`).

Parts are gone through from the first one on, so that one begins where the one before it ends; of those that wait, a
stack holds the end, the largest word that there can be, and how often they were parted. A part whose words can only be
one number is done. After many partings pivots halve the range of the numbers, so that no input takes more than about n
* (log n + bits of a word) steps. Where only the first few of a row are used, parts behind them are left as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlir import ir
from mlir.dialects import arith, math, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    add,
    extract,
    for_loop,
    if_else,
    index,
    insert,
    less,
    mul,
    scalar,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.words.leading_bits import LEAST as LEAST_NARROW
from hlo.lowering.linalg.sorting.words.leading_bits import LeadingBits
from hlo.lowering.linalg.sorting.words.networks import BlockNetwork
from hlo.lowering.linalg.sorting.words.vectors import At, WordVectors, median
from hlo.lowering.numbers import integer

Values = list[ir.Value]

INDEX_BITS = 64

SHORT, WIDE_SHORT = 64, 1024
"""Vectors of a part, at most, that a network sorts; of words of 64 bits, as many words as narrow ones have numbers for
(`leading_bits.py`)."""

PARTED = 24
"""Vectors of a part, at most, that a network sorts although few of its elements are used."""

SAMPLES = 9
"""Vectors of a part from which its pivot is taken."""

UNROLLED = 8
"""Vectors that an iteration of the loop moves. Parts of three times as many and more are parted: PARTED is no less."""


@dataclass(frozen=True)
class RowSorter:
    """Sorts rows of words. `prefers_narrow`: networks of 32-bit words take so much less time than those of 64-bit words
    that they sort short parts of these (`leading_bits.py`)."""

    vectors: WordVectors
    prefers_narrow: bool

    @property
    def short(self) -> int:
        """Words of a part, at most, that a network sorts."""
        return WIDE_SHORT if self.vectors.kind.width == 64 else SHORT * self.vectors.lanes

    @property
    def _has_narrow(self) -> bool:
        """Whether narrow words sort short parts."""
        return self.prefers_narrow and self.vectors.kind.width == 64

    @property
    def _deepest(self) -> int:
        """Parts that wait, at most: a level each until pivots halve the range, then each takes a bit of a word."""
        return 2 * INDEX_BITS + self.vectors.kind.width + 2

    def sort(self, words: ir.Value, at: At, length: ir.Value, kept: Index) -> ir.Value:
        """At least the first `kept` of `length` words."""
        kind, place, nothing = self.vectors.kind, ir.IndexType.get(), scalar(self.vectors.kind, 0)
        room = LeadingBits(self.vectors).room().tensors if self._has_narrow else ()
        block = tensor.empty([self.short], kind)
        ends, lasts, levels = (tensor.empty([self._deepest], t) for t in (place, kind, place))
        stack = [
            insert(index(length), ends, [0]),
            insert(self.vectors.most, lasts, [0]),
            insert(index(0), levels, [0]),
        ]
        start = [index(0), nothing, index(0), *stack, words, block, *room]
        goes_on = lambda begin, *_: less(begin, kept)
        sampled = _twice_its_bits(length)
        return while_loop(start, goes_on, lambda *state: self._step(at, sampled, index(kept), *state))[3 + len(stack)]

    def _step(self, at: At, sampled: ir.Value, kept: ir.Value, begin: ir.Value, least: ir.Value, top: ir.Value, *carried: ir.Value) -> Values:  # fmt: skip
        """Sorts the part on top of the stack if it is short, or parts it. `sampled`: partings of a part until pivots
        halve the range; `begin`, `least`: its first place and the least word that there can be."""
        ends, lasts, levels, word, one_block, *room = carried
        words, block = Array((word,)), Array((one_block,))
        end, last, level = (extract(v, [top]) for v in (ends, lasts, levels))
        size = arith.subi(end, begin)
        is_one = arith.cmpi(arith.CmpIPredicate.uge, least, last)
        is_done = arith.ori(is_one, self._is_short(size, sub(kept, begin)))
        state = [begin, least, top, *carried]

        def finish() -> Values:
            is_sorted, same = arith.ori(is_one, less(size, 2)), [word, one_block, *room]
            sort = lambda: self._sort_short(words, block, room, at, begin, size)
            done = if_else(is_sorted, [v.type for v in same], lambda: same, sort)
            return [end, arith.addi(last, scalar(last.type, 1)), arith.subi(top, index(1)), ends, lasts, levels, *done]

        def part() -> Values:
            found = lambda: [arith.minui(self._pivot(words, at, begin, size), arith.subi(last, scalar(last.type, 1)))]
            halved = lambda: [arith.addi(least, arith.shrui(arith.subi(last, least), scalar(last.type, 1)))]
            (pivot,) = if_else(less(level, sampled), [last.type], found, halved)
            middle, parted, beside = self._partition(words, block, at, begin, end, pivot)
            deeper, above = arith.addi(level, index(1)), arith.addi(top, index(1))
            pushed = [insert(middle, ends, [above]), insert(pivot, lasts, [above])]
            pushed += [insert(deeper, insert(deeper, levels, [top]), [above])]
            return [begin, least, above, *pushed, *parted.tensors, *beside.tensors, *room]

        return if_else(is_done, [v.type for v in state], finish, part)

    def _is_short(self, size: ir.Value, used: Index) -> ir.Value:
        """Whether a network sorts a part, of which so many first elements are used: of a part that is used in full,
        longer ones. Networks of 64-bit words take so much time that nearly all of a part must be used."""
        is_small = less(size, PARTED * self.vectors.lanes + 1)
        spare = used if self.vectors.kind.width < 64 else arith.shrui(index(used), index(2))
        is_used = less(size, add(used, spare))
        return arith.ori(is_small, arith.andi(is_used, less(size, self.short + 1)))

    def _pivot(self, words: Array, at: At, begin: Index, size: Index) -> ir.Value:
        """About the middle of the first words from some vectors of a part."""
        lanes = self.vectors.lanes
        step = arith.divui(sub(size, lanes), index(SAMPLES - 1))
        places = [at(add(begin, mul(step, n))) for n in range(SAMPLES)]
        samples = [self.vectors.load_word(words.tensors[0], place) for place in places]
        while len(samples) > 1:
            samples = [median(*samples[n : n + 3]) for n in range(0, len(samples), 3)]
        (middle,) = samples
        for by in (lanes // 3, 1):
            middle = median(*(self.vectors.rotated(middle, n * by) for n in range(3)))
        return vector.extract(middle, [], [0])

    def _partition(self, words: Array, block: Array, at: At, begin: Index, end: Index, pivot: ir.Value) -> tuple[ir.Value, Array, Array]:  # fmt: skip
        """Moves words up to the pivot to the front of a part, the others behind them; returns where these begin, the
        words, the block. Whole vectors are written at both ends. There is space because those that were there first
        wait in the block; the next ones are read at the end that has less of it, before this iteration's are
        written."""
        lanes, pivots = self.vectors.lanes, self.vectors.splat(pivot)
        step = UNROLLED * lanes
        left, right = add(begin, 2 * step), sub(end, step)

        def move(_: Index, left: ir.Value, right: ir.Value, front: ir.Value, back: ir.Value, word: ir.Value, *values: ir.Value) -> Values:  # fmt: skip
            words, is_last = Array((word,)), less(sub(back, right), sub(left, front))
            before, behind = sub(right, step), add(left, step)
            following = self._several(words, at(arith.select(is_last, before, left)))
            left, right = arith.select(is_last, left, behind), arith.select(is_last, before, right)
            for value in values:
                front, back, word = moved_whole(self.vectors, value, pivots, word, at, front, back)
            return [left, right, front, back, word, *following]

        def move_waiting(k: ir.Value, *state: ir.Value) -> Values:
            return self._moved_from(block, k, moved_whole, pivots, at, state)

        block = self._waiting(block, 0, words, at, begin)
        block = self._waiting(block, step, words, at, right)
        start = [left, right, begin, end, *words.tensors, *self._several(words, at(add(begin, step)))]
        left, right, front, back, word, *values = for_loop(0, _whole(sub(right, left), step), move, start, step)
        for n, value in enumerate(values):
            block = self.vectors.store((value,), block, [2 * step + n * lanes])
        block = self._waiting(block, 3 * step, Array((word,)), at, left)
        count = add(sub(right, left), 3 * step)
        # what is no whole vector is first, so that there is space for whole ones on both sides until the last one
        some = arith.andi(count, index(lanes - 1))
        whole = arith.subi(count, some)
        masked = lambda mask: partial(moved_rest, inside=mask)
        state = self._moved_from(block, whole, masked(self.vectors.first(some)), pivots, at, [front, back, word])
        last = sub(whole, lanes)
        state = for_loop(0, last, move_waiting, state, lanes)
        front, _, word = self._moved_from(block, last, masked(None), pivots, at, state)
        return front, Array((word,)), block

    def _moved_from(self, block: Array, k: Index, move: Callable[..., Values], pivots: ir.Value, at: At, state: Sequence[ir.Value]) -> Values:  # fmt: skip
        """What `move` (below) makes of the ends and the words with a vector of the block."""
        front, back, words = state
        value = self.vectors.load_word(block.tensors[0], [k])
        return move(self.vectors, value, pivots, words, at, front, back)

    def _several(self, words: Array, position: Sequence[Index]) -> Values:
        """The vectors of an iteration."""
        (*rows, k), lanes = position, self.vectors.lanes
        return [self.vectors.load_word(words.tensors[0], [*rows, add(k, n * lanes)]) for n in range(UNROLLED)]

    def _waiting(self, block: Array, start: int, words: Array, at: At, begin: Index) -> Array:
        """The block, from `start` on with the vectors of an iteration."""
        lanes = self.vectors.lanes
        put = lambda k, block: self.vectors.store(self.vectors.load(words, at(add(begin, k))), block, [add(start, k)])
        return block.loop(0, UNROLLED * lanes, put, lanes)

    def _copied(self, source: Array, target: Array, to: At, count: ir.Value) -> Array:
        def put(k: Index, inside: ir.Value | None, target: ir.Value) -> Values:
            return list(self.vectors.store(self.vectors.load(source, [k]), Array((target,)), to(k), inside).tensors)

        return Array(tuple(self.vectors.along(count, put, target.tensors, whole=1)))

    def _sort_short(self, words: Array, block: Array, room: Values, at: At, begin: Index, size: Index) -> Values:
        """The words, the block, the room."""
        if not room:
            return self._by_network(words, block, at, begin, size)
        state = [*words.tensors, *block.tensors, *room]
        types = [v.type for v in state]
        network = lambda word, block, *room: [
            *self._by_network(Array((word,)), Array((block,)), at, begin, size),
            *room,
        ]

        def narrow() -> Values:
            there = lambda k: at(add(begin, k))
            is_sorted, *arrays = LeadingBits(self.vectors).sort(words, block, Array(tuple(room)), there, size)
            state = [v for array in arrays for v in array.tensors]
            return if_else(is_sorted, types, lambda: state, lambda: network(*state))

        return if_else(less(LEAST_NARROW, size), types, narrow, lambda: network(*state))

    def _by_network(self, words: Array, block: Array, at: At, begin: Index, size: Index) -> Values:
        """The words and the block."""
        lanes, network = self.vectors.lanes, BlockNetwork(self.vectors)
        there = lambda k: at(add(begin, k))
        part = lambda k: self.vectors.load(words, there(k), self.vectors.first(sub(size, k)))
        block = network.sort(lambda number: part(mul(number, lanes)), block, network.padded(size))
        return [*self._copied(block, words, there, size).tensors, *block.tensors]


def moved_whole(vectors: WordVectors, value: ir.Value, pivots: ir.Value, words: ir.Value, at: At, front: ir.Value, back: ir.Value) -> Values:  # fmt: skip
    """Where what is in front of words and what is behind them ends, and the words, with a vector's lanes on their sides
    of the pivot: there is space for all of them on both."""
    is_left, back = vectors.is_upto((value,), pivots), sub(back, vectors.lanes)
    to_front, to_back = vectors.parted(value, is_left)
    count, array = vectors.count(is_left), Array((words,))
    array = vectors.store((to_back,), vectors.store((to_front,), array, at(front)), at(back))
    return [arith.addi(front, count), arith.addi(back, count), *array.tensors]


def moved_rest(vectors: WordVectors, value: ir.Value, pivots: ir.Value, words: ir.Value, at: At, front: ir.Value, back: ir.Value, inside: ir.Value | None) -> Values:  # fmt: skip
    """The same of the lanes of a mask, if there is one, for which there is no more space than they take."""
    is_left, array = vectors.is_upto((value,), pivots), Array((words,))
    masks = [is_left, vectors.inverted(is_left)]
    masks = masks if inside is None else [arith.andi(inside, mask) for mask in masks]
    count, others = map(vectors.count, masks)
    back = arith.subi(back, others)
    for mask, number, place in zip(masks, (count, others), (front, back), strict=True):
        array = vectors.store(vectors.compressed((value,), mask), array, at(place), vectors.first(number))
    return [arith.addi(front, count), back, *array.tensors]


def _twice_its_bits(length: ir.Value) -> ir.Value:
    """2 * log2 of a length, about."""
    word = integer(INDEX_BITS)
    unused = math.ctlz(arith.index_cast(word, length))
    return arith.index_cast(
        ir.IndexType.get(), arith.shli(arith.subi(scalar(word, INDEX_BITS), unused), scalar(word, 1))
    )


def _whole(count: Index, step: int) -> Index:
    """The largest multiple of `step`, a power of two, up to a count."""
    if isinstance(count, int):
        return count - count % step
    return arith.andi(count, index(-step))
