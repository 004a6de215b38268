"""The identities of simplify-algebra: a table from op names to functions `op -> values or None`.

A pattern returns what replaces the op's results (made at the insertion point, if new), or None when it does not match;
it changes nothing itself. None of them holds only up to rounding or the sign of a zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from mlir import ir

from hlo.dialect.stablehlo import (
    BroadcastInDimOp,
    ConstantOp,
    ConvertOp,
    ReshapeOp,
    SliceOp,
    TransposeOp,
)
from hlo.dialect.types import element_type, is_bool, is_float, is_integer, is_unsigned, shape
from hlo.lowering.stablehlo.constants import dtype_of, is_zero, make_constant, splat
from hlo.lowering.stablehlo.pad_patterns import PAD_PATTERNS
from hlo.lowering.stablehlo.region_patterns import REGION_PATTERNS
from hlo.lowering.stablehlo.rewriting import defining
from hlo.lowering.stablehlo.scatter_patterns import SCATTER_PATTERNS
from hlo.lowering.stablehlo.unit_dimensions import UNIT_PATTERNS
from hlo.lowering.stablehlo.window_patterns import WINDOW_PATTERNS

Replacement: TypeAlias = "ir.Value | list[ir.Value] | None"
Pattern = Callable[[Any], Replacement]


def is_splat_of(value: ir.Value, number: float) -> bool:
    found = splat(value)
    return found is not None and bool(found == number)


def _of_floats(op: Any) -> bool:
    return is_float(element_type(op.results[0].type))


def _exact(op: Any) -> bool:
    """Whether an op works on integers or booleans."""
    element = element_type(op.results[0].type)
    return is_integer(element) or is_bool(element)


def add_zero(op: Any) -> Replacement:
    """x + 0 of integers; x + -0.0 of floats (x + 0.0 would turn -0.0 into 0.0)."""
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if is_zero(other, negative=_of_floats(op)):
            return value
    return None


def subtract_zero(op: Any) -> Replacement:
    return op.lhs if is_zero(op.rhs, negative=False) else None


def subtract_self(op: Any) -> Replacement:
    """x - x of integers (of floats, infinity - infinity is NaN)."""
    return _number(op, 0) if _exact(op) and op.lhs == op.rhs else None


def multiply_one(op: Any) -> Replacement:
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if is_splat_of(other, 1):
            return value
    return None


def multiply_zero(op: Any) -> Replacement:
    """x * 0 of integers (of floats, NaN and signs go through)."""
    for other in (op.lhs, op.rhs):
        if _exact(op) and is_splat_of(other, 0):
            return other
    return None


def divide_one(op: Any) -> Replacement:
    return op.lhs if is_splat_of(op.rhs, 1) else None


def same_operands(op: Any) -> Replacement:
    """x & x, x | x, max(x, x), min(x, x)."""
    return op.lhs if op.lhs == op.rhs else None


def xor_self(op: Any) -> Replacement:
    return _number(op, 0) if op.lhs == op.rhs else None


def _neutral_and_absorbing(neutral: int, absorbing: int) -> Pattern:
    def pattern(op: Any) -> Replacement:
        for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if _is_bits(other, neutral):
                return value
            if _is_bits(other, absorbing):
                return other
        return None

    return pattern


def _is_bits(value: ir.Value, bits: int) -> bool:
    """A splat of zeros (0) or of ones (-1) in all bits."""
    found = splat(value)
    if found is None or not bits:
        return found is not None and found == 0
    element = ir.IntegerType(element_type(value.type))
    return (int(found) + 1) % (1 << element.width) == 0


def xor_zero(op: Any) -> Replacement:
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if _is_bits(other, 0):
            return value
    return None


def shift_by_zero(op: Any) -> Replacement:
    return op.lhs if is_splat_of(op.rhs, 0) else None


def twice(name: str) -> Pattern:
    """f(f(x)) = x."""

    def pattern(op: Any) -> Replacement:
        inner = defining(op.operands[0], name)
        return inner.operands[0] if inner is not None else None

    return pattern


def identity(op: Any) -> Replacement:
    """An op that only changes a type, to the type it has."""
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


def convert_of_convert(op: Any) -> Replacement:
    """The first conversion loses nothing: the second can start from its operand."""
    inner = defining(op.operands[0], "convert")
    if inner is None:
        return None
    source, middle = element_type(inner.operands[0].type), element_type(op.operands[0].type)
    if not _holds(source, middle):
        return None
    return ConvertOp.create(inner.operands[0], results=[op.results[0].type]).results[0]


_SIGNIFICANT = {"f16": (11, 16), "bf16": (8, 128), "f32": (24, 128), "f64": (53, 1024)}
"""Digits and largest exponent of a float."""


def _holds(source: ir.Type, wide: ir.Type) -> bool:
    """Whether all values of a type are values of another."""
    s, w = _SIGNIFICANT.get(str(source)), _SIGNIFICANT.get(str(wide))
    if s and w:
        return s[0] <= w[0] and s[1] <= w[1]
    if not (isinstance(source, ir.IntegerType) and isinstance(wide, ir.IntegerType)):
        return False
    if is_bool(wide):
        return is_bool(source)
    if is_unsigned(source):
        return source.width < wide.width or (source.width == wide.width and is_unsigned(wide))
    return not is_unsigned(wide) and source.width <= wide.width


def reshape_of_reshape(op: Any) -> Replacement:
    inner = defining(op.operands[0], "reshape")
    if inner is None:
        return None
    return ReshapeOp.create(inner.operands[0], results=[op.results[0].type]).results[0]


def transpose_identity(op: Any) -> Replacement:
    return op.operand if list(op.permutation) == list(range(len(op.permutation))) else None


def transpose_of_transpose(op: Any) -> Replacement:
    inner = defining(op.operand, "transpose")
    if inner is None:
        return None
    permutation = [inner.permutation[d] for d in op.permutation]
    return TransposeOp.create(inner.operand, results=[op.result.type], permutation=permutation).results[0]


def broadcast_identity(op: Any) -> Replacement:
    dimensions = list(op.broadcast_dimensions)
    return identity(op) if dimensions == list(range(len(dimensions))) else None


def broadcast_of_broadcast(op: Any) -> Replacement:
    inner = defining(op.operand, "broadcast_in_dim")
    if inner is None:
        return None
    dimensions = [op.broadcast_dimensions[d] for d in inner.broadcast_dimensions]
    create = BroadcastInDimOp.create
    return create(inner.operand, results=[op.result.type], broadcast_dimensions=dimensions).results[0]


def slice_of_slice(op: Any) -> Replacement:
    inner = defining(op.operand, "slice")
    if inner is None:
        return None
    starts = [a + b * s for a, b, s in zip(inner.start_indices, op.start_indices, inner.strides, strict=True)]
    strides = [a * b for a, b in zip(inner.strides, op.strides, strict=True)]
    limits = [a + max(size - 1, 0) * s + min(size, 1) for a, s, size in zip(starts, strides, shape(op.result.type))]
    sliced = SliceOp.create(
        inner.operand, results=[op.result.type], start_indices=starts, limit_indices=limits, strides=strides
    )
    return sliced.results[0]


def concatenate_of_one(op: Any) -> Replacement:
    """Operands without elements do not count."""
    inputs = [v for v in op.inputs if math.prod(shape(v.type))]
    return inputs[0] if len(inputs) == 1 and inputs[0].type == op.result.type else None


def pad_nothing(op: Any) -> Replacement:
    padding = (*op.edge_padding_low, *op.edge_padding_high, *op.interior_padding)
    return op.operand if not any(padding) and op.operand.type == op.result.type else None


def select_known(op: Any) -> Replacement:
    if op.on_true == op.on_false:
        return op.on_true
    pred = splat(op.pred)
    if pred is None:
        return None
    return op.on_true if pred else op.on_false


def compare_self(op: Any) -> Replacement:
    """Of integers: a number is equal to itself (NaN is not)."""
    element = element_type(op.lhs.type)
    if op.lhs != op.rhs or not (is_integer(element) or is_bool(element)):
        return None
    return _number(op, op.comparison_direction in ("EQ", "GE", "LE"))


def iota_of_one(op: Any) -> Replacement:
    known = dtype_of(element_type(op.output.type)) is not None
    return _number(op, 0) if known and shape(op.output.type)[op.iota_dimension] == 1 else None


def get_of_tuple(op: Any) -> Replacement:
    inner = defining(op.operands[0], "tuple")
    return inner.operands[op.index] if inner is not None else None


def _number(op: Any, number: float) -> Replacement:
    t = op.results[0].type
    array = np.broadcast_to(np.array(number, dtype_of(element_type(t))), shape(t))
    return ConstantOp.create(results=[t], value=make_constant(array, t)).results[0] if array.size else None


OWN_PATTERNS: dict[str, tuple[Pattern, ...]] = {
    "stablehlo.add": (add_zero,),
    "stablehlo.and": (same_operands, _neutral_and_absorbing(-1, 0)),
    "stablehlo.broadcast_in_dim": (broadcast_identity, broadcast_of_broadcast),
    "stablehlo.compare": (compare_self,),
    "stablehlo.concatenate": (concatenate_of_one,),
    "stablehlo.convert": (identity, convert_of_convert),
    "stablehlo.bitcast_convert": (identity,),
    "stablehlo.divide": (divide_one,),
    "stablehlo.get_tuple_element": (get_of_tuple,),
    "stablehlo.iota": (iota_of_one,),
    "stablehlo.maximum": (same_operands,),
    "stablehlo.minimum": (same_operands,),
    "stablehlo.multiply": (multiply_one, multiply_zero),
    "stablehlo.negate": (twice("negate"),),
    "stablehlo.not": (twice("not"),),
    "stablehlo.or": (same_operands, _neutral_and_absorbing(0, -1)),
    "stablehlo.pad": (pad_nothing,),
    "stablehlo.reshape": (identity, reshape_of_reshape),
    "stablehlo.select": (select_known,),
    "stablehlo.shift_left": (shift_by_zero,),
    "stablehlo.shift_right_arithmetic": (shift_by_zero,),
    "stablehlo.shift_right_logical": (shift_by_zero,),
    "stablehlo.slice": (identity, slice_of_slice),
    "stablehlo.subtract": (subtract_zero, subtract_self),
    "stablehlo.transpose": (transpose_identity, transpose_of_transpose),
    "stablehlo.xor": (xor_self, xor_zero),
}

_TABLES: tuple[Any, ...] = (
    OWN_PATTERNS,
    PAD_PATTERNS,
    REGION_PATTERNS,
    SCATTER_PATTERNS,
    UNIT_PATTERNS,
    WINDOW_PATTERNS,
)
PATTERNS: dict[str, tuple[Pattern, ...]] = {
    name: tuple(p for table in _TABLES for p in table.get(name, ())) for table in _TABLES for name in table
}
"""The patterns of each op, tried in order."""
