"""Ops that are shorthand for others are written out, so that the lowering to linalg need not know them."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.stablehlo import (
    AfterAllOp,
    BroadcastInDimOp,
    BroadcastOp,
    CreateTokenOp,
    DotGeneralOp,
    DotOp,
    GetTupleElementOp,
    TupleOp,
)
from hlo.dialect.types import shape
from hlo.lowering.finding import is_unused
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.decompositions import (  # noqa: F401
    batch_normalization,
    einsum,
    random_bits,
    random_numbers,
    torch_index_select,
)
from hlo.lowering.stablehlo.decompositions.table import decomposes
from hlo.lowering.stablehlo.rewriting import defining, each_op, replace


@register_pass
class Decompose(Pass):
    """Replaces batch normalizations, dot, einsum, broadcast, torch_index_select, random number generators,
    create_token, and get_tuple_element of a tuple in sight.

    %0 = stablehlo.dot %x, %y : ...    becomes    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ..."""

    def run(self, module: ir.Module) -> None:
        tuples = []
        for op in each_op(module):
            if isinstance(op, TupleOp):
                tuples.append(op)
            elif (rule := decomposes.get(op.operation.name)) is not None:
                with ir.InsertionPoint(op), op.location:
                    values = rule(op)
                if values is not None:
                    replace(op, values)
        for op in reversed(tuples):
            if is_unused(op):
                op.operation.erase()


@decomposes(DotOp)
def _lower_dot(op: DotOp) -> list[ir.Value]:
    """The last dimension of lhs with the first of rhs."""
    dimensions = DotDimensionNumbers(
        lhs_contracting_dimensions=(len(shape(op.lhs.type)) - 1,), rhs_contracting_dimensions=(0,)
    )
    attributes = {"precision_config": op.attributes["precision_config"]} if "precision_config" in op.attributes else {}
    return list(
        DotGeneralOp.create(
            op.lhs, op.rhs, results=[op.results[0].type], dot_dimension_numbers=dimensions, **attributes
        ).results
    )


@decomposes(BroadcastOp)
def _lower_broadcast(op: BroadcastOp) -> list[ir.Value]:
    """The new dimensions come first."""
    result_type = op.results[0].type
    added = len(shape(result_type)) - len(shape(op.operand.type))
    dimensions = range(added, len(shape(result_type)))
    return list(BroadcastInDimOp.create(op.operand, results=[result_type], broadcast_dimensions=dimensions).results)


@decomposes(CreateTokenOp)
def _lower_create_token(op: CreateTokenOp) -> list[ir.Value]:
    return list(AfterAllOp.create(results=[op.results[0].type]).results)


@decomposes(GetTupleElementOp)
def _lower_get_tuple_element(op: GetTupleElementOp) -> list[ir.Value] | None:
    """None where the tuple comes from elsewhere."""
    made = defining(op.operands[0], "tuple")
    return None if made is None else [made.operands[op.index]]
