"""constant: `arith.constant` of a dense attribute with signless elements, the data reinterpreted, not copied through
Python values; iota: the index."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlir import ir

from hlo.dialect.elements import make_elements, read_elements
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import ConstantOp, IotaOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.errors import CompileError
from hlo.lowering.linalg.loops import extract
from hlo.lowering.linalg.rules import Lowering, lowers, signless
from hlo.lowering.linalg.scalar.conversion import convert
from hlo.lowering.linalg.structured import elementwise, fill, loop_index
from hlo.lowering.numbers import emit


@lowers(ConstantOp)
def lower_constant(op: ConstantOp, lowering: Lowering) -> ir.Value:
    """Of equal complex elements a fill, whose number kernels have without an array: MLIR folds no reads of such constants."""
    result_type, value = lowering.type(op.results[0].type), signless_elements(op)
    element = result_type.element_type
    if isinstance(element, ir.ComplexType) and result_type.rank and value.is_splat:
        return fill(emit("complex.constant", element, attributes={"value": value.get_splat_value()}), result_type)
    return emit("arith.constant", result_type, attributes={"value": value})


def signless_elements(op: Any) -> ir.Attribute:
    """The op's value with signless elements."""
    value = op.operation.attributes["value"]
    target = signless(value.type)
    if target == value.type:
        return value
    if not isinstance(value, ir.DenseElementsAttr):
        raise CompileError(diagnostic(op, f"a constant of kind {value} is not supported"))
    if value.is_splat:
        number = read_elements(value)
        assert number is not None, "integers have a numpy type"
        return make_elements(number, target)
    data = np.array(value)
    return ir.DenseElementsAttr.get(data, signless=True, type=target.element_type, shape=list(target.shape))


def scalar_constant(op: Any) -> ir.Value:
    """A constant of rank 0 as a scalar."""
    element = signless(element_type(op.results[0].type))
    value = signless_elements(op)
    if isinstance(element, ir.ComplexType):
        return extract(emit("arith.constant", value.type, attributes={"value": value}), [])
    return emit("arith.constant", element, attributes={"value": value.get_splat_value()})


@lowers(IotaOp)
def lower_iota(op: IotaOp, lowering: Lowering) -> ir.Value:
    result_type, element = lowering.type(op.output.type), element_type(op.output.type)
    width = 32 if result_type.shape[op.iota_dimension] < 2**31 else 64
    if isinstance(element, ir.IntegerType):
        width = element.width
    counter = ir.IntegerType.get_signless(width)
    source = element if is_unsigned(element) else counter

    def body() -> ir.Value:
        return convert(emit("arith.index_cast", counter, loop_index(op.iota_dimension)), source, element)

    return elementwise([], result_type, body)


def counts_along(value: ir.Value, dimension: int) -> bool:
    """Whether each element is an integer, its index along a dimension."""
    op = None if isinstance(value.owner, ir.Block) else value.owner.opview
    is_count = isinstance(op, IotaOp) and op.iota_dimension == dimension
    return is_count and isinstance(element_type(value.type), ir.IntegerType)
