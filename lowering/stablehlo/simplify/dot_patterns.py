"""Contractions that are no sums, for simplify-algebra: over one element, or over none.

    %r = dot_general %x, %y, contracting_dims = [1] x [0] : (4x1xi32, 1x5xi32) -> 4x5xi32
    becomes
    %a = broadcast_in_dim %x', dims = [0]    (%x' is %x without the contracted dimension)
    %b = broadcast_in_dim %y', dims = [1]
    %r = multiply %a, %b

They are fused with what surrounds them then, in any layout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import DotGeneralOp
from hlo.dialect.types import bit_width, element_type, is_complex, is_float, is_integer, shape
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, convert, reshaped
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(DotGeneralOp)
def single_products(op: Any) -> ir.Value | None:
    """Sums begin at 0: a single product of -0 is 0."""
    n, result = op.dot_dimension_numbers, op.result.type
    contracted = n.lhs_contracting_dimensions, n.rhs_contracting_dimensions
    sizes = shape(op.lhs.type), shape(op.rhs.type)
    if op.algorithm is not None or any(sizes[0][d] != 1 for d in contracted[0]):
        return None
    elements = [element_type(v.type) for v in (op.lhs, op.rhs, op.result)]
    is_static = all(ir.RankedTensorType(v.type).has_static_shape for v in (op.lhs, op.rhs, op.result))
    if not is_static or not all(_holds(elements[2], element) for element in elements[:2]):
        return None
    batch = n.lhs_batching_dimensions, n.rhs_batching_dimensions
    free = [
        [d for d in range(len(sizes[side])) if d not in batch[side] and d not in contracted[side]] for side in range(2)
    ]
    first = len(batch[0]), len(batch[0]) + len(free[0])
    factors = [
        _reshaped(
            convert(Tensor(value), elements[2]),
            contracted[side],
            result,
            {**dict(zip(batch[side], range(first[0]))), **{d: first[side] + at for at, d in enumerate(free[side])}},
        )
        for side, value in enumerate((op.lhs, op.rhs))
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


def _reshaped(x: Tensor, dropped: Collection[int], result: ir.Type, targets: dict[int, int]) -> Tensor:
    """x without dimensions of size 1, in the shape of the result, whose dimension `targets[d]` is dimension d of x."""
    kept: Sequence[int] = [d for d in range(len(x.shape)) if d not in dropped]
    x = reshaped(x, [x.shape[d] for d in kept])
    return broadcast(x, shape(result), [targets[d] for d in kept])
