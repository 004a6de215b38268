"""Sorting of rows by integer keys, digit by digit from the last one on: each pass moves elements to where their digit belongs, in the
order in which they come, so that the sort is stable. Keys are computed from the elements again in each pass: nothing but
the operands is moved. Where only the first few of a row are used, these are found first, digit by digit from the first one on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    element,
    extract,
    for_loop,
    if_else,
    index,
    scalar,
    shape,
    while_loop,
)
from hlo.lowering.linalg.sorting.comparisons.merging import Values, load, store
from hlo.lowering.linalg.sorting.counting import plus_one, starts
from hlo.lowering.linalg.sorting.keys import Key
from hlo.lowering.linalg.structured import fill
from hlo.lowering.numbers import integer

LONG, DIGIT, LONG_DIGIT = 1 << 13, 8, 11
"""Bits of a digit, and those in rows of at least so many elements."""

At = Callable[[Index], list[Index]]


@dataclass(frozen=True)
class Digit:
    key: Key
    shift: int
    bits: int

    def of(self, elements: Values) -> ir.Value:
        """The place of its count."""
        value = self.key.of(elements)
        if self.shift:
            value = arith.shrui(value, scalar(value.type, self.shift))
        if self.shift + self.bits < self.key.bits:
            value = arith.andi(value, scalar(value.type, (1 << self.bits) - 1))
        return arith.index_castui(ir.IndexType.get(), value)


def digits_of(keys: list[Key], length: int) -> list[Digit]:
    """The last one first."""
    most = LONG_DIGIT if length >= LONG else DIGIT
    found = []
    for key in reversed(keys):
        bits = -(-key.bits // -(-key.bits // most))
        found += [Digit(key, shift, min(bits, key.bits - shift)) for shift in range(0, key.bits, bits)]
    return found


def sort_rows_by_keys(operands: Values, dimension: int, keys: list[Key], kept: int, through: Callable) -> Values:
    """Sorts each row of the operands along `dimension`, at least the `kept` first elements of it. `through`: how the rows are
    gone through."""
    extents = shape(operands[0])
    length = extents[dimension]
    outer = [1 if d == dimension else size for d, size in enumerate(extents)]

    def sort_row(position: list[Index], *operands: ir.Value) -> Values:
        at: At = lambda k: [*position[:dimension], k, *position[dimension + 1 :]]
        results, row = list(operands), Row(list(operands), at, length, prod(extents[dimension + 1 :]) > 1)
        if kept > length // 2:
            return _sort_row(row, digits_of(keys, length), Row(results, at, length), length)
        row = _first_elements(row, keys[0], kept)
        into = Row([tensor.empty([length], element(v)) for v in results], _plain, row.count)
        first = _sort_row(row, digits_of(keys, kept), into, length)
        return for_loop(0, kept, lambda k, *whole: store(load(first, [k]), whole, at(k)), results)

    return through(outer, sort_row, operands)


@dataclass(frozen=True)
class Row:
    """`count` elements of each array: number k is where `at` says."""

    arrays: Values
    at: At
    count: Index
    is_strided: bool = False

    def load(self, k: Index) -> Values:
        return load(self.arrays, self.at(k))


def _plain(k: Index) -> list[Index]:
    return [k]


def _sort_row(source: Row, digits: list[Digit], results: Row, length: int) -> Values:
    """The arrays of `results`, of which the row is what that of the source is sorted. `length`: how many elements there can be."""
    rows = [Row([tensor.empty([length], element(v)) for v in results.arrays], _plain, source.count) for _ in range(2)]
    if source.is_strided or len(digits) == 1:  # it is read more than once; results may be in its place
        rows[1] = source = replace(rows[1], arrays=_copied(source, rows[1]))

    def count(k: Index, *counts: ir.Value) -> Values:
        elements = source.load(k)
        return [plus_one(c, [d.of(elements)]) for c, d in zip(counts, digits, strict=True)]

    counts = for_loop(0, source.count, count, [_counts(d, length) for d in digits])
    for digit, of_digit in zip(digits[:-1], counts):
        moved = _pass(source, rows[0], of_digit, digit)
        source = replace(rows[0], arrays=moved)
        rows = [rows[1], source]
    return _pass(source, results, counts[-1], digits[-1])


def _copied(source: Row, target: Row) -> Values:
    """The target's arrays."""
    put = lambda k, *row: store(source.load(k), row, target.at(k))
    return for_loop(0, source.count, put, target.arrays)


def _first_elements(row: Row, key: Key, kept: int) -> Row:
    """The `kept` elements of a row that come first, and others whose first digit is the last one among these, in the order in
    which they are."""
    length = row.count
    digit = Digit(key, max(0, key.bits - LONG_DIGIT), min(key.bits, LONG_DIGIT))
    (counts,) = for_loop(0, length, lambda k, c: [plus_one(c, [digit.of(row.load(k))])], [_counts(digit, length)])
    last = _place_of(kept, counts)

    def offer(k: Index, count: ir.Value, *chosen: ir.Value) -> Values:
        elements = row.load(k)
        is_chosen = arith.cmpi(arith.CmpIPredicate.ule, digit.of(elements), last)
        return [arith.addi(count, arith.index_castui(index(0).type, is_chosen)), *store(elements, chosen, [count])]

    room = [tensor.empty([length + 1], element(v)) for v in row.arrays]
    count, *chosen = for_loop(0, length, offer, [index(0), *room])
    return Row(chosen, _plain, count)


def _place_of(number: int, counts: ir.Value) -> ir.Value:
    """The place in which element `number` (the first is 1) is counted."""

    def size_of(place: ir.Value) -> ir.Value:
        return arith.index_castui(place.type, extract(counts, [place]))

    def goes_on(place: ir.Value, number: ir.Value) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ult, size_of(place), number)

    def skip(place: ir.Value, number: ir.Value) -> Values:
        return [arith.addi(place, index(1)), arith.subi(number, size_of(place))]

    return while_loop([index(0), index(number)], goes_on, skip)[0]


def _pass(source: Row, target: Row, counts: ir.Value, digit: Digit) -> Values:
    """Moves all elements by one digit into the target's arrays; where they all have the same one, copies them."""
    same = extract(counts, [digit.of(source.load(0))])
    is_one = arith.cmpi(arith.CmpIPredicate.eq, arith.index_castui(ir.IndexType.get(), same), index(source.count))

    def move() -> Values:
        def one(k: Index, *carried: ir.Value) -> Values:
            elements = source.load(k)
            place = digit.of(elements)
            into = extract(carried[-1], [place])
            moved = store(elements, carried[:-1], target.at(arith.index_castui(place.type, into)))
            return [*moved, plus_one(carried[-1], [place])]

        return for_loop(0, source.count, one, [*target.arrays, starts(counts, shape(counts)[0])])[:-1]

    return if_else(is_one, [v.type for v in target.arrays], lambda: _copied(source, target), move)


def _counts(digit: Digit, length: int) -> ir.Value:
    """A zero for each digit, which can count up to `length`."""
    kind = integer(32 if length < 1 << 31 else 64)
    return fill(scalar(kind, 0), ir.RankedTensorType.get([1 << digit.bits], kind))
