"""Contractions over few elements, for simplify-algebra: an element of the result is one product, or the sum of up to three.

    %r = dot_general %x, %y, contracting_dims = [1] x [0] : (4x1xi32, 1x5xi32) -> 4x5xi32
    becomes
    %a = broadcast_in_dim %x', dims = [0]    (%x' is %x without the contracted dimension)
    %b = broadcast_in_dim %y', dims = [1]
    %r = multiply %a, %b

They are fused with what surrounds them then, in any layout."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import DotGeneralOp
from hlo.dialect.structures import Labels
from hlo.dialect.types import bit_width, element_type, is_complex, is_float, is_integer, shape
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, convert, reshaped, sliced
from hlo.lowering.stablehlo.simplify.table import simplifies

MOST_PRODUCTS = 3
"""In a sum: of more, a contraction reads each operand once for many of them."""
SHORTEST_ROW = 16
"""Of the result: vectors of shorter ones have elements of several rows, and their code is long."""


@simplifies(DotGeneralOp)
def few_products(op: Any) -> ir.Value | None:
    """Sums begin at 0: a single product of -0 is 0. Sums of several only where more is written than read."""
    n = op.dot_dimension_numbers
    sizes = shape(op.lhs.type), shape(op.rhs.type)
    places = [range(sizes[0][d]) for d in n.lhs_contracting_dimensions]
    count = prod(map(len, places))
    if op.algorithm is not None or not 1 <= count <= MOST_PRODUCTS:
        return None
    elements = [element_type(v.type) for v in (op.lhs, op.rhs, op.result)]
    is_static = all(ir.RankedTensorType(v.type).has_static_shape for v in (op.lhs, op.rhs, op.result))
    if not is_static or not all(_holds(elements[2], element) for element in elements[:2]):
        return None
    of_result = shape(op.result.type)
    if count > 1 and (prod(of_result) < max(map(prod, sizes)) or of_result[-1] < SHORTEST_ROW):
        return None
    *sides, result_labels = n.labels(*map(len, sizes))
    contracted = n.lhs_contracting_dimensions, n.rhs_contracting_dimensions
    type_of_sum = elements[2] if count == 1 else _summed_in(elements[2])
    products = []
    for at in product(*places):
        factors = []
        for value, labels, dimensions in zip((op.lhs, op.rhs), sides, contracted):
            x = convert(_at(Tensor(value), dict(zip(dimensions, at))), type_of_sum)
            factors.append(_spread(x, labels, of_result, result_labels))
        products.append(factors[0] * factors[1])
    total = products[0] if is_integer(elements[2]) else products[0] + 0.0
    for one in products[1:]:
        total = total + one
    return convert(total, elements[2]).value


def _summed_in(result: ir.Type) -> ir.Type:
    """What products are added up in: f32 for what is smaller."""
    return ir.F32Type.get() if is_float(result) and bit_width(result) < 32 else result


def _at(x: Tensor, places: dict[int, int]) -> Tensor:
    """x at an index along some dimensions, which stay."""
    if all(x.shape[d] == 1 for d in places):
        return x
    starts = [places.get(d, 0) for d in range(len(x.shape))]
    return sliced(x, starts, [start + 1 if d in places else x.shape[d] for d, start in enumerate(starts)])


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
