"""Selection of the first few of one long row by two threads: each walks along one half of the row (`selection.py`) and
puts what it finds on two sides of a pivot, then sorts one side of both halves and makes of it what is wanted.

    row:       7 1 8 2 | 9 3 5 4       the limit is 5, the pivot 2, both from one sample
    half 0:    1 2 |
    half 1:        | 3 5 4
    side 0:    1 2
    side 1:    3 4 5

    hlo_routine_limittop16_f32td_i64_e_p32   the limit and the pivot
    hlo_routine_halftop16_f32td_i64_e_p32    the walk along a half
    hlo_routine_sidetop16_f32td_i64_e_p32    sorts a side; part 0 selects in the whole row if the limit has let too many elements through, or too few"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.loops import Index, add, clamp, extract, if_else, index, insert, less, mul, sub
from hlo.lowering.linalg.routine_calls import PREFIX, call_routine, share_routine
from hlo.lowering.linalg.sorting.row_parts import PARTS
from hlo.lowering.linalg.sorting.row_routines import SelectKeys
from hlo.lowering.linalg.sorting.selection import Numbers, RowSelector, Selection
from hlo.lowering.linalg.sorting.selection_buffers import Found
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, WordVectors, resized

Values = list[ir.Value]

LIMIT, PIVOT, *COUNTS = range(2 + PARTS * PARTS)
"""Places of numbers in an array that steps hand on: of each half, how many elements are on each side."""

FIRST_SIDE = 54
"""Hundredths of the elements wanted that are on the first side."""

NUMBER = 64
"""Bits of a number that is handed on."""

TOO_FEW = -(1 << 40)
"""The number of elements on the first side of a half that was not read to its end: whatever else was found, too few elements are."""


@dataclass(frozen=True)
class _Step:
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
    numbers: int = field(default=6, init=False)

    @property
    def writes(self) -> list[ir.Type]:
        return [RowSelector.types(self.select.buffer)[0], _number()]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        selector = self.select.selector(Numbers(*numbers), reads[0], 0)
        limit, sample = selector.limit(writes[0])
        pivot = extract(sample, [_middle(selector.selection)])
        slots = insert(resized(limit, _number()), writes[1], [LIMIT])
        return [sample, insert(resized(pivot, _number()), slots, [PIVOT])]


@dataclass(frozen=True)
class SelectInHalf(_Step):
    """Finds what elements of a half of a row may be among the first ones of the row. Numbers: those of the selection,
    of the part. Arrays: the numbers handed on, those that hold what is found on each side."""

    stem = "half"
    numbers: int = field(default=7, init=False)

    @property
    def writes(self) -> list[ir.Type]:
        return [_number(), *self._found * PARTS]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (*given, part), (slots, *arrays), buffer = numbers, writes, self.select.buffer
        selector = self.select.selector(Numbers(*given), reads[0], 0)
        length = selector.selection.length
        half, is_first = arith.shrui(length, index(1)), less(part, 1)
        start, stop = arith.select(is_first, index(0), half), arith.select(is_first, half, length)
        limit, pivot = (resized(extract(slots, [n]), selector.vectors.kind) for n in (LIMIT, PIVOT))
        bound = buffer.last_of(pivot, length)

        def take(found: Found, counts: Values, arrays: Values) -> Values:
            low, high = arrays[: buffer.found], arrays[buffer.found :]
            return found.divided(low, high, counts, bound, buffer.values(length))

        read, low, high, *arrays = selector.walk(start, stop, limit, [index(0), index(0)], arrays, take)
        low = arith.select(less(read, stop), index(TOO_FEW), low)
        for number, count in enumerate((low, high)):
            place = add(mul(part, PARTS), COUNTS[number])
            slots = insert(arith.index_cast(_number(), count), slots, [place])
        return [slots, *arrays]


@dataclass(frozen=True)
class SelectOnSide(_Step):
    """Sorts what is on a side of the pivot, and makes of the first elements of the row what is wanted. Numbers: those
    of `SelectKeys`, of the part. Arrays: the results, the sample, those that hold what one half has found on the side,
    room for sorting, those of the other half."""

    stem = "side"
    numbers: int = field(default=9, init=False)

    @property
    def reads(self) -> list[ir.Type]:
        """The row, the numbers handed on."""
        return [*self.select.reads, _number()]

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.select.writes, *self._found]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        (*given, part), (operand, slots), own = numbers, reads, len(self.select.writes)
        kept, is_first, types = given[3], less(part, 1), [v.type for v in writes]
        low, high, second_low, second_high = (arith.index_cast(kept.type, extract(slots, [n])) for n in COUNTS)
        behind = (high, second_high) if self.select.buffer.in_order else (second_high, high)
        counts = [arith.select(is_first, *both) for both in zip((low, second_low), behind, strict=True)]
        first = arith.select(is_first, index(0), add(low, second_low))
        used = clamp(sub(kept, first), 0, add(*counts))

        def alone() -> Values:
            """By the first part."""
            whole = lambda: [*call_routine(self.select.name, given, [operand], writes[:own]), *writes[own:]]
            return if_else(is_first, types, whole, lambda: writes)

        found = add(add(low, second_low), add(high, second_high))
        together = lambda: self._sorted(given, counts, (first, used), writes)
        return if_else(less(found, kept), types, alone, together)

    def _sorted(self, numbers: Values, counts: Values, used: tuple[Index, ir.Value], arrays: Values) -> Values:
        """The arrays, with what becomes of the first elements of a side. `counts`: of the elements of each half;
        `used`: where in the row's first elements those of the side begin, how many they are."""
        buffer, made, (_, into, length, *_) = self.select.buffer, len(self.select.results), numbers
        results, sample, (*own,) = arrays[:made], arrays[made], arrays[made + 1 : -buffer.found]
        others, vectors = arrays[-buffer.found :], WordVectors(buffer.types[0], VECTOR_BITS // NUMBER)
        elements = lambda k, inside: [vectors.load_word(v, [k], inside) for v in others]
        found = vectors.written(own[: buffer.found], counts[0], counts[1], elements, lambda same: same)
        first, count = used
        unsorted = [*found, *own[buffer.found :]]
        in_order = lambda: buffer.sorted(add(*counts), count, length, unsorted)
        own = if_else(less(0, count), [v.type for v in unsorted], in_order, lambda: unsorted)
        put = buffer.put(self.select.outcome, results, add(into, first), count, length, own)
        return [*put, sample, *own, *others]

    def run(self, operand: ir.Value, selection: Selection, results: Values) -> Values:
        """What becomes of the first keys of an operand, which is one row."""
        numbers, buffer = list(vars(Numbers.of(selection)).values()), self.select.buffer
        # a thread moves what the other one has found to its own memory, where that may be behind it
        bases = [0, 0 if buffer.in_order else 1]
        size = lambda half, side: selection.most_held * (PARTS if half == bases[side] else 1)
        halves = [[buffer.arrays(size(half, side)) for side in range(PARTS)] for half in range(PARTS)]
        room = [halves[base][side][buffer.found :] for side, base in enumerate(bases)]
        given = [RowSelector.sample(selection, buffer), tensor.empty([len(COUNTS) + 2], _number())]
        sample, slots = call_routine(LimitOfSelection(self.select).name, numbers, [operand], given)
        own = [[v for arrays in half for v in arrays[: buffer.found]] for half in halves]
        (slots,), made = share_routine(SelectInHalf(self.select).name, numbers, [operand], [slots], own)
        sides = [[half[n * buffer.found :][: buffer.found] for half in made] for n in range(PARTS)]
        sides = [[held[base], *held[:base], *held[base + 1 :]] for held, base in zip(sides, bases, strict=True)]
        own = [[*own, *room, *others] for (own, others), room in zip(sides, room, strict=True)]
        return share_routine(self.name, [0, 0, *numbers], [operand, slots], [*results, sample], own)[0][: len(results)]


def _number() -> ir.Type:
    return ir.IntegerType.get_signless(NUMBER)


def _middle(selection: Numbers) -> ir.Value:
    """Which key of the sorted sample divides the work: a little behind the middle one of those wanted, since the second
    side has elements that are not."""
    wanted = mul(selection.sampled, selection.kept)
    return arith.divui(mul(wanted, FIRST_SIDE), index(mul(selection.length, 100)))
