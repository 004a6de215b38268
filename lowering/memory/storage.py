"""How tensors are stored: identity-layout memrefs, booleans as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir


def stored_element(element: ir.Type) -> ir.Type:
    if isinstance(element, ir.IntegerType) and element.width == 1:
        return ir.IntegerType.get_signless(8)
    return element


def memref_type(tensor: ir.Type) -> ir.MemRefType:
    """tensor<4xi1> -> memref<4xi8>; tensor<2x0xf32> -> memref<0xf32> (LLVM 22 cannot pass a memref<2x0xf32> as a bare
    pointer: an inner size of 0 makes its strides look unusual)."""
    kind = memref_of(tensor)
    return ir.MemRefType.get(kind.shape, stored_element(kind.element_type))


def memref_of(tensor: ir.Type) -> ir.MemRefType:
    """The same where booleans become bytes later (byte_booleans.py)."""
    shaped = ir.RankedTensorType(tensor)
    return ir.MemRefType.get([0] if 0 in shaped.shape else shaped.shape, shaped.element_type)


def byte_size(kind: ir.Type) -> int:
    """Of a tensor's elements, or of memory's."""
    shaped = ir.ShapedType(kind)
    return prod(shaped.shape) * element_bytes(shaped.element_type)


def element_bytes(element: ir.Type) -> int:
    if isinstance(element, ir.ComplexType):
        return 2 * element_bytes(element.element_type)
    if isinstance(element, ir.IndexType):
        return 8
    return max(1, (element.width + 7) // 8)


def row_major(shape: Sequence[int]) -> list[int]:
    """The strides of an identity layout."""
    strides: list[int] = []
    size = 1
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return strides
