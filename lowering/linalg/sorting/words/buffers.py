"""Arrays of keys and the indices of their elements, which are filled (a row, what a selection has found of it) and
sorted.

JoinedWords     keys of up to 32 bits, in words that have the index below the key
KeysBeside      keys of 64 bits, whose indices are in an array of their own (`pairs.py`)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, math, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, extract, for_loop, if_else, index, load, scalar, store, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.words.key_words import Outcome
from hlo.lowering.linalg.sorting.words.pairs import KEY_BITS, SortPairs, range_of
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]
ValuesOf = Callable[[ir.Value, ir.Value], Values]
"""What arrays hold of a key and an index."""

INDEX_BITS = 32
"""Of an index that is found."""

NARROW_BITS = 32

PADDING = 64
"""Elements that are written at a time, at most: arrays have so many more."""


@dataclass(frozen=True)
class JoinedWords:
    """`bits`: of a word; `key_bits`: of a key. The first `found` arrays hold what was found, in the order of the row.
    Words of 64 bits, if they differ in 32 bits only, are sorted by these, for which there is room: that takes half the
    time."""

    bits: int
    key_bits: int

    found: ClassVar[int] = 1

    @property
    def types(self) -> list[ir.Type]:
        """Of the arrays' elements."""
        return [self._kind, *[integer(NARROW_BITS)] * (self.bits > NARROW_BITS)]

    @property
    def _kind(self) -> ir.Type:
        return integer(self.bits)

    def arrays(self, count: int) -> Values:
        """For so many elements."""
        return [tensor.empty([count + PADDING], kind) for kind in self.types]

    def values(self, length: Index) -> ValuesOf:
        """What the first arrays hold of an element of a row of a length."""
        shift = arith.index_cast(self._kind, index_bits(length))
        wide = lambda number: resized(number, self._kind)
        return lambda key, position: [arith.ori(arith.shli(wide(key), shift), wide(position))]

    def sorted(self, count: Index, kept: Index, length: Index, arrays: Sequence[ir.Value]) -> Values:
        """The arrays, with at least the first `kept` of `count` elements in order, equal keys in that of the row."""
        words, *room = arrays
        sort = lambda: self.sorted_wide(count, kept, length, arrays)
        if not room:
            return sort()
        least, most = range_of(words, index(count))
        by_narrow = lambda: self._by_differences(least, words, room[0], index(count), index(kept))
        return if_else(self.is_near(least, most), [v.type for v in arrays], by_narrow, sort)

    def sorted_wide(self, count: Index, kept: Index, length: Index, arrays: Sequence[ir.Value]) -> Values:
        """The same of words that differ in more than 32 bits."""
        return [SortWords(self.bits).sorted(arrays[0], count, kept), *arrays[1:]]

    @property
    def may_be_near(self) -> bool:
        """Whether words that differ in few bits are sorted by these."""
        return self.bits > NARROW_BITS

    def is_near(self, least: ir.Value, most: ir.Value) -> ir.Value:
        """Whether words from one to another differ in as many bits as narrow ones have."""
        return arith.cmpi(arith.CmpIPredicate.ult, arith.subi(most, least), scalar(self._kind, 1 << NARROW_BITS))

    @staticmethod
    def difference(least: ir.Value) -> Callable[[Values], Values]:
        """The narrow word of a word."""
        return lambda word: [resized(arith.subi(word[0], least), integer(NARROW_BITS))]

    def put_narrow(self, outcome: Outcome, results: Values, into: Index, count: ir.Value, length: Index, room: ir.Value, least: ir.Value) -> Values:  # fmt: skip
        """The results, from `into` on with what becomes of the words of sorted narrow ones."""
        vectors, bits = WordVectors.of(NARROW_BITS, outcome.words.register), index_bits(length)
        narrow = lambda k, inside: [vectors.load_word(room, [k], inside)]
        made = lambda word: outcome.made_of_word([arith.addi(resized(word[0], self._kind), least)], bits)
        return list(vectors.written(results, into, count, narrow, made))

    def _by_differences(
        self, least: ir.Value, words: ir.Value, room: ir.Value, count: ir.Value, kept: ir.Value
    ) -> Values:
        vectors = WordVectors.of(NARROW_BITS)
        load_from = lambda array: lambda k, inside: [vectors.load_word(array, [k], inside)]
        (room,) = vectors.written([room], 0, count, load_from(words), self.difference(least))
        room = SortWords(NARROW_BITS).sorted(room, count, kept)
        wide = lambda word: [arith.addi(resized(word[0], self._kind), least)]
        return [*vectors.written([words], 0, kept, load_from(room), wide), room]

    def held_on(self, kept: Index, arrays: Sequence[ir.Value]) -> Values:
        """The arrays, which hold the first `kept` elements after sorting."""
        return list(arrays)

    def key(self, number: Index, length: Index, arrays: Sequence[ir.Value]) -> ir.Value:
        """Of an element that is held."""
        word = extract(arrays[0], [number])
        above = arith.shrui(word, arith.index_cast(self._kind, index_bits(length)))
        return resized(above, integer(self.key_bits))

    def last_of(self, key: ir.Value, length: Index) -> ir.Value:
        """The largest number that the first array has of elements of a key."""
        after = arith.addi(resized(key, self._kind), scalar(self._kind, 1))
        shift = arith.index_cast(self._kind, index_bits(length))
        return arith.subi(arith.shli(after, shift), scalar(self._kind, 1))

    def put(self, outcome: Outcome, results: Values, into: Index, count: ir.Value, length: Index, arrays: Values) -> Values:  # fmt: skip
        """The results, from `into` on with what becomes of the first elements after sorting."""
        return outcome.put(Array((arrays[0],)), 0, results, into, count, index_bits(length))


@dataclass(frozen=True)
class KeysBeside:
    """The same of keys of 64 bits."""

    found: ClassVar[int] = 2
    key_bits: ClassVar[int] = KEY_BITS

    @property
    def types(self) -> list[ir.Type]:
        return SortPairs().writes

    def arrays(self, count: int) -> Values:
        return SortPairs().arrays(count)

    def values(self, length: Index) -> ValuesOf:
        return lambda key, position: [key, position]

    def sorted(self, count: Index, kept: Index, length: Index, arrays: Sequence[ir.Value]) -> Values:
        return SortPairs().call([count, kept], [], arrays)

    def sorted_wide(self, count: Index, kept: Index, length: Index, arrays: Sequence[ir.Value]) -> Values:
        return self.sorted(count, kept, length, arrays)

    def held_on(self, kept: Index, arrays: Sequence[ir.Value]) -> Values:
        keys, indices, first_keys, first_indices, *room = arrays
        back = lambda k, *pair: store(load([first_keys, first_indices], [k]), pair, [k])
        return [*for_loop(0, kept, back, [keys, indices]), first_keys, first_indices, *room]

    def key(self, number: Index, length: Index, arrays: Sequence[ir.Value]) -> ir.Value:
        return extract(arrays[0], [number])

    def last_of(self, key: ir.Value, length: Index) -> ir.Value:
        return key

    def put(self, outcome: Outcome, results: Values, into: Index, count: ir.Value, length: Index, arrays: Values) -> Values:  # fmt: skip
        vectors = outcome.words.vectors
        pair = lambda k, inside: [vectors.load_word(v, [k], inside) for v in arrays[2:4]]
        return list(vectors.written(results, into, count, pair, lambda pair: outcome.made_of(*pair)))


Buffer = JoinedWords | KeysBeside


def index_bits(length: Index) -> ir.Value:
    """Of an index in a row."""
    word = integer(64)
    unused = math.ctlz(arith.index_cast(word, index(sub(length, 1))))
    return arith.index_cast(ir.IndexType.get(), arith.subi(scalar(word, 64), unused))
