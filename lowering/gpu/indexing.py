"""Index arithmetic in the functions of kernels."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import affine

from hlo.lowering.linalg.loops import index, positions


def delinearized(position: ir.Value, sizes: Sequence[int]) -> list[ir.Value]:
    """The coordinates in a row-major space of these sizes."""
    return [index(one) for one in positions(position, sizes)]


def index_at(expression: ir.AffineExpr, coordinates: Sequence[ir.Value]) -> ir.Value:
    """The index that an expression of the dimensions is at some coordinates."""
    if isinstance(expression, ir.AffineDimExpr):
        return coordinates[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return index(expression.value)
    one = ir.AffineMap.get(len(coordinates), 0, [expression])
    return affine.AffineApplyOp(ir.AffineMapAttr.get(one), list(coordinates)).result
