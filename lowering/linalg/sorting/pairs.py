"""Sorting of keys with their indices in two arrays, by words that have the leading bits of a key and its number in the array.

    hlo_routine_pairs_i64         keys of 64 bits: the first `kept` of `count`, in order; equal keys stay in the order in which they are

Words of 32 bits are sorted in half the time of those of 64. The bits that a word leaves out are looked at afterwards: keys are taken by the words' numbers, and those that are a few elements from
where they belong are moved there. If that does not leave them sorted (many keys begin with the same bits), words of 64 bits are sorted, which hold narrower keys and their indices, and of 64-bit keys whole
ones with their numbers last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, math, tensor, vector

from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    extract,
    for_loop,
    if_else,
    index,
    insert,
    less,
    load,
    maximum,
    minimum,
    scalar,
    store,
    sub,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.merging import Values, sink
from hlo.lowering.linalg.sorting.quicksort import VECTOR_BITS
from hlo.lowering.linalg.sorting.routines import SortWords
from hlo.lowering.linalg.sorting.words import WordVectors, resized

PADDING = VECTOR_BITS // 16
"""Elements of a vector, at most: arrays have so many more."""

FEW_BITS = 14
"""Bits of an element's number, at most, which leaves 18 bits of a key: enough to distinguish nearly all of so many keys."""

FARTHEST = 8
"""Elements that a key is moved by, at most."""


@dataclass(frozen=True)
class SortPairs:
    """Numbers: how many pairs there are, how many first ones are wanted. Arrays: keys, their indices, room for the sorted ones of both, and for two arrays of words of 32 and of 64 bits."""

    bits: int
    """Of a key."""

    numbers: int = field(default=2, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}pairs_i{self.bits}"

    @property
    def reads(self) -> list[ir.Type]:
        return []

    @property
    def writes(self) -> list[ir.Type]:
        key, narrow, wide = (ir.IntegerType.get_signless(n) for n in (self.bits, 32, 64))
        return [key, narrow, key, narrow, narrow, narrow, wide, wide]

    def arrays(self, count: int) -> Values:
        """For so many pairs."""
        return [tensor.empty([count + PADDING], kind) for kind in self.writes]

    def call(self, count: Index, kept: Index, arrays: Sequence[ir.Value]) -> Values:
        return call_routine(self.name, [count, kept], [], arrays)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        """The body."""
        count, _ = numbers
        keys, indices, *sorted_pairs = writes[:4]
        narrow, wide = writes[4:6], writes[6:]
        packing = Packing.of(keys, indices, count)
        types, of_all = [_bits(1), *(v.type for v in (*sorted_pairs, *narrow))], (packing, keys, indices, sorted_pairs)
        unsorted = lambda: [arith.constant(_bits(1), 0), *sorted_pairs, *narrow]
        by_narrow = lambda: if_else(packing.fits_narrow, types, lambda: _attempt(*of_all, narrow, numbers), unsorted)
        joined = lambda: [arith.constant(_bits(1), 1), *_by_joined_words(*of_all, narrow, numbers)]
        done, *sorted_pairs = if_else(packing.joins_narrow, types, joined, by_narrow)
        narrow = sorted_pairs[2:]
        state = [keys, *sorted_pairs[:2], *wide]

        def by_wide() -> Values:
            if self.bits < 64:
                return [keys, *_by_joined_words(packing, keys, indices, state[1:3], wide, numbers)]
            done, *found = _attempt(packing, keys, indices, state[1:3], wide, numbers)
            same = [keys, *found]
            whole = lambda: _by_whole_keys(keys, indices, found, numbers)
            return if_else(done, [v.type for v in same], lambda: same, whole)

        keys, first, second, *wide = if_else(done, [v.type for v in state], lambda: state, by_wide)
        return [keys, indices, first, second, *narrow, *wide]


@dataclass(frozen=True)
class Packing:
    """`least`: the smallest key; `key_bits`: of the largest one's difference to it; `number_bits`: of the number of an element; `index_bits`: of the largest index. As numbers of 64 bits."""

    least: ir.Value
    key_bits: ir.Value
    number_bits: ir.Value
    index_bits: ir.Value

    @staticmethod
    def of(keys: ir.Value, indices: ir.Value, count: ir.Value) -> Packing:
        least, most = _range(keys, count)
        _, last_index = _range(indices, count)
        word = ir.IntegerType.get_signless(64)
        last = arith.subi(arith.index_cast(word, count), scalar(word, 1))
        spans = [arith.subi(most, least), arith.ori(last, scalar(word, 1)), last_index]
        return Packing(least, *(_length(resized(v, word)) for v in spans))

    @property
    def joins_narrow(self) -> ir.Value:
        """Whether words of 32 bits have keys and indices."""
        kind = self.number_bits.type
        return arith.cmpi(arith.CmpIPredicate.ult, arith.addi(self.key_bits, self.index_bits), scalar(kind, 32))

    def joined(self, key: ir.Value, position: ir.Value, kind: ir.Type) -> ir.Value:
        high = resized(arith.subi(key, self.least), kind)
        return arith.ori(arith.shli(high, resized(self.index_bits, kind)), resized(position, kind))

    def split(self, word: ir.Value) -> Values:
        """The key and the index."""
        shift = resized(self.index_bits, word.type)
        ones = arith.subi(arith.shli(scalar(word.type, 1), shift), scalar(word.type, 1))
        key = arith.addi(resized(arith.shrui(word, shift), self.least.type), self.least)
        return [key, resized(arith.andi(word, ones), _bits(32))]

    @property
    def fits_narrow(self) -> ir.Value:
        """Whether words of 32 bits have all keys, or are so few that they differ in the bits that they have."""
        kind = self.number_bits.type
        is_exact = arith.cmpi(arith.CmpIPredicate.ule, arith.addi(self.key_bits, self.number_bits), scalar(kind, 32))
        return arith.ori(is_exact, arith.cmpi(arith.CmpIPredicate.ule, self.number_bits, scalar(kind, FEW_BITS)))

    def dropped(self, bits: int) -> ir.Value:
        """How many last bits of a key words of so many bits have no space for."""
        kind = self.number_bits.type
        return arith.maxsi(arith.subi(arith.addi(self.key_bits, self.number_bits), scalar(kind, bits)), scalar(kind, 0))

    def word(self, key: ir.Value, number: ir.Value, kind: ir.Type) -> ir.Value:
        """In lanes, of a key and its number in the array."""
        shift = resized(self.dropped(kind.width), key.type)
        high = resized(arith.shrui(arith.subi(key, self.least), shift), kind)
        return arith.ori(arith.shli(high, resized(self.number_bits, kind)), arith.index_cast(kind, number))

    def number(self, word: ir.Value) -> ir.Value:
        ones = arith.subi(arith.shli(scalar(word.type, 1), resized(self.number_bits, word.type)), scalar(word.type, 1))
        return arith.index_castui(index(0).type, arith.andi(word, ones))

    def leading(self, word: ir.Value) -> ir.Value:
        return arith.shrui(word, resized(self.number_bits, word.type))


def _attempt(packing: Packing, keys: ir.Value, indices: ir.Value, into: Values, words: Values, sizes: Values) -> Values:  # fmt: skip
    """Whether the first `kept` pairs are sorted, these, the words and their room."""
    (count, kept), kind = sizes, element(words[0])
    vectors = _vectors_of(words[0])
    elements = lambda k, inside: [vectors.load_word(keys, [k], inside), vectors.indices(k)]
    (packed,) = vectors.written(words[:1], 0, count, elements, lambda pair: [packing.word(pair[0], pair[1], kind)])
    packed, room = SortWords(kind.width, 1).call(Array((packed,)), Array((words[1],)), [0], count, kept)
    take = lambda k, *pairs: store(load([keys, indices], [packing.number(extract(packed, [k]))]), pairs, [k])
    pairs = for_loop(0, kept, take, into)
    is_whole = arith.cmpi(arith.CmpIPredicate.eq, packing.dropped(kind.width), scalar(_bits(64), 0))
    whole = lambda: [arith.constant(_bits(1), 1), *pairs]
    types = [_bits(1), *(v.type for v in pairs)]
    done = if_else(is_whole, types, whole, lambda: _mended(packing, packed, pairs, sizes))
    return [*done, packed, room]


def _mended(packing: Packing, words: ir.Value, pairs: Values, sizes: Values) -> Values:
    """Whether pairs are the first ones and sorted once each is moved by a few elements; the pairs."""
    (count, kept), narrow, wide = sizes, _vectors_of(words), _vectors_of(pairs[0])
    last = packing.leading(extract(words, [sub(kept, 1)]))
    shares_last = lambda word: [arith.cmpi(arith.CmpIPredicate.eq, packing.leading(word[0]), last)]

    def behind(k: Index, inside: ir.Value | None) -> ir.Value:
        return narrow.computed(shares_last, [narrow.load_word(words, [add(kept, k)], inside)])[0]

    def descends(keys: ir.Value, k: Index, inside: ir.Value | None) -> ir.Value:
        """In the lanes of keys from k + 1 on: whether they are smaller than the ones before."""
        both = (wide.load_word(keys, [at], inside) for at in (add(k, 1), k))
        return arith.cmpi(arith.CmpIPredicate.ult, *both)

    is_cut = less(0, narrow.counted_along(sub(count, kept), behind))
    descents = wide.counted_along(sub(kept, 1), lambda k, inside: descends(pairs[0], k, inside))
    is_near = less(descents, add(arith.shrui(kept, index(3)), 1))
    before = lambda a, b: arith.cmpi(arith.CmpIPredicate.ult, a[0], b[0])
    kinds = [_bits(1), *(v.type for v in pairs)]

    def place(k: ir.Value, is_sorted: ir.Value, pairs: Values) -> Values:
        """Moves a pair; where it stays behind a larger one, that is one in front of those that were looked at."""
        start = sub(k, arith.minui(k, index(FARTHEST)))
        moved = sink(pairs, k, start, before)
        in_front, first = (extract(moved[0], [at]) for at in (maximum(sub(start, 1), 0), start))
        return [arith.andi(is_sorted, arith.cmpi(arith.CmpIPredicate.ule, in_front, first)), *moved]

    def move(k: ir.Value, is_sorted: ir.Value, *pairs: ir.Value) -> Values:
        is_less = before(load(pairs[:1], [k]), load(pairs[:1], [sub(k, 1)]))
        return if_else(is_less, kinds, lambda: place(k, is_sorted, list(pairs)), lambda: [is_sorted, *pairs])

    def mend_vector(k: Index, *state: ir.Value) -> Values:
        end = minimum(add(k, wide.lanes), kept)
        found = wide.count(descends(state[1], sub(k, 1), wide.first(sub(kept, k))))
        return if_else(less(0, found), kinds, lambda: for_loop(k, end, move, state), lambda: list(state))

    mend = lambda: for_loop(1, kept, mend_vector, [arith.constant(_bits(1), 1), *pairs], wide.lanes)
    is_whole = arith.xori(is_cut, arith.constant(_bits(1), 1))
    is_sorted = arith.cmpi(arith.CmpIPredicate.eq, descents, index(0))
    is_possible = arith.andi(arith.andi(is_whole, is_near), arith.xori(is_sorted, arith.constant(_bits(1), 1)))
    left = lambda: [arith.andi(is_whole, is_sorted), *pairs]
    return if_else(is_possible, kinds, mend, left)


def _by_joined_words(packing: Packing, keys: ir.Value, indices: ir.Value, into: Values, words: Values, sizes: Values) -> Values:  # fmt: skip
    """The sorted pairs and the words, which have keys above their indices."""
    (count, kept), kind = sizes, element(words[0])
    vectors = _vectors_of(words[0])
    pair = lambda k, inside: [vectors.load_word(v, [k], inside) for v in (keys, indices)]
    (packed,) = vectors.written(words[:1], 0, count, pair, lambda pair: [packing.joined(pair[0], pair[1], kind)])
    packed, room = SortWords(kind.width, 1).call(Array((packed,)), Array((words[1],)), [0], count, kept)
    word = lambda k, inside: [vectors.load_word(packed, [k], inside)]
    return [*vectors.written(into, 0, kept, word, lambda word: packing.split(*word)), packed, room]


def _by_whole_keys(keys: ir.Value, indices: ir.Value, state: Values, sizes: Values) -> Values:
    """Keys of 64 bits with their numbers, two words each; what becomes of the keys, the sorted pairs and the words."""
    (count, kept), (sorted_keys, sorted_indices, numbers, room) = sizes, state
    number = lambda k, numbers: [insert(arith.index_cast(element(numbers), k), numbers, [k])]
    (numbers,) = for_loop(0, count, number, [numbers])
    pair = SortWords(64, 2).call(Array((keys, numbers)), Array((sorted_keys, room)), [0], count, kept)
    keys, numbers, sorted_keys, room = pair

    def take(k: ir.Value, *pairs: ir.Value) -> Values:
        at = arith.index_castui(index(0).type, extract(numbers, [k]))
        return store([extract(keys, [k]), extract(indices, [at])], pairs, [k])

    return [keys, *for_loop(0, kept, take, [sorted_keys, sorted_indices]), numbers, room]


def _vectors_of(words: ir.Value) -> WordVectors:
    return WordVectors(element(words), VECTOR_BITS // element(words).width)


def _range(keys: ir.Value, count: ir.Value) -> Values:
    """The smallest and the largest one."""
    kind, vectors = element(keys), _vectors_of(keys)

    def iteration(k: Index, inside: ir.Value | None, least: ir.Value, most: ir.Value) -> Values:
        value = vectors.load_word(keys, [k], inside)
        larger = value if inside is None else arith.select(inside, value, most)
        return [arith.minui(least, value), arith.maxui(most, larger)]

    least, most = vectors.along(count, iteration, [vectors.splat(vectors.most), vectors.splat(scalar(kind, 0))])
    reduce = lambda how, value: vector.reduction(kind, how, value)
    return [reduce(vector.CombiningKind.MINUI, least), reduce(vector.CombiningKind.MAXUI, most)]


def _length(number: ir.Value) -> ir.Value:
    """Bits of a number."""
    return arith.subi(scalar(number.type, 64), math.ctlz(number))


def _bits(count: int) -> ir.Type:
    return ir.IntegerType.get_signless(count)
