"""CHLO ops that are not elementwise. Used by legalize-chlo."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.chlo.structured import ConstantLikeOp, ConstantOp, TopKOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CompareOp, SortOp
from hlo.dialect.stablehlo import ConstantOp as StableConstantOp
from hlo.dialect.stablehlo.selection import comparison_types
from hlo.dialect.types import element_type, is_float, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.stablehlo.arithmetic import Tensor, iota, leading
from hlo.lowering.stablehlo.chlo.table import legalizes
from hlo.lowering.stablehlo.rewriting import fill_region


@legalizes(ConstantOp)
def lower_constant(op: ConstantOp) -> list[ir.Value]:
    return [StableConstantOp.create(results=[op.results[0].type], value=op.attributes["value"]).results[0]]


@legalizes(ConstantLikeOp)
def lower_constant_like(op: ConstantLikeOp) -> list[ir.Value]:
    result_type = op.results[0].type
    if any(size < 0 for size in shape(result_type)):
        raise CompileError(diagnostic(op, f"'chlo.constant_like' of a dynamic shape cannot be compiled: {result_type}"))
    splat = ir.DenseElementsAttr.get_splat(result_type, op.attributes["value"])
    return [StableConstantOp.create(results=[result_type], value=splat).results[0]]


@legalizes(TopKOp)
def lower_top_k(op: TopKOp) -> list[ir.Value]:
    """The first k of a stable sort in descending order, which carries the positions along. Floats compare by total
    order: NaN is the largest, and 0.0 is above -0.0."""
    operand, last = op.operands[0], len(shape(op.operands[0].type)) - 1
    positions_type = tensor(shape(operand.type), ir.IntegerType.get_signless(32))
    positions = iota(positions_type, last).value
    types = [operand.type, positions_type]
    sort = SortOp.create(operand, positions, results=types, dimension=last, is_stable=True)
    _fill_comparator(sort)
    limits = [*shape(operand.type)[:-1], op.k]
    return [leading(Tensor(result), limits).value for result in sort.results]


def _fill_comparator(sort: SortOp) -> None:
    element = element_type(sort.operands[0].type)
    scalars = [tensor([], element_type(v.type)) for v in sort.operands for _ in range(2)]
    kind = "TOTALORDER" if is_float(element) else comparison_types(element)[0]

    def is_greater(a: ir.Value, b: ir.Value, *_: ir.Value) -> list[ir.Value]:
        return [CompareOp.create(a, b, comparison_direction="GT", compare_type=kind).result]

    fill_region(sort.comparator, scalars, is_greater)
