"""How tensors are stored: identity-layout memrefs, booleans as bytes."""

from __future__ import annotations

from math import prod

from mlir import ir


def stored_element(element: ir.Type) -> ir.Type:
    if isinstance(element, ir.IntegerType) and element.width == 1:
        return ir.IntegerType.get_signless(8)
    return element


def memref_type(tensor: ir.Type) -> ir.MemRefType:
    """tensor<4xi1> -> memref<4xi8>."""
    shaped = ir.RankedTensorType(tensor)
    return ir.MemRefType.get(shaped.shape, stored_element(shaped.element_type))


def byte_size(tensor: ir.Type) -> int:
    shaped = ir.RankedTensorType(tensor)
    return prod(shaped.shape) * element_bytes(shaped.element_type)


def element_bytes(element: ir.Type) -> int:
    if isinstance(element, ir.ComplexType):
        return 2 * element_bytes(element.element_type)
    if isinstance(element, ir.IndexType):
        return 8
    return max(1, (element.width + 7) // 8)
