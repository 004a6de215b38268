"""linalg ops on memory that passes on kernels add."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir


def _iterators(kinds: Sequence[str]) -> ir.ArrayAttr:
    return ir.ArrayAttr.get([ir.Attribute.parse(f"#linalg.iterator_type<{kind}>") for kind in kinds])


def generic(
    inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap], kinds: Sequence[str]
) -> ir.Operation:
    """A linalg.generic on memory without a body yet. `kinds`: "parallel" or "reduction", by dimension."""
    attributes = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in maps]),
        "iterator_types": _iterators(kinds),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
    }
    return ir.Operation.create("linalg.generic", operands=[*inputs, output], attributes=attributes, regions=1)
