"""How keys and their indices, or their numbers in an array, share words: as many bits for each as the keys of an array differ in, and as their count takes."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, math, vector

from hlo.lowering.linalg.loops import Index, element, index, scalar
from hlo.lowering.linalg.sorting.merging import Values
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, WordVectors, resized

FEW_BITS = 14
"""Bits of an element's number, at most, which leaves 18 bits of a key: enough to distinguish nearly all of so many keys."""

COUNTED_BITS = 12
"""Bits of the number of keys up to which words of 32 bits are sorted faster than counted."""


@dataclass(frozen=True)
class Packing:
    """`least`: the smallest key; `span`: the largest one's difference to it, of `key_bits` bits; `number_bits`: of the number of an element; `index_bits`: of an index. All but the first as numbers of 64 bits."""

    least: ir.Value
    span: ir.Value
    key_bits: ir.Value
    number_bits: ir.Value
    index_bits: ir.Value

    @staticmethod
    def of(keys: ir.Value, count: ir.Value, length: ir.Value) -> Packing:
        (least, most), word = _range(keys, count), ir.IntegerType.get_signless(64)
        last = lambda size: arith.ori(arith.subi(arith.index_cast(word, size), scalar(word, 1)), scalar(word, 1))
        span = resized(arith.subi(most, least), word)
        return Packing(least, span, *map(_length, (span, last(count), last(length))))

    @property
    def joins_narrow(self) -> ir.Value:
        """Whether words of 32 bits have keys and indices."""
        kind = self.number_bits.type
        return arith.cmpi(arith.CmpIPredicate.ult, arith.addi(self.key_bits, self.index_bits), scalar(kind, 32))

    def above(self, key: ir.Value, kind: ir.Type) -> ir.Value:
        """Its difference to the smallest key."""
        return resized(arith.subi(key, self.least), kind)

    def joined(self, key: ir.Value, position: ir.Value, kind: ir.Type) -> ir.Value:
        """A key above its index."""
        shift = resized(self.index_bits, kind)
        return arith.ori(arith.shli(self.above(key, kind), shift), resized(position, kind))

    def split(self, word: ir.Value) -> Values:
        """The key and the index."""
        shift, one = resized(self.index_bits, word.type), scalar(word.type, 1)
        position = arith.andi(word, arith.subi(arith.shli(one, shift), one))
        key = arith.addi(resized(arith.shrui(word, shift), self.least.type), self.least)
        return [key, resized(position, bits_type(32))]

    def is_counted(self, count: Index) -> ir.Value:
        """Whether keys are many, and a table with a counter for every fourth one has all of them."""
        kind = self.number_bits.type
        is_long = arith.cmpi(arith.CmpIPredicate.ugt, self.number_bits, scalar(kind, COUNTED_BITS))
        counters = arith.shrui(arith.index_cast(kind, index(count)), scalar(kind, 2))
        return arith.andi(is_long, arith.cmpi(arith.CmpIPredicate.ult, self.span, counters))

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


def vectors_of(words: ir.Value) -> WordVectors:
    return WordVectors(element(words), VECTOR_BITS // element(words).width)


def _range(keys: ir.Value, count: ir.Value) -> Values:
    """The smallest and the largest one."""
    kind, vectors = element(keys), vectors_of(keys)

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


def bits_type(count: int) -> ir.Type:
    return ir.IntegerType.get_signless(count)
