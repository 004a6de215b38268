"""Elementwise ops: each is one linalg.generic with identity maps, whose body is the op on scalars.

Before:  %0 = stablehlo.maximum %a, %b : tensor<8xf32>
After:   %0 = linalg.generic ins(%a, %b) { ^bb0(%x, %y, %_): %m = arith.maximumf %x, %y; linalg.yield %m }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect import stablehlo as ops
from hlo.dialect.chlo import ErfOp
from hlo.dialect.types import bit_width, element_type
from hlo.lowering.linalg.bits import join_elements, split_elements
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.table import scalar
from hlo.lowering.linalg.structured import elementwise


@lowers(
    ops.AbsOp,
    ops.AddOp,
    ops.AndOp,
    ops.Atan2Op,
    ops.CbrtOp,
    ops.CeilOp,
    ops.ClampOp,
    ops.CompareOp,
    ops.ComplexOp,
    ops.ConvertOp,
    ops.CosineOp,
    ops.CountLeadingZerosOp,
    ops.DivideOp,
    ops.ExponentialMinusOneOp,
    ops.ExponentialOp,
    ops.FloorOp,
    ops.ImagOp,
    ops.IsFiniteOp,
    ops.LogOp,
    ops.LogPlusOneOp,
    ops.LogisticOp,
    ops.MaximumOp,
    ops.MinimumOp,
    ops.MultiplyOp,
    ops.NegateOp,
    ops.NotOp,
    ops.OrOp,
    ops.PopcntOp,
    ops.PowerOp,
    ops.RealOp,
    ops.ReducePrecisionOp,
    ops.RemainderOp,
    ops.RoundNearestAfzOp,
    ops.RoundNearestEvenOp,
    ops.RsqrtOp,
    ops.SelectOp,
    ops.ShiftLeftOp,
    ops.ShiftRightArithmeticOp,
    ops.ShiftRightLogicalOp,
    ops.SignOp,
    ops.SineOp,
    ops.SqrtOp,
    ops.SubtractOp,
    ops.TanOp,
    ops.TanhOp,
    ops.XorOp,
    ErfOp,
)
def lower_elementwise(op: Any, lowering: Lowering) -> ir.Value:
    result_type = lowering.type(op.results[0].type)
    inputs = [lowering[v] for v in op.operands]
    return elementwise(inputs, result_type, lambda *scalars: scalar(op, *scalars))


@lowers(ops.BitcastConvertOp)
def lower_bitcast_convert(op: ops.BitcastConvertOp, lowering: Lowering) -> ir.Value:
    source, target = element_type(op.operand.type), element_type(op.result.type)
    if bit_width(source) == bit_width(target):
        return lower_elementwise(op, lowering)
    change = split_elements if bit_width(source) > bit_width(target) else join_elements
    return change(op, lowering)
