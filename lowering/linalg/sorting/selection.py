"""Selection of the first few of rows in vectors along the row: one walk, which keeps the keys up to a limit by compressing vectors.

    sample of the row, sorted:   its key number `rank` is the limit       (about as many keys are up to it as are wanted, and some more)
    walk along the row:          keys up to the limit, and their indices, go to a buffer
    the buffer is full:          its first `kept` elements are sorted, smaller keys than the last one of these are let in from now on, the walk goes on
    the end of the row:          the buffer's first `kept` elements are sorted; if there are fewer, the walk is repeated without a limit

Keys are compared in lanes as narrow as they are; pairs.py sorts them with their indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, isqrt, sqrt

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    extract,
    for_loop,
    if_else,
    index,
    insert,
    less,
    load,
    minimum,
    mul,
    scalar,
    store,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.pairs import SortPairs
from hlo.lowering.linalg.sorting.routines import SortWords
from hlo.lowering.linalg.sorting.words import VECTOR_BITS, At, WordVectors

Values = list[ir.Value]
KeyOf = Callable[[Values], ir.Value]
"""The key of an element: a number of as many bits as the selector's."""

INDEX_BITS = 32
"""Of an index in the buffer."""

INDEX_LANES = VECTOR_BITS // INDEX_BITS

BLOCK = 64
"""Elements of a row whose comparisons with the limit make one mask: its lanes are compressed as bytes, if the processor does that."""

CHUNK = 2048
"""Elements of a row whose indices are compressed before keys are taken: these are still near."""

FEW = 128
"""Up to so many first words are found with a buffer of twice as many, which a network sorts."""

MOST_SAMPLED, LEAST_SAMPLED, SAMPLED = 1024, 256, 32
"""Words of a sample of rows that are not very long, at most; of short rows, if these have eight times as many; of so many elements of other rows, one is in it."""


@dataclass(frozen=True)
class Selection:
    """The first `kept` of `length` elements."""

    length: int
    kept: int

    def is_profitable(self, bits: int) -> bool:
        """Whether what is sorted is much shorter than the row, or at least shorter if a key has more `bits` than share a word with an index."""
        is_short = self.length < 1 << INDEX_BITS - 1
        longer = 4 if bits <= 64 - INDEX_BITS else 1
        return is_short and self.kept > 0 and self.sampled > 0 and longer * self.passing < self.length

    @property
    def sampled(self) -> int:
        most = 2 * FEW if self.kept <= FEW else max(MOST_SAMPLED, 4 * isqrt(self.length))
        return min(most, max(self.length // SAMPLED, min(self.length // 8, LEAST_SAMPLED)))

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
    """Those of a selection, known when compiling or only when the code runs: `part` elements of the row have one of the sample."""

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
        """A place: one in each of as many parts of the row, elsewhere in each of them, since rows can be periodic."""
        fraction = arith.andi(index(mul(number, 40503)), index((1 << 16) - 1))
        return add(mul(number, self.part), arith.shrui(index(mul(fraction, self.part)), index(16)))


@dataclass(frozen=True)
class RowSelector:
    """Finds the first elements of rows of an operand. `bits`: of a key; `compresses`: of the narrowest lanes that the processor compresses. Scratch: what sorting pairs of key and index needs; walks add to
    its first two arrays, the first pairs come out in the next two."""

    selection: Numbers
    bits: int
    compresses: int
    operand: ir.Value
    key_of: KeyOf

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(ir.IntegerType.get_signless(self.bits), BLOCK)

    @staticmethod
    def scratch(selection: Selection, bits: int) -> Values:
        return SortPairs(bits).arrays(selection.room + CHUNK)

    def run(self, at: At, scratch: Sequence[ir.Value]) -> Values:
        """The scratch."""
        length, sampled, rank = self.selection.length, self.selection.sampled, self.selection.rank
        (keys,) = for_loop(0, sampled, lambda n, keys: self._take(at(self.selection.sample(n)), n, keys), scratch[:1])
        keys = SortWords(self.bits, 1).sorted(keys, sampled, rank)
        start = [index(0), index(0), extract(keys, [sub(rank, 1)]), keys, *scratch[1:]]
        goes_on = lambda read, *_: less(read, add(length, 1))
        return while_loop(start, goes_on, lambda *state: self._step(at, *state))[3:]

    def _take(self, position: list[Index], number: Index, keys: ir.Value) -> Values:
        """Puts the key of an element into the buffer."""
        return [insert(self.key_of([extract(self.operand, position)]), keys, [number])]

    def _step(self, at: At, read: ir.Value, held: ir.Value, limit: ir.Value, *scratch: ir.Value) -> Values:
        """Walks on, and sorts what the buffer holds: its first pairs are held on, if the row goes on. Behind the end of the row if all is done."""
        length, kept, first = self.selection.length, index(self.selection.kept), index(0)
        read, held, *buffer = self._walk(at, read, held, limit, scratch[:2])
        keys, indices, first_keys, first_indices, *words = SortPairs(self.bits).call(held, minimum(held, kept), length, [*buffer, *scratch[2:]])  # fmt: skip
        is_end, is_short = less(sub(length, 1), read), less(held, kept)
        last = extract(first_keys, [sub(kept, 1)])
        none_is_less = arith.cmpi(arith.CmpIPredicate.eq, last, scalar(last.type, 0))
        is_done = arith.select(is_end, arith.xori(is_short, arith.constant(is_end.type, 1)), none_is_less)
        # Of elements with the last key kept, those that come later in the row are behind it.
        limit = arith.select(is_end, self.vectors.most, arith.subi(last, scalar(last.type, 1)))
        read = arith.select(is_done, index(add(length, 1)), arith.select(is_end, first, read))
        held = arith.select(arith.ori(is_end, is_done), first, kept)
        back = for_loop(0, held, lambda k, *pair: store(load([first_keys, first_indices], [k]), pair, [k]), [keys, indices])  # fmt: skip
        return [read, held, limit, *back, first_keys, first_indices, *words]

    def _walk(self, at: At, read: Index, held: Index, limit: ir.Value, buffer: Sequence[ir.Value]) -> Values:
        """From an index on, to the end of the row or until the buffer is full: where that is, how many pairs are held, the buffer. The indices of a chunk's keys up to the limit are
        compressed, then these keys are taken by their indices. Nothing is skipped: whether a vector has keys up to the limit is hard to predict."""
        length, limits = self.selection.length, self.vectors.splat(limit)

        def chunk(read: ir.Value, held: ir.Value, keys: ir.Value, indices: ir.Value) -> Values:
            count = index(minimum(sub(length, read), CHUNK))

            def compress(k: Index, inside: ir.Value | None, held: ir.Value, indices: ir.Value) -> Values:
                key = self._keys(at(add(read, k)), inside)
                mask = arith.cmpi(arith.CmpIPredicate.ule, key, limits)
                mask = mask if inside is None else arith.andi(inside, mask)
                return self._compressed(add(read, k), mask, held, indices)

            end, indices = self.vectors.along(count, compress, [held, indices], whole=1)
            taken = lambda n: at(arith.index_castui(index(0).type, extract(indices, [n])))
            (keys,) = for_loop(held, end, lambda n, keys: self._take(taken(n), n, keys), [keys])
            return [add(read, count), end, keys, indices]

        goes_on = lambda read, held, *_: all_of([less(read, length), less(held, self.selection.room)])
        return while_loop([index(read), index(held), *buffer], goes_on, chunk)

    def _keys(self, position: list[Index], inside: ir.Value | None) -> ir.Value:
        """Of neighbours in a row."""
        elements = [self.vectors.load_word(self.operand, position, inside)]
        return self.vectors.computed(lambda elements: [self.key_of(elements)], elements)[0]

    def _compressed(self, first: Index, mask: ir.Value, held: ir.Value, indices: ir.Value) -> Values:
        """How many indices are held, and these, with those of a mask's lanes; `first`: the index of the first lane."""
        if self.compresses < INDEX_BITS:
            return self._by_bytes(first, mask, held, indices)
        vectors = WordVectors(ir.IntegerType.get_signless(INDEX_BITS), INDEX_LANES)
        for start in range(0, BLOCK, INDEX_LANES):
            piece = _piece(mask, start)
            numbers = vectors.counted(arith.index_cast(vectors.kind, index(add(first, start))))
            (indices,) = vectors.store(vectors.compressed((numbers,), piece), Array((indices,)), [held]).tensors
            held = arith.addi(held, vectors.count(piece))
        return [held, indices]

    def _by_bytes(self, first: Index, mask: ir.Value, held: ir.Value, indices: ir.Value) -> Values:
        """The numbers of the lanes are compressed as bytes; few blocks have more of them than are written without a comparison."""
        lanes = WordVectors(ir.IntegerType.get_signless(8), BLOCK)
        (numbers,), count = lanes.compressed((lanes.counted(scalar(lanes.kind, 0)),), mask), lanes.count(mask)
        vectors = WordVectors(ir.IntegerType.get_signless(INDEX_BITS), INDEX_LANES)
        start = vectors.splat(arith.index_cast(vectors.kind, index(first)))

        def put(number: int, indices: ir.Value) -> ir.Value:
            found = arith.addi(start, arith.extui(vectors.type, _piece(numbers, number)))
            return vectors.store((found,), Array((indices,)), [add(held, number)]).tensors[0]

        def rest() -> Values:
            more = indices
            for number in range(INDEX_LANES, BLOCK, INDEX_LANES):
                more = put(number, more)
            return [more]

        indices = put(0, indices)
        return [arith.addi(held, count), *if_else(less(INDEX_LANES, count), [indices.type], rest, lambda: [indices])]


def _piece(lanes: ir.Value, start: int) -> ir.Value:
    """As many lanes as indices have, from one on."""
    kind = ir.VectorType.get([INDEX_LANES], ir.VectorType(lanes.type).element_type)
    return vector.extract_strided_slice(kind, lanes, [start], [INDEX_LANES], [1])
