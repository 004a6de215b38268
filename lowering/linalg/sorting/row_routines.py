"""Routines for contiguous rows of elements whose keys have names (`keys.py`), from elements to what the program goes on with (`linalg/routine_calls.py`).

    hlo_routine_row_f32ca_i32           elements, sorted by their keys alone
    hlo_routine_partrow_f32ca_i32       a part of a row, of which another routine has made words (`row_parts.py`)
    hlo_routine_words_f32ca_i64_p32     indices of elements in sorted order, as numbers of 32 bits
    hlo_routine_words_f64ca_i64_i64_p32 the same by keys of 64 bits
    hlo_routine_top16_f32td_i64_e_p32   the first elements and their indices, of a row of which they are a small part, on a processor that compresses lanes of 16 bits

A name tells the element's type, how its key is made, ascending or descending, the words, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.linalg.loops import Index, add, clamp, element, extract, if_else, index, less, linear, shape, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.equal_keys import any_bits, as_type, row_with_own_bits
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.routines import KeyWords, Outcome, Vectors, static_index_bits
from hlo.lowering.linalg.sorting.row_parts import RowLoops, stored_row
from hlo.lowering.linalg.sorting.selection import Numbers, RowSelector, Selection
from hlo.lowering.linalg.sorting.selection_buffers import Buffer, JoinedWords, KeysBeside
from hlo.lowering.linalg.sorting.words import At, resized

Values = list[ir.Value]


def _at(begin: ir.Value) -> At:
    return lambda k: [add(begin, k)]


@dataclass(frozen=True)
class _RowRoutine:
    """Sorts elements of rows by words, or one of the parts of a row of which the words are there already (`row_parts.py`): the last number is that of the part."""

    is_part: bool

    @property
    def _slots(self) -> list[ir.Type]:
        return [ir.IntegerType.get_signless(64)] if self.is_part else []

    def _words(self, words: KeyWords, row: Vectors, slots: Values, of: Sequence[ir.Value], arrays: Values, start: Index) -> tuple[Index, ir.Value, ir.Value, Values]:  # fmt: skip
        """Where in the sorted row its elements are, their number, whether one is not the one that its key stands for, and the arrays with the words of the row from `start` on."""
        length, *part = of
        if not self.is_part:
            made, differs = stored_row(words, row, length, arrays, start)
            return 0, length, any_bits(differs), made
        differs, low = (arith.index_cast(length.type, extract(slots[0], [n])) for n in range(2))
        is_first = less(part[0], 1)
        first = arith.select(is_first, index(0), low)
        return first, arith.select(is_first, low, arith.subi(length, low)), less(0, differs), arrays


@dataclass(frozen=True)
class SortRow(_RowRoutine):
    """Sorts elements by keys without indices. Numbers: where the row begins in both arrays, its length, how many first elements are used. Words of as many bits as elements
    are sorted where these are written, others in a buffer."""

    words: KeyWords

    @property
    def numbers(self) -> int:
        return 3 + self.is_part

    @property
    def name(self) -> str:
        return f"{PREFIX}{'part' * self.is_part}row_{self.words.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.words.key.stored, *self._slots]

    @property
    def writes(self) -> list[ir.Type]:
        """Elements are written as their bits."""
        return [self._number] if self._is_in_place else [self._number, self.words.kind]

    @property
    def _number(self) -> ir.IntegerType:
        return ir.IntegerType.get_signless(self.words.key.stored.width)

    @property
    def _is_in_place(self) -> bool:
        return self._number == self.words.kind

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, length, kept, *part), (operand, *given), key = numbers, reads, self.words.key
        row, place = self.words.keys_row(operand, begin), begin if self._is_in_place else 0
        first, count, differs, (words,) = self._words(self.words, row, given, (length, *part), writes[-1:], place)
        into, start, used = add(begin, first), add(place, first), clamp(sub(kept, first), 0, count)
        words = self.words.sorter.sorted(words, count, used, start)
        result = self._to_elements(words, words if self._is_in_place else writes[0], into, start, used)
        if not key.is_exact:
            stop = add(first, count)
            own = lambda: [row_with_own_bits(result, operand, _at(begin), length, key, first, stop)]
            (result,) = if_else(differs, [result.type], own, lambda: [result])
        return [result] if self._is_in_place else [result, words]

    def _to_elements(self, words: ir.Value, result: ir.Value, begin: Index, start: Index, kept: ir.Value) -> ir.Value:
        vectors, key = self.words.vectors, self.words.key
        of = lambda word: [as_type(key.element(resized(word[0], self._number)), self._number)]

        def put(k: Index, inside: ir.Value | None, result: ir.Value) -> Values:
            source = result if self._is_in_place else words
            value = vectors.computed(of, [vectors.load_word(source, [add(start, k)], inside)])
            return list(vectors.store(value, Array((result,)), [add(begin, k)], inside).tensors)

        return vectors.along(kept, put, [result])[0]

    def run(self, operand: ir.Value, slots: Values, kept: int, rows: RowLoops, results: Values) -> Values:
        """The result: an operand's rows along the last dimension, sorted. `slots`: of a row in parts, whose words are in the result."""
        extents, sorter = shape(operand), self.words.sorter

        def row(position: list[Index], part: Index, *state: ir.Value) -> Values:
            numbers = [linear(position, extents), extents[-1], kept, *([part] if self.is_part else [])]
            return call_routine(self.name, numbers, [operand, *slots], state)

        scratch = [] if self._is_in_place else [sorter.buffer(extents[-1])]
        return rows.through(row, [*results, *scratch])[:1]


@dataclass(frozen=True)
class SortKeys(_RowRoutine):
    """Sorts words of keys and indices. Numbers: where the row begins in the operand and in what is written, its length, how many first words are used, bits of an index."""

    outcome: Outcome

    @property
    def numbers(self) -> int:
        return 5 + self.is_part

    @property
    def name(self) -> str:
        return f"{PREFIX}{'part' * self.is_part}words_{self.outcome.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored, *self._slots]

    @property
    def writes(self) -> list[ir.Type]:
        """Results, and the words."""
        return [*self.outcome.types, self.outcome.words.kind]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length, kept, index_bits, *part), (operand, *given), words = numbers, reads, self.outcome.words
        row = words.row(operand, begin, index_bits)
        first, count, _, (unsorted,) = self._words(words, row, given, (length, *part), writes[-1:], 0)
        used = clamp(sub(kept, first), 0, count)
        done = words.sorter.sorted(unsorted, count, used, first)
        return [*self.outcome.put(Array((done,)), first, writes[:-1], add(into, first), used, index_bits), done]

    def run(self, operand: ir.Value, slots: Values, kept: int, rows: RowLoops, results: Values) -> Values:
        """What becomes of an operand's rows along the last dimension. `slots`: of a row in parts, whose words are in the last one of `results`."""
        extents, buffers = (
            shape(operand),
            [] if self.is_part else [self.outcome.words.sorter.buffer(shape(operand)[-1])],
        )

        def row(position: list[Index], part: Index, *state: ir.Value) -> Values:
            into = linear(position, shape(results[0]))
            numbers = [linear(position, extents), into, extents[-1], kept, static_index_bits(extents[-1])]
            numbers += [part] if self.is_part else []
            return call_routine(self.name, numbers, [operand, *slots], state)

        return rows.through(row, [*results, *buffers])[: len(results)]


@dataclass(frozen=True)
class SortLongKeys:
    """Sorts keys of 64 bits, which share no word with an index. Numbers: where the row begins in the operand and in what is written, its length, how many first keys are used."""

    outcome: Outcome
    numbers: int = field(default=4, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}words_{self.outcome.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.outcome.types, *KeysBeside().types]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length, kept), (operand,), buffer = numbers, reads, KeysBeside()
        results, arrays = writes[: len(self.outcome.types)], writes[len(self.outcome.types) :]
        vectors, key = self.outcome.words.vectors, self.outcome.words.key
        elements = lambda k, inside: [vectors.load_word(operand, [add(begin, k)], inside), vectors.indices(k)]
        pair = lambda both: [key.of(both[0]), arith.index_cast(element(arrays[1]), both[1])]
        pairs = vectors.written(arrays[: buffer.found], 0, length, elements, pair)
        done = buffer.sorted(length, kept, length, [*pairs, *arrays[buffer.found :]])
        return [*buffer.put(self.outcome, results, into, kept, length, done), *done]

    def run(self, operand: ir.Value, kept: int, rows: RowLoops, results: Values) -> Values:
        """What becomes of an operand's rows along the last dimension."""
        extents = shape(operand)

        def row(position: list[Index], _: Index, *state: ir.Value) -> Values:
            numbers = [linear(position, extents), linear(position, shape(results[0])), extents[-1], kept]
            return call_routine(self.name, numbers, [operand], state)

        return rows.through(row, [*results, *KeysBeside().arrays(extents[-1])])[: len(results)]


@dataclass(frozen=True)
class SelectKeys:
    """Finds the first keys and their indices. Numbers: where the row begins in the operand and in what is written, then those of the selection. `outcome`: its words join keys and indices, or are keys of 64 bits. `compresses`: bits of the narrowest lanes that the processor compresses."""

    outcome: Outcome
    compresses: int
    numbers: int = field(default=8, init=False)

    @staticmethod
    def of(key: StandardKey, kinds: tuple[str, ...], compresses: int, length: int) -> SelectKeys:
        """For rows of a length."""
        joined = max(key.stored.width, compresses) + (length - 1).bit_length()
        return SelectKeys(Outcome(KeyWords(key, 32 if joined <= 32 else 64), kinds), compresses)

    @property
    def name(self) -> str:
        return f"{PREFIX}top{self.suffix}"

    @property
    def suffix(self) -> str:
        """Of the names of this routine and those that do it in parts (`selection_parts.py`)."""
        return f"{self.compresses}_{self.outcome.name}"

    @property
    def buffer(self) -> Buffer:
        stored = self.outcome.words.key.stored.width
        return KeysBeside() if stored == 64 else JoinedWords(self.outcome.words.bits, max(stored, self.compresses))

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def results(self) -> list[ir.Type]:
        """What is made, the first arrays of those that are written."""
        return self.outcome.types

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.results, *RowSelector.types(self.buffer)]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, into, *rest = numbers
        count, given = len(self.results), Numbers(*rest)
        done = self.selector(given, reads[0], begin).run(writes[count:])
        put = self.buffer.put(self.outcome, writes[:count], into, given.kept, given.length, done[1:])
        return [*put, *done]

    def selector(self, numbers: Numbers, operand: ir.Value, begin: Index) -> RowSelector:
        key, kind = self.outcome.words.key, ir.IntegerType.get_signless(self.buffer.key_bits)
        key_of = lambda elements: resized(key.of(elements[0]), kind)
        return RowSelector(numbers, self.buffer, self.compresses, operand, begin, key_of)

    def run(self, operand: ir.Value, selection: Selection, through: Callable, results: Values) -> Values:
        """What becomes of the first keys of an operand's rows along the last dimension."""
        extents, numbers = shape(operand), Numbers.of(selection)

        def row(position: list[Index], *state: ir.Value) -> Values:
            into = linear(position, shape(results[0]))
            given = [linear(position, extents), into, *vars(numbers).values()]
            return call_routine(self.name, given, [operand], list(state))

        state = [*results, *RowSelector.arrays(selection, self.buffer)]
        return through([*extents[:-1], 1], row, state)[: len(results)]
