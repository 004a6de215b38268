"""Words that have the leading bits in which keys differ, above a key's number in an array (`Packing`), and sorting of
parts of words of 64 bits by such words of 32, of which a vector holds twice as many (`LeadingBits`).

    part:          0x50007  0x50001  0x50004     its smallest word is 0x50001
    narrow words:    6 | 0    0 | 1    3 | 2     as many leading bits of the difference as there is space for, and the number
    sorted:          0 | 1    3 | 2    6 | 0     words are taken in the order of these numbers

Words that differ in no bit that is left may come out in the wrong order: if they are few, they are moved."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, math, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, changed_if, index, less, mul, scalar, sub
from hlo.lowering.linalg.parts import Array, Number
from hlo.lowering.linalg.sorting.words.mending import mended
from hlo.lowering.linalg.sorting.words.networks import BlockNetwork
from hlo.lowering.linalg.sorting.words.vectors import At, WordVectors
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]

NUMBER_BITS = 10
"""Of a word's number in its part, which has no more words than that."""

NEAR = 64
"""Of so many words that are less than the one before, a part is sorted faster by a network."""

NARROW_BITS = 32

LEAST = 128
"""Words of a part up to which a network of these is faster."""


@dataclass(frozen=True)
class Packing:
    """How keys of 64 bits and their numbers share words. `least`: the smallest key; as numbers of 64 bits: the bits of
    the largest key's difference to it, and of a number."""

    least: ir.Value
    key_bits: ir.Value
    number_bits: ir.Value

    @staticmethod
    def of(least: ir.Value, most: ir.Value, number_bits: ir.Value) -> Packing:
        return Packing(least, bits_of(arith.subi(most, least)), number_bits)

    def dropped(self, bits: int) -> ir.Value:
        """How many last bits of a key words of so many bits have no space for."""
        kind = self.number_bits.type
        return arith.maxsi(arith.subi(arith.addi(self.key_bits, self.number_bits), scalar(kind, bits)), scalar(kind, 0))

    def word(self, key: ir.Value, number: ir.Value) -> ir.Value:
        """Of a key and its number, which has the word's type."""
        high = resized(arith.shrui(arith.subi(key, self.least), self.dropped(number.type.width)), number.type)
        return arith.ori(arith.shli(high, resized(self.number_bits, number.type)), number)

    def number(self, word: ir.Value) -> ir.Value:
        one = scalar(word.type, 1)
        return arith.andi(word, arith.subi(arith.shli(one, resized(self.number_bits, word.type)), one))

    def leading(self, word: ir.Value) -> ir.Value:
        return arith.shrui(word, resized(self.number_bits, word.type))


@dataclass(frozen=True)
class LeadingBits:
    """`vectors`: of words of 64 bits."""

    vectors: WordVectors

    @property
    def _narrow(self) -> WordVectors:
        return WordVectors.of(NARROW_BITS, self.vectors.bits)

    def room(self) -> Array:
        """For the narrow words of a part."""
        return Array((tensor.empty([1 << NUMBER_BITS], self._narrow.kind),))

    def sort(self, words: Array, block: Array, room: Array, there: At, size: ir.Value) -> tuple[ir.Value, Array, Array, Array]:  # fmt: skip
        """Whether a part of `size` words, whose element k is where `there` says, is sorted; the words, the block with
        the part's copy, the room."""
        packing, block = self._copied(words, block, there, size)
        room = self._sort_narrow(block, room, size, packing)
        descents, words = self._taken(words, block, room, there, size)
        is_sorted, words = self._mended(descents, words, there, size)
        return is_sorted, words, block, room

    def _copied(self, words: Array, block: Array, there: At, size: ir.Value) -> tuple[Packing, Array]:
        """How narrow words hold the part's, its copy."""
        kind = self.vectors.kind

        def take(k: Index, inside: ir.Value | None, least: ir.Value, most: ir.Value, copy: ir.Value) -> Values:
            (word,) = self.vectors.load(words, there(k), inside)
            larger = word if inside is None else arith.select(inside, word, most)
            stored = self.vectors.store((word,), Array((copy,)), [k])
            return [arith.minui(least, word), arith.maxui(most, larger), *stored.tensors]

        start = [self.vectors.splat(self.vectors.most), self.vectors.splat(scalar(kind, 0)), *block.tensors]
        least, most, copy = self.vectors.along(size, take, start)
        least = vector.reduction(kind, vector.CombiningKind.MINUI, least)
        most = vector.reduction(kind, vector.CombiningKind.MAXUI, most)
        return Packing.of(least, most, scalar(kind, NUMBER_BITS)), Array((copy,))

    def _sort_narrow(self, block: Array, room: Array, size: ir.Value, packing: Packing) -> Array:
        narrow, network = self._narrow, BlockNetwork(self._narrow)
        packed = lambda both: [packing.word(*both)]

        def word(number: Index) -> Number:
            first = mul(number, narrow.lanes)
            inside = narrow.first(sub(size, first))
            numbers = narrow.counted(arith.index_cast(narrow.kind, index(first)))
            (joined,) = narrow.computed(packed, [narrow.load_word(block.tensors[0], [first], inside), numbers])
            return (arith.select(inside, joined, narrow.splat(narrow.most)),)

        return network.sort(word, room, network.padded(size))

    def _taken(self, words: Array, block: Array, room: Array, there: At, size: ir.Value) -> tuple[ir.Value, Array]:
        """How many words are less than the one before, in the order of the narrow ones; these, where the part is."""
        vectors, lanes = self.vectors, self.vectors.lanes
        number = vectors.splat(scalar(vectors.kind, (1 << NUMBER_BITS) - 1))
        nothing, every = vectors.splat(scalar(vectors.kind, 0)), vectors.first(lanes)

        def take(k: Index, inside: ir.Value | None, last: ir.Value, descents: ir.Value, words: ir.Value) -> Values:
            narrow = arith.extui(vectors.type, vectors.load_word(room.tensors[0], [k]))
            places = arith.andi(narrow, number)
            word = vector.gather(vectors.type, block.tensors[0], [index(0)], places, every, nothing)
            before = vector.shuffle(last, word, range(lanes - 1, 2 * lanes - 1))
            is_less = arith.cmpi(arith.CmpIPredicate.ult, word, before)
            is_less = is_less if inside is None else arith.andi(inside, is_less)
            stored = vectors.store((word,), Array((words,)), there(k), inside)
            return [word, arith.addi(descents, vectors.count(is_less)), *stored.tensors]

        _, descents, taken = vectors.along(size, take, [nothing, index(0), *words.tensors])
        return descents, Array((taken,))

    def _mended(self, descents: ir.Value, words: Array, there: At, size: ir.Value) -> tuple[ir.Value, Array]:
        """Whether the words are sorted once those that are a few places from where they belong are there; the words."""
        (array,), (first,) = words.tensors, there(0)
        is_sorted, is_near = less(descents, 1), less(descents, NEAR)
        mend = lambda: mended(self.vectors, [array], first, add(first, size))
        is_possible = arith.andi(is_near, arith.xori(is_sorted, arith.constant(integer(1), 1)))
        is_sorted, array = changed_if(is_possible, [is_sorted, array], mend)
        return is_sorted, Array((array,))


def bits_of(number: ir.Value) -> ir.Value:
    """How many bits a number has behind its first zeros."""
    return arith.subi(scalar(number.type, number.type.width), math.ctlz(number))
