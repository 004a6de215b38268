"""Sorting of one long row by two threads: words are made of the row, those up to a pivot from the front of their array
on, the others from its back; then each thread sorts one side and makes of it what is wanted.

    row:        7 1 8 2 9 3 5 4       the pivot is 4, from a sample
    words:      1 2 3 4 5 9 8 7
    part 0:     1 2 3 4
    part 1:             5 7 8 9

    hlo_routine_split_f32ca_i32         words of keys, on both sides of a pivot
    hlo_routine_split_f32ca_i64         words of keys and indices"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    extract,
    index,
    insert,
    less,
    linear,
    mul,
    scalar,
    shape,
    sub,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.sorting.rows.equal_keys import any_bits
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, Vectors, static_index_bits
from hlo.lowering.linalg.sorting.words.quicksort import moved_rest, moved_whole
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.linalg.sorting.words.vectors import At
from hlo.lowering.numbers import integer

Values = list[ir.Value]

PARTS = 2

LEAST_BITS = 64 << 13
"""Bits of a row, at least, that is sorted in parts."""

SAMPLED = 32
"""Vectors of a row from which the pivot is taken."""

SLOTS = 2
"""Numbers that are known of the words: whether an element is not the one that its key stands for, how many words are up to the pivot."""


@dataclass(frozen=True)
class RowLoops:
    """Loops over the rows of an array along its last dimension, each in so many `parts`. `nest`: what goes through
    them, `independent`: what outline is to be told."""

    extents: Sequence[int]
    parts: int
    nest: Callable[..., Values]
    independent: int

    @staticmethod
    def of(operand: ir.Value, lowering: Lowering, divides: bool = True) -> RowLoops:
        """A single long row is divided, if it may be."""
        *rows, length = shape(operand)
        is_long = prod(rows) == 1 and length * element(operand).width >= LEAST_BITS
        parts = PARTS if is_long and divides and lowering.machine.threads > 1 else 1
        return RowLoops([*rows, parts], parts, *lowering.outer_loops([*rows, parts]))

    def each_row(self, routine: Routine, operand: ir.Value, numbers: Sequence[Index], results: Values, scratch: Values) -> Values:  # fmt: skip
        """The results of calls for the rows of an operand, whose first numbers are where a row begins in the operand and
        in the results."""
        extents, into = shape(operand), shape(results[0])

        def row(position: list[Index], _: Index, *arrays: ir.Value) -> Values:
            begins = [linear(position, sizes) for sizes in (extents, into)]
            return routine.call([*begins, *numbers], [operand], arrays)

        return self.through(row, [*results, *scratch])[: len(results)]

    def each_part(self, routine: Routine, numbers: Sequence[Index], reads: Sequence[ir.Value], writes: Sequence[ir.Value]) -> Values:  # fmt: skip
        """What becomes of arrays by calls for the parts of one row, whose last number is that of the part."""
        return self.through(lambda _, part, *writes: routine.call([*numbers, part], reads, writes), writes)

    def through(self, row: Callable[..., Values], carried: Sequence[ir.Value]) -> Values:
        """`row(position, part, *carried)` for each."""
        each = lambda position, *carried: row([*position[:-1], 0], position[-1], *carried)
        return self.nest(self.extents, each, carried)


@dataclass(frozen=True)
class SplitRow(Routine):
    """Makes words of a row, which are one number each, with indices if they have room for them. Numbers: the row's
    length, bits of an index."""

    words: KeyWords
    stem = "split"
    numbers = 2

    @property
    def reads(self) -> list[ir.Type]:
        return [self.words.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        """Words and SLOTS."""
        return [self.words.kind, slot_type()]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (length, index_bits), (operand,), (words, slots) = numbers, reads, writes
        words_of = self.words
        row = words_of.row(operand, 0, index_bits) if words_of.has_indices else words_of.keys_row(operand, 0)
        count, differs, words = self._parted(length, row, self._pivot(length, row), words)
        kind = element(slots)
        slots = insert(arith.extui(kind, any_bits(differs)), slots, [0])
        return [words, insert(arith.index_cast(kind, count), slots, [1])]

    def _pivot(self, length: ir.Value, row: Vectors) -> ir.Value:
        """The middle of a sample."""
        vectors, size = self.words.vectors, SAMPLED * self.words.vectors.lanes
        array = Array((tensor.empty([size], self.words.kind),))
        step = arith.divui(sub(length, vectors.lanes), index(SAMPLED - 1))
        put = lambda n, array: vectors.store((row(mul(n, step), None)[0],), array, [mul(n, vectors.lanes)])
        (sample,) = array.loop(0, SAMPLED, put).tensors
        return extract(SortWords(self.words.bits).sorted(sample, size, size // 2 + 1), [size // 2])

    def _parted(self, length: ir.Value, row: Vectors, pivot: ir.Value, words: ir.Value) -> Values:
        """How many words are up to the pivot, which bits of elements are not those that their keys stand for, the
        words. Whole vectors are written while there is space for both."""
        vectors = self.words.vectors
        pivots = vectors.splat(pivot)
        at: At = lambda k: [k]

        def move(k: Index, inside: ir.Value | None, front: ir.Value, back: ir.Value, differs: ir.Value, words: ir.Value) -> Values:  # fmt: skip
            value, *others = row(k, inside)
            moved = moved_whole if inside is None else partial(moved_rest, inside=inside)
            front, back, words = moved(vectors, value, pivots, words, at, front, back)
            return [front, back, or_bits(differs, others), words]

        start = [index(0), length, no_bits(self.words), words]
        count, _, differs, words = vectors.along(length, move, start, last=2 * vectors.lanes)
        return [count, differs, words]

    def slots(self) -> Values:
        return [tensor.empty([SLOTS], self.writes[1])]

    def run(self, operand: ir.Value, arrays: Values) -> Values:
        (length,) = shape(operand)[-1:]
        return self.call([length, static_index_bits(length)], [operand], arrays)


def slot_type() -> ir.Type:
    return integer(64)


def place_of_part(slots: ir.Value, length: ir.Value, part: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Where in a row of which the words are there a part begins, how many elements it has, whether an element of the
    row is not the one that its key stands for."""
    differs, low = (arith.index_cast(length.type, extract(slots, [n])) for n in range(SLOTS))
    is_first = less(part, 1)
    return arith.select(is_first, index(0), low), arith.select(is_first, low, arith.subi(length, low)), less(0, differs)


def or_bits(differs: ir.Value, others: Sequence[ir.Value]) -> ir.Value:
    return arith.ori(differs, *others) if others else differs


def no_bits(words: KeyWords) -> ir.Value:
    """In the lanes of a vector, for those of elements."""
    bits = integer(words.key.stored.width)
    return vector.broadcast(ir.VectorType.get([words.vectors.lanes], bits), scalar(bits, 0))


def stored_row(words: KeyWords, row: Vectors, count: ir.Value, arrays: Sequence[ir.Value], start: Index) -> tuple[Values, ir.Value]:  # fmt: skip
    """The arrays, from a place on with a row's words; which bits of its elements are not those that their keys stand
    for, in the lanes of a vector."""
    vectors, width = words.vectors, len(arrays)

    def take(k: Index, inside: ir.Value | None, differs: ir.Value, *arrays: ir.Value) -> Values:
        value = tuple(row(k, inside))
        stored = vectors.store(value[:width], Array(arrays), [add(start, k)], inside)
        return [or_bits(differs, value[width:]), *stored.tensors]

    differs, *made = vectors.along(count, take, [no_bits(words), *arrays])
    return made, differs
