"""The iteration space of a linalg op on memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from mlir import ir


@dataclass(frozen=True)
class Nest:
    """Sizes of the dimensions, which of them are parallel, a map for each operand; `inputs`: how many are read only."""

    sizes: tuple[int, ...]
    parallel: tuple[int, ...]
    maps: tuple[ir.AffineMap, ...]
    inputs: int

    @cached_property
    def reduction(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.sizes)) if d not in self.parallel)

    def extent(self, dimensions: Sequence[int]) -> int:
        return prod(self.sizes[d] for d in dimensions)


NESTS = ("linalg.generic", "memref.copy")
"""Ops that have one. A copy is a nest without reductions whose maps are identities."""


def nest_of(op: ir.Operation) -> Nest:
    if op.name == "memref.copy":
        shape = tuple(ir.MemRefType(op.operands[0].type).shape)
        identity = ir.AffineMap.get_identity(len(shape))
        return Nest(shape, tuple(range(len(shape))), (identity, identity), 1)
    maps = tuple(ir.AffineMapAttr(a).value for a in ir.ArrayAttr(op.attributes["indexing_maps"]))
    kinds = [str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"])]
    parallel = tuple(d for d, kind in enumerate(kinds) if "parallel" in kind)
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return Nest(_sizes(op, maps, len(kinds)), parallel, maps, inputs)


def _sizes(op: ir.Operation, maps: Sequence[ir.AffineMap], rank: int) -> tuple[int, ...]:
    """Each dimension's size from an operand that it indexes alone."""
    sizes: dict[int, int] = {}
    for value, one in zip(op.operands, maps):
        if isinstance(value.type, ir.MemRefType | ir.RankedTensorType):
            for size, result in zip(value.type.shape, one.results):
                if isinstance(result, ir.AffineDimExpr):
                    sizes.setdefault(result.position, size)
    return tuple(sizes[d] for d in range(rank))


def mentions(expression: ir.AffineExpr, dimension: int) -> bool:
    """Whether an affine expression depends on a dimension."""
    if isinstance(expression, ir.AffineDimExpr):
        return expression.position == dimension
    if isinstance(expression, ir.AffineBinaryExpr):
        return mentions(expression.lhs, dimension) or mentions(expression.rhs, dimension)
    return False


def uses_index(op: ir.Operation) -> bool:
    """Whether the op's body asks for its place in the iteration space."""
    found = False

    def visit(inner: ir.Operation) -> ir.WalkResult:
        nonlocal found
        found = found or inner.name == "linalg.index"
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return found
