"""Selection of the first few of lines in vectors along the line: one walk, which keeps the words up to a limit by compressing vectors.

    sample of the line, sorted:  its word number `rank` is the limit       (about as many words are up to it as are wanted, and some more)
    walk along the line:         words up to the limit go to a buffer
    the buffer is full:          its first `kept` words are sorted, the last one of these is the limit, the walk goes on
    the end of the line:         the buffer's first `kept` words are sorted; if there are fewer, the walk is repeated without a limit

The words differ from each other (they have the places in them), so that a limit lets as many through as are before it, also where keys are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    element,
    index,
    less,
    load,
    minimum,
    mul,
    shape,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parts import Array, Number
from hlo.lowering.linalg.sorting.quicksort import UNROLLED, VECTOR_BITS
from hlo.lowering.linalg.sorting.routines import SortWords
from hlo.lowering.linalg.sorting.words import At, WordVectors, compared

Values = list[ir.Value]
WordsOf = Callable[[Values], Values]
"""The words of an element: from that of each operand, and its place."""

FEW = 128
"""Up to so many first words are found with a buffer of twice as many, which a network sorts."""

MOST_SAMPLED, SAMPLED = 1024, 32
"""Words of a sample, at most; of so many elements of a line, one is in it."""


@dataclass(frozen=True)
class Selection:
    """The first `kept` of `length` elements."""

    length: int
    kept: int

    @property
    def pays(self) -> bool:
        """Whether what is sorted is much shorter than the line."""
        return self.kept > 0 and self.sampled > 0 and 4 * self.passing <= self.length

    @property
    def sampled(self) -> int:
        return min(2 * FEW if self.kept <= FEW else MOST_SAMPLED, self.length // SAMPLED)

    @property
    def rank(self) -> int:
        """Which word of the sorted sample is the limit (the first is 1): three standard deviations behind the wanted ones of the sample."""
        wanted = self.sampled * self.kept / self.length
        return min(self.sampled, ceil(wanted + 3 * sqrt(wanted)) + 1)

    @property
    def passing(self) -> int:
        """How many elements are up to the limit, on average."""
        return self.length * self.rank // self.sampled

    @property
    def room(self) -> int:
        """Words of the buffer: more than are wanted, by more than a turn of the walk keeps."""
        return 2 * FEW if self.kept <= FEW else max(self.sampled, self.kept + self.passing * 5 // 4)


@dataclass(frozen=True)
class Numbers:
    """Those of a selection, where they are known when compiling or only when the code runs: `part` elements of the line have one of the sample."""

    length: Index
    kept: Index
    sampled: Index
    rank: Index
    room: Index
    part: Index

    @staticmethod
    def of(selection: Selection) -> Numbers:
        part = selection.length // selection.sampled
        return Numbers(selection.length, selection.kept, selection.sampled, selection.rank, selection.room, part)

    def sample(self, number: Index) -> Index:
        """A place: one in each of as many parts of the line, elsewhere in each of them, since lines can be periodic."""
        return add(mul(number, self.part), arith.remui(index(mul(number, 40503)), index(self.part)))


def first_words_of_lines(results: Array, length: int, operands: Values, words_of: WordsOf, through: Callable) -> Values:
    """The first words of lines of `length` elements along the last dimension of operands, as many as that of the results holds. `through`: how the lines are gone through."""
    kind, (*lines, kept), count = element(results.tensors[0]), shape(results.tensors[0]), len(results.tensors)
    selection = Selection(length, kept)
    selector = LineSelector(Numbers.of(selection), SortWords(kind.width, count), operands, words_of)

    def line(position: list[Index], *state: ir.Value) -> Values:
        at = lambda k: [*position[:-1], k]
        done = selector.run(at, state[count:])
        put = lambda k, results: results.store(load(done[:count], [k]), at(k))
        return [*Array(state[:count]).loop(0, kept, put).tensors, *done]

    return through([*lines, 1], line, [*results.tensors, *selector.sorter.buffers(selection.room)])[:count]


@dataclass(frozen=True)
class LineSelector:
    """Finds the first words of lines. Scratch: the buffer, then what the sorter needs."""

    selection: Numbers
    sorter: SortWords
    operands: Values
    words_of: WordsOf

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(self.sorter.kind, VECTOR_BITS // self.sorter.bits)

    def run(self, at: At, scratch: Sequence[ir.Value]) -> Values:
        """The scratch, whose buffer begins with the first words."""
        count, length = self.sorter.words, self.selection.length
        buffer = Array(tuple(scratch[:count])).loop(0, self.selection.sampled, lambda n, b: self._take(at, n, b))
        start = [index(0), index(self.selection.sampled), *buffer.tensors, *scratch[count:]]
        goes_on = lambda read, *_: less(read, add(length, 1))
        return while_loop(start, goes_on, lambda *state: self._turn(at, *state))[2:]

    def _take(self, at: At, number: Index, buffer: Array) -> Array:
        """Puts an element of the sample into the buffer."""
        place = self.selection.sample(number)
        return buffer.store(tuple(self.words_of([*load(self.operands, at(place)), index(place)])), [number])

    def _turn(self, at: At, read: ir.Value, held: ir.Value, *scratch: ir.Value) -> Values:
        """Sorts what the buffer holds, the sample where nothing was `read`, and walks on. Behind the end of the line if all is done."""
        count, length, kept = self.sorter.words, self.selection.length, self.selection.kept
        is_sample = arith.cmpi(arith.CmpIPredicate.eq, read, index(0))
        wanted = arith.select(is_sample, index(self.selection.rank), index(kept))
        buffer, room = Array(scratch[:count]), Array(scratch[count:])
        done = self.sorter.call(buffer, room, [0], held, minimum(held, wanted))
        is_end, is_short = less(sub(length, 1), read), less(held, wanted)
        is_again = arith.andi(is_end, is_short)
        limit = [arith.select(is_again, self.vectors.most, w) for w in load(done[:count], [sub(wanted, 1)])]
        read = arith.select(is_end, arith.select(is_short, index(0), index(add(length, 1))), read)
        held = arith.select(arith.ori(is_sample, is_again), index(0), index(kept))
        return [*self._walk(at, read, held, limit, done[:count]), *done[count:]]

    def _walk(self, at: At, read: Index, held: Index, limit: Values, buffer: Values) -> Values:
        """From a place on, to the end of the line or until the next turn may not fit into the buffer: where that is, how many words are held, the buffer."""
        length, lanes, limits = self.selection.length, self.vectors.lanes, tuple(map(self.vectors.splat, limit))
        step = UNROLLED * lanes

        def turn(read: Index, held: Index, *buffer: ir.Value) -> Values:
            """All are loaded before any is stored. Nothing is skipped: whether a vector has words up to the limit is hard to predict."""
            places = [add(read, n * lanes) for n in range(UNROLLED)]
            insides, into = [self.vectors.first(sub(length, k)) for k in places], Array(buffer)
            values = [self._words(k, at(k), inside) for k, inside in zip(places, insides)]
            for value, inside in zip(values, insides):
                mask = arith.andi(inside, compared(arith.CmpIPredicate.ule, value, limits))
                into = self.vectors.store(self.vectors.compressed(value, mask), into, [held])
                held = arith.addi(held, self.vectors.count(mask))
            return [minimum(add(read, step), length), held, *into.tensors]

        goes_on = lambda read, held, *_: all_of([less(read, length), less(held, add(self.selection.room, 1 - step))])
        return while_loop([read, held, *buffer], goes_on, turn)

    def _words(self, place: Index, position: list[Index], inside: ir.Value) -> Number:
        """Of neighbours in a line, from a place on."""
        elements = [self.vectors.load_word(v, position, inside) for v in self.operands]
        return self.vectors.computed(self.words_of, [*elements, self.vectors.places(place)])
