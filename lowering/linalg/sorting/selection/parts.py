"""Selection of the first few of one long row by two threads: each walks along one half of the row (`walk.py`) and
takes of what both have found what is on one side of a pivot, sorts it and makes of it what is wanted.

    row:       7 1 8 2 | 9 3 5 4       the limit is 5, the pivot 2, both from one sample
    half 0:    1 2 |
    half 1:        | 3 5 4
    side 0:    1 2
    side 1:    3 5 4, sorted 3 4 5

    hlo_routine_limittop16_f32td_i64_e_p32   the limit and the pivot
    hlo_routine_halftop16_f32td_i64_e_p32    the walk along a half
    hlo_routine_sidetop16_f32td_i64_e_p32    sorts a side; part 0 selects in the whole row if the limit has let too many elements through, or too few"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import add, changed_if, clamp, extract, if_else, index, insert, less, mul, scalar, sub
from hlo.lowering.linalg.routine_calls import PREFIX, Routine, share_routine
from hlo.lowering.linalg.sorting.rows.parts import PARTS
from hlo.lowering.linalg.sorting.selection.found import Taken
from hlo.lowering.linalg.sorting.selection.walk import Numbers, RowSelector, Selection, SelectKeys
from hlo.lowering.linalg.sorting.words.buffers import NARROW_BITS, JoinedWords
from hlo.lowering.linalg.sorting.words.pairs import range_of
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]

LIMIT, PIVOT, LEAST, *COUNTS = range(3 + PARTS)
"""Places of numbers in an array that steps hand on: keys of the sample, the last one its least; of each half, how many elements were found."""

FIRST_SIDE = 54
"""Hundredths of the elements wanted that are on the first side."""

NUMBER = 64
"""Bits of a number that is handed on."""

TOO_FEW = -(1 << 40)
"""The number of elements of a half that was not read to its end: whatever the other one has, too few were found."""


@dataclass(frozen=True)
class _Step(Routine):
    """A step of the selection that `select` does in a row by one thread."""

    select: SelectKeys

    stem: ClassVar[str]

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.stem}top{self.select.suffix}"

    @property
    def reads(self) -> list[ir.Type]:
        """The row."""
        return self.select.reads

    @property
    def _found(self) -> list[ir.Type]:
        """Types of the arrays that hold what is found."""
        return self.select.buffer.types[: self.select.buffer.found]


@dataclass(frozen=True)
class LimitOfSelection(_Step):
    """Numbers: those of the selection. Arrays: the sample, the numbers handed on."""

    stem = "limit"
    numbers = 6

    @property
    def writes(self) -> list[ir.Type]:
        return [RowSelector.types(self.select.buffer)[0], integer(NUMBER)]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        selector = self.select.selector(Numbers(*numbers), reads[0], 0)
        limit, sample = selector.limit(writes[0])
        pivot, least = (extract(sample, [n]) for n in (_middle(selector.selection), 0))
        slots = writes[1]
        for place, key in ((LIMIT, limit), (PIVOT, pivot), (LEAST, least)):
            slots = insert(resized(key, integer(NUMBER)), slots, [place])
        return [sample, slots]


@dataclass(frozen=True)
class SelectInHalf(_Step):
    """Finds what elements of a half of a row may be among the first ones of the row. Numbers: those of the selection,
    of the part. Arrays: the numbers handed on, those that hold what is found."""

    stem = "half"
    numbers = 7

    @property
    def writes(self) -> list[ir.Type]:
        return [integer(NUMBER), *self._found]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (*given, part), (slots, *arrays) = numbers, writes
        selector = self.select.selector(Numbers(*given), reads[0], 0)
        length = selector.selection.length
        half, is_first = arith.shrui(length, index(1)), less(part, 1)
        start, stop = arith.select(is_first, index(0), half), arith.select(is_first, half, length)
        limit = resized(extract(slots, [LIMIT]), selector.vectors.kind)
        read, held, *arrays = selector.walk(start, stop, limit, 0, arrays)
        count = arith.index_cast(integer(NUMBER), arith.select(less(read, stop), index(TOO_FEW), held))
        return [insert(count, slots, [add(part, COUNTS[0])]), *arrays]


@dataclass(frozen=True)
class SelectOnSide(_Step):
    """Sorts what was found on a side of the pivot, and makes of the first elements of the row what is wanted. Numbers:
    those of `SelectKeys`, of the part. Arrays: the results, the sample, those of a buffer."""

    stem = "side"
    numbers = 9

    @property
    def reads(self) -> list[ir.Type]:
        """The row, the numbers handed on, what each half has found."""
        return [*self.select.reads, integer(NUMBER), *self._found * PARTS]

    @property
    def writes(self) -> list[ir.Type]:
        return self.select.writes

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (*given, part), (operand, slots, *halves) = numbers, reads
        kept, is_first, types = given[3], less(part, 1), [v.type for v in writes]
        counts = [arith.index_cast(kept.type, extract(slots, [n])) for n in COUNTS]
        alone = lambda: self.select.call(given, [operand], writes)
        by_one = lambda: changed_if(is_first, writes, alone)
        together = lambda: self._sorted(given, is_first, slots, (halves, counts), writes)
        return if_else(less(add(*counts), kept), types, by_one, together)

    def _sorted(self, numbers: Values, is_first: ir.Value, slots: ir.Value, found: tuple[Values, Values], arrays: Values) -> Values:  # fmt: skip
        """The arrays, with what becomes of the first elements of a side. `found`: the arrays of both halves, one after
        the other, and how many elements they hold."""
        buffer, made, (_, into, length, kept, *_) = self.select.buffer, len(self.select.results), numbers
        (halves, counts), (*results, sample), own = found, arrays[: made + 1], arrays[made + 1 :]
        last_of = lambda place: buffer.last_of(resized(extract(slots, [place]), integer(buffer.key_bits)), length)
        bound, register = last_of(PIVOT), self.select.outcome.words.register
        side = Taken(bound, is_first, register)

        def places(held: ir.Value) -> tuple[ir.Value, ir.Value]:
            """Where in the row's first elements those of the side begin, how many of them are wanted."""
            first = arith.select(is_first, index(0), arith.subi(add(*counts), held))
            return add(into, first), clamp(sub(kept, first), 0, held)

        def as_found() -> Values:
            held, mine = _of_halves(side, halves, counts, own[: buffer.found], list)
            start, count = places(held)
            unsorted = [*mine, *own[buffer.found :]]
            in_order = lambda: buffer.sorted_wide(held, count, length, unsorted)
            done = changed_if(less(0, count), unsorted, in_order)
            return [*buffer.put(self.select.outcome, results, start, count, length, done), sample, *done]

        if not isinstance(buffer, JoinedWords) or not buffer.may_be_near:
            return as_found()
        may_be_near = buffer.is_near(last_of(LEAST), bound)
        least = _least_of_side(is_first, bound, may_be_near, halves, counts)
        most = arith.select(is_first, bound, last_of(LIMIT))

        def narrow() -> Values:
            words, room = own
            held, (room,) = _of_halves(side, halves, counts, [room], buffer.difference(least))
            start, count = places(held)
            room = SortWords(NARROW_BITS).sorted(room, held, count)
            put = buffer.put_narrow(self.select.outcome, results, start, count, length, room, least)
            return [*put, sample, words, room]

        return if_else(buffer.is_near(least, most), [v.type for v in arrays], narrow, as_found)

    def run(self, operand: ir.Value, selection: Selection, results: Values) -> Values:
        """What becomes of the first keys of an operand, which is one row."""
        numbers, buffer = list(vars(Numbers.of(selection)).values()), self.select.buffer
        given = [RowSelector.sample(selection, buffer), tensor.empty([COUNTS[-1] + 1], integer(NUMBER))]
        sample, slots = LimitOfSelection(self.select).call(numbers, [operand], given)
        own = [buffer.arrays(selection.most_held)[: buffer.found] for _ in range(PARTS)]
        (slots,), made = share_routine(SelectInHalf(self.select).name, numbers, [operand], [slots], own)
        halves = [v for half in made for v in half]
        sides = [buffer.arrays(PARTS * selection.most_held) for _ in range(PARTS)]
        reads = [operand, slots, *halves]
        return share_routine(self.name, [0, 0, *numbers], reads, [*results, sample], sides)[0][: len(results)]


def _of_halves(side: Taken, halves: Values, counts: Values, own: Values, of: Callable[[Values], Values]) -> tuple[ir.Value, Values]:  # fmt: skip
    """How many elements of both halves are on a side, and the arrays with what is made of these."""
    held, width = index(0), len(halves) // PARTS
    for number, count in enumerate(counts):
        held, own = side.put(halves[number * width :][:width], count, own, held, of)
    return held, own


def _least_of_side(is_first: ir.Value, bound: ir.Value, may_be_near: ir.Value, halves: Values, counts: Values) -> ir.Value:  # fmt: skip
    """No word on the side is less. Of the first side, words are looked at where narrow ones may be enough, but would
    not be from 0 on."""
    kind = bound.type
    is_small = arith.cmpi(arith.CmpIPredicate.ult, bound, scalar(kind, 1 << NARROW_BITS))
    is_known = arith.ori(is_small, arith.xori(may_be_near, scalar(may_be_near.type, 1)))
    least_of = lambda number: range_of(halves[number], counts[number])[0]
    found = lambda: [arith.minui(*map(least_of, range(PARTS)))]
    low = lambda: if_else(is_known, [kind], lambda: [scalar(kind, 0)], found)
    return if_else(is_first, [kind], low, lambda: [arith.addi(bound, scalar(kind, 1))])[0]


def _middle(selection: Numbers) -> ir.Value:
    """Which key of the sorted sample divides the work: a little behind the middle one of those wanted, since the second
    side has elements that are not."""
    wanted = mul(selection.sampled, selection.kept)
    return arith.divui(mul(wanted, FIRST_SIDE), index(mul(selection.length, 100)))
