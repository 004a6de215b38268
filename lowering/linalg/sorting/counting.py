"""The indices that sort a row by keys of 8 or 16 bits, by counting: each pass counts a digit of 8 bits and moves indices to where those of their digit belong, in the order in which they come.

hlo_routine_count_i8sa_p32          one pass: indices, as numbers of 32 bits
hlo_routine_count_f16ca_p32         two passes; between them an index shares a word of 32 bits with the digit that is left"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import Index, add, element, extract, for_loop, index, insert, linear, mul, scalar, shape
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.words import resized

Values = list[ir.Value]

DIGIT = 8
"""Bits."""

PARTS = 4
"""A row is counted and moved in so many parts at a time, so that adjacent equal digits do not wait for one counter."""

INDEX_BITS = 32 - DIGIT
"""Of an index that shares a word with a digit."""

LEAST = 512
"""Elements of a row that are counted faster than they are compared."""

PACKED = 1 << 16
"""Rows of up to so many 16-bit keys are sorted faster as words of key and index (`row_routines.py`)."""


@dataclass(frozen=True)
class CountKeys:
    """Numbers: where the row begins in the operand and in the result, its length. Arrays: the result and, for 16-bit keys, a word for each element."""

    key: StandardKey
    bits: int
    """Of an index in the result."""

    numbers: int = field(default=3, init=False)

    @staticmethod
    def is_profitable(key: StandardKey, length: int) -> bool:
        lengths = {DIGIT: range(LEAST, 1 << 63), 2 * DIGIT: range(PACKED + 1, 1 << INDEX_BITS)}
        return length in lengths.get(key.stored.width, ())

    @property
    def name(self) -> str:
        return f"{PREFIX}count_{self.key.name}_p{self.bits}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        passes = self.key.stored.width // DIGIT
        return [self.kind, *[ir.IntegerType.get_signless(32)] * (passes - 1)]

    @property
    def kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length), (operand,) = numbers, reads
        key = lambda k: self.key.key().of([extract(operand, [add(begin, k)])])
        if len(writes) == 1:
            number = lambda k: resized(arith.index_cast(ir.IntegerType.get_signless(64), k), self.kind)
            return _moved(Digits(key, 0, number), writes[0], into, length)
        result, words = writes
        low = Digits(key, 0, lambda k: _packed(arith.shrui(key(k), scalar(key(k).type, DIGIT)), k))
        (words,) = _moved(low, words, 0, length)
        word = lambda k: extract(words, [k])
        number = lambda k: resized(
            arith.andi(word(k), scalar(words.type.element_type, (1 << INDEX_BITS) - 1)), self.kind
        )
        return [*_moved(Digits(word, INDEX_BITS, number), result, into, length), words]

    def run(self, operand: ir.Value, through: Callable, results: Values) -> Values:
        """The indices that sort an operand's rows along the last dimension."""
        extents = shape(operand)

        def row(position: list[Index], *state: ir.Value) -> Values:
            numbers = [linear(position, extents), linear(position, extents), extents[-1]]
            return call_routine(self.name, numbers, [operand], list(state))

        words = [tensor.empty([extents[-1]], kind) for kind in self.writes[1:]]
        return through([*extents[:-1], 1], row, [*results, *words])[:1]


@dataclass(frozen=True)
class Digits:
    """Element k of a row: DIGIT bits of `key(k)` from bit `shift` on, and what is moved."""

    key: Callable[[ir.Value], ir.Value]
    shift: int
    moved: Callable[[ir.Value], ir.Value]

    def at(self, k: ir.Value) -> ir.Value:
        value = self.key(k)
        value = arith.shrui(value, scalar(value.type, self.shift)) if self.shift else value
        return arith.index_castui(index(0).type, resized(value, ir.IntegerType.get_signless(DIGIT)))


def _moved(digits: Digits, target: ir.Value, into: Index, length: ir.Value) -> Values:
    """The target, from `into` on with what is moved of a row's elements, by digit."""
    size = arith.divui(length, index(PARTS))
    counts = _starts(_each(digits, _count, [_zeros()], size, length)[0], into)

    def move(number: int, k: ir.Value, digit: ir.Value, counts: ir.Value, target: ir.Value) -> Values:
        counter = [add(mul(digit, PARTS), number)]
        position = extract(counts, counter)
        counts = insert(arith.addi(position, scalar(position.type, 1)), counts, counter)
        return [counts, insert(digits.moved(k), target, [arith.index_cast(index(0).type, position)])]

    return _each(digits, move, [counts, target], size, length)[1:]


def _each(digits: Digits, visit: Callable[..., Values], carried: Values, size: ir.Value, length: ir.Value) -> Values:
    """`visit(part, k, digit, *carried)` for each element; the last part has what the division leaves."""

    def one(k: ir.Value, *carried: ir.Value) -> Values:
        for number in range(PARTS):
            at = index(add(k, mul(size, number)))
            carried = tuple(visit(number, at, digits.at(at), *carried))
        return list(carried)

    carried = for_loop(0, size, one, carried)
    rest = lambda k, *carried: visit(PARTS - 1, k, digits.at(k), *carried)
    return for_loop(mul(size, PARTS), length, rest, carried)


def _count(number: int, k: ir.Value, digit: ir.Value, counts: ir.Value) -> Values:
    counter = [add(mul(digit, PARTS), number)]
    return [insert(arith.addi(extract(counts, counter), scalar(element(counts), 1)), counts, counter)]


def _zeros() -> ir.Value:
    """A counter for each digit and part."""
    kind = ir.IntegerType.get_signless(64)
    zero = lambda k, counts: [insert(scalar(kind, 0), counts, [k])]
    return for_loop(0, PARTS << DIGIT, zero, [tensor.empty([PARTS << DIGIT], kind)])[0]


def _starts(counts: ir.Value, into: Index) -> ir.Value:
    """Where the elements of each digit and part begin."""

    def one(k: ir.Value, total: ir.Value, counts: ir.Value) -> Values:
        return [arith.addi(total, extract(counts, [k])), insert(total, counts, [k])]

    start = arith.index_cast(element(counts), index(into))
    return for_loop(0, PARTS << DIGIT, one, [start, counts])[1]


def _packed(digit: ir.Value, k: ir.Value) -> ir.Value:
    """A digit above an index."""
    word = ir.IntegerType.get_signless(32)
    return arith.ori(arith.shli(arith.extui(word, digit), scalar(word, INDEX_BITS)), arith.index_cast(word, k))
