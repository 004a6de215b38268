"""bitcast_convert between widths: a wide element is the narrow ones along a new last dimension, low bits first."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import BitcastConvertOp
from hlo.dialect.types import bit_width, element_type, is_complex
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import Lowering, located
from hlo.lowering.linalg.scalar.conversion import bitcast
from hlo.lowering.linalg.scalar.expressions import Int, emit
from hlo.lowering.linalg.structured import empty, generic


def split_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each element of the result is cut out of the operand's by a shift."""
    _check(op)
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, width = result_type.rank, bit_width(element_type(op.result.type))
    wide = ir.IntegerType.get_signless(bit_width(element_type(op.operand.type)))
    last = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), rank - 1)

    def body(value: ir.Value, _: ir.Value) -> list[ir.Value]:
        position = emit("linalg.index", ir.IndexType.get(), attributes={"dim": last})
        shift = Int(emit("arith.index_cast", wide, position)) * width
        part = Int(bitcast(value, wide)).arith("shrui", shift).resized(width, signed=False)
        return [bitcast(part.value, result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    outer = ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(d) for d in range(rank - 1)])
    return generic([operand], [outer], [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def join_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each element of the result is the disjunction of the operand's along the last dimension, shifted."""
    _check(op)
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, width = result_type.rank, bit_width(element_type(op.operand.type))
    wide, narrow = bit_width(element_type(op.result.type)), ir.IntegerType.get_signless(width)
    count = wide // width
    dims = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    maps = [ir.AffineMap.get(rank, 0, [*dims, ir.AffineExpr.get_constant(i)]) for i in range(count)]

    def body(*values: ir.Value) -> list[ir.Value]:
        parts = [Int(bitcast(v, narrow)).resized(wide, signed=False) for v in values[:count]]
        joined = parts[0]
        for i, part in enumerate(parts[1:], 1):
            joined = joined | part.arith("shli", i * width)
        return [bitcast(joined.value, result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    return generic([operand] * count, maps, [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def _check(op: BitcastConvertOp) -> None:
    if is_complex(element_type(op.operand.type)):
        raise CompileError(located(op, "bitcast_convert between complex types of different widths is not supported"))
