"""Buffers of what a walk along a row finds: keys and the indices of their elements, which are then sorted (`selection.py`).

JoinedWords     keys of up to 32 bits, in words that have the index below the key
KeysBeside      keys of 64 bits, whose indices are in an array of their own (`pairs.py`)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, math, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, element, extract, for_loop, if_else, index, load, scalar, store, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.pairs import KEY_BITS, SortPairs, range_of
from hlo.lowering.linalg.sorting.routines import Outcome, SortWords
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, WordVectors
from hlo.lowering.numbers import resized

Values = list[ir.Value]
KeyOf = Callable[[Values], ir.Value]
"""The key of an element: a number."""
ValuesOf = Callable[[ir.Value, ir.Value], Values]
"""What arrays hold of a key and an index."""

INDEX_BITS = 32
"""Of an index that is found."""

INDEX_LANES = VECTOR_BITS // INDEX_BITS

NARROW_BITS = 32

PADDING = 64
"""Elements that are written at a time, at most: arrays have so many more."""


@dataclass(frozen=True)
class Found:
    """What a walk has found: indices of `count` elements of a row, which begins at `begin` in the operand, and how keys
    are made; or their keys, too. `register`: bits of vectors in which lanes are made contiguous."""

    indices: ir.Value
    count: ir.Value
    operand: ir.Value
    begin: Index
    key_of: KeyOf
    register: int
    keys: ir.Value | None = None

    @staticmethod
    def has_keys(operand: ir.Value) -> bool:
        """Whether a walk finds keys, too: elements of fewer than 32 bits are no lanes of a gather."""
        return element(operand).width < INDEX_BITS

    def put(self, arrays: Sequence[ir.Value], start: ir.Value, values: ValuesOf) -> Values:
        """The arrays, from `start` on with the values of what was found."""
        vectors = WordVectors(element(arrays[0]), INDEX_LANES)
        elements = lambda k, inside: self._lanes(vectors, k, inside)
        return vectors.written(arrays, start, self.count, elements, self._of(values))

    def _of(self, values: ValuesOf) -> Callable[[Values], Values]:
        key_of = self.key_of if self.keys is None else lambda keys: keys[0]
        return lambda pair: values(key_of(pair[:1]), pair[1])

    def _lanes(self, vectors: WordVectors, k: Index, inside: ir.Value | None) -> Values:
        """Elements, or keys, and their indices."""
        positions = vectors.load_word(self.indices, [k], inside)
        if self.keys is not None:
            return [vectors.load_word(self.keys, [k], inside), positions]
        kind = ir.VectorType.get([vectors.lanes], element(self.operand))
        nothing = vector.broadcast(kind, scalar(kind.element_type, 0))
        every = vectors.first(vectors.lanes)
        return [vector.gather(kind, self.operand, [index(self.begin)], positions, every, nothing), positions]


@dataclass(frozen=True)
class Taken:
    """What of arrays of found elements is on one side of a `bound`: those whose number in the first array is up to it,
    or the others. `register`: bits of vectors in which lanes are made contiguous."""

    bound: ir.Value
    is_low: ir.Value
    register: int

    def put(self, source: Values, count: ir.Value, into: Values, start: ir.Value, of: Callable[[Values], Values] = list) -> tuple[ir.Value, Values]:  # fmt: skip
        """Where arrays end, and these, from `start` on with what a body of scalars makes of those of `count` elements
        that are on the side, in the order in which they are."""
        vectors = WordVectors(element(source[0]), INDEX_LANES)
        bounds, side = vectors.splat(self.bound), vectors.splat_mask(self.is_low)

        def some(k: Index, inside: ir.Value | None, held: ir.Value, *into: ir.Value) -> Values:
            found = [vectors.load_word(v, [k], inside) for v in source]
            mask = arith.cmpi(arith.CmpIPredicate.eq, vectors.is_upto(tuple(found), bounds), side)
            mask = mask if inside is None else arith.andi(inside, mask)
            values = zip(vectors.computed(of, found), into, strict=True)
            made = [with_lanes(v, mask, array, held, self.register) for v, array in values]
            return [arith.addi(held, vectors.count(mask)), *made]

        end, *made = vectors.along(count, some, [start, *into])
        return end, made


def with_lanes(value: ir.Value, mask: ir.Value, array: ir.Value, place: ir.Value, register: int) -> ir.Value:
    """The array, from a place on with the lanes of a mask, which may take several vectors of `register` bits."""
    kind, (count,) = element(array), ir.VectorType(mask.type).shape
    lanes = min(count, register // kind.width)
    vectors = WordVectors(kind, lanes)
    for start in range(0, count, lanes):
        part, inside = piece(value, start, lanes), piece(mask, start, lanes)
        (array,) = vectors.store(vectors.compressed((part,), inside), Array((array,)), [place]).tensors
        place = arith.addi(place, vectors.count(inside))
    return array


def piece(lanes: ir.Value, start: int, count: int = INDEX_LANES) -> ir.Value:
    """So many lanes, from one on."""
    kind = ir.VectorType.get([count], ir.VectorType(lanes.type).element_type)
    return vector.extract_strided_slice(kind, lanes, [start], [count], [1])


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
        return [self._kind, *[ir.IntegerType.get_signless(NARROW_BITS)] * (self.bits > NARROW_BITS)]

    @property
    def _kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

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
        return lambda word: [resized(arith.subi(word[0], least), ir.IntegerType.get_signless(NARROW_BITS))]

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
        return resized(above, ir.IntegerType.get_signless(self.key_bits))

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
    word = ir.IntegerType.get_signless(64)
    unused = math.ctlz(arith.index_cast(word, index(sub(length, 1))))
    return arith.index_cast(ir.IndexType.get(), arith.subi(scalar(word, 64), unused))
