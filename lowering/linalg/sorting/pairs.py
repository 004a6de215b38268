"""Sorting of keys of 64 bits with their indices in two arrays, by words that have the leading bits of a key and its number in the array.

    hlo_routine_pairs_i64         the first `kept` of `count`, in order; equal keys stay in the order in which they are

Words of 32 bits are sorted in half the time of those of 64. The bits that a word leaves out are looked at afterwards: keys are taken by the words' numbers, and those that are a few elements from
where they belong are moved there (`mending.py`). If that does not leave them sorted (many keys begin with the same bits), words of 64 bits are sorted, and at last whole keys with their numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, tensor

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
    scalar,
    store,
    sub,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.digits import Digits, starts
from hlo.lowering.linalg.sorting.mending import descends, mended
from hlo.lowering.linalg.sorting.merging import Values
from hlo.lowering.linalg.sorting.packing import Packing, bits_type, vectors_of
from hlo.lowering.linalg.sorting.routines import SortWords
from hlo.lowering.linalg.sorting.words import resized

KEY_BITS = 64

PADDING = 64
"""Elements that are written at a time, at most: arrays have so many more."""


@dataclass(frozen=True)
class SortPairs:
    """Numbers: how many pairs there are, how many first ones are wanted, what all indices are less than. Arrays: keys, their indices, room for the sorted ones of both, for words of 32 and of 64 bits, and for
    whole keys once more."""

    numbers: int = field(default=3, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}pairs_i{KEY_BITS}"

    @property
    def reads(self) -> list[ir.Type]:
        return []

    @property
    def writes(self) -> list[ir.Type]:
        key, narrow = bits_type(KEY_BITS), bits_type(32)
        return [key, narrow, key, narrow, narrow, key, key]

    def arrays(self, count: int) -> Values:
        """For so many pairs."""
        return [tensor.empty([count + PADDING], kind) for kind in self.writes]

    def call(self, count: Index, kept: Index, length: Index, arrays: Sequence[ir.Value]) -> Values:
        return call_routine(self.name, [count, kept, length], [], arrays)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        """The body."""
        *numbers, limit = numbers
        keys, indices, *sorted_pairs = writes[:4]
        narrow, wide, *room = writes[4:]
        packing = Packing.of(keys, numbers[0], limit)
        types = [bits_type(1), *(v.type for v in (*sorted_pairs, narrow))]
        of_all = (packing, keys, indices, sorted_pairs)
        unsorted = lambda: [arith.constant(bits_type(1), 0), *sorted_pairs, narrow]
        by_narrow = lambda: if_else(packing.fits_narrow, types, lambda: _attempt(*of_all, narrow, numbers), unsorted)
        joined = lambda: [arith.constant(bits_type(1), 1), *_by_joined_words(*of_all, narrow, numbers)]
        by_words = lambda: if_else(packing.joins_narrow, types, joined, by_narrow)
        counted = lambda: [arith.constant(bits_type(1), 1), *_by_counts(*of_all, narrow, numbers[0])]
        done, *sorted_pairs, narrow = if_else(packing.is_counted(numbers[0]), types, counted, by_words)
        state = [keys, *sorted_pairs, narrow, wide, *room]

        def by_wide() -> Values:
            is_done, *same = _attempt(packing, keys, indices, sorted_pairs, wide, numbers)
            same += room
            whole = lambda: _by_whole_keys(keys, indices, same, numbers)
            first, second, third, *words = if_else(is_done, [keys.type, *(v.type for v in same)], lambda: [keys, *same], whole)  # fmt: skip
            return [first, second, third, narrow, *words]

        keys, *others = if_else(done, [v.type for v in state], lambda: state, by_wide)
        return [keys, indices, *others]


def _by_counts(packing: Packing, keys: ir.Value, indices: ir.Value, into: Values, table: ir.Value, count: Index) -> Values:  # fmt: skip
    """The sorted pairs and the table: each key is written as often as it is there, and indices are moved to where those of their key belong."""
    (sorted_keys, sorted_indices), here, vectors = into, index(0).type, vectors_of(keys)
    digit = lambda k: arith.index_castui(here, packing.above(extract(keys, [k]), bits_type(64)))
    digits = Digits(digit, add(arith.index_cast(here, packing.span), 1))

    def write(n: ir.Value, begin: ir.Value, end: ir.Value, sorted_keys: ir.Value) -> Values:
        begin, end = (arith.index_castui(here, v) for v in (begin, end))
        key = vectors.splat(arith.addi(resized(arith.index_cast(bits_type(64), n), vectors.kind), packing.least))
        put = lambda k, array: vectors.store((key,), array, [k])
        return list(put(begin, Array((sorted_keys,))).loop(add(begin, vectors.lanes), end, put, vectors.lanes).tensors)

    table, sorted_keys = starts(digits.counted(table, count), digits.size, 0, write, [sorted_keys])
    sorted_indices, table = digits.placed(lambda k: extract(indices, [k]), sorted_indices, table, count)
    return [sorted_keys, sorted_indices, table]


def _attempt(packing: Packing, keys: ir.Value, indices: ir.Value, into: Values, words: ir.Value, sizes: Values) -> Values:  # fmt: skip
    """Whether the first `kept` pairs are sorted, these, and the array `words`."""
    (_, kept), kind = sizes, element(words)
    packed = _sorted([keys, indices], lambda key, _, number: packing.word(key, number, kind), words, sizes)
    take = lambda k, *pairs: store(load([keys, indices], [packing.number(extract(packed, [k]))]), pairs, [k])
    pairs = for_loop(0, kept, take, into)
    is_whole = arith.cmpi(arith.CmpIPredicate.eq, packing.dropped(kind.width), scalar(bits_type(64), 0))
    whole = lambda: [arith.constant(bits_type(1), 1), *pairs]
    types = [bits_type(1), *(v.type for v in pairs)]
    done = if_else(is_whole, types, whole, lambda: _mended(packing, packed, pairs, sizes))
    return [*done, packed]


def _mended(packing: Packing, words: ir.Value, pairs: Values, sizes: Values) -> Values:
    """Whether pairs are the first ones and sorted once each is moved by a few elements; the pairs."""
    (count, kept), narrow, wide = sizes, vectors_of(words), vectors_of(pairs[0])
    last = packing.leading(extract(words, [sub(kept, 1)]))
    shares_last = lambda word: [arith.cmpi(arith.CmpIPredicate.eq, packing.leading(word[0]), last)]

    def behind(k: Index, inside: ir.Value | None) -> ir.Value:
        return narrow.computed(shares_last, [narrow.load_word(words, [add(kept, k)], inside)])[0]

    is_whole = arith.xori(less(0, narrow.counted_along(sub(count, kept), behind)), arith.constant(bits_type(1), 1))
    descents = wide.counted_along(sub(kept, 1), lambda k, inside: descends(wide, pairs[0], k, inside))
    is_sorted = arith.cmpi(arith.CmpIPredicate.eq, descents, index(0))
    is_near = less(descents, add(arith.shrui(kept, index(3)), 1))
    is_possible = arith.andi(arith.andi(is_whole, is_near), arith.xori(is_sorted, arith.constant(bits_type(1), 1)))
    left = lambda: [arith.andi(is_whole, is_sorted), *pairs]
    kinds = [bits_type(1), *(v.type for v in pairs)]
    return if_else(is_possible, kinds, lambda: mended(wide, pairs, 0, kept), left)


def _by_joined_words(packing: Packing, keys: ir.Value, indices: ir.Value, into: Values, words: ir.Value, sizes: Values) -> Values:  # fmt: skip
    """The sorted pairs and the words, which have keys above their indices."""
    (_, kept), kind = sizes, element(words)
    packed = _sorted([keys, indices], lambda key, position, _: packing.joined(key, position, kind), words, sizes)
    word = lambda k, inside: [vectors_of(packed).load_word(packed, [k], inside)]
    return [*vectors_of(packed).written(into, 0, kept, word, lambda word: packing.split(*word)), packed]


def _sorted(pairs: Values, word: Callable[..., ir.Value], words: ir.Value, sizes: Values) -> ir.Value:
    """The words `word(key, index, number)`, at least the first `kept` of them in order."""
    (count, kept), vectors = sizes, vectors_of(words)
    elements = lambda k, inside: [*(vectors.load_word(v, [k], inside) for v in pairs), vectors.indices(k)]
    (words,) = vectors.written([words], 0, count, elements, lambda scalars: [word(*scalars)])
    return SortWords(vectors.kind.width, 1).sorted(words, count, kept)


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
