"""Elementwise ops whose operands are broadcast to one shape: dimensions of size 1 are repeated, and the dimensions of
the operand of lower rank are those that broadcast_dimensions names, or the last ones (numpy's rule)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect import stablehlo
from hlo.dialect.attributes import COMPARISON_DIRECTION, COMPARISON_TYPE, I64Array
from hlo.dialect.chlo import functions
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    BoolTensor,
    compatible_baselines,
    element_type,
    rank,
    shape,
    tensor,
)


def broadcast_sizes(a: int, b: int) -> int | None:
    """The size that two become, None when they cannot."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if DYNAMIC in (a, b):
        return b if a == DYNAMIC else a
    return None


def broadcast_shape(*shapes: Sequence[int]) -> list[int] | None:
    """The shape that shapes become by numpy's rule, None when they cannot."""
    length = max(map(len, shapes))
    sizes: list[int | None] = [1] * length
    for one in shapes:
        padded = [1] * (length - len(one)) + list(one)
        sizes = [None if s is None else broadcast_sizes(s, p) for s, p in zip(sizes, padded)]
    return None if None in sizes else sizes  # type: ignore[return-value]


def _expanded(small: Sequence[int], dimensions: Sequence[int] | None, length: int) -> list[int]:
    """The shape of the operand of lower rank with ones where broadcast_dimensions names nothing."""
    if dimensions is None:
        return list(small)
    sizes = [1] * length
    for dimension, size in zip(dimensions, small):
        sizes[dimension] = size
    return sizes


def _known(sizes: list[int] | None) -> list[int]:
    if sizes is None:
        raise ValueError("the shapes do not broadcast")
    return sizes


class _BroadcastBinary(Op):
    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    DIALECT = "chlo"
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    broadcast_dimensions = Attr(I64Array, optional=True)
    result = Result(AnyTensor)

    def result_element(self) -> ir.Type:
        return element_type(self.lhs.type)

    @constraint()
    def same_element_types(self):
        lhs, rhs = element_type(self.lhs.type), element_type(self.rhs.type)
        if not compatible_baselines(lhs, rhs):
            return f"lhs and rhs must have one element type, found {lhs} and {rhs}"
        return None

    @constraint()
    def broadcast_dimensions_are_legal(self):
        if self.broadcast_dimensions is None:
            return None
        low, high = sorted((rank(self.lhs.type), rank(self.rhs.type)))
        dimensions = list(self.broadcast_dimensions)
        ascending = dimensions == sorted(set(dimensions))
        if len(dimensions) == low and ascending and all(0 <= d < high for d in dimensions):
            return None
        return f"broadcast_dimensions must be {low} ascending dimensions in [0, {high}), found {dimensions}"

    @constraint()
    def shapes_broadcast(self):
        if self.broadcast() is None:
            return f"lhs and rhs must broadcast to one shape, found {self.lhs.type} and {self.rhs.type}"
        return None

    def broadcast(self) -> list[int] | None:
        small, large = sorted((shape(self.lhs.type), shape(self.rhs.type)), key=len)
        return broadcast_shape(_expanded(small, self.broadcast_dimensions, len(large)), large)

    def infer(self):
        sizes = self.broadcast()
        return [tensor(_known(sizes), self.result_element())]


def _of(plain: type[Op]) -> tuple[Operand, Operand, Result]:
    """Operands and result of the types that the op on operands of one shape takes and gives."""
    lhs, rhs = plain.OPERANDS
    return Operand(lhs.type), Operand(rhs.type), Result(plain.RESULTS[0].type)


class BroadcastAddOp(_BroadcastBinary, mnemonic="broadcast_add"):
    """stablehlo.add of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.AddOp)


class BroadcastAndOp(_BroadcastBinary, mnemonic="broadcast_and"):
    """stablehlo.and of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.AndOp)


class BroadcastAtan2Op(_BroadcastBinary, mnemonic="broadcast_atan2"):
    """stablehlo.atan2 of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.Atan2Op)


class BroadcastCompareOp(_BroadcastBinary, mnemonic="broadcast_compare"):
    """stablehlo.compare of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.CompareOp)

    comparison_direction = Attr(COMPARISON_DIRECTION)
    compare_type = Attr(COMPARISON_TYPE, optional=True)

    def result_element(self) -> ir.Type:
        return ir.IntegerType.get_signless(1)


class BroadcastComplexOp(_BroadcastBinary, mnemonic="broadcast_complex"):
    """stablehlo.complex of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.ComplexOp)

    def result_element(self) -> ir.Type:
        return ir.ComplexType.get(element_type(self.lhs.type))


class BroadcastDivideOp(_BroadcastBinary, mnemonic="broadcast_divide"):
    """stablehlo.divide of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.DivideOp)


class BroadcastMaximumOp(_BroadcastBinary, mnemonic="broadcast_maximum"):
    """stablehlo.maximum of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.MaximumOp)


class BroadcastMinimumOp(_BroadcastBinary, mnemonic="broadcast_minimum"):
    """stablehlo.minimum of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.MinimumOp)


class BroadcastMultiplyOp(_BroadcastBinary, mnemonic="broadcast_multiply"):
    """stablehlo.multiply of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.MultiplyOp)


class BroadcastNextAfterOp(_BroadcastBinary, mnemonic="broadcast_next_after"):
    """chlo.next_after of broadcast operands."""

    lhs, rhs, result = _of(functions.NextAfterOp)


class BroadcastOrOp(_BroadcastBinary, mnemonic="broadcast_or"):
    """stablehlo.or of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.OrOp)


class BroadcastPolygammaOp(_BroadcastBinary, mnemonic="broadcast_polygamma"):
    """chlo.polygamma of broadcast operands."""

    lhs, rhs, result = _of(functions.PolygammaOp)


class BroadcastPowerOp(_BroadcastBinary, mnemonic="broadcast_power"):
    """stablehlo.power of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.PowerOp)


class BroadcastRemainderOp(_BroadcastBinary, mnemonic="broadcast_remainder"):
    """stablehlo.remainder of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.RemainderOp)


class BroadcastShiftLeftOp(_BroadcastBinary, mnemonic="broadcast_shift_left"):
    """stablehlo.shift_left of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.ShiftLeftOp)


class BroadcastShiftRightArithmeticOp(_BroadcastBinary, mnemonic="broadcast_shift_right_arithmetic"):
    """stablehlo.shift_right_arithmetic of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.ShiftRightArithmeticOp)


class BroadcastShiftRightLogicalOp(_BroadcastBinary, mnemonic="broadcast_shift_right_logical"):
    """stablehlo.shift_right_logical of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.ShiftRightLogicalOp)


class BroadcastSubtractOp(_BroadcastBinary, mnemonic="broadcast_subtract"):
    """stablehlo.subtract of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.SubtractOp)


class BroadcastXorOp(_BroadcastBinary, mnemonic="broadcast_xor"):
    """stablehlo.xor of broadcast operands."""

    lhs, rhs, result = _of(stablehlo.XorOp)


class BroadcastZetaOp(_BroadcastBinary, mnemonic="broadcast_zeta"):
    """chlo.zeta of broadcast operands."""

    lhs, rhs, result = _of(functions.ZetaOp)


class BroadcastSelectOp(Op, mnemonic="broadcast_select"):
    """stablehlo.select of operands broadcast by numpy's rule."""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    DIALECT = "chlo"
    pred = Operand(BoolTensor)
    on_true = Operand(AnyTensor)
    on_false = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint()
    def same_element_types(self):
        true, false = element_type(self.on_true.type), element_type(self.on_false.type)
        if not compatible_baselines(true, false):
            return f"on_true and on_false must have one element type, found {true} and {false}"
        return None

    @constraint()
    def shapes_broadcast(self):
        if broadcast_shape(*(shape(v.type) for v in self.operands)) is None:
            found = ", ".join(str(v.type) for v in self.operands)
            return f"pred, on_true and on_false must broadcast to one shape, found {found}"
        return None

    def infer(self):
        sizes = broadcast_shape(*(shape(v.type) for v in self.operands))
        return [tensor(_known(sizes), element_type(self.on_true.type))]
