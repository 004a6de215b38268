"""Batches of small matrices, interleaved: vectors run across matrices.

Before:  [2000, 8, 8]          (a matrix after the other)
After:   [125, 8, 8, 16]       (blocks of 16 matrices: element (i, j) of all of them, then the next)

The last block is filled up with zeros. Complex arrays become two real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from mlir import ir
from mlir.dialects import complex, tensor

from hlo.dialect.stablehlo.conversion import real_type
from hlo.dialect.types import is_complex
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.data_movement import reshape
from hlo.lowering.linalg.loops import Index, element, shape, zero
from hlo.lowering.linalg.parts import Array
from hlo.lowering.linalg.slicing import strided_slice
from hlo.lowering.linalg.structured import elementwise, empty, fill, known_parts, read
from hlo.lowering.memory.storage import element_bytes

VECTOR_BYTES = 64


@dataclass(frozen=True)
class Batch:
    """How matrices are laid out for a kernel: `lanes` of them side by side, or one after the other (`lanes` is 0)."""

    extents: tuple[int, ...]
    lanes: int

    @staticmethod
    def of(extents: Sequence[int], kind: ir.Type) -> Batch:
        """Interleaved where that fills half a vector."""
        lanes = lanes_of(kind)
        return Batch(tuple(extents), lanes if 2 * prod(extents) >= lanes else 0)

    @property
    def blocks(self) -> int:
        return -(-prod(self.extents) // self.lanes)

    @property
    def is_filled(self) -> bool:
        """Whether interleaved matrices take three lanes of four, those of the last block included."""
        return 4 * prod(self.extents) >= 3 * self.blocks * self.lanes

    def outer(self) -> list[int]:
        """The loops around a matrix."""
        return [self.blocks, self.lanes] if self.lanes else list(self.extents)

    def at(self, position: Sequence[Index]) -> Callable[..., list[Index]]:
        """Where an element of the matrix at this position of the outer loops is."""
        if not self.lanes:
            return lambda *inner: [*position, *inner]
        return lambda *inner: [position[0], *inner, position[1]]

    def sizes(self, sizes: Sequence[int]) -> list[int]:
        """Of an array with arrays of these sizes for each matrix."""
        return [self.blocks, *sizes, self.lanes] if self.lanes else [*self.extents, *sizes]

    def put(self, value: ir.Value) -> Array:
        """An array of the program as the kernel has it."""
        return Array(tuple(self._interleaved(part) for part in parts_of(value)))

    def take(self, array: Array) -> ir.Value:
        """An array of the kernel as the program has it."""
        return joined([self._separated(part) for part in array.tensors])

    def empty(self, kind: ir.Type, sizes: Sequence[int], count: int = 1) -> Array:
        return Array(tuple(empty(ir.RankedTensorType.get(self.sizes(sizes), kind)) for _ in range(count)))

    def filled(self, like: Array, sizes: Sequence[int]) -> Array:
        """Zeros, of the parts that another array has."""
        kind = element(like.tensors[0])
        return Array(tuple(fill(zero(kind), ir.RankedTensorType.get(self.sizes(sizes), kind)) for _ in like.tensors))

    def _interleaved(self, value: ir.Value) -> ir.Value:
        if not self.lanes:
            return value
        rank = len(self.extents)
        sizes, kind = shape(value)[rank:], element(value)
        count, whole = prod(self.extents), self.blocks * self.lanes
        value = _reshaped(value, [count, *sizes])
        if whole != count:
            room = fill(zero(kind), ir.RankedTensorType.get([whole, *sizes], kind))
            value = tensor.insert_slice(value, room, [], [], [], [0] * (1 + len(sizes)), [count, *sizes], [1] * (1 + len(sizes)))  # fmt: skip
        value = _reshaped(value, [self.blocks, self.lanes, *sizes])
        return moved(value, 1, len(sizes) + 1)

    def _separated(self, value: ir.Value) -> ir.Value:
        if not self.lanes:
            return value
        sizes, kind = shape(value)[1:-1], element(value)
        value = moved(value, len(sizes) + 1, 1)
        value = _reshaped(value, [self.blocks * self.lanes, *sizes])
        count = prod(self.extents)
        if count != self.blocks * self.lanes:
            starts, strides = [0] * (1 + len(sizes)), [1] * (1 + len(sizes))
            value = strided_slice(value, starts, strides, ir.RankedTensorType.get([count, *sizes], kind))
        return _reshaped(value, [*self.extents, *sizes])


def parts_of(value: ir.Value) -> list[ir.Value]:
    """A real array, or the parts of a complex one."""
    if not is_complex(element(value)):
        return [value]
    known = known_parts(value)
    if known is not None:
        return list(known)
    kind = ir.RankedTensorType.get(shape(value), real_type(element(value)))
    return [elementwise([value], kind, part) for part in (complex.re, complex.im)]


def joined(parts: Sequence[ir.Value]) -> ir.Value:
    """The complex array of two parts; a real array as it is."""
    if len(parts) == 1:
        return parts[0]
    kind = ir.ComplexType.get(element(parts[0]))
    return elementwise(parts, ir.RankedTensorType.get(shape(parts[0]), kind), lambda a, b: complex.create_(kind, a, b))


def moved(value: ir.Value, source: int, target: int) -> ir.Value:
    """With one dimension moved."""
    order = list(range(len(shape(value))))
    order.insert(target, order.pop(source))
    sizes = [shape(value)[d] for d in order]
    inverse = [ir.AffineDimExpr.get(order.index(d)) for d in range(len(order))]
    return read(value, ir.AffineMap.get(len(order), 0, inverse), ir.RankedTensorType.get(sizes, element(value)))


def _reshaped(value: ir.Value, sizes: Sequence[int]) -> ir.Value:
    return reshape(value, ir.RankedTensorType.get(list(sizes), element(value)))


def lanes_of(kind: ir.Type) -> int:
    """Numbers of a vector; of complex ones, those of a vector of their parts."""
    return VECTOR_BYTES // element_bytes(real_type(kind))
