"""The indices that sort a row by keys of 8 or 16 bits, by counting: each pass counts a digit of 8 bits and moves
indices to where those of their digit belong, in the order in which they come.

hlo_routine_count_i8sa_p32          one pass: indices, as numbers of 32 bits
hlo_routine_count_f16ca_p32         two passes; between them an index shares a word of 32 bits with the digit that is left"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, element, extract, for_loop, index, insert, mul, scalar
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]

DIGIT = 8
"""Bits."""

PARTS = 4
"""In so many parts a row is counted and moved at a time."""

INDEX_BITS = 32 - DIGIT
"""Of an index that shares a word with a digit."""


@dataclass(frozen=True)
class CountKeys(Routine):
    """Numbers: where the row begins in the operand and in the result, its length. Arrays: the result and, for 16-bit
    keys, a word for each element."""

    key: StandardKey
    bits: int
    """Of an index in the result."""

    stem = "count"
    numbers = 3

    @property
    def suffix(self) -> str:
        return f"{self.key.name}_p{self.bits}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        passes = self.key.stored.width // DIGIT
        return [self.kind, *[integer(32)] * (passes - 1)]

    @property
    def kind(self) -> ir.Type:
        return integer(self.bits)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length), (operand,), (result, *words) = numbers, reads, writes
        table = tensor.empty([PARTS << DIGIT], integer(64))
        key = lambda k: self.key.of(extract(operand, [add(begin, k)]))
        digits = lambda value, shift: Digits(lambda k: _digit(value(k), shift), 1 << DIGIT, PARTS)
        if not words:
            number = lambda k: resized(arith.index_cast(integer(64), k), self.kind)
            return digits(key, 0).moved(number, result, table, length, into)[:1]
        packed = lambda k: _packed(arith.shrui(key(k), scalar(key(k).type, DIGIT)), k)
        array, table = digits(key, 0).moved(packed, words[0], table, length)
        word = lambda k: extract(array, [k])
        number = lambda k: resized(arith.andi(word(k), scalar(element(array), (1 << INDEX_BITS) - 1)), self.kind)
        return [digits(word, INDEX_BITS).moved(number, result, table, length, into)[0], array]

    def scratch(self, length: int) -> Values:
        """For rows of a length."""
        return [tensor.empty([length], kind) for kind in self.writes[1:]]


def _digit(value: ir.Value, shift: int) -> ir.Value:
    """DIGIT bits, from bit `shift` on."""
    value = arith.shrui(value, scalar(value.type, shift)) if shift else value
    return arith.index_castui(index(0).type, resized(value, integer(DIGIT)))


def _packed(digit: ir.Value, k: ir.Value) -> ir.Value:
    """A digit above an index."""
    word = integer(32)
    return arith.ori(arith.shli(arith.extui(word, digit), scalar(word, INDEX_BITS)), arith.index_cast(word, k))


@dataclass(frozen=True)
class Digits:
    """`of(k)`: the digit of element k, less than `size`. `parts`: elements are counted and moved in so many parts at a
    time, so that adjacent equal digits do not wait for one counter."""

    of: Callable[[ir.Value], ir.Value]
    size: Index
    parts: int

    def moved(self, value: Callable[[ir.Value], ir.Value], target: ir.Value, table: ir.Value, count: Index, into: Index = 0) -> Values:  # fmt: skip
        """The target, from `into` on with `value(k)` of `count` elements by their digits, and the table, which has
        where the elements of each digit and part end."""
        size = mul(self.size, self.parts)
        add_one = lambda part, k, table: [plus_one(table, self._counter(part, k))]
        (counts,) = self._each(add_one, [zeros(table, size)], count)

        def move(part: int, k: ir.Value, target: ir.Value, table: ir.Value) -> Values:
            moving, counter = value(k), self._counter(part, k)  # what both load, before anything is stored
            position = extract(table, counter)
            table = insert(arith.addi(position, scalar(position.type, 1)), table, counter)
            return [insert(moving, target, [arith.index_castui(index(0).type, position)]), table]

        return self._each(move, [target, starts(counts, size, into)], count)

    def _counter(self, part: int, k: ir.Value) -> list[Index]:
        return [add(mul(self.of(k), self.parts), part)]

    def _each(self, visit: Callable[..., Values], carried: Values, count: Index) -> Values:
        """`visit(part, k, *carried)` for each element; the last part has what the division leaves."""
        size = arith.divui(index(count), index(self.parts))

        def one(k: ir.Value, *carried: ir.Value) -> Values:
            for part in range(self.parts):
                carried = tuple(visit(part, index(add(k, mul(size, part))), *carried))
            return list(carried)

        carried = for_loop(0, size, one, carried)
        last = lambda k, *carried: visit(self.parts - 1, k, *carried)
        return for_loop(mul(size, self.parts), count, last, carried)


def zeros(table: ir.Value, size: Index) -> ir.Value:
    """The first counters of a table, a multiple of a vector's lanes of them."""
    vectors = WordVectors.of(element(table).width)
    zero = (vectors.splat(scalar(vectors.kind, 0)),)
    return Array((table,)).loop(0, size, lambda n, table: vectors.store(zero, table, [n]), vectors.lanes).tensors[0]


def plus_one(table: ir.Value, counter: list[Index]) -> ir.Value:
    return insert(arith.addi(extract(table, counter), scalar(element(table), 1)), table, counter)


def starts(table: ir.Value, size: Index, into: Index = 0) -> ir.Value:
    """Where the elements of each digit begin, from the number that each has."""

    def one(n: Index, begin: ir.Value, table: ir.Value) -> Values:
        return [arith.addi(begin, extract(table, [n])), insert(begin, table, [n])]

    return for_loop(0, size, one, [arith.index_cast(element(table), index(into)), table])[1]
