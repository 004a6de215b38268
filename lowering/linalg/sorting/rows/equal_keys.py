"""Rows that were sorted by their keys alone, where elements can have one key and other bits: zeros of both signs, NaNs.

Before:  keys of [0.0, -0.0, -1.0] sorted, and made elements again:   [-1.0, 0.0, 0.0]
After:   elements of one key are the operand's, in its order:         [-1.0, 0.0, -0.0]

A row is looked at only where an element is not the one that its key stands for. Rows whose key has a name are a routine's:

    hlo_routine_equal_f32ca     numbers are where the first row begins in both arrays, its length, how many rows there are, how far apart a row's elements are: rows of contiguous
                                elements lie one behind the other, others side by side"""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    add,
    both,
    changed_if,
    element,
    extract,
    for_loop,
    index,
    insert,
    less,
    mul,
    scalar,
    while_loop,
)
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import bits_as, integer

Values = list[ir.Value]
At = Callable[[Index], list[Index]]


@dataclass(frozen=True)
class EqualKeys(Routine):
    """Puts elements of one key in the operand's order, in sorted rows."""

    key: StandardKey
    stem = "equal"
    numbers = 4

    @property
    def reads(self) -> list[ir.Type]:
        return [self.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        return [self.key.stored]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, length, rows, stride), (operand,), key = numbers, reads, self.key
        number = integer(key.bits)
        vectors = WordVectors.of(key.bits)

        is_contiguous = arith.cmpi(arith.CmpIPredicate.eq, stride, index(1))
        either = lambda contiguous, beside: arith.select(is_contiguous, index(contiguous), index(beside))
        lines, of_line = either(1, length), either(mul(rows, length), rows)
        between = either(length, 1)

        def line(n: Index, differs: ir.Value) -> Values:
            start = add(begin, mul(n, stride))

            def look(k: Index, inside: ir.Value | None, differs: ir.Value) -> Values:
                elements = [vectors.load_word(operand, [add(start, k)], inside)]
                return [arith.ori(differs, *vectors.computed(lambda v: [key.other_bits(v[0])], elements))]

            return vectors.along(of_line, look, [differs])

        def row(n: Index, result: ir.Value) -> Values:
            at: At = lambda k: [add(add(begin, mul(n, between)), mul(k, stride))]
            return [row_with_own_bits(result, operand, at, length, key)]

        (differs,) = for_loop(0, lines, line, [vectors.splat(scalar(number, 0))])
        each = lambda: for_loop(0, rows, row, writes)
        return changed_if(any_bits(differs), writes, each)


def any_bits(lanes: ir.Value) -> ir.Value:
    """Whether a lane is not 0."""
    kind = ir.VectorType(lanes.type).element_type
    found = vector.reduction(kind, vector.CombiningKind.OR, lanes)
    return arith.cmpi(arith.CmpIPredicate.ne, found, scalar(kind, 0))


def row_with_own_bits(result: ir.Value, operand: ir.Value, at: At, length: Index, key: StandardKey, start: Index = 0, stop: Index | None = None) -> ir.Value:  # fmt: skip
    """A sorted row whose elements of a key are the operand's, in its order. `result`: elements, or their bits. `start`,
    `stop`: the part of the row that is sorted, which has all elements of a key or none."""
    stop = length if stop is None else stop
    for number in key.shared:
        key_at = lambda k, result=result: key.of(bits_as(extract(result, at(k)), key.stored))
        first = _first_of(number, key_at, start, stop)
        count = arith.select(_is_at(first, number, key_at, stop), index(length), index(0))
        result = _members(number, first, result, operand, at, count, key)
    return result


def _first_of(number: ir.Value, key_at: Callable[[Index], ir.Value], start: Index, stop: Index) -> ir.Value:
    """The first place in a sorted row where the key is not less than `number`."""

    def goes_on(low: ir.Value, high: ir.Value) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ult, low, high)

    def halve(low: ir.Value, high: ir.Value) -> Values:
        middle = arith.shrui(arith.addi(low, high), index(1))
        is_before = arith.cmpi(arith.CmpIPredicate.ult, key_at(middle), number)
        return [arith.select(is_before, arith.addi(middle, index(1)), low), arith.select(is_before, high, middle)]

    return while_loop([index(start), index(stop)], goes_on, halve)[0]


def _is_at(place: ir.Value, number: ir.Value, key_at: Callable[[Index], ir.Value], stop: Index) -> ir.Value:
    """Whether a place has the key `number`."""
    return both(less(place, stop), lambda: arith.cmpi(arith.CmpIPredicate.eq, key_at(place), number))


def _members(
    number: ir.Value, first: ir.Value, result: ir.Value, operand: ir.Value, at: At, count: Index, key: StandardKey
) -> ir.Value:
    """With those of the operand's first `count` elements that have this key, from place `first` on."""

    def offer(k: Index, place: ir.Value, result: ir.Value) -> Values:
        value = extract(operand, at(k))
        is_one = arith.cmpi(arith.CmpIPredicate.eq, key.of(value), number)
        put = lambda: [index(add(place, 1)), insert(bits_as(value, element(result)), result, at(place))]
        return changed_if(is_one, [place, result], put)

    return for_loop(0, count, offer, [first, result])[1]
