"""Sorting of many short rows, in vectors across rows: a bitonic network of comparisons that is the same for all of them.

Before:  rows [1024, 64] of f32
After:   words [1024, 64] of i64: the key's bits above the element's index in its row, so that none are equal and the order is stable
         interleaved: [128, 64, 8], whose vectors are sorted by column (linear_algebra/interleaving.py)
         elements taken from the indices that the sorted words have

A single operand's keys are sorted without indices, and made elements again (equal_keys.py: where elements of one key differ). Where keys and indices are longer than 64 bits, each is a word of its own; the first ones that differ decide.
The network is a routine's (vector_networks.py), a call for each block of rows. Where rows are contiguous and the key has a name, all of this is a routine's (short_rows.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lowering.linalg.linear_algebra.interleaving import Batch
from hlo.lowering.linalg.loops import (
    Index,
    element,
    extract,
    scalar,
    shape,
)
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.slicing import strided_slice
from hlo.lowering.linalg.sorting.equal_keys import with_own_bits
from hlo.lowering.linalg.sorting.keys import Key
from hlo.lowering.linalg.sorting.routines import calls_for, sort_columns, sort_rows_by_vectors
from hlo.lowering.linalg.structured import empty, generic, loop_index

Values = list[ir.Value]

LONGEST = 1024
"""Elements of a row, at most, that are sorted so."""


@dataclass(frozen=True)
class Words:
    """How a row's keys are stored: `count` numbers of `bits` bits, of which the last `index_bits` bits are the index. `is_packed`: one number has all; `is_joined`: one has all
    keys, and the index is another. `counted`: the numbers of operands
    whose elements are their indices. `kept`: how many first elements of a row are used."""

    keys: Sequence[Key]
    bits: int
    index_bits: int
    is_packed: bool
    is_joined: bool
    counted: Set[int]
    kept: int

    @staticmethod
    def of(
        keys: Sequence[Key], operands: Values, length: int, counted: Set[int], kept: int, is_plain: bool = True
    ) -> Words:
        """Without indices where the keys say the elements, if they may be `is_plain`."""
        is_plain = is_plain and len(operands) == len(keys) == 1 and keys[0].element is not None
        index_bits = 0 if is_plain else max(1, (length - 1).bit_length())
        together = sum(k.bits for k in keys)
        packed = next((b for b in (8, 16, 32, 64) if together + index_bits <= b), None)
        is_joined = packed is None and together <= 64
        widest = next(b for b in (16, 32, 64) if (together if is_joined else max(k.bits for k in keys)) <= b)
        return Words(keys, packed or widest, index_bits, packed is not None, is_joined, counted, kept)

    def at_least(self, bits: int) -> Words:
        """The same in words of so many bits or more."""
        return replace(self, bits=max(self.bits, bits))

    def with_index(self) -> Words:
        """All keys in one word, and the index in another."""
        bits = 32 if sum(k.bits for k in self.keys) <= 32 else 64
        return replace(self, bits=bits, is_packed=False, is_joined=True)

    def of_keys(self) -> Words:
        """One word of all keys, without an index."""
        return replace(self, index_bits=0, is_packed=True, is_joined=False)

    @property
    def count(self) -> int:
        return 1 if self.is_packed else 2 if self.is_joined else len(self.keys) + 1

    @property
    def kind(self) -> ir.Type:
        return ir.IntegerType.get_signless(self.bits)

    def computed(self, elements: Values, position: ir.Value) -> Values:
        """From an element of each operand."""
        values = [(self._wide(k.of(elements)), k.bits) for k in self.keys]
        positions = [(arith.index_cast(self.kind, position), self.index_bits)] if self.index_bits else []
        if self.is_packed:
            return [self._joined([*values, *positions])]
        if self.is_joined:
            return [self._joined(values), positions[0][0]]
        return [v for v, _ in (*values, *positions)]

    def _joined(self, values: Sequence[tuple[ir.Value, int]]) -> ir.Value:
        """Numbers of so many bits, the first one on top."""
        word = values[0][0]
        for value, bits in values[1:]:
            word = arith.ori(arith.shli(word, scalar(self.kind, bits)), value)
        return word

    def have(self, number: int) -> bool:
        """Whether first words say all of an operand's elements."""
        return len(self.keys) == 1 and self.keys[0].is_exact and self.keys[0].operand == number

    def _wide(self, value: ir.Value) -> ir.Value:
        return value if value.type == self.kind else arith.extui(self.kind, value)

    def index_of(self, word: ir.Value) -> ir.Value:
        """Of the last word."""
        return arith.index_castui(ir.IndexType.get(), arith.andi(word, scalar(self.kind, (1 << self.index_bits) - 1)))

    def element_of(self, word: ir.Value) -> ir.Value:
        """That has the key in the word."""
        (key,) = self.keys
        assert key.element is not None
        number = ir.IntegerType.get_signless(key.bits)
        if self.is_packed and self.index_bits:
            word = arith.shrui(word, scalar(self.kind, self.index_bits))
        return key.element(word if word.type == number else arith.trunci(number, word))


def rows_of(extents: Sequence[int], dimension: int) -> list[int]:
    return [*extents[:dimension], *extents[dimension + 1 :]]


def sort_by_network(operands: Values, dimension: int, words: Words, lowering: Lowering, batch: Batch) -> Values:
    """Sorts each row of the operands along `dimension`. `batch`: the rows."""
    arrays = [batch.put(a).tensors[0] for a in words_of(operands, dimension, words)]
    through, independent = lowering.outer_loops([calls_for(batch.blocks, shape(operands[0])[dimension])])
    made = _outlined(arrays, lambda *words: sort_columns(words, through), independent, lowering)
    return elements_of([batch.take(Array((a,))) for a in made], operands, dimension, words, lowering)


def sort_by_vectors(operands: Values, dimension: int, words: Words, lowering: Lowering) -> Values:
    """Sorts each row of the operands along `dimension`, or the first of its elements that are used."""
    arrays = words_of(operands, dimension, words)
    through, independent = lowering.outer_loops(shape(arrays[0])[:-1])
    build = lambda *arrays: sort_rows_by_vectors(Array(arrays), words.kept, through)
    return elements_of(_outlined(arrays, build, independent, lowering), operands, dimension, words, lowering)


def _outlined(arrays: Values, build: Callable[..., Values], independent: int, lowering: Lowering) -> Values:
    tied = {n: n for n in range(len(arrays))}
    return lowering.outline("sort", arrays, [a.type for a in arrays], build, tied=tied, independent=independent)


def elements_of(arrays: Values, operands: Values, dimension: int, words: Words, lowering: Lowering) -> Values:
    """Of the operands, by sorted words."""
    if words.index_bits:
        return [taken(v, number, dimension, arrays, words) for number, v in enumerate(operands)]
    (last,), (operand,), (key,) = arrays, operands, words.keys
    result = _by_rows(last, operand.type, dimension, lambda word, _: [words.element_of(word)])
    return [result if key.is_exact else with_own_bits(result, operand, dimension, key, lowering)]


def words_of(operands: Values, dimension: int, words: Words) -> Values:
    """[rows..., length] arrays."""
    extents = shape(operands[0])
    rank, others = len(extents), rows_of(extents, dimension)
    results = [empty(ir.RankedTensorType.get([*others, extents[dimension]], words.kind)) for _ in range(words.count)]
    body = lambda *scalars: words.computed(list(scalars[: len(operands)]), loop_index(rank - 1))
    identity = ir.AffineMap.get_identity(rank)
    maps = [_rows_last(rank, dimension)] * len(operands)
    return generic(operands, maps, results, [identity] * words.count, ["parallel"] * rank, body)


def _rows_last(rank: int, dimension: int) -> ir.AffineMap:
    """From [rows..., index] to the position in an operand."""
    places = [*range(dimension), rank - 1, *range(dimension, rank - 1)]
    return ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(p) for p in places])


def taken(operand: ir.Value, number: int, dimension: int, arrays: Values, words: Words) -> ir.Value:
    """Elements of operand `number` by sorted words: made of these, or from their indices."""
    extents, kind, is_key = shape(operand), element(operand), words.have(number)

    def body(word: ir.Value, _: ir.Value) -> Values:
        if is_key:
            return [words.element_of(word)]
        found = words.index_of(word)
        if number in words.counted:
            return [arith.index_castui(kind, found)]
        position: list[Index] = [loop_index(d) for d in range(len(extents))]
        position[dimension] = found
        return [extract(operand, position)]

    source = arrays[0 if is_key else -1]
    starts, strides = [0] * len(extents), [1] * len(extents)
    sizes = [*shape(source)[:-1], words.kept]
    used = strided_slice(source, starts, strides, ir.RankedTensorType.get(sizes, words.kind))
    sizes = [words.kept if d == dimension else n for d, n in enumerate(extents)]
    return with_any_rest(_by_rows(used, ir.RankedTensorType.get(sizes, kind), dimension, body), operand.type)


def with_any_rest(first: ir.Value, whole: ir.Type) -> ir.Value:
    """First elements of rows; what is behind them is anything."""
    sizes, extents = shape(first), shape(whole)
    if sizes == extents:
        return first
    starts, strides = [0] * len(extents), [1] * len(extents)
    return tensor.insert_slice(first, empty(whole), [], [], [], starts, sizes, strides)


def _by_rows(rows: ir.Value, result: ir.Type, dimension: int, body: Callable[..., Values]) -> ir.Value:
    """An array whose elements are computed from those of `rows`, whose last dimension is `dimension`."""
    rank = len(shape(result))
    order = [*[d for d in range(rank) if d != dimension], dimension]
    source = ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(d) for d in order])
    return generic([rows], [source], [empty(result)], [ir.AffineMap.get_identity(rank)], ["parallel"] * rank, body)[0]
