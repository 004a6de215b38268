"""Sorting of keys of 64 bits with their indices in two arrays, by words that have the leading bits of a key and its number in the array.

    hlo_routine_pairs_i64         the first `kept` of `count`, in order; equal keys stay in the order in which they are

Words have as many bits of a key as numbers leave; of keys that differ in few bits only, these. What they leave out is
looked at afterwards: keys are taken by the words' numbers, and those that are a few elements from where they belong are
moved there (`mending.py`). Of few elements words of 32 bits are tried first. If that does not leave keys sorted (many
begin with the same bits), they are sorted by their lower halves, then by their upper ones."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (  # fmt: skip
    Index,
    add,
    element,
    extract,
    for_loop,
    if_else,
    index,
    less,
    load,
    scalar,
    store,
    sub,
)
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.sorting.comparisons.merging import Values
from hlo.lowering.linalg.sorting.words.leading_bits import Packing, bits_of
from hlo.lowering.linalg.sorting.words.mending import descends, mended
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import integer

KEY_BITS = 64

HALF_BITS = KEY_BITS // 2

PADDING = 64
"""Elements that are written at a time, at most: arrays have so many more."""

FEW_BITS = 14
"""Bits of an element's number, at most, which leaves words of 32 bits 18 bits of a key: enough to distinguish nearly
all of so many keys."""


@dataclass(frozen=True)
class SortPairs(Routine):
    """Numbers: how many pairs there are, how many first ones are wanted. Arrays: keys, their indices, room for the
    sorted ones of both, for words of 64 and of 32 bits."""

    stem = "pairs"
    numbers = 2

    @property
    def suffix(self) -> str:
        return f"i{KEY_BITS}"

    @property
    def writes(self) -> list[ir.Type]:
        key, narrow = integer(KEY_BITS), integer(HALF_BITS)
        return [key, narrow, key, narrow, key, narrow]

    def arrays(self, count: int) -> Values:
        """For so many pairs."""
        return [tensor.empty([count + PADDING], kind) for kind in self.writes]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        count, kept = numbers
        keys, indices, *sorted_pairs, wide, narrow = writes
        pairs = _Pairs(keys, indices, count, kept, _packing(keys, count))
        types = [integer(1), *(v.type for v in (*sorted_pairs, wide))]
        left = lambda: [arith.constant(integer(1), 0), *sorted_pairs, narrow]
        by_narrow = lambda: pairs.by_leading_bits(sorted_pairs, narrow)
        is_sorted, *sorted_pairs, narrow = if_else(_fits_narrow(pairs.packing), [*types[:-1], narrow.type], by_narrow, left)  # fmt: skip
        same = lambda: [is_sorted, *sorted_pairs, wide]
        is_sorted, *sorted_pairs, wide = if_else(is_sorted, types, same, lambda: pairs.by_leading_bits(sorted_pairs, wide))  # fmt: skip
        made = [*sorted_pairs, wide, narrow]
        made = if_else(is_sorted, [v.type for v in made], lambda: made, lambda: pairs.by_halves(sorted_pairs, wide, narrow))  # fmt: skip
        return [keys, indices, *made]


@dataclass(frozen=True)
class _Pairs:
    keys: ir.Value
    indices: ir.Value
    count: ir.Value
    kept: ir.Value
    packing: Packing

    def by_leading_bits(self, into: Values, words: ir.Value) -> Values:
        """Whether the first `kept` pairs are sorted, these, and the array `words`."""
        kind = element(words)
        words = self._sorted(
            words, lambda key, number: self.packing.word(key, arith.index_cast(kind, number)), self.kept
        )
        place = lambda k: arith.index_castui(index(0).type, self.packing.number(extract(words, [k])))
        take = lambda k, *pairs: store(self._pair(place(k)), pairs, [k])
        pairs = for_loop(0, self.kept, take, into)
        is_whole = arith.cmpi(arith.CmpIPredicate.eq, self.packing.dropped(kind.width), scalar(integer(64), 0))
        whole = lambda: [arith.constant(integer(1), 1), *pairs]
        types = [integer(1), *(v.type for v in pairs)]
        return [*if_else(is_whole, types, whole, lambda: self._mended(words, pairs)), words]

    def by_halves(self, into: Values, words: ir.Value, numbers: ir.Value) -> Values:
        """The sorted pairs, the arrays of words and numbers. Elements whose upper halves are equal stay in the order
        that they have by the lower ones."""
        word, half, there = integer(KEY_BITS), integer(HALF_BITS), lambda word: arith.index_castui(index(0).type, word)
        bits = scalar(word, HALF_BITS)
        lower = lambda key, number: arith.ori(arith.shli(key, bits), arith.index_cast(word, number))
        words = self._sorted(words, lower, self.count)

        def upper(k: ir.Value, words: ir.Value, numbers: ir.Value) -> Values:
            number = arith.trunci(half, extract(words, [k]))
            key = extract(self.keys, [there(number)])
            above = arith.shli(arith.shrui(key, bits), bits)
            return store([arith.ori(above, arith.index_cast(word, k)), number], [words, numbers], [k])

        words, numbers = for_loop(0, self.count, upper, [words, numbers])
        words = SortWords(KEY_BITS).sorted(words, self.count, self.kept)

        def take(k: ir.Value, *pairs: ir.Value) -> Values:
            place = there(arith.trunci(half, extract(words, [k])))
            return store(self._pair(there(extract(numbers, [place]))), pairs, [k])

        return [*for_loop(0, self.kept, take, into), words, numbers]

    def _pair(self, number: ir.Value) -> Values:
        return load([self.keys, self.indices], [number])

    def _sorted(self, words: ir.Value, word: Callable[[ir.Value, ir.Value], ir.Value], kept: ir.Value) -> ir.Value:
        """The words `word(key, number)`, at least the first `kept` of them in order."""
        vectors = vectors_of(words)
        numbered = vectors.numbered(self.keys)
        (words,) = vectors.written([words], 0, self.count, numbered, lambda scalars: [word(*scalars)])
        return SortWords(vectors.kind.width).sorted(words, self.count, kept)

    def _mended(self, words: ir.Value, pairs: Values) -> Values:
        """Whether pairs are the first ones and sorted once each is moved by a few elements; the pairs."""
        narrow, wide, kept = vectors_of(words), vectors_of(pairs[0]), self.kept
        last = self.packing.leading(extract(words, [sub(kept, 1)]))
        shares_last = lambda word: [arith.cmpi(arith.CmpIPredicate.eq, self.packing.leading(word[0]), last)]

        def behind(k: Index, inside: ir.Value | None) -> ir.Value:
            return narrow.computed(shares_last, [narrow.load_word(words, [add(kept, k)], inside)])[0]

        sharing = narrow.counted_along(sub(self.count, kept), behind)
        is_whole = arith.xori(less(0, sharing), arith.constant(integer(1), 1))
        descents = wide.counted_along(sub(kept, 1), lambda k, inside: descends(wide, pairs[0], k, inside))
        is_sorted = arith.cmpi(arith.CmpIPredicate.eq, descents, index(0))
        is_near = less(descents, add(arith.shrui(kept, index(3)), 1))
        is_possible = arith.andi(arith.andi(is_whole, is_near), arith.xori(is_sorted, arith.constant(integer(1), 1)))
        left = lambda: [arith.andi(is_whole, is_sorted), *pairs]
        kinds = [integer(1), *(v.type for v in pairs)]
        return if_else(is_possible, kinds, lambda: mended(wide, pairs, 0, kept), left)


def _packing(keys: ir.Value, count: ir.Value) -> Packing:
    last = arith.subi(arith.index_cast(integer(64), count), scalar(integer(64), 1))
    least, most = range_of(keys, count)
    return Packing.of(least, most, bits_of(arith.ori(last, scalar(last.type, 1))))


def _fits_narrow(packing: Packing) -> ir.Value:
    """Whether words of 32 bits have all keys, or are so few that they differ in the bits that they have."""
    word, number_bits = integer(64), packing.number_bits
    is_exact = arith.cmpi(arith.CmpIPredicate.ule, arith.addi(packing.key_bits, number_bits), scalar(word, HALF_BITS))
    return arith.ori(is_exact, arith.cmpi(arith.CmpIPredicate.ule, number_bits, scalar(word, FEW_BITS)))


def vectors_of(words: ir.Value) -> WordVectors:
    return WordVectors.of(element(words).width)


def range_of(keys: ir.Value, count: ir.Value) -> Values:
    """The smallest and the largest one."""
    kind, vectors = element(keys), vectors_of(keys)

    def iteration(k: Index, inside: ir.Value | None, least: ir.Value, most: ir.Value) -> Values:
        value = vectors.load_word(keys, [k], inside)
        larger = value if inside is None else arith.select(inside, value, most)
        return [arith.minui(least, value), arith.maxui(most, larger)]

    least, most = vectors.along(count, iteration, [vectors.splat(vectors.most), vectors.splat(scalar(kind, 0))])
    reduce = lambda how, value: vector.reduction(kind, how, value)
    return [reduce(vector.CombiningKind.MINUI, least), reduce(vector.CombiningKind.MAXUI, most)]
