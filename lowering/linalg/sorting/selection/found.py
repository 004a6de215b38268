"""What a walk along a row has found (`walk.py`), and what of it is on one side of a bound (`parts.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import arith, vector

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, element, index, scalar
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.sorting.words.buffers import INDEX_BITS, ValuesOf
from hlo.lowering.linalg.sorting.words.vectors import VECTOR_BITS, WordVectors

Values = list[ir.Value]
KeyOf = Callable[[Values], ir.Value]
"""The key of an element: a number."""

INDEX_LANES = VECTOR_BITS // INDEX_BITS


@dataclass(frozen=True)
class Found:
    """What a walk has found: indices of `count` elements of a row, which begins at `begin` in the operand, and how keys
    are made; or their keys, too. `register`: bits of vectors in which lanes are made contiguous."""

    indices: ir.Value
    count: ir.Value
    operand: ir.Value
    begin: Index
    key_of: KeyOf
    register: int
    keys: ir.Value | None = None

    @staticmethod
    def has_keys(operand: ir.Value) -> bool:
        """Whether a walk finds keys, too: elements of fewer than 32 bits are no lanes of a gather."""
        return element(operand).width < INDEX_BITS

    def put(self, arrays: Sequence[ir.Value], start: ir.Value, values: ValuesOf) -> Values:
        """The arrays, from `start` on with the values of what was found."""
        vectors = WordVectors(element(arrays[0]), INDEX_LANES)
        elements = lambda k, inside: self._lanes(vectors, k, inside)
        return vectors.written(arrays, start, self.count, elements, self._of(values))

    def _of(self, values: ValuesOf) -> Callable[[Values], Values]:
        key_of = self.key_of if self.keys is None else lambda keys: keys[0]
        return lambda pair: values(key_of(pair[:1]), pair[1])

    def _lanes(self, vectors: WordVectors, k: Index, inside: ir.Value | None) -> Values:
        """Elements, or keys, and their indices."""
        positions = vectors.load_word(self.indices, [k], inside)
        if self.keys is not None:
            return [vectors.load_word(self.keys, [k], inside), positions]
        kind = ir.VectorType.get([vectors.lanes], element(self.operand))
        nothing = vector.broadcast(kind, scalar(kind.element_type, 0))
        every = vectors.first(vectors.lanes)
        return [vector.gather(kind, self.operand, [index(self.begin)], positions, every, nothing), positions]


@dataclass(frozen=True)
class Taken:
    """What of arrays of found elements is on one side of a `bound`: those whose number in the first array is up to it,
    or the others. `register`: bits of vectors in which lanes are made contiguous."""

    bound: ir.Value
    is_low: ir.Value
    register: int

    def put(self, source: Values, count: ir.Value, into: Values, start: ir.Value, of: Callable[[Values], Values] = list) -> tuple[ir.Value, Values]:  # fmt: skip
        """Where arrays end, and these, from `start` on with what a body of scalars makes of those of `count` elements
        that are on the side, in the order in which they are."""
        vectors = WordVectors(element(source[0]), INDEX_LANES)
        bounds, side = vectors.splat(self.bound), vectors.splat_mask(self.is_low)

        def some(k: Index, inside: ir.Value | None, held: ir.Value, *into: ir.Value) -> Values:
            found = [vectors.load_word(v, [k], inside) for v in source]
            mask = arith.cmpi(arith.CmpIPredicate.eq, vectors.is_upto(tuple(found), bounds), side)
            mask = mask if inside is None else arith.andi(inside, mask)
            values = zip(vectors.computed(of, found), into, strict=True)
            made = [with_lanes(v, mask, array, held, self.register) for v, array in values]
            return [arith.addi(held, vectors.count(mask)), *made]

        end, *made = vectors.along(count, some, [start, *into])
        return end, made


def with_lanes(value: ir.Value, mask: ir.Value, array: ir.Value, place: ir.Value, register: int) -> ir.Value:
    """The array, from a place on with the lanes of a mask, which may take several vectors of `register` bits."""
    kind, (count,) = element(array), ir.VectorType(mask.type).shape
    lanes = min(count, register // kind.width)
    vectors = WordVectors(kind, lanes)
    for start in range(0, count, lanes):
        part, inside = piece(value, start, lanes), piece(mask, start, lanes)
        (array,) = vectors.store(vectors.compressed((part,), inside), Array((array,)), [place]).tensors
        place = arith.addi(place, vectors.count(inside))
    return array


def piece(lanes: ir.Value, start: int, count: int = INDEX_LANES) -> ir.Value:
    """So many lanes, from one on."""
    kind = ir.VectorType.get([count], ir.VectorType(lanes.type).element_type)
    return vector.extract_strided_slice(kind, lanes, [start], [count], [1])
