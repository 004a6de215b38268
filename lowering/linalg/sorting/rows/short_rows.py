"""Routines for many short rows of elements whose keys have names: vectors across rows, which are sorted by column (`words/routines.py`).

    hlo_routine_across_i32_l16          rows of numbers to blocks of vectors, a row in each lane
    hlo_routine_apart_i16_i64_l32       back to rows, of wider numbers
    hlo_routine_rows_f32ca_i32          elements of rows, sorted by their keys alone
    hlo_routine_rows_f32ca_i64_p32      indices of elements in sorted order, as numbers of 32 bits
    hlo_routine_beside_f32ca_i32        elements of rows that lie side by side, so that neighbours are vectors already

Several neighbouring rows are moved as one long row, which squares of SIDE numbers divide: lane l of the blocks of a group has rows l * joined to l * joined + joined - 1, one in each block.
The last group begins so early that it is whole: it sorts some rows of the one before it again, into what they are anyway."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, tensor, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, element, for_loop, index, less, minimum, mul, scalar, sub
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.routine_calls import PREFIX, Routine
from hlo.lowering.linalg.sorting.rows.equal_keys import EqualKeys
from hlo.lowering.linalg.sorting.words.key_words import Outcome, static_index_bits
from hlo.lowering.linalg.sorting.words.routines import SortColumns
from hlo.lowering.linalg.sorting.words.vectors import WHOLE, WordVectors
from hlo.lowering.numbers import bits_as, integer, integer_like, resized

Values = list[ir.Value]

Place = Callable[[Index, Index], Index]
"""Of vector k of a block."""

SIDE = 8
"""Vectors, and elements of a row, that are transposed in registers."""

JOINED = (1, 2, 4, 8)
"""Neighbouring rows that are moved as one."""

CALLED_FOR = 256
"""Vectors whose columns one call sorts, about."""

INDEX_VECTOR_BITS = 256
"""Of a vector of indices in columns of results."""


@dataclass(frozen=True)
class Transposition(Routine):
    """Moves rows of numbers to groups of as many vectors as a row has numbers, of `lanes` numbers of `bits` bits each: a
    row in each lane; or moves them back, to rows of numbers of `row_bits` bits. Numbers: where the first row begins, the
    length of rows, at least SIDE, how many groups there are, how far behind the first row the last group begins. The
    last square of a row begins so early that it is whole."""

    bits: int
    lanes: int
    row_bits: int | None = None

    numbers = 4

    @property
    def name(self) -> str:
        stem = "across" if self.row_bits is None else "apart"
        words = [f"i{bits}" for bits in (self.bits, self.row_bits) if bits is not None]
        return "_".join([PREFIX + stem, *words, f"l{self.lanes}"])

    @property
    def reads(self) -> list[ir.Type]:
        return [integer(self.bits)]

    @property
    def writes(self) -> list[ir.Type]:
        return [integer(self.row_bits or self.bits)]

    @property
    def _columns(self) -> WordVectors:
        return WordVectors(integer(self.bits), self.lanes)

    @property
    def _rows(self) -> WordVectors:
        """Parts of rows."""
        return WordVectors(self.writes[0], SIDE)

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, length, groups, last = numbers
        move = self._to_columns if self.row_bits is None else self._to_rows

        def group(n: Index, target: ir.Value) -> Values:
            vectors = mul(n, mul(length, self.lanes))
            rows = add(begin, minimum(vectors, last))

            def square(k: Index, target: ir.Value) -> Values:
                k = minimum(k, sub(length, SIDE))
                places = [add(add(rows, k), mul(length, lane)) for lane in range(self.lanes)]
                return [move(reads[0], target, places, add(vectors, mul(k, self.lanes)))]

            return for_loop(0, length, square, [target], SIDE)

        return for_loop(0, groups, group, writes)

    def _to_columns(self, rows: ir.Value, columns: ir.Value, places: Sequence[Index], at: Index) -> ir.Value:
        """SIDE numbers of each row. `places`: of these; `at`: of the first of their vectors."""
        joined = [self._joined([self._rows.load_word(rows, [p]) for p in places[n::SIDE]]) for n in range(SIDE)]
        for n, column in enumerate(self._transposed(joined)):
            (columns,) = self._columns.store((column,), Array((columns,)), [add(at, n * self.lanes)]).tensors
        return columns

    def _joined(self, parts: Values) -> ir.Value:
        whole = self._columns.splat(scalar(integer(self.bits), 0))
        for n, part in enumerate(parts):
            whole = vector.insert_strided_slice(part, whole, [n * SIDE], [1])
        return whole

    def _to_rows(self, columns: ir.Value, rows: ir.Value, places: Sequence[Index], at: Index) -> ir.Value:
        """The same, from vectors."""
        read, wide = ir.VectorType.get([SIDE], integer(self.bits)), lambda number: [resized(number[0], self._rows.kind)]
        vectors = [self._columns.load_word(columns, [add(at, n * self.lanes)]) for n in range(SIDE)]
        for n, joined in enumerate(self._transposed(vectors)):
            for first, place in zip(range(0, self.lanes, SIDE), places[n::SIDE], strict=True):
                part = vector.extract_strided_slice(read, joined, [first], [SIDE], [1])
                (rows,) = self._rows.store(self._rows.computed(wide, [part]), Array((rows,)), [place]).tensors
        return rows

    def _transposed(self, vectors: Values) -> Values:
        """The number of a vector and the last bits of the lane change places."""
        pairs = [(v,) for v in vectors]
        for distance in (1 << n for n in range(SIDE.bit_length() - 1)):
            for a in (n for n in range(SIDE) if not n & distance):
                pairs[a], pairs[a + distance] = self._columns.exchanged(pairs[a], pairs[a + distance], distance)
        return [v for (v,) in pairs]


@dataclass(frozen=True)
class _RowsRoutine(Routine):
    """Sorts rows. Without kinds of an outcome elements are sorted by their keys alone, which are as long, and all are used."""

    outcome: Outcome

    @property
    def reads(self) -> list[ir.Type]:
        return [self.outcome.words.key.stored]

    @property
    def results(self) -> list[ir.Type]:
        return self.outcome.types if self.outcome.kinds else self.reads

    @property
    def scratch(self) -> list[ir.Type]:
        raise NotImplementedError

    @property
    def writes(self) -> list[ir.Type]:
        return [*self.results, *self.scratch]

    def run(self, operand: ir.Value, kept: int, results: Values, calls: Calls, through: Callable) -> Values:
        """What becomes of an operand's rows."""
        length = calls.length

        def some(position: list[Index], *state: ir.Value) -> Values:
            first, rows, groups = calls.rows_of(position[1])
            begins = [calls.begin(position[0], first, size) for size in (length, kept)]
            numbers = [*begins, length, kept, rows, groups, calls.stride or calls.joined, static_index_bits(length)]
            return self.call(numbers, [operand], state)

        return through([calls.outer, calls.count, 1], some, [*results, *calls.room(self.scratch)])[: len(results)]

    def _word_of(self, element: ir.Value, position: Index, index_bits: ir.Value) -> Values:
        """Scalars, here and below."""
        if self.outcome.kinds:
            return self.outcome.words.of(element, position, index_bits)
        return [self.outcome.words.key.of(element)]

    def _results_of(self, word: Values, index_bits: ir.Value) -> Values:
        if self.outcome.kinds:
            return self.outcome.made_of_word(word, index_bits)
        return [self.outcome.words.key.element(word[0])]

    def _column(self, length: Index) -> Place:
        """Of blocks of so many vectors."""
        return lambda k, block: mul(add(mul(block, length), k), self.outcome.words.vectors.lanes)

    def _sorted(self, source: ir.Value, results: Values, words: Values, places: tuple[Place, Place], sizes: Sequence[Index], index_bits: ir.Value) -> tuple[Values, Values]:  # fmt: skip
        """The results, with what becomes of sorted columns of the source, and the words; if there are no arrays for these, all is done where the source is, in columns, one vector after the other. `places`: in the source and in the results;
        `sizes`: the length of rows, how many first elements are used, how many blocks of columns there are."""
        vectors, stored, is_in_place = self.outcome.words.vectors, self.outcome.words.key.stored, not words
        length, _, blocks = sizes
        taken, put_back, together = (1, 1, mul(length, blocks)) if is_in_place else sizes
        of_words = self._column(taken)
        from_source, into_results = (of_words, of_words) if is_in_place else places

        def take(k: Index, block: Index, words: Array) -> Array:
            word = lambda bits: self._word_of(bits_as(bits[0], stored), k, index_bits)
            bits = vectors.load_word(words.tensors[0] if is_in_place else source, [from_source(k, block)])
            return vectors.store(vectors.computed(word, [bits]), words, [of_words(k, block)])

        def made(word: Values) -> Values:
            return [_stored_as(v, element(r)) for v, r in zip(self._results_of(word, index_bits), into, strict=True)]

        def put(k: Index, block: Index, results: Array) -> Array:
            word = vectors.load(results if is_in_place else done, [of_words(k, block)])
            values = vectors.computed(made, list(word))
            return vectors.store(values, results, [into_results(k, block)])

        all_of = lambda one: lambda k, arrays: _each(together, functools.partial(one, k), arrays)
        unsorted = Array(tuple(words or [source])).loop(0, taken, all_of(take))
        columns = SortColumns(self.outcome.words.bits, self.outcome.words.count)
        done = Array(tuple(columns.call([0, length, blocks], [], unsorted.tensors)))
        into = done.tensors if is_in_place else tuple(results)
        return list(Array(into).loop(0, put_back, all_of(put)).tensors), [] if is_in_place else list(done.tensors)

    def _with_own_bits(self, results: Values, operand: ir.Value, numbers: Sequence[Index]) -> Values:
        """`numbers`: of EqualKeys."""
        key = self.outcome.words.key
        if self.outcome.kinds or key.is_exact:
            return results
        return EqualKeys(key).call(numbers, [operand], results)


@dataclass(frozen=True)
class SortRows(_RowsRoutine):
    """Of contiguous elements. Numbers: where the first row begins in the operand and in what is written, their length, how many first elements are used, how many rows there are, groups of
    them, rows that are joined, bits of an index."""

    stem = "rows"
    numbers = 8

    @property
    def scratch(self) -> list[ir.Type]:
        """In columns: bits of elements, which are sorted in place without an outcome; else words, and what becomes of them."""
        words = [self.outcome.words.kind] * self.outcome.words.count
        return [integer_like(self.reads[0]), *(words + self._made if self.outcome.kinds else [])]

    @property
    def _made(self) -> list[ir.IntegerType]:
        """Results in columns: their bits, of indices no more than they need."""
        if not self.outcome.kinds:
            return [integer_like(self.reads[0])]
        kinds = zip(self.outcome.kinds, (integer_like(t).width for t in self.results), strict=True)
        most = max(16, INDEX_VECTOR_BITS // self.outcome.words.vectors.lanes)
        return [integer(bits if kind == "e" else min(bits, most)) for kind, bits in kinds]

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, into, length, kept, rows, groups, joined, index_bits = numbers
        count, lanes = self.outcome.words.count, self.outcome.words.vectors.lanes
        results, (elements, *scratch) = writes[: len(self.results)], writes[len(self.results) :]
        words, made = scratch[:count], scratch[count:]
        blocks, last = mul(groups, joined), sub(rows, mul(joined, lanes))
        given = lambda begin, length: [begin, mul(joined, length), groups, mul(last, length)]
        across = Transposition(integer_like(self.reads[0]).width, lanes)
        (elements,) = across.call(given(begin, length), reads, [elements])
        places = self._column(length), self._column(kept)
        made, words = self._sorted(elements, made, words, places, (length, kept, blocks), index_bits)
        for n, bits in enumerate(made):
            apart = Transposition(self._made[n].width, lanes, integer_like(self.results[n]).width)
            (results[n],) = apart.call(given(into, kept), [bits], [results[n]])
        results = self._with_own_bits(results, reads[0], [begin, length, rows, 1])
        return [*results, *([elements] if self.outcome.kinds else []), *words, *made]


@dataclass(frozen=True)
class SortRowsBeside(_RowsRoutine):
    """Of rows that lie side by side. Numbers: where the first row begins in the operand and in what is written, their length, how many first elements are used, how many rows there are,
    blocks of them, how far apart a row's elements are, bits of an index."""

    stem = "beside"
    numbers = 8

    @property
    def scratch(self) -> list[ir.Type]:
        return [self.outcome.words.kind] * self.outcome.words.count

    def build(self, numbers: Values, reads: Values, writes: Values) -> Values:
        begin, into, length, kept, rows, blocks, stride, index_bits = numbers
        lanes, (operand,) = self.outcome.words.vectors.lanes, reads
        results, words = writes[: len(self.results)], writes[len(self.results) :]
        first = lambda block: minimum(mul(block, lanes), sub(rows, lanes))
        beside = lambda start: lambda k, block: add(add(start, mul(k, stride)), first(block))
        made, words = self._sorted(operand, results, words, (beside(begin), beside(into)), (length, kept, blocks), index_bits)  # fmt: skip
        return [*self._with_own_bits(made, operand, [begin, length, rows, stride]), *words]


@dataclass(frozen=True)
class Calls:
    """Calls for `together` blocks of `lanes` rows each, groups of `joined` of them; the last one is for at least a group, and less than one more.
    `length`: of a row; `outer`: how often there are so many rows; `stride`: how far apart a row's elements are, 0 where rows are contiguous."""

    rows: int
    length: int
    lanes: int
    joined: int
    together: int
    outer: int = 1
    stride: int = 0

    @staticmethod
    def fewest(kept: int, lanes: int) -> int:
        """Rows that there must be, if `kept` elements of each are used."""
        return lanes * next(n for n in JOINED if n * kept >= SIDE)

    @staticmethod
    def of(extents: Sequence[int], kept: int, lanes: int) -> Calls:
        """For rows along the last dimension, of which `kept` elements are used."""
        *outer, length = extents
        rows = prod(outer)

        def cost(joined: int) -> int:
            """Elements that are moved and sorted."""
            moved = -(-joined * length // SIDE) * SIDE // joined
            return -(-rows // (joined * lanes)) * joined * (moved + length)

        joined = min((n for n in JOINED if n * kept >= SIDE and n * lanes <= rows), key=cost)
        return Calls(rows, length, lanes, joined, -(-blocks_of_call(2 * length) // joined) * joined)

    @staticmethod
    def beside(extents: Sequence[int], dimension: int, lanes: int) -> Calls:
        """For rows along a dimension, at least `lanes` of which lie side by side."""
        length, rows = extents[dimension], prod(extents[dimension + 1 :])
        return Calls(rows, length, lanes, 1, blocks_of_call(2 * length), prod(extents[:dimension]), rows)

    def room(self, kinds: Sequence[ir.Type]) -> Values:
        """For the columns of a call."""
        return [tensor.empty([(self.together + self.joined) * self.lanes * self.length], kind) for kind in kinds]

    def begin(self, outer: Index, row: Index, size: int) -> Index:
        """Where a row begins in an array of rows of a size."""
        return add(mul(outer, size * self.stride), row) if self.stride else mul(row, size)

    @property
    def _group(self) -> int:
        return self.joined * self.lanes

    @property
    def count(self) -> int:
        return max(1, -(-(self.rows - self._group + 1) // (self.together * self.lanes)))

    def rows_of(self, call: Index) -> tuple[Index, Index, Index]:
        """The first row of a call, how many it has, and how many groups of them."""
        if self.count == 1:
            return 0, self.rows, -(-self.rows // self._group)
        size = self.together * self.lanes
        first = mul(call, size)
        rows = arith.select(less(call, self.count - 1), index(size), sub(self.rows, first))
        return first, rows, arith.ceildivui(rows, index(self._group))


def _stored_as(value: ir.Value, kind: ir.Type) -> ir.Value:
    """The bits of a value."""
    return value if value.type == kind else resized(bits_as(value, integer_like(value.type)), kind)


def _each(count: Index, one: Callable[[Index, Array], Array], arrays: Array) -> Array:
    """`one(n, arrays)` for all n in range(count), several in an iteration."""
    whole = arith.andi(index(count), index(-WHOLE))

    def several(n: Index, arrays: Array) -> Array:
        for more in range(WHOLE):
            arrays = one(add(n, more), arrays)
        return arrays

    return arrays.loop(0, whole, several, WHOLE).loop(whole, count, one)


def blocks_of_call(length: int) -> int:
    return max(1, CALLED_FOR // length)
