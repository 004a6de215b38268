"""Routines for contiguous rows of elements whose keys have names (`keys.py`), from elements to what the program goes on
with (`linalg/routine_calls.py`).

    hlo_routine_row_f32ca_i32           elements, sorted by their keys alone
    hlo_routine_partrow_f32ca_i32       a part of a row, of which another routine has made words (`parts.py`)
    hlo_routine_words_f32ca_i64_p32     indices of elements in sorted order, as numbers of 32 bits
    hlo_routine_words_f64ca_i64_i64_p32 the same by keys of 64 bits

A name tells the element's type, how its key is made, ascending or descending, the words, and what is made of them."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, changed_if, clamp, index, linear, shape, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.sorting.rows.equal_keys import any_bits, row_with_own_bits
from hlo.lowering.linalg.sorting.rows.parts import RowLoops, place_of_part, slot_type, stored_row
from hlo.lowering.linalg.sorting.words.buffers import INDEX_BITS, Buffer, JoinedWords, KeysBeside, index_bits
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, Outcome
from hlo.lowering.linalg.sorting.words.vectors import At
from hlo.lowering.numbers import bits_as, integer, resized

Values = list[ir.Value]


@dataclass(frozen=True)
class SortRow(Routine):
    """Sorts elements by keys without indices. Numbers: where the row begins in both arrays, its length, how many first
    elements are used. Words of as many bits as elements are sorted where these are written, others in a buffer."""

    words: KeyWords

    stem = "row"
    numbers = 3

    @property
    def reads(self) -> list[ir.Type]:
        return [self.words.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        """Elements are written as their bits."""
        return [self._number] if self._is_in_place else [self._number, self.words.kind]

    @property
    def _number(self) -> ir.IntegerType:
        return integer(self.words.key.stored.width)

    @property
    def _is_in_place(self) -> bool:
        return self._number == self.words.kind

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, length, _), (operand,) = numbers, reads
        row, place = self.words.keys_row(operand, begin), begin if self._is_in_place else 0
        (words,), differs = stored_row(self.words, row, length, writes[-1:], place)
        return self._sorted(operand, numbers, (0, length), any_bits(differs), [*writes[:-1], words])

    def _sorted(self, operand: ir.Value, numbers: Values, part: tuple[Index, ir.Value], differs: ir.Value, arrays: Values) -> Values:  # fmt: skip
        """The arrays, with a part of a row in order, of which the words are there: where it begins in the row, how many
        elements it has. `differs`: whether an element of the row is not the one that its key stands for."""
        (begin, length, kept), (first, count), key = numbers, part, self.words.key
        into, start = add(begin, first), add(begin if self._is_in_place else 0, first)
        used = clamp(sub(kept, first), 0, count)
        words = self.words.sorter.sorted(arrays[-1], count, used, start)
        result = self._to_elements(words, words if self._is_in_place else arrays[0], into, start, used)
        if not key.is_exact:
            at: At = lambda k: [add(begin, k)]
            own = lambda: [row_with_own_bits(result, operand, at, length, key, first, add(first, count))]
            (result,) = changed_if(differs, [result], own)
        return [result] if self._is_in_place else [result, words]

    def _to_elements(self, words: ir.Value, result: ir.Value, begin: Index, start: Index, kept: ir.Value) -> ir.Value:
        vectors, key = self.words.vectors, self.words.key
        of = lambda word: [bits_as(key.element(resized(word[0], self._number)), self._number)]

        def put(k: Index, inside: ir.Value | None, result: ir.Value) -> Values:
            source = result if self._is_in_place else words
            value = vectors.computed(of, [vectors.load_word(source, [add(start, k)], inside)])
            return list(vectors.store(value, Array((result,)), [add(begin, k)], inside).tensors)

        return vectors.along(kept, put, [result])[0]

    def run(self, operand: ir.Value, kept: int, rows: RowLoops, results: Values) -> Values:
        """The result: an operand's rows along the last dimension, sorted."""
        extents = shape(operand)

        def row(position: list[Index], _: Index, *state: ir.Value) -> Values:
            return self.call([linear(position, extents), extents[-1], kept], [operand], state)

        scratch = [] if self._is_in_place else [self.words.sorter.buffer(extents[-1])]
        return rows.through(row, [*results, *scratch])[:1]


@dataclass(frozen=True)
class SortPartOfRow(SortRow):
    """Sorts a part of a row, whose words are where its elements will be. Numbers: the length of the row, how many first
    elements are used, of the part."""

    stem = "partrow"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.words.key.stored, slot_type()]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (length, kept, part), (operand, slots) = numbers, reads
        first, count, differs = place_of_part(slots, length, part)
        return self._sorted(operand, [index(0), length, kept], (first, count), differs, writes)


@dataclass(frozen=True)
class SortKeys(Routine):
    """Sorts keys and indices. Numbers: where the row begins in the operand and in what is written, its length, how many
    first keys are used."""

    outcome: Outcome
    stem = "words"
    numbers = 4

    @property
    def buffer(self) -> Buffer:
        words = self.outcome.words
        return KeysBeside() if words.count == 2 else JoinedWords(words.bits, words.key.bits)

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.outcome.types, *self.buffer.types]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length, kept), (operand,), buffer = numbers, reads, self.buffer
        results, arrays = writes[: len(self.outcome.types)], writes[len(self.outcome.types) :]
        vectors, key = self.outcome.words.vectors, self.outcome.words.key
        position, values = integer(INDEX_BITS), buffer.values(length)
        held = lambda both: values(key.of(both[0]), arith.index_cast(position, both[1]))
        unsorted = vectors.written(arrays[: buffer.found], 0, length, vectors.numbered(operand, begin), held)
        done = buffer.sorted(length, kept, length, [*unsorted, *arrays[buffer.found :]])
        return [*buffer.put(self.outcome, results, into, kept, length, done), *done]


@dataclass(frozen=True)
class SortPartOfKeys(Routine):
    """Sorts a part of the words of a row's keys and indices, and makes of it what is wanted. Numbers: the length of the
    row, how many first words are used, of the part. Arrays: the results, the words."""

    outcome: Outcome
    stem = "partwords"
    numbers = 3

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored, slot_type()]

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.outcome.types, self.outcome.words.kind]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (length, kept, part), words, (*results, unsorted) = numbers, self.outcome.words, writes
        first, count, _ = place_of_part(reads[1], length, part)
        used = clamp(sub(kept, first), 0, count)
        done = words.sorter.sorted(unsorted, count, used, first)
        return [*self.outcome.put(Array((done,)), first, results, first, used, index_bits(length)), done]
