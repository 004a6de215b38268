"""Routines of sorting: code that no program's shapes are in (`linalg/routine_calls.py`).

hlo_routine_sort_i32            words of 32 bits, sorted: numbers are where in the arrays the line begins, its length, how many first words are used;
                                arrays are the words and room for as many, and a vector more
hlo_routine_sort_i64_i64        the same of elements of two words, each in an array of its own"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import tensor

from hlo.lowering.linalg.loops import Index, add, element, linear, shape
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine
from hlo.lowering.linalg.sorting.quicksort import VECTOR_BITS, LineSorter
from hlo.lowering.linalg.sorting.words import At, WordVectors

Values = list[ir.Value]


@dataclass(frozen=True)
class SortWords:
    """Sorts a line of elements of so many `words` of `bits` bits."""

    bits: int
    words: int

    numbers: int = field(default=3, init=False)

    @staticmethod
    def of(array: Array) -> SortWords:
        return SortWords(element(array.tensors[0]).width, len(array.tensors))

    @property
    def name(self) -> str:
        return PREFIX + "_".join(["sort", *[f"i{self.bits}"] * self.words])

    @property
    def kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

    @property
    def reads(self) -> list[ir.Type]:
        return []

    @property
    def writes(self) -> list[ir.Type]:
        return [self.kind] * (2 * self.words)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        """The body."""
        begin, length, kept = numbers
        sorter = LineSorter(WordVectors(self.kind, VECTOR_BITS // self.bits), self.words)
        words, room = (Array(tuple(half)) for half in (writes[: self.words], writes[self.words :]))
        at: At = lambda k: [add(begin, k)]
        return sorter.sort(words, room, at, length, kept)

    def room(self, length: int) -> Values:
        """What the routine needs for lines of a length."""
        return [tensor.empty([length + VECTOR_BITS // self.bits], self.kind) for _ in range(self.words)]

    def buffers(self, room: int) -> Values:
        """A buffer of so many words, and a vector, and what the routine needs."""
        return [*self.room(room), *self.room(room)]

    def call(self, words: Array, room: Array, begin: Sequence[Index], length: Index, kept: Index) -> Values:
        """The words, sorted from a place on, and the room."""
        start = linear(begin, shape(words.tensors[0]))
        return call_routine(self.name, [start, length, kept], [], [*words.tensors, *room.tensors])


def sort_lines_by_vectors(words: Array, kept: int, through: Callable) -> Values:
    """The lines along the last dimension of arrays, sorted: at least the first `kept` elements of each. Elements of two words have their places in the second
    ones. `through`: how the lines are gone through."""
    sizes, count = shape(words.tensors[0]), len(words.tensors)
    routine = SortWords.of(words)

    def line(position: list[Index], *state: ir.Value) -> Values:
        return routine.call(Array(state[:count]), Array(state[count:]), position, sizes[-1], kept)

    return through([*sizes[:-1], 1], line, [*words.tensors, *routine.room(sizes[-1])])[:count]
