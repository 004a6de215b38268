"""Routines of sorting: code that no program's shapes are in (`linalg/routine_calls.py`).

hlo_routine_sort_i32            words of 32 bits, sorted: numbers are where in the array the row begins, its length, how many first words are used
hlo_routine_sort_i64_i64        the same of elements of two words, each in an array of its own; two more arrays are room for as many, and a vector more
hlo_routine_columns_i32         the columns of blocks of vectors, sorted: numbers are where the first vector begins, how many a block has, how many blocks there are"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import Index, add, element, linear, minimum, mul, scalar, shape, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.equal_keys import other_bits
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.quicksort import RowSorter
from hlo.lowering.linalg.sorting.vector_networks import ColumnNetwork
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, At, WordVectors, resized

Values = list[ir.Value]

Vectors = Callable[[Index, ir.Value | None], Values]
"""Those of neighbours in a row from an index on, in the lanes of a mask if there is one."""

CALLED_FOR = 256
"""Vectors whose columns one call sorts, about."""


@dataclass(frozen=True)
class WordRoutine:
    """Of elements of so many `words` of `bits` bits, each word in an array of its own."""

    bits: int
    words: int

    stem: ClassVar[str]
    reads: ClassVar[list[ir.Type]] = []

    @property
    def name(self) -> str:
        return PREFIX + "_".join([self.stem, *[f"i{self.bits}"] * self.words])

    @property
    def kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(self.kind, VECTOR_BITS // self.bits)


@dataclass(frozen=True)
class SortColumns(WordRoutine):
    """Sorts the columns of blocks of contiguous vectors. Numbers: where the first block begins in the arrays, vectors of a block, blocks."""

    stem = "columns"
    numbers: int = field(default=3, init=False)

    @property
    def writes(self) -> list[ir.Type]:
        return [self.kind] * self.words

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, length, blocks = numbers
        size = mul(length, self.vectors.lanes)
        block = lambda n, words: ColumnNetwork(self.vectors, add(begin, mul(n, size)), length).sort(words)
        return list(Array(tuple(writes)).loop(0, blocks, block).tensors)


@dataclass(frozen=True)
class SortWords(WordRoutine):
    """Sorts a row of elements of one or two words. `prefers_narrow`: as `RowSorter` has it; only code is made for it, no call."""

    prefers_narrow: bool = False

    stem = "sort"
    numbers: int = field(default=3, init=False)

    @property
    def writes(self) -> list[ir.Type]:
        return [self.kind] * (self.words + self._rooms)

    @property
    def _rooms(self) -> int:
        """Arrays of room."""
        return 0 if self.words == 1 else self.words

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        """The body."""
        begin, length, kept = numbers
        words, room = (Array(tuple(part)) for part in (writes[: self.words], writes[self.words :]))
        at: At = lambda k: [add(begin, k)]
        return RowSorter(self.vectors, self.words, self.prefers_narrow).sort(words, room, at, length, kept)

    def room(self, length: int) -> Values:
        """What the routine needs for rows of a length."""
        return self._spaces(length, self._rooms)

    def _spaces(self, length: int, count: int) -> Values:
        return [tensor.empty([length + VECTOR_BITS // self.bits], self.kind) for _ in range(count)]

    def buffers(self, length: int) -> Values:
        """Of the words of rows of a length, and a vector, and what the routine needs."""
        return [*self._spaces(length, self.words), *self.room(length)]

    def call(self, words: Array, room: Array, begin: Sequence[Index], length: Index, kept: Index) -> Values:
        """The words, sorted from a place on, and the room."""
        start = linear(begin, shape(words.tensors[0]))
        return call_routine(self.name, [start, length, kept], [], [*words.tensors, *room.tensors])

    def sorted(self, words: ir.Value, length: Index, kept: Index, begin: Index = 0) -> ir.Value:
        """As `call`, of elements of one word."""
        (result,) = self.call(Array((words,)), Array(()), [begin], length, kept)
        return result


@dataclass(frozen=True)
class KeyWords:
    """Words of elements of a standard key: `count` of `bits` bits; one has the key above the index, of two the second one is the index."""

    key: StandardKey
    bits: int
    count: int = 1

    @property
    def name(self) -> str:
        return "_".join([self.key.name, *[f"i{self.bits}"] * self.count])

    @property
    def kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

    @property
    def sorter(self) -> SortWords:
        return SortWords(self.bits, self.count)

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(self.kind, VECTOR_BITS // self.bits)

    def keys_row(self, operand: ir.Value, begin: Index) -> Vectors:
        """Words of a row's keys, and which bits of its elements are not those that their keys stand for, if there can be such."""
        key = self.key.key()
        others = lambda element: [] if key.is_exact else [other_bits(element, key)]
        body = lambda elements: [resized(key.of(elements), self.kind), *others(elements[0])]
        return lambda k, inside: list(
            self.vectors.computed(body, [self.vectors.load_word(operand, [add(begin, k)], inside)])
        )

    def row(self, operand: ir.Value, begin: Index, index_bits: ir.Value) -> Vectors:
        """Words of a row's keys and indices."""
        body = lambda both: self.of(both[0], both[1], index_bits)
        elements = lambda k, inside: [self.vectors.load_word(operand, [add(begin, k)], inside), self.vectors.indices(k)]
        return lambda k, inside: list(self.vectors.computed(body, elements(k, inside)))

    def of(self, element: ir.Value, position: ir.Value, index_bits: ir.Value) -> Values:
        """`index_bits`: of the index, in a word with a key."""
        key = resized(self.key.key().of([element]), self.kind)
        position = arith.index_cast(self.kind, position)
        if self.count == 2:
            return [key, position]
        return [arith.ori(arith.shli(key, arith.index_cast(self.kind, index_bits)), position)]


@dataclass(frozen=True)
class Outcome:
    """What becomes of sorted words: elements ("e") or indices as integers ("p32") in an array each, or nothing else."""

    words: KeyWords
    kinds: tuple[str, ...]

    @property
    def name(self) -> str:
        return "_".join([self.words.name, *self.kinds])

    @property
    def types(self) -> list[ir.Type]:
        """Of the arrays' elements."""
        return [self._type(kind) for kind in self.kinds] or [self.words.kind] * self.words.count

    def _type(self, kind: str) -> ir.Type:
        return self.words.key.stored if kind == "e" else ir.IntegerType.get_signless(int(kind[1:]))

    def put(self, words: Array, start: Index, arrays: Values, begin: Index, count: Index, index_bits: ir.Value) -> Values:  # fmt: skip
        """The arrays, from an index on with what becomes of words from another one on."""
        if not self.kinds:
            take = lambda k, into: into.store(words.load([add(start, k)]), [add(begin, k)])
            return list(Array(tuple(arrays)).loop(0, count, take).tensors)
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
        key = self.words.key.key()
        assert key.element is not None
        element = key.element(resized(number, ir.IntegerType.get_signless(key.bits)))
        return [element if k == "e" else resized(position, self._type(k)) for k in self.kinds]


def sort_rows_by_vectors(words: Array, kept: int, through: Callable) -> Values:
    """The rows along the last dimension of arrays, sorted: at least the first `kept` elements of each. Elements of two words have their indices in the second
    ones. `through`: how the rows are gone through."""
    sizes, count = shape(words.tensors[0]), len(words.tensors)
    routine = SortWords(element(words.tensors[0]).width, count)

    def row(position: list[Index], *state: ir.Value) -> Values:
        return routine.call(Array(state[:count]), Array(state[count:]), position, sizes[-1], kept)

    return through([*sizes[:-1], 1], row, [*words.tensors, *routine.room(sizes[-1])])[:count]


def sort_columns(arrays: Sequence[ir.Value], through: Callable) -> Values:
    """The columns of blocks of vectors, arrays of [blocks, length, lanes], sorted. `through`: how the calls are gone through."""
    blocks, length, lanes = shape(arrays[0])
    name = SortColumns(element(arrays[0]).width, len(arrays)).name

    def some(position: list[Index], *words: ir.Value) -> Values:
        first = mul(position[0], blocks_of_call(length))
        numbers = [mul(first, length * lanes), length, minimum(blocks_of_call(length), sub(blocks, first))]
        return call_routine(name, numbers, [], words)

    return through([calls_for(blocks, length), 1], some, arrays)


def calls_for(blocks: int, length: int) -> int:
    """How many calls sort the columns of blocks of so many vectors."""
    return -(-blocks // blocks_of_call(length))


def blocks_of_call(length: int) -> int:
    return max(1, CALLED_FOR // length)
