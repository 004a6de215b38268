"""bitcast_convert between widths: a wide element is the narrow ones along a new last dimension, low bits first."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import BitcastConvertOp
from hlo.dialect.types import bit_width, element_type
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.scalar.conversion import bitcast
from hlo.lowering.linalg.scalar.expressions import Complex, Float, Int, emit
from hlo.lowering.linalg.structured import empty, generic


def split_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each element of the result is cut out of the operand's by a shift."""
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, width = result_type.rank, bit_width(element_type(op.result.type))
    wide = ir.IntegerType.get_signless(bit_width(element_type(op.operand.type)))
    last = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), rank - 1)

    def body(value: ir.Value, _: ir.Value) -> list[ir.Value]:
        position = emit("linalg.index", ir.IndexType.get(), attributes={"dim": last})
        shift = Int(emit("arith.index_cast", wide, position)) * width
        part = _wide_bits(value, wide).arith("shrui", shift).resized(width, signed=False)
        return [_from_bits(part, result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    outer = ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(d) for d in range(rank - 1)])
    return generic([operand], [outer], [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def join_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each element of the result is the disjunction of the operand's along the last dimension, shifted."""
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, width = result_type.rank, bit_width(element_type(op.operand.type))
    wide, narrow = bit_width(element_type(op.result.type)), ir.IntegerType.get_signless(width)
    count = wide // width
    dims = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    maps = [ir.AffineMap.get(rank, 0, [*dims, ir.AffineExpr.get_constant(i)]) for i in range(count)]

    def body(*values: ir.Value) -> list[ir.Value]:
        parts = [_wide_bits(v, narrow).resized(wide, signed=False) for v in values[:count]]
        joined = parts[0]
        for i, part in enumerate(parts[1:], 1):
            joined = joined | part.arith("shli", i * width)
        return [_from_bits(joined, result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    return generic([operand] * count, maps, [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def _wide_bits(value: ir.Value, wide: ir.Type) -> Int:
    """The bits of an element as one integer; those of a complex number: the real part's are the lower half."""
    if not isinstance(value.type, ir.ComplexType):
        return Int(bitcast(value, wide))
    number = Complex.of(value)
    half = ir.IntegerType.get_signless(wide.width // 2)
    low, high = (Int(bitcast(part.value, half)).resized(wide.width, signed=False) for part in (number.re, number.im))
    return low | high.arith("shli", half.width)


def _from_bits(bits: Int, target: ir.Type) -> ir.Value:
    if not isinstance(target, ir.ComplexType):
        return bitcast(bits.value, target)
    part = target.element_type
    halves = (bits, bits.arith("shrui", part.width))
    return Complex(*(Float(bitcast(h.resized(part.width, signed=False).value, part)) for h in halves)).value
