"""Sorting of rows by one key that has a name: a kernel only calls a routine for each row, or for some rows
(`rows/`, `selection/`, `counting.py`).

Before:  sort of f32 with their indices as i32
After:   func.func private @sort_0(%x: tensor<8x1000xf32>, %p: tensor<8x1000xi32> {hlo.tied = 0}) attributes {hlo.kernel = "loops"} {
           scf.for %row { linalg.generic {library_call = "hlo_routine_words_f32ca_i64_p32"} ... } }"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from mlir import ir
from mlir.dialects import tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.data_movement import reshape
from hlo.lowering.linalg.loops import Index, element, shape, zero
from hlo.lowering.linalg.routine_calls import Routine
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.slicing import strided_slice
from hlo.lowering.linalg.sorting.counting import CountKeys
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.rows.long_rows import SortKeys, SortPartOfKeys, SortPartOfRow, SortRow
from hlo.lowering.linalg.sorting.rows.parts import RowLoops, SplitRow
from hlo.lowering.linalg.sorting.rows.short_rows import Calls, SortRows, SortRowsBeside
from hlo.lowering.linalg.sorting.selection.parts import SelectOnSide
from hlo.lowering.linalg.sorting.selection.walk import Numbers, RowSelector, Selection, SelectKeys
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, Outcome
from hlo.lowering.linalg.structured import empty, fill

Values = list[ir.Value]


@dataclass(frozen=True)
class RowSort:
    """A sort of an operand's rows along a dimension by the key of its elements. `kinds`: what is wanted of the first
    `kept` elements of each row, in an array each (`words/key_words.py`); if nothing is, all elements are sorted by their keys
    alone."""

    operand: ir.Value
    key: StandardKey
    dimension: int
    kinds: tuple[str, ...]
    kept: int
    lowering: Lowering

    def words(self, least: int = 8) -> KeyWords:
        """Of `least` bits or more."""
        return KeyWords.fitting(self.key, self._extents[self.dimension] if self.kinds else None, least)

    @property
    def _extents(self) -> list[int]:
        return shape(self.operand)

    @property
    def _results(self) -> Values:
        if not self.kinds:
            return [empty(self.operand.type)]
        sizes = [self.kept if d == self.dimension else n for d, n in enumerate(self._extents)]
        return [empty(ir.RankedTensorType.get(sizes, t)) for t in Outcome(self.words(), self.kinds).types]

    def quicksort(self) -> Values:
        """Sorts each row in vectors along it; it is contiguous."""
        words = self.words(self.lowering.machine.compresses)
        is_one = words.count == 1 and (bool(self.kinds) or words.bits == self.key.bits)
        rows = RowLoops.of(self.operand, self.lowering, is_one)
        if rows.parts > 1:
            return self._in_parts(words, rows)
        if self.kinds:
            length, routine = self._extents[-1], SortKeys(Outcome(words, self.kinds))
            return self._in_rows("sort", routine, rows, [length, self.kept], lambda: routine.buffer.arrays(length))
        run = lambda operand, results: SortRow(words).run(operand, self.kept, rows, results)
        return self._outlined("sort", run, rows.independent)

    def _in_parts(self, words: KeyWords, rows: RowLoops) -> Values:
        """A kernel moves words to both sides of a pivot, another one sorts each side: words that are as long as
        elements are where these will be."""
        (length,), results, split = self._extents[-1:], self._results, SplitRow(words)
        array, count = words.sorter.buffer(length) if self.kinds else results.pop(), max(1, len(self.kinds))
        outline, parted = self.lowering.outline, lambda arrays, read: split.run(read[0], arrays)
        made = outline("split", [array, *split.slots()], [self.operand], parted)
        numbers, results = [length, self.kept], [*results, made[0]]
        routine = SortPartOfKeys(Outcome(words, self.kinds)) if self.kinds else SortPartOfRow(words)
        run = lambda results, read: rows.each_part(routine, numbers, read, results)
        return outline("sort", results, [self.operand, *made[1:]], run, rows.independent)[:count]

    def columns(self) -> Values:
        """Sorts rows, several in a vector: a row in each lane."""
        outcome, extents = Outcome(self.words(), self.kinds), self._extents
        kept, lanes = self.kept if self.kinds else extents[self.dimension], outcome.words.vectors.lanes
        fewest = Calls.fewest(kept, lanes)
        if not self.is_beside and prod(extents[:-1]) < fewest:
            return self._among_others(fewest)
        routine = SortRowsBeside(outcome) if self.is_beside else SortRows(outcome)
        calls = Calls.beside(extents, self.dimension, lanes) if self.is_beside else Calls.of(extents, kept, lanes)
        through, independent = self.lowering.outer_loops([calls.outer, calls.count])
        run = lambda operand, results: routine.run(operand, kept, results, calls, through)
        return self._outlined("sort", run, independent)

    @property
    def is_beside(self) -> bool:
        """Whether rows lie side by side, enough of them to be in vectors as they are."""
        return prod(self._extents[self.dimension + 1 :]) >= max(2, self.words().vectors.lanes)

    def _among_others(self, count: int) -> Values:
        """The rows with others behind them, which make them `count`."""
        (*outer, length), kind = self._extents, element(self.operand)
        rows, others = prod(outer), ir.RankedTensorType.get([count, length], kind)
        own = reshape(self.operand, ir.RankedTensorType.get([rows, length], kind))
        more = tensor.insert_slice(own, fill(zero(kind), others), [], [], [], [0, 0], [rows, length], [1, 1])
        made = replace(self, operand=more, dimension=1).columns()
        sized = lambda v, *sizes: ir.RankedTensorType.get([*sizes, shape(v)[1]], element(v))
        return [reshape(strided_slice(v, [0, 0], [1, 1], sized(v, rows)), sized(v, *outer)) for v in made]

    def counting(self) -> Values:
        """Only indices are wanted, of all elements."""
        routine, length = CountKeys(self.key, int(self.kinds[0][1:])), self._extents[-1]
        rows, whole = RowLoops.of(self.operand, self.lowering, divides=False), replace(self, kept=length)
        return whole._in_rows("sort", routine, rows, [length], lambda: routine.scratch(length))

    def selection(self) -> Values:
        selection, rows = Selection(self._extents[-1], self.kept), RowLoops.of(self.operand, self.lowering)
        select = SelectKeys.of(self.key, self.kinds, self.lowering.machine.compresses, selection.length)
        if rows.parts > 1:
            run = lambda operand, results: SelectOnSide(select).run(operand, selection, results)
            return self._outlined("top_k", run, independent=1)
        numbers = list(vars(Numbers.of(selection)).values())
        return self._in_rows("top_k", select, rows, numbers, lambda: RowSelector.arrays(selection, select.buffer))

    def _in_rows(self, name: str, routine: Routine, rows: RowLoops, numbers: Sequence[Index], scratch: Callable[[], Values]) -> Values:  # fmt: skip
        """The results of a call of a routine for each row, in a kernel of its own."""
        run = lambda operand, results: rows.each_row(routine, operand, numbers, results, scratch())
        return self._outlined(name, run, rows.independent)

    def _outlined(self, name: str, run: Callable[[ir.Value, Values], Values], independent: int) -> Values:
        """What `run(operand, results)` makes of the results, in a kernel of its own."""
        build = lambda results, read: run(read[0], results)
        return self.lowering.outline(name, self._results, [self.operand], build, independent)
