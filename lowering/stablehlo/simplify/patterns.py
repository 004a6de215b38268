"""Identities of one op, or of one op of another's result; loops that do not run, and branches that are known in advance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect import stablehlo as ops
from hlo.dialect.stablehlo import CaseOp, ConvertOp, IfOp
from hlo.dialect.types import element_type, is_bool, is_float, is_integer, is_unsigned, shape
from hlo.lowering.linalg.data_movement import common_groups
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, reshaped
from hlo.lowering.stablehlo.constants import constant_of, dtype_of, is_zero, splat
from hlo.lowering.stablehlo.rewriting import defining, move_body, unshaped
from hlo.lowering.stablehlo.simplify.table import Pattern, Replacement, simplifies


def is_splat_of(value: ir.Value, number: float) -> bool:
    found = splat(value)
    return found is not None and bool(found == number)


def _of_floats(op: Any) -> bool:
    return is_float(element_type(op.results[0].type))


def _exact(op: Any) -> bool:
    """Whether an op works on integers or booleans."""
    element = element_type(op.results[0].type)
    return is_integer(element) or is_bool(element)


Test = Callable[[Any, ir.Value], bool]
"""Of an operand of an op."""


def _one_of(passes: Test, gives_other: bool, commutes: bool = True) -> Pattern:
    """What an op gives of whose operands (the second one, unless it commutes) one passes a test: the other one, or that one."""

    def pattern(op: Any) -> Replacement:
        for value, tested in ((op.lhs, op.rhs), (op.rhs, op.lhs))[: 2 if commutes else 1]:
            if passes(op, tested):
                return value if gives_other else tested
        return None

    return pattern


def neutral(passes: Test) -> Pattern:
    """x op n = n op x = x."""
    return _one_of(passes, gives_other=True)


def neutral_on_the_right(passes: Test) -> Pattern:
    """x op n = x."""
    return _one_of(passes, gives_other=True, commutes=False)


def absorbing(passes: Test) -> Pattern:
    """x op a = a op x = a."""
    return _one_of(passes, gives_other=False)


def _is_added_zero(op: Any, value: ir.Value) -> bool:
    """0 of integers; -0.0 of floats (x + 0.0 would turn -0.0 into 0.0)."""
    return is_zero(value, negative=_of_floats(op))


def _is_exact_zero(op: Any, value: ir.Value) -> bool:
    """0 of integers: x * 0 of floats lets NaN and signs through."""
    return _exact(op) and is_splat_of(value, 0)


def _is(number: float) -> Test:
    return lambda op, value: is_splat_of(value, number)


def _has_bits(bits: int) -> Test:
    """A splat of zeros (0) or of ones (-1) in all bits."""

    def passes(op: Any, value: ir.Value) -> bool:
        found = splat(value)
        if found is None or not bits:
            return found is not None and found == 0
        return (int(found) + 1) % (1 << ir.IntegerType(element_type(value.type)).width) == 0

    return passes


@simplifies(ops.AndOp, ops.MaximumOp, ops.MinimumOp, ops.OrOp)
def same_operands(op: Any) -> Replacement:
    """x & x, x | x, max(x, x), min(x, x)."""
    return op.lhs if op.lhs == op.rhs else None


@simplifies(ops.SubtractOp, ops.XorOp)
def cancels_itself(op: Any) -> Replacement:
    """x - x and x ^ x of integers (of floats, infinity - infinity is NaN)."""
    return _number(op, 0) if _exact(op) and op.lhs == op.rhs else None


def twice(name: str) -> Pattern:
    """f(f(x)) = x."""

    def pattern(op: Any) -> Replacement:
        inner = defining(op.operands[0], name)
        return inner.operands[0] if inner is not None else None

    return pattern


def of_its_own(op_class: Any, both: Callable[[Any, Any], dict[str, Any]]) -> Pattern:
    """f(f(x)) as one f(x), whose attributes are made of those of the inner and the outer op."""

    def pattern(op: Any) -> Replacement:
        inner = defining(op.operands[0], op_class.MNEMONIC)
        if inner is None:
            return None
        return op_class.create(inner.operands[0], results=[op.results[0].type], **both(inner, op)).results[0]

    return pattern


def _permuted(inner: Any, op: Any) -> dict[str, Any]:
    return {"permutation": [inner.permutation[d] for d in op.permutation]}


def _broadcast(inner: Any, op: Any) -> dict[str, Any]:
    return {"broadcast_dimensions": [op.broadcast_dimensions[d] for d in inner.broadcast_dimensions]}


def _sliced(inner: Any, op: Any) -> dict[str, Any]:
    starts = [a + b * s for a, b, s in zip(inner.start_indices, op.start_indices, inner.strides, strict=True)]
    strides = [a * b for a, b in zip(inner.strides, op.strides, strict=True)]
    limits = [a + max(size - 1, 0) * s + min(size, 1) for a, s, size in zip(starts, strides, shape(op.result.type))]
    return {"start_indices": starts, "limit_indices": limits, "strides": strides}


@simplifies(ops.ConvertOp, ops.BitcastConvertOp, ops.ReshapeOp, ops.SliceOp)
def identity(op: Any) -> Replacement:
    """An op that only changes a type, to the type it has."""
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


@simplifies(ops.ConvertOp)
def convert_of_convert(op: Any) -> Replacement:
    """The first conversion loses nothing: the second can start from its operand."""
    inner = defining(unshaped(op.operands[0]), "convert")
    if inner is None:
        return None
    source, middle = element_type(inner.operands[0].type), element_type(op.operands[0].type)
    if not _holds(source, middle):
        return None
    operand = reshaped(Tensor(inner.operands[0]), shape(op.results[0].type)).value
    return ConvertOp.create(operand, results=[op.results[0].type]).results[0]


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


@simplifies(ops.TransposeOp)
def transpose_identity(op: Any) -> Replacement:
    return op.operand if list(op.permutation) == list(range(len(op.permutation))) else None


@simplifies(ops.BroadcastInDimOp)
def broadcast_identity(op: Any) -> Replacement:
    dimensions = list(op.broadcast_dimensions)
    return identity(op) if dimensions == list(range(len(dimensions))) else None


@simplifies(ops.BroadcastInDimOp)
def broadcast_of_joined_broadcast(op: Any) -> Replacement:
    """A broadcast, a reshape that joins dimensions, another broadcast: one broadcast, and the reshape behind it. Elements that are repeated
    along two dimensions, as in upsampling, are copied once."""
    joined = defining(op.operand, "reshape")
    inner = None if joined is None else defining(joined.operands[0], "broadcast_in_dim")
    if inner is None:
        return None
    source, target, sizes = (shape(v.type) for v in (inner.result, op.operand, op.result))
    stretches = any(sizes[d] != size for d, size in zip(op.broadcast_dimensions, target))
    if not target or 0 in target or stretches:
        return None
    parts: dict[int, list[int]] = {}
    for left, right in common_groups(source, target):
        if len(right) > 1:
            return None
        parts[op.broadcast_dimensions[right[0]]] = left
    wide = [source[n] if d in parts else sizes[d] for d in range(len(sizes)) for n in parts.get(d, [0])]
    order = [n for d in range(len(sizes)) for n in parts.get(d, [-1])]
    dimensions = [order.index(d) for d in inner.broadcast_dimensions]
    return reshaped(broadcast(Tensor(inner.operand), wide, dimensions), sizes).value


@simplifies(ops.ConcatenateOp)
def concatenate_of_one(op: Any) -> Replacement:
    """Operands without elements do not count."""
    inputs = [v for v in op.inputs if math.prod(shape(v.type))]
    return inputs[0] if len(inputs) == 1 and inputs[0].type == op.result.type else None


@simplifies(ops.PadOp)
def pad_nothing(op: Any) -> Replacement:
    padding = (*op.edge_padding_low, *op.edge_padding_high, *op.interior_padding)
    return op.operand if not any(padding) and op.operand.type == op.result.type else None


@simplifies(ops.SelectOp)
def select_known(op: Any) -> Replacement:
    if op.on_true == op.on_false:
        return op.on_true
    pred = splat(op.pred)
    if pred is None:
        return None
    return op.on_true if pred else op.on_false


@simplifies(ops.CompareOp)
def compare_self(op: Any) -> Replacement:
    """Of integers: a number is equal to itself (NaN is not)."""
    element = element_type(op.lhs.type)
    if op.lhs != op.rhs or not (is_integer(element) or is_bool(element)):
        return None
    return _number(op, op.comparison_direction in ("EQ", "GE", "LE"))


@simplifies(ops.IotaOp)
def iota_of_one(op: Any) -> Replacement:
    known = dtype_of(element_type(op.output.type)) is not None
    return _number(op, 0) if known and shape(op.output.type)[op.iota_dimension] == 1 else None


@simplifies(ops.SortOp)
def sort_of_one(op: Any) -> Replacement:
    """Along a dimension of at most one element."""
    inputs = list(op.inputs)
    return inputs if 0 <= shape(inputs[0].type)[op.dimension] <= 1 else None


def _number(op: Any, number: float) -> Replacement:
    t = op.results[0].type
    array = np.broadcast_to(np.array(number, dtype_of(element_type(t))), shape(t))
    return constant_of(array, t) if array.size else None


simplifies(ops.AddOp)(neutral(_is_added_zero))
simplifies(ops.AndOp)(neutral(_has_bits(-1)))
simplifies(ops.AndOp)(absorbing(_has_bits(0)))
simplifies(ops.BroadcastInDimOp)(of_its_own(ops.BroadcastInDimOp, _broadcast))
simplifies(ops.DivideOp)(neutral_on_the_right(_is(1)))
simplifies(ops.MaximumOp)(neutral(_is(-math.inf)))
simplifies(ops.MinimumOp)(neutral(_is(math.inf)))
simplifies(ops.MultiplyOp)(neutral(_is(1)))
simplifies(ops.MultiplyOp)(absorbing(_is_exact_zero))
simplifies(ops.NegateOp)(twice("negate"))
simplifies(ops.NotOp)(twice("not"))
simplifies(ops.OrOp, ops.XorOp)(neutral(_has_bits(0)))
simplifies(ops.OrOp)(absorbing(_has_bits(-1)))
simplifies(ops.ReshapeOp)(of_its_own(ops.ReshapeOp, lambda inner, op: {}))
simplifies(ops.ShiftLeftOp, ops.ShiftRightArithmeticOp, ops.ShiftRightLogicalOp)(neutral_on_the_right(_is(0)))
simplifies(ops.SliceOp)(of_its_own(ops.SliceOp, _sliced))
simplifies(ops.SubtractOp)(neutral_on_the_right(lambda op, value: is_zero(value, negative=False)))
simplifies(ops.TransposeOp)(of_its_own(ops.TransposeOp, _permuted))


@simplifies(IfOp)
def if_known(op: Any) -> list[ir.Value] | None:
    pred = splat(op.pred)
    if pred is None:
        return None
    return move_body((op.true_branch if pred else op.false_branch).blocks[0], [])


@simplifies(CaseOp)
def case_known(op: Any) -> list[ir.Value] | None:
    """An index out of range chooses the last branch."""
    index, branches = splat(op.index), op.branches
    if index is None:
        return None
    return move_body((branches[index] if 0 <= index < len(branches) else branches[-1]).blocks[0], [])
