"""Words of elements: what sorts move instead of these, and what becomes of words once they are sorted."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, scalar
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.linalg.sorting.words.vectors import VECTOR_BITS, WordVectors
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]

Vectors = Callable[[Index, ir.Value | None], Values]
"""Those of neighbours in a row from an index on, in the lanes of a mask if there is one."""


@dataclass(frozen=True)
class KeyWords:
    """Words of elements of a standard key: `count` of `bits` bits; one has the key above the index, of two the second
    one is the index. `register`: bits of a vector, where code is made."""

    key: StandardKey
    bits: int
    count: int = 1
    register: int = VECTOR_BITS

    @staticmethod
    def fitting(key: StandardKey, length: int | None, least: int = 8) -> KeyWords:
        """Of keys and indices in rows of a length, or of keys alone, of `least` bits or more."""
        width = key.stored.width
        if length is None:
            return KeyWords(key, max(width, least))
        joined = width + static_index_bits(length)
        return KeyWords(key, max(least, whole_bits(joined))) if joined <= 64 else KeyWords(key, 64, 2)

    @property
    def name(self) -> str:
        return "_".join([self.key.name, *[f"i{self.bits}"] * self.count])

    @property
    def kind(self) -> ir.Type:
        return integer(self.bits)

    @property
    def has_indices(self) -> bool:
        """Whether there is room for them."""
        return self.bits * self.count > self.key.stored.width

    @property
    def sorter(self) -> SortWords:
        """Of one word."""
        return SortWords(self.bits)

    @property
    def vectors(self) -> WordVectors:
        return WordVectors.of(self.bits, self.register)

    def keys_row(self, operand: ir.Value, begin: Index) -> Vectors:
        """Words of a row's keys, and which bits of its elements are not those that their keys stand for, if there can be such."""
        others = lambda element: [] if self.key.is_exact else [self.key.other_bits(element)]
        body = lambda elements: [resized(self.key.of(elements[0]), self.kind), *others(elements[0])]
        return lambda k, inside: list(
            self.vectors.computed(body, [self.vectors.load_word(operand, [add(begin, k)], inside)])
        )

    def row(self, operand: ir.Value, begin: Index, index_bits: ir.Value) -> Vectors:
        """Words of a row's keys and indices."""
        body = lambda both: self.of(both[0], both[1], index_bits)
        elements = self.vectors.numbered(operand, begin)
        return lambda k, inside: list(self.vectors.computed(body, elements(k, inside)))

    def of(self, element: ir.Value, position: ir.Value, index_bits: ir.Value) -> Values:
        """`index_bits`: of the index, in a word with a key."""
        key = resized(self.key.of(element), self.kind)
        position = arith.index_cast(self.kind, position)
        if self.count == 2:
            return [key, position]
        return [arith.ori(arith.shli(key, arith.index_cast(self.kind, index_bits)), position)]


@dataclass(frozen=True)
class Outcome:
    """What becomes of sorted words: elements ("e") or indices as integers ("p32"), in an array each."""

    words: KeyWords
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        return "_".join([self.words.name, *self.kinds])

    @property
    def types(self) -> list[ir.Type]:
        """Of the arrays' elements."""
        return [self._type(kind) for kind in self.kinds]

    def _type(self, kind: str) -> ir.Type:
        return self.words.key.stored if kind == "e" else integer(int(kind[1:]))

    def put(self, words: Array, start: Index, arrays: Values, begin: Index, count: Index, index_bits: ir.Value) -> Values:  # fmt: skip
        """The arrays, from an index on with what becomes of words from another one on."""
        vectors = self.words.vectors
        sorted_words = lambda k, _: list(vectors.load(words, [add(start, k)]))
        return vectors.written(arrays, begin, count, sorted_words, lambda word: self.made_of_word(word, index_bits))

    def made_of_word(self, word: Values, index_bits: ir.Value) -> Values:
        kind, number, position = self.words.kind, word[0], word[-1]
        if self.words.count == 1:
            bits = arith.index_cast(kind, index_bits)
            position = arith.andi(word[0], arith.subi(arith.shli(scalar(kind, 1), bits), scalar(kind, 1)))
            number = arith.shrui(word[0], bits)
        return self.made_of(number, position)

    def made_of(self, number: ir.Value, position: ir.Value) -> Values:
        """Of a key and the index of its element."""
        key = self.words.key
        element = key.element(resized(number, integer(key.bits)))
        return [element if k == "e" else resized(position, self._type(k)) for k in self.kinds]


def whole_bits(count: int) -> int:
    """Of the shortest numbers that have so many."""
    return next(bits for bits in (8, 16, 32, 64) if count <= bits)


def static_index_bits(length: int) -> int:
    """Of an index in a row."""
    return max(1, (length - 1).bit_length())
