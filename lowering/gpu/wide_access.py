"""Adjacent elements of memory that one access loads or stores, of at most 16 bytes."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import vector

from hlo.lowering.memory.storage import element_bytes

ACCESS_BYTES = 16
"""The widest load or store of a thread."""


def load_several(memory: ir.Value, indices: Sequence[ir.Value], count: int) -> list[ir.Value]:
    """Neighbours in memory from an index on that is a multiple of their number: one access."""
    kind = ir.VectorType.get([count], ir.MemRefType(memory.type).element_type)
    loaded = aligned(vector.LoadOp(kind, memory, indices), kind).results[0]
    return [vector.extract(loaded, [], [lane]) for lane in range(count)]


def store_several(memory: ir.Value, indices: Sequence[ir.Value], values: Sequence[ir.Value]) -> None:
    """The same for stores."""
    kind = ir.VectorType.get([len(values)], values[0].type)
    aligned(vector.StoreOp(vector.from_elements(kind, list(values)), memory, indices), kind)


def aligned(access: ir.OpView, kind: ir.VectorType) -> ir.Operation:
    """Says that the address is a multiple of the vector's size, without which LLVM splits the access."""
    size = kind.shape[0] * element_bytes(kind.element_type)
    access.operation.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    return access.operation


def common_width(kinds: Sequence[ir.Type], multiples: Sequence[int], most: int = ACCESS_BYTES) -> int:
    """How many elements an access of at most `most` bytes has of all these types: what divides `multiples`."""
    width = most // max(map(element_bytes, kinds), default=most)
    while width > 1 and any(n % width for n in multiples):
        width //= 2
    return max(width, 1)
