"""Selection of the first few of lines in vectors along the line: one walk, which keeps the keys up to a limit by compressing vectors.

    sample of the line, sorted:  its key number `rank` is the limit       (about as many keys are up to it as are wanted, and some more)
    walk along the line:         keys up to the limit, and their indices, go to a buffer
    the buffer is full:          its first `kept` elements are sorted, smaller keys than the last one of these are let in from now on, the walk goes on
    the end of the line:         the buffer's first `kept` elements are sorted; if there are fewer, the walk is repeated without a limit

Keys are compared in lanes as narrow as they are; pairs.py sorts them with their indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    element,
    extract,
    for_loop,
    index,
    insert,
    less,
    load,
    minimum,
    mul,
    scalar,
    shape,
    store,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.pairs import SortPairs
from hlo.lowering.linalg.sorting.quicksort import UNROLLED, VECTOR_BITS
from hlo.lowering.linalg.sorting.words import At, WordVectors, resized

Values = list[ir.Value]
KeyOf = Callable[[Values], ir.Value]
"""The key of an element, from that of each operand: a number of as many bits as the selector's."""

INDEX_BITS = 32
"""Of an index in the buffer."""

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
    def is_profitable(self) -> bool:
        """Whether what is sorted is much shorter than the line."""
        is_short = self.length < 1 << INDEX_BITS - 1
        return is_short and self.kept > 0 and self.sampled > 0 and 4 * self.passing <= self.length

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
        """Elements that the buffer holds before it is sorted: more than are wanted."""
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
        fraction = arith.andi(index(mul(number, 40503)), index((1 << 16) - 1))
        return add(mul(number, self.part), arith.shrui(index(mul(fraction, self.part)), index(16)))


def first_of_lines(results: Values, length: int, operands: Values, key_of: KeyOf, bits: int, through: Callable) -> Values:  # fmt: skip
    """Keys of `bits` bits and indices of the first elements of lines of `length` elements along the last dimension of operands, as many as that of the results holds. `through`: how the
    lines are gone through."""
    *lines, kept = shape(results[0])
    selection = Selection(length, kept)
    selector = LineSelector(Numbers.of(selection), bits, operands, key_of)

    def line(position: list[Index], *state: ir.Value) -> Values:
        at = lambda k: [*position[:-1], k]
        done = selector.run(at, state[2:])

        def put(k: Index, *results: ir.Value) -> Values:
            pair = load(done[2:4], [k])
            return store([resized(v, element(r)) for v, r in zip(pair, results, strict=True)], results, at(k))

        return [*for_loop(0, kept, put, state[:2]), *done]

    return through([*lines, 1], line, [*results, *LineSelector.scratch(selection, bits)])[:2]


@dataclass(frozen=True)
class LineSelector:
    """Finds the first elements of lines. `bits`: of a key. Scratch: what sorting pairs of key and index needs; walks add to its first two arrays, the first pairs come out in the next two."""

    selection: Numbers
    bits: int
    operands: Values
    key_of: KeyOf

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(ir.IntegerType.get_signless(self.bits), VECTOR_BITS // self.bits)

    @property
    def sorter(self) -> SortPairs:
        return SortPairs(self.bits)

    @staticmethod
    def scratch(selection: Selection, bits: int) -> Values:
        return SortPairs(bits).arrays(selection.room + UNROLLED * (VECTOR_BITS // bits))

    def run(self, at: At, scratch: Sequence[ir.Value]) -> Values:
        """The scratch."""
        length = self.selection.length
        keys = for_loop(0, self.selection.sampled, lambda n, keys: self._take(at, n, keys), scratch[:1])
        start = [index(0), index(self.selection.sampled), *keys, *scratch[1:]]
        goes_on = lambda read, *_: less(read, add(length, 1))
        return while_loop(start, goes_on, lambda *state: self._turn(at, *state))[2:]

    def _take(self, at: At, number: Index, keys: ir.Value) -> Values:
        """Puts the key of an element of the sample into the buffer."""
        key = self.key_of(load(self.operands, at(self.selection.sample(number))))
        return [insert(key, keys, [number])]

    def _turn(self, at: At, read: ir.Value, held: ir.Value, *scratch: ir.Value) -> Values:
        """Sorts what the buffer holds, the sample where nothing was `read`, and walks on. Behind the end of the line if all is done."""
        length, kept = self.selection.length, index(self.selection.kept)
        is_sample = arith.cmpi(arith.CmpIPredicate.eq, read, index(0))
        wanted = arith.select(is_sample, index(self.selection.rank), kept)
        keys, indices, first_keys, first_indices, *words = self.sorter.call(held, minimum(held, wanted), scratch)
        is_end, is_short = less(sub(length, 1), read), less(held, wanted)
        is_again = arith.andi(is_end, is_short)
        is_compacted = arith.xori(arith.ori(is_sample, is_again), arith.constant(is_end.type, 1))
        last = extract(first_keys, [sub(wanted, 1)])
        none_is_less = arith.andi(is_compacted, arith.cmpi(arith.CmpIPredicate.eq, last, scalar(last.type, 0)))
        # Of elements with the last key kept, those that come later in the line are behind it.
        limit = arith.subi(last, arith.extui(last.type, is_compacted))
        limit = arith.select(is_again, self.vectors.most, limit)
        read = arith.select(none_is_less, arith.maxui(read, index(length)), read)
        read = arith.select(is_end, arith.select(is_short, index(0), index(add(length, 1))), read)
        held = arith.select(is_compacted, kept, index(0))
        back = for_loop(0, held, lambda k, *pair: store(load([first_keys, first_indices], [k]), pair, [k]), [keys, indices])  # fmt: skip
        return [*self._walk(at, read, held, limit, back), first_keys, first_indices, *words]

    def _walk(self, at: At, read: Index, held: Index, limit: ir.Value, buffer: Values) -> Values:
        """From a place on, to the end of the line or until the buffer is full: where that is, how many pairs are held, the buffer."""
        length, lanes, limits = self.selection.length, self.vectors.lanes, self.vectors.splat(limit)
        step = UNROLLED * lanes

        def turn(read: Index, held: Index, *arrays: ir.Value) -> Values:
            """All are loaded before any is stored. Nothing is skipped: whether a vector has keys up to the limit is hard to predict."""
            places = [add(read, n * lanes) for n in range(UNROLLED)]
            insides = [self.vectors.first(sub(length, k)) for k in places]
            values, buffer = [self._keys(at(k), inside) for k, inside in zip(places, insides)], list(arrays)
            for place, key, inside in zip(places, values, insides):
                mask = arith.andi(inside, arith.cmpi(arith.CmpIPredicate.ule, key, limits))
                held, *buffer = self._kept(place, key, mask, held, buffer)
            return [minimum(add(read, step), length), held, *buffer]

        goes_on = lambda read, held, *_: all_of([less(read, length), less(held, self.selection.room)])
        return while_loop([index(read), held, *buffer], goes_on, turn)

    def _keys(self, position: list[Index], inside: ir.Value) -> ir.Value:
        """Of neighbours in a line."""
        elements = [self.vectors.load_word(v, position, inside) for v in self.operands]
        return self.vectors.computed(lambda elements: [self.key_of(elements)], elements)[0]

    def _kept(self, place: Index, key: ir.Value, mask: ir.Value, held: Index, buffer: Values) -> Values:
        """How many pairs are held, and the buffer, with the lanes of a mask; `place`: the index of the first lane."""
        keys, indices = buffer
        (kept,) = self.vectors.compressed((key,), mask)
        (keys,) = self.vectors.store((kept,), Array((keys,)), [held]).tensors
        lanes = min(self.vectors.lanes, VECTOR_BITS // INDEX_BITS)
        pieces = WordVectors(ir.IntegerType.get_signless(INDEX_BITS), lanes)
        for start in range(0, self.vectors.lanes, lanes):
            piece = vector.extract_strided_slice(pieces.mask, mask, [start], [lanes], [1])
            first = arith.index_cast(pieces.kind, index(add(place, start)))
            (kept,) = pieces.compressed((pieces.counted(first),), piece)
            (indices,) = pieces.store((kept,), Array((indices,)), [held]).tensors
            held = arith.addi(held, pieces.count(piece))
        return [held, keys, indices]
