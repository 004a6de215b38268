"""Contractions that are no sums, for simplify-algebra: over one element, or over none.

    %r = dot_general %x, %y, contracting_dims = [1] x [0] : (4x1xi32, 1x5xi32) -> 4x5xi32
    becomes
    %a = broadcast_in_dim %x', dims = [0]    (%x' is %x without the contracted dimension)
    %b = broadcast_in_dim %y', dims = [1]
    %r = multiply %a, %b

They are fused with what surrounds them then, in any layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import DotGeneralOp
from hlo.dialect.structures import Labels
from hlo.dialect.types import bit_width, element_type, is_complex, is_float, is_integer, shape
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, convert, reshaped
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(DotGeneralOp)
def single_products(op: Any) -> ir.Value | None:
    """Sums begin at 0: a single product of -0 is 0."""
    n = op.dot_dimension_numbers
    sizes = shape(op.lhs.type), shape(op.rhs.type)
    if op.algorithm is not None or any(sizes[0][d] != 1 for d in n.lhs_contracting_dimensions):
        return None
    elements = [element_type(v.type) for v in (op.lhs, op.rhs, op.result)]
    is_static = all(ir.RankedTensorType(v.type).has_static_shape for v in (op.lhs, op.rhs, op.result))
    if not is_static or not all(_holds(elements[2], element) for element in elements[:2]):
        return None
    *sides, of_result = n.labels(*map(len, sizes))
    factors = [
        _spread(convert(Tensor(value), elements[2]), labels, shape(op.result.type), of_result)
        for value, labels in zip((op.lhs, op.rhs), sides)
    ]
    product = factors[0] * factors[1]
    return (product if is_integer(elements[2]) else product + 0.0).value


def _holds(result: ir.Type, element: ir.Type) -> bool:
    """Whether a type has all numbers of another one, and products that are rounded at most once."""
    if result == element:
        return is_integer(element) or is_complex(element) or _is_plain_float(element)
    if is_integer(result) and is_integer(element):
        return bit_width(result) > bit_width(element)
    return _is_plain_float(result) and _is_plain_float(element) and bit_width(result) >= 2 * bit_width(element)


def _is_plain_float(element: ir.Type) -> bool:
    return is_float(element) and bit_width(element) >= 16


def _spread(x: Tensor, labels: Labels, sizes: Sequence[int], of_result: Labels) -> Tensor:
    """x in the shape of the result: its dimensions where the result has their labels, those of size 1 that it has not left out."""
    kept = [d for d, label in enumerate(labels) if label in of_result]
    x = reshaped(x, [x.shape[d] for d in kept])
    return broadcast(x, sizes, [of_result.index(labels[d]) for d in kept])
