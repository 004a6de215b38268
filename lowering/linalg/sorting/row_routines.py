"""Routines for contiguous rows of elements whose keys have names (`keys.py`), from elements to what the program goes on with (`linalg/routine_calls.py`).

    hlo_routine_row_f32ca_i32           elements, sorted by their keys alone
    hlo_routine_words_f32ca_i64         words of keys and indices, sorted
    hlo_routine_words_f32ca_i64_p32     indices of elements in sorted order, as numbers of 32 bits
    hlo_routine_top16_f32td_i32_e_p32   the first elements and their indices, of a row of which they are a small part, on a processor that compresses lanes of 16 bits

A name tells the element's type, how its key is made, ascending or descending, the words, and what is made of them, if not they themselves are wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.linalg.loops import Index, add, if_else, linear, scalar, shape
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.equal_keys import any_bits, as_type, other_bits, row_with_own_bits
from hlo.lowering.linalg.sorting.pairs import SortPairs
from hlo.lowering.linalg.sorting.routines import KeyWords, Outcome
from hlo.lowering.linalg.sorting.selection import INDEX_BITS, Numbers, RowSelector, Selection
from hlo.lowering.linalg.sorting.words import At, resized

Values = list[ir.Value]


def _at(begin: ir.Value) -> At:
    return lambda k: [add(begin, k)]


@dataclass(frozen=True)
class SortRow:
    """Sorts elements by keys without indices. Numbers: where the row begins in both arrays, its length, how many first elements are used. Words of as many bits as elements
    are sorted where these are written, others in a buffer."""

    words: KeyWords
    numbers: int = field(default=3, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}row_{self.words.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.words.key.stored]

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
        (begin, length, kept), (operand,), key = numbers, reads, self.words.key.key()
        start = begin if self._is_in_place else 0
        differs, words = self._to_words(operand, writes[-1], begin, start, length)
        words = self.words.sorter.sorted(words, length, kept, start)
        result = self._to_elements(words, words if self._is_in_place else writes[0], begin, start, kept)
        if not key.is_exact:
            result = self._with_own_bits(result, operand, differs, begin, length)
        return [result] if self._is_in_place else [result, words]

    def _to_words(
        self, operand: ir.Value, words: ir.Value, begin: Index, start: Index, length: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """Which bits of elements are not those that their keys stand for, in the lanes of a vector; the words."""
        vectors, key = self.words.vectors, self.words.key.key()

        def body(elements: Values) -> Values:
            (element,) = elements
            word = resized(key.of([element]), self.words.kind)
            return [word, scalar(self._number, 0) if key.is_exact else other_bits(element, key)]

        def take(k: Index, inside: ir.Value | None, differs: ir.Value, words: ir.Value) -> Values:
            elements = vectors.load_word(operand, [add(begin, k)], inside)
            word, other = vectors.computed(body, [elements])
            stored = vectors.store((word,), Array((words,)), [add(start, k)], inside)
            return [arith.ori(differs, other), *stored.tensors]

        nothing = vector.broadcast(ir.VectorType.get([vectors.lanes], self._number), scalar(self._number, 0))
        differs, words = vectors.along(length, take, [nothing, words])
        return differs, words

    def _to_elements(self, words: ir.Value, result: ir.Value, begin: Index, start: Index, kept: ir.Value) -> ir.Value:
        vectors, key = self.words.vectors, self.words.key.key()
        assert key.element is not None
        of = lambda word: [as_type(key.element(resized(word[0], self._number)), self._number)]

        def put(k: Index, inside: ir.Value | None, result: ir.Value) -> Values:
            source = result if self._is_in_place else words
            value = vectors.computed(of, [vectors.load_word(source, [add(start, k)], inside)])
            return list(vectors.store(value, Array((result,)), [add(begin, k)], inside).tensors)

        return vectors.along(kept, put, [result])[0]

    def _with_own_bits(
        self, result: ir.Value, operand: ir.Value, differs: ir.Value, begin: Index, length: ir.Value
    ) -> ir.Value:
        one = lambda: [row_with_own_bits(result, operand, _at(begin), length, self.words.key.key())]
        return if_else(any_bits(differs), [result.type], one, lambda: [result])[0]

    def run(self, operand: ir.Value, kept: int, through: Callable, result: ir.Value) -> Values:
        """The result: an operand's rows along the last dimension, sorted."""
        extents, sorter = shape(operand), self.words.sorter
        call = lambda position, *state: self._call(operand, position, kept, list(state))
        scratch = [] if self._is_in_place else sorter.buffers(extents[-1])
        return through([*extents[:-1], 1], call, [result, *scratch])[:1]

    def _call(self, operand: ir.Value, position: Sequence[Index], kept: int, state: Values) -> Values:
        extents = shape(operand)
        return call_routine(self.name, [linear(position, extents), extents[-1], kept], [operand], state)


@dataclass(frozen=True)
class SortKeys:
    """Sorts words of keys and indices. Numbers: where the row begins in the operand and in what is written, its length, how many first words are used, bits of an index."""

    outcome: Outcome
    numbers: int = field(default=5, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}words_{self.outcome.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def writes(self) -> list[ir.Type]:
        """Words are sorted where they are written, if they are what is wanted, else in a buffer."""
        words = self.outcome.words
        return [
            *self.outcome.types,
            *(words.sorter.writes if self.outcome.kinds else words.sorter.writes[words.count :]),
        ]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (begin, into, length, kept, index_bits), (operand,) = numbers, reads
        words, sorter = self.outcome.words, self.outcome.words.sorter
        results, scratch = writes[: len(self.outcome.types)], writes[len(self.outcome.types) :]
        target, room = (scratch[: words.count], scratch[words.count :]) if self.outcome.kinds else (results, scratch)
        start = 0 if self.outcome.kinds else into
        vectors = words.vectors
        elements = lambda k, inside: [vectors.load_word(operand, [add(begin, k)], inside), vectors.indices(k)]
        unsorted = vectors.written(target, start, length, elements, lambda both: words.of(both[0], both[1], index_bits))
        done = sorter.call(Array(tuple(unsorted)), Array(tuple(room)), [start], length, kept)
        if not self.outcome.kinds:
            return done
        return [*self.outcome.put(Array(tuple(done[: words.count])), results, into, kept, index_bits), *done]

    def run(self, operand: ir.Value, kept: int, index_bits: int, through: Callable, results: Values) -> Values:
        """What becomes of an operand's rows along the last dimension."""
        extents, sorter = shape(operand), self.outcome.words.sorter

        def row(position: list[Index], *state: ir.Value) -> Values:
            into = linear(position, shape(results[0]))
            return call_routine(self.name, [linear(position, extents), into, extents[-1], kept, index_bits], [operand], list(state))  # fmt: skip

        scratch = sorter.buffers(extents[-1]) if self.outcome.kinds else sorter.room(extents[-1])
        return through([*extents[:-1], 1], row, [*results, *scratch])[: len(results)]


@dataclass(frozen=True)
class SelectKeys:
    """Finds the first keys and their indices. Numbers: where the row begins in the operand and in what is written, then those of the selection. `outcome`: its words have a key each; of
    those that are written if nothing is made of them, the second one is an index. `compresses`: bits of the narrowest lanes that the processor compresses."""

    outcome: Outcome
    compresses: int
    numbers: int = field(default=8, init=False)

    @property
    def name(self) -> str:
        return f"{PREFIX}top{self.compresses}_{self.outcome.name}"

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def _bits(self) -> int:
        return self.outcome.words.bits

    @property
    def _results(self) -> list[ir.Type]:
        wide = ir.IntegerType.get_signless(max(self._bits, INDEX_BITS))
        return self.outcome.types if self.outcome.kinds else [wide, wide]

    @property
    def writes(self) -> list[ir.Type]:
        return [*self._results, *SortPairs(self._bits).writes]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, into, *rest = numbers
        key, count = self.outcome.words.key.key(), len(self._results)
        key_of = lambda elements: resized(key.of(elements), self.outcome.words.kind)
        selector = RowSelector(Numbers(*rest), self._bits, self.compresses, reads[0], key_of)
        done = selector.run(_at(begin), writes[count:])
        vectors = self.outcome.words.vectors
        pair = lambda k, inside: [vectors.load_word(v, [k], inside) for v in done[2:4]]
        return [*vectors.written(writes[:count], into, rest[1], pair, self._made_of), *done]

    def _made_of(self, pair: Values) -> Values:
        key, position = pair
        if not self.outcome.kinds:
            return [resized(v, t) for v, t in zip(pair, self._results, strict=True)]
        return self.outcome.made_of(key, position)

    def run(self, operand: ir.Value, selection: Selection, through: Callable, results: Values) -> Values:
        """What becomes of the first keys of an operand's rows along the last dimension."""
        extents, numbers = shape(operand), Numbers.of(selection)

        def row(position: list[Index], *state: ir.Value) -> Values:
            into = linear(position, shape(results[0]))
            given = [linear(position, extents), into, *vars(numbers).values()]
            return call_routine(self.name, given, [operand], list(state))

        state = [*results, *RowSelector.scratch(selection, self._bits)]
        return through([*extents[:-1], 1], row, state)[: len(results)]
