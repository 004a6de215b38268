"""Selection of the first few of rows in vectors along the row: one walk, which keeps the keys up to a limit by compressing vectors.

    sample of the row, sorted:   its key number `rank` is the limit       (about as many keys are up to it as are wanted, and some more)
    walk along the row:          keys up to the limit, and their indices, go to a buffer
    the buffer is full:          its first `kept` elements are sorted and held on, smaller keys than the last one of these are let in from now on, the walk goes on
    the end of the row:          the buffer's first `kept` elements are sorted; if there are fewer, the walk is repeated without a limit first

    hlo_routine_top16_f32td_i64_e_p32   the first elements and their indices, on a processor that compresses lanes of 16 bits

Keys are compared in lanes as narrow as they are; what the buffer holds, and how it is sorted, `words/buffers.py` tells."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isqrt, sqrt

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import (
    Index,
    add,
    all_of,
    changed_if,
    extract,
    for_loop,
    index,
    insert,
    less,
    minimum,
    mul,
    scalar,
    sub,
    while_loop,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, Routine
from hlo.lowering.linalg.sorting.keys import StandardKey
from hlo.lowering.linalg.sorting.selection.found import INDEX_LANES, Found, KeyOf, piece, with_lanes
from hlo.lowering.linalg.sorting.words.buffers import INDEX_BITS, PADDING, Buffer, JoinedWords, KeysBeside
from hlo.lowering.linalg.sorting.words.key_words import KeyWords, Outcome
from hlo.lowering.linalg.sorting.words.routines import SortWords
from hlo.lowering.linalg.sorting.words.vectors import WordVectors
from hlo.lowering.numbers import integer, resized

Values = list[ir.Value]

BLOCK = 64
"""Elements of a row whose comparisons with the limit make one mask: its lanes are compressed as bytes, if the processor does that."""

CHUNK = 2048
"""Elements of a row whose indices are compressed before keys are taken: these are still near."""

FEW = 128
"""Up to so many first words are found with a buffer of twice as many, which a network sorts."""

MOST_SAMPLED, LEAST_SAMPLED, SAMPLED = 1024, 256, 32
"""Words of a sample of rows that are not very long, at most; of short rows, if these have eight times as many; of so
many elements of other rows, one is in it."""


@dataclass(frozen=True)
class Selection:
    """The first `kept` of `length` elements."""

    length: int
    kept: int

    def is_profitable(self, bits: int) -> bool:
        """Whether what is sorted is much shorter than the row, or at least shorter if a key has more `bits` than share
        a word with an index."""
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

    @property
    def most_held(self) -> int:
        """Elements that the buffer ever holds."""
        return self.room + CHUNK


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
    """Finds the first elements of a row, which begins at `begin` in an operand. `compresses`: bits of the narrowest
    lanes that the processor compresses, in vectors of `register` bits. Arrays: a sample of keys, those of the
    buffer."""

    selection: Numbers
    buffer: Buffer
    compresses: int
    register: int
    operand: ir.Value
    begin: Index
    key_of: KeyOf

    @property
    def vectors(self) -> WordVectors:
        return WordVectors(integer(self.buffer.key_bits), BLOCK)

    @staticmethod
    def types(buffer: Buffer) -> list[ir.Type]:
        """Of the arrays' elements."""
        return [integer(buffer.key_bits), *buffer.types]

    @staticmethod
    def sample(selection: Selection, buffer: Buffer) -> ir.Value:
        """The array for it."""
        return tensor.empty([selection.sampled + PADDING], RowSelector.types(buffer)[0])

    @staticmethod
    def arrays(selection: Selection, buffer: Buffer) -> Values:
        return [RowSelector.sample(selection, buffer), *buffer.arrays(selection.most_held)]

    def run(self, arrays: Sequence[ir.Value]) -> Values:
        """The arrays, with the first elements sorted."""
        length, kept = self.selection.length, self.selection.kept
        limit, sample = self.limit(arrays[0])

        def find(_: ir.Value, limit: ir.Value, *buffer: ir.Value) -> Values:
            held, *found = self._up_to(limit, buffer)
            return [held, self.vectors.most, *found]

        held, _, *buffer = while_loop([index(0), limit, *arrays[1:]], lambda held, *_: less(held, kept), find)
        return [sample, *self.buffer.sorted(held, kept, length, buffer)]

    def limit(self, sample: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The key of the sample up to which elements are taken; the sample, which is sorted that far."""
        sampled, rank = self.selection.sampled, self.selection.rank
        key = lambda n: self.key_of([extract(self.operand, [add(self.begin, self.selection.sample(n))])])
        (sample,) = for_loop(0, sampled, lambda n, sample: [insert(key(n), sample, [n])], [sample])
        sample = SortWords(self.buffer.key_bits).sorted(sample, sampled, rank)
        return extract(sample, [sub(rank, 1)]), sample

    def _up_to(self, limit: ir.Value, buffer: Sequence[ir.Value]) -> Values:
        """How many elements the buffer holds, and its arrays: it has all of the row's first `kept` elements that are up to a limit."""
        length = self.selection.length

        def step(read: ir.Value, held: ir.Value, limit: ir.Value, *buffer: ir.Value) -> Values:
            read, held, *walked = self.walk(read, length, limit, held, buffer)
            state = [read, held, limit, *walked]
            return changed_if(less(read, length), state, lambda: self._emptied(*state))

        state = [index(0), index(0), limit, *buffer]
        _, held, _, *found = while_loop(state, lambda read, *_: less(read, length), step)
        return [held, *found]

    def _emptied(self, read: ir.Value, held: ir.Value, limit: ir.Value, *buffer: ir.Value) -> Values:
        """The state with a buffer that holds the first `kept` elements only. Of those with the last one's key, others
        that come later in the row are behind it."""
        length, kept = self.selection.length, self.selection.kept
        room = self.buffer.held_on(kept, self.buffer.sorted(held, kept, length, buffer))
        last = self.buffer.key(sub(kept, 1), length, room)
        none_is_less = arith.cmpi(arith.CmpIPredicate.eq, last, scalar(last.type, 0))
        read = arith.select(none_is_less, index(length), read)
        return [read, index(kept), arith.subi(last, scalar(last.type, 1)), *room]

    def walk(self, read: Index, stop: Index, limit: ir.Value, held: Index, buffer: Sequence[ir.Value]) -> Values:
        """From an index on, to `stop` or until arrays that hold `held` elements are full: where that is, how many they
        hold, the arrays. The indices of a chunk's keys up to the limit are compressed, then their elements are taken.
        Nothing is skipped: whether a vector has keys up to the limit is hard to predict."""
        limits, has_keys, first = self.vectors.splat(limit), Found.has_keys(self.operand), self.buffer.found
        list_kinds = [integer(INDEX_BITS), *[self.vectors.kind] * has_keys]
        of_chunk = len(list_kinds)

        def chunk(read: ir.Value, held: ir.Value, *state: ir.Value) -> Values:
            lists, buffer = state[:of_chunk], state[of_chunk:]
            count = index(minimum(sub(stop, read), CHUNK))

            def compress(k: Index, inside: ir.Value | None, found: ir.Value, indices: ir.Value, *keys: ir.Value) -> Values:  # fmt: skip
                key = self._keys([add(self.begin, add(read, k))], inside)
                mask = arith.cmpi(arith.CmpIPredicate.ule, key, limits)
                mask = mask if inside is None else arith.andi(inside, mask)
                return [*self._compressed(add(read, k), mask, found, indices), *(with_lanes(key, mask, a, found, self.register) for a in keys)]  # fmt: skip

            found, *listed = self.vectors.along(count, compress, [index(0), *lists], whole=1)
            keys = listed[1] if has_keys else None
            given = Found(listed[0], found, self.operand, self.begin, self.key_of, self.register, keys)
            made = given.put(buffer[:first], held, self.buffer.values(self.selection.length))
            return [add(read, count), arith.addi(held, found), *listed, *made, *buffer[first:]]

        goes_on = lambda read, held, *_: all_of([less(read, stop), less(held, self.selection.room)])
        lists = [tensor.empty([CHUNK + PADDING], kind) for kind in list_kinds]
        state = while_loop([index(read), index(held), *lists, *buffer], goes_on, chunk)
        return [*state[:2], *state[2 + of_chunk :]]

    def _keys(self, position: list[Index], inside: ir.Value | None) -> ir.Value:
        """Of neighbours in a row."""
        elements = [self.vectors.load_word(self.operand, position, inside)]
        return self.vectors.computed(lambda elements: [self.key_of(elements)], elements)[0]

    def _compressed(self, first: Index, mask: ir.Value, held: ir.Value, indices: ir.Value) -> Values:
        """How many indices are held, and these, with those of a mask's lanes; `first`: the index of the first lane."""
        if self.compresses < INDEX_BITS:
            return self._by_bytes(first, mask, held, indices)
        vectors = WordVectors.of(INDEX_BITS, self.register)
        for start in range(0, BLOCK, vectors.lanes):
            lanes = piece(mask, start, vectors.lanes)
            numbers = vectors.counted(arith.index_cast(vectors.kind, index(add(first, start))))
            (indices,) = vectors.store(vectors.compressed((numbers,), lanes), Array((indices,)), [held]).tensors
            held = arith.addi(held, vectors.count(lanes))
        return [held, indices]

    def _by_bytes(self, first: Index, mask: ir.Value, held: ir.Value, indices: ir.Value) -> Values:
        """The numbers of the lanes are compressed as bytes; few blocks have more of them than are written without a comparison."""
        lanes = WordVectors(integer(8), BLOCK)
        (numbers,), count = lanes.compressed((lanes.counted(scalar(lanes.kind, 0)),), mask), lanes.count(mask)
        vectors = WordVectors(integer(INDEX_BITS), INDEX_LANES)
        start = vectors.splat(arith.index_cast(vectors.kind, index(first)))

        def put(number: int, indices: ir.Value) -> ir.Value:
            found = arith.addi(start, arith.extui(vectors.type, piece(numbers, number)))
            return vectors.store((found,), Array((indices,)), [add(held, number)]).tensors[0]

        def rest() -> Values:
            more = indices
            for number in range(INDEX_LANES, BLOCK, INDEX_LANES):
                more = put(number, more)
            return [more]

        indices = put(0, indices)
        return [arith.addi(held, count), *changed_if(less(INDEX_LANES, count), [indices], rest)]


@dataclass(frozen=True)
class SelectKeys(Routine):
    """Finds the first keys and their indices. Numbers: where the row begins in the operand and in what is written, then
    those of the selection. `outcome`: its words join keys and indices, or are keys of 64 bits. `compresses`: bits of
    the narrowest lanes that the processor compresses."""

    outcome: Outcome
    compresses: int
    numbers = 8

    @staticmethod
    def of(key: StandardKey, kinds: tuple[str, ...], compresses: int, length: int) -> SelectKeys:
        """For rows of a length."""
        joined = max(key.stored.width, compresses) + (length - 1).bit_length()
        return SelectKeys(Outcome(KeyWords(key, 32 if joined <= 32 else 64), kinds), compresses)

    @property
    def name(self) -> str:
        return f"{PREFIX}top{self.suffix}"

    @property
    def suffix(self) -> str:
        """Of the names of this routine and those that do it in parts (`parts.py`)."""
        return f"{self.compresses}_{self.outcome.name}"

    @property
    def buffer(self) -> Buffer:
        stored = self.outcome.words.key.stored.width
        return KeysBeside() if stored == 64 else JoinedWords(self.outcome.words.bits, max(stored, self.compresses))

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def results(self) -> list[ir.Type]:
        """What is made, the first arrays of those that are written."""
        return self.outcome.types

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.results, *RowSelector.types(self.buffer)]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, into, *rest = numbers
        count, given = len(self.results), Numbers(*rest)
        done = self.selector(given, reads[0], begin).run(writes[count:])
        put = self.buffer.put(self.outcome, writes[:count], into, given.kept, given.length, done[1:])
        return [*put, *done]

    def selector(self, numbers: Numbers, operand: ir.Value, begin: Index) -> RowSelector:
        key, kind = self.outcome.words.key, integer(self.buffer.key_bits)
        key_of = lambda elements: resized(key.of(elements[0]), kind)
        register = self.outcome.words.register
        return RowSelector(numbers, self.buffer, self.compresses, register, operand, begin, key_of)
