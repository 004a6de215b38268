"""Elementwise ops: each is one linalg.generic with identity maps, whose body is the op on scalars.

Before:  %0 = stablehlo.maximum %a, %b : tensor<8xf32>
After:   %0 = linalg.generic ins(%a, %b) { ^bb0(%x, %y, %_): %m = arith.maximumf %x, %y; linalg.yield %m }

And bitcast_convert between widths: a wide element is the narrow ones along a new last dimension, low bits first. Bits are held in words,
integers of at most 64 bits: one for a number, two for a complex one, the real part's first."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect import stablehlo as ops
from hlo.dialect.definition import OPS
from hlo.dialect.stablehlo import BitcastConvertOp
from hlo.dialect.types import bit_width, element_type
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.conversion import bitcast
from hlo.lowering.linalg.scalar.table import has_scalar, scalar
from hlo.lowering.linalg.structured import elementwise, empty, generic, known_parts, loop_index
from hlo.lowering.numbers import Complex, Number, emit, select

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


def split_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each element of the result is cut out of the operand's word that holds it, by a shift."""
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, width = result_type.rank, bit_width(element_type(op.result.type))

    def body(value: ir.Value, _: ir.Value) -> list[ir.Value]:
        words = _words(value)
        held = words[0].width // width
        position = Number(emit("arith.index_cast", words[0].type, loop_index(rank - 1)))
        word = select(position.compare("ult", held), *words) if len(words) == 2 else words[0]
        bits = word.arith("shrui", (position & (held - 1)) * width).resized(width, signed=False)
        return [_element(_cut(bits, _word_count(result_type)), result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    outer = ir.AffineMap.get(rank, 0, [ir.AffineExpr.get_dim(d) for d in range(rank - 1)])
    return generic([operand], [outer], [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def join_elements(op: BitcastConvertOp, lowering: Lowering) -> ir.Value:
    """Each word of an element of the result is the disjunction of those of the operand in it, shifted."""
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    rank, count = result_type.rank, operand.type.shape[-1]
    held = count // _word_count(result_type)
    dims = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    maps = [ir.AffineMap.get(rank, 0, [*dims, ir.AffineExpr.get_constant(i)]) for i in range(count)]

    def body(*values: ir.Value) -> list[ir.Value]:
        bits = [_joined(_words(value)) for value in values[:count]]
        words = [_joined(bits[i : i + held]) for i in range(0, count, held)]
        return [_element(words, result_type.element_type)]

    identity = ir.AffineMap.get_identity(rank)
    return generic([operand] * count, maps, [empty(result_type)], [identity], ["parallel"] * rank, body)[0]


def _word_count(kind: ir.RankedTensorType) -> int:
    return 2 if isinstance(kind.element_type, ir.ComplexType) else 1


def _words(value: ir.Value) -> list[Number]:
    if isinstance(value.type, ir.ComplexType):
        number = Complex.of(value)
        return [number.re.bits(), number.im.bits()]
    return [Number(bitcast(value, ir.IntegerType.get_signless(bit_width(value.type))))]


def _element(words: list[Number], kind: ir.Type) -> ir.Value:
    if isinstance(kind, ir.ComplexType):
        return Complex(*(Number(bitcast(word.value, kind.element_type)) for word in words)).value
    return bitcast(words[0].value, kind)


def _joined(parts: list[Number]) -> Number:
    """One integer of all their bits, the first part's lowest."""
    width, whole = parts[0].width, parts[0].resized(parts[0].width * len(parts), signed=False)
    for i, part in enumerate(parts[1:], 1):
        whole = whole | part.resized(whole.width, signed=False).arith("shli", i * width)
    return whole


def _cut(whole: Number, count: int) -> list[Number]:
    """Into equal parts, the lowest bits first."""
    width = whole.width // count
    return [whole.arith("shrui", i * width).resized(width, signed=False) for i in range(count)]
