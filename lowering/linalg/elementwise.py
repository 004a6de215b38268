"""Elementwise ops: each is one linalg.generic with identity maps, whose body is the op on scalars.

Before:  %0 = stablehlo.maximum %a, %b : tensor<8xf32>
After:   %0 = linalg.generic ins(%a, %b) { ^bb0(%x, %y, %_): %m = arith.maximumf %x, %y; linalg.yield %m }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect import stablehlo as ops
from hlo.dialect.definition import OPS
from hlo.dialect.types import bit_width, element_type
from hlo.lowering.linalg.bits import join_elements, split_elements
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.table import has_scalar, scalar
from hlo.lowering.linalg.structured import elementwise, known_parts

OF_ARRAYS = (ops.BitcastConvertOp, ops.ImagOp, ops.RealOp)

BY_SCALARS = [
    op
    for op in OPS.values()
    if op.DIALECT == "stablehlo" and op.ELEMENTWISE and has_scalar(op.MNEMONIC) and op not in OF_ARRAYS
]
"""The ops that a row of the scalar tables is all of."""


@lowers(*BY_SCALARS)
def lower_elementwise(op: Any, lowering: Lowering) -> ir.Value:
    result_type = lowering.type(op.results[0].type)
    inputs = [lowering[v] for v in op.operands]
    return elementwise(inputs, result_type, lambda *scalars: scalar(op, *scalars))


@lowers(ops.RealOp, ops.ImagOp)
def lower_part(op: Any, lowering: Lowering) -> ir.Value:
    """Of a complex array that is made of its parts, the part."""
    known = known_parts(lowering[op.operand])
    return lower_elementwise(op, lowering) if known is None else known[isinstance(op, ops.ImagOp)]


@lowers(ops.BitcastConvertOp)
def lower_bitcast_convert(op: ops.BitcastConvertOp, lowering: Lowering) -> ir.Value:
    source, target = element_type(op.operand.type), element_type(op.result.type)
    if bit_width(source) == bit_width(target):
        return lower_elementwise(op, lowering)
    change = split_elements if bit_width(source) > bit_width(target) else join_elements
    return change(op, lowering)
