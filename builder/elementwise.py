"""Elementwise ops with the broadcasting of the XLA document (section "Broadcasting semantics").

A scalar meets any array. Arrays of different ranks need `broadcast_dimensions`: the dimensions of the higher rank that the
lower one's are matched with. After that, dimensions of size 1 are repeated to the size of their counterpart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hlo.builder.ops import Ops
from hlo.builder.value import Value
from hlo.errors import ArgumentError

BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "maximum",
    "minimum",
    "power",
    "atan2",
    "and_",
    "or_",
    "xor",
    "shift_left",
    "shift_right_logical",
    "shift_right_arithmetic",
    "complex",
]
COMPARISONS = ("eq", "ne", "ge", "gt", "le", "lt")


def broadcast_plan(
    low: Sequence[int], high: Sequence[int], dimensions: Sequence[int] | None
) -> tuple[list[int], list[int]]:
    """For shapes of ranks low <= high: the shape of the result, and where the dimensions of `low` go in it."""
    positions = _broadcast_positions(low, high, dimensions)
    sizes = list(high)
    for position, size in zip(positions, low):
        if size != sizes[position] and 1 not in (size, sizes[position]):
            raise ArgumentError(
                f"shapes {tuple(low)} and {tuple(high)} cannot be broadcast with broadcast_dimensions {positions}: "
                f"size {size} meets {sizes[position]}; sizes must be equal, or one of them 1"
            )
        sizes[position] = size if sizes[position] == 1 else sizes[position]
    return sizes, positions


def _broadcast_positions(low: Sequence[int], high: Sequence[int], dimensions: Sequence[int] | None) -> list[int]:
    if not low:
        return []
    if len(low) == len(high) and not dimensions:
        return list(range(len(low)))
    if dimensions is None:
        raise ArgumentError(
            f"shapes {tuple(low)} and {tuple(high)} differ in rank: broadcast_dimensions must say which dimensions of "
            f"{tuple(high)} those of {tuple(low)} are"
        )
    positions = [int(d) for d in dimensions]
    increasing = all(a < b for a, b in itertools.pairwise(positions))
    if len(positions) != len(low) or not increasing or not all(0 <= d < len(high) for d in positions):
        raise ArgumentError(
            f"broadcast_dimensions must be {len(low)} increasing dimensions in [0, {len(high)}), found {positions}"
        )
    return positions


class ElementwiseMethods(Ops):
    def broadcast_operands(self, lhs: Any, rhs: Any, broadcast_dimensions: Any = None) -> tuple[Value, Value]:
        """Two operands in one shape, numbers as constants of the other's element type."""
        if isinstance(broadcast_dimensions, Value):
            raise ArgumentError("two operands expected, and broadcast_dimensions as a list, found a third operand")
        model = next((v for v in (lhs, rhs) if isinstance(v, Value)), None)
        left, right = self.value(lhs, model), self.value(rhs, model)
        if left.type == right.type or None in (*left.shape, *right.shape):
            return left, right
        swapped = left.rank > right.rank
        low, high = (right, left) if swapped else (left, right)
        sizes, positions = broadcast_plan(low.shape, high.shape, broadcast_dimensions)  # type: ignore[arg-type]
        low = self._spread(low, sizes, positions)
        high = self._spread(high, sizes, range(high.rank))
        return (high, low) if swapped else (low, high)

    def _spread(self, value: Value, sizes: Sequence[int], dimensions: Sequence[int]) -> Value:
        if list(value.shape) == list(sizes):
            return value
        return self.broadcast_in_dim(value, dimensions, sizes)

    def broadcast_in_dim(
        self, operand: Any, broadcast_dimensions: Sequence[int], sizes: Any = None, *, result_type: Any = None
    ) -> Value:
        """Dimension i of operand becomes `broadcast_dimensions[i]` of a result of the given sizes."""
        return self.op("broadcast_in_dim", operand, list(broadcast_dimensions), sizes=sizes, result_type=result_type)

    def compare(
        self,
        lhs: Any,
        rhs: Any,
        comparison_direction: str,
        compare_type: str | None = None,
        *,
        broadcast_dimensions: Any = None,
    ) -> Value:
        left, right = self.broadcast_operands(lhs, rhs, broadcast_dimensions)
        direction = comparison_direction.upper() if isinstance(comparison_direction, str) else comparison_direction
        return self.op("compare", left, right, direction, compare_type)

    def select(self, pred: Any, on_true: Any, on_false: Any) -> Any:
        """Elements of on_true where pred holds, else of on_false; pred may be a scalar. Tuples are chosen part by part."""
        if isinstance(on_true, Value) and "tuple<" in str(on_true.type)[:6]:
            return self.op("tuple", *(self.select(pred, a, b) for a, b in zip(on_true, on_false)))
        return self.op("select", pred, *self.broadcast_operands(on_true, on_false))

    def convert(self, operand: Any, dtype: Any = None, *, result_type: Any = None) -> Value:
        """ConvertElementType: each element in another type."""
        return self.op("convert", operand, dtype=dtype, result_type=result_type)

    convert_element_type = convert

    def reduce_precision(
        self, operand: Any, *bits: int, exponent_bits: int | None = None, mantissa_bits: int | None = None
    ) -> Value:
        """Floats rounded to a format of fewer bits, both numbers given by name."""
        if bits or exponent_bits is None or mantissa_bits is None:
            raise ArgumentError(
                "reduce_precision takes exponent_bits= and mantissa_bits= by name: the specification has them in this order, "
                "the XLA document (ReducePrecision) in the other one"
            )
        return self.op("reduce_precision", operand, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)

    def reciprocal(self, operand: Any) -> Value:
        """1 / operand."""
        return self.op("divide", *self.broadcast_operands(1, operand))

    def square(self, operand: Any) -> Value:
        return self.op("multiply", operand, operand)


def _binary(name: str) -> Any:
    mnemonic = name.rstrip("_")

    def build(self: ElementwiseMethods, lhs: Any, rhs: Any, broadcast_dimensions: Any = None) -> Value:
        return self.op(mnemonic, *self.broadcast_operands(lhs, rhs, broadcast_dimensions))

    build.__name__ = name
    build.__doc__ = f"Elementwise {mnemonic}, operands broadcast as the XLA document says."
    return build


def _comparison(name: str) -> Any:
    def build(self: ElementwiseMethods, lhs: Any, rhs: Any, broadcast_dimensions: Any = None) -> Value:
        return self.compare(lhs, rhs, name, broadcast_dimensions=broadcast_dimensions)

    build.__name__ = name
    return build


for _name in BINARY:
    setattr(ElementwiseMethods, _name, _binary(_name))
for _name in COMPARISONS:
    setattr(ElementwiseMethods, _name, _comparison(_name))
