"""Routines of sorting: code that no program's shapes are in (`linalg/routine_calls.py`).

hlo_routine_sort_i32            a row of words of 32 bits, sorted
hlo_routine_columns_i64_i64     the columns of blocks of vectors, sorted, of elements of two words"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, mul
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.sorting.words.networks import ColumnNetwork
from hlo.lowering.linalg.sorting.words.quicksort import RowSorter
from hlo.lowering.linalg.sorting.words.vectors import VECTOR_BITS, WordVectors
from hlo.lowering.numbers import integer

Values = list[ir.Value]


@dataclass(frozen=True)
class SortColumns(Routine):
    """Sorts the columns of blocks of contiguous vectors of elements of so many `words` of `bits` bits, each word in an
    array of its own. Numbers: where the first block begins in the arrays, vectors of a block, blocks."""

    bits: int
    words: int
    stem = "columns"
    numbers = 3

    @property
    def suffix(self) -> str:
        return "_".join([f"i{self.bits}"] * self.words)

    @property
    def writes(self) -> list[ir.Type]:
        return [integer(self.bits)] * self.words

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, length, blocks = numbers
        vectors = WordVectors.of(self.bits)
        size = mul(length, vectors.lanes)
        block = lambda n, words: ColumnNetwork(vectors, add(begin, mul(n, size)), length).sort(words)
        return list(Array(tuple(writes)).loop(0, blocks, block).tensors)


@dataclass(frozen=True)
class SortWords(Routine):
    """Sorts a row of words. Numbers: where in the array it begins, its length, how many first words are used.
    `prefers_narrow`, as `RowSorter` has it, and `register`, its bits: only code is made for these, no call."""

    bits: int
    prefers_narrow: bool = False
    register: int = VECTOR_BITS
    stem = "sort"
    numbers = 3

    @property
    def suffix(self) -> str:
        return f"i{self.bits}"

    @property
    def writes(self) -> list[ir.Type]:
        return [integer(self.bits)]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, length, kept = numbers
        sorter = RowSorter(WordVectors.of(self.bits, self.register), self.prefers_narrow)
        return [sorter.sort(writes[0], lambda k: [add(begin, k)], length, kept)]

    def buffer(self, length: int) -> ir.Value:
        """For the words of rows of a length, and a vector."""
        return tensor.empty([length + VECTOR_BITS // self.bits], *self.writes)

    def sorted(self, words: ir.Value, length: Index, kept: Index, begin: Index = 0) -> ir.Value:
        return self.call([begin, length, kept], [], [words])[0]
