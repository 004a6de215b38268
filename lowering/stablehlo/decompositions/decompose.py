"""Ops that are shorthand for others are written out, so that the lowering to linalg need not know them."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.dialect.stablehlo import (
    AfterAllOp,
    BroadcastInDimOp,
    BroadcastOp,
    CreateTokenOp,
    DotGeneralOp,
    DotOp,
    EinsumOp,
    GetTupleElementOp,
    TorchIndexSelectOp,
    TupleOp,
    UnaryEinsumOp,
)
from hlo.dialect.types import shape
from hlo.lowering.finding import is_unused
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.decompositions.batch_normalization import BATCH_NORMALIZATIONS
from hlo.lowering.stablehlo.decompositions.einsum import lower_einsum, lower_unary_einsum
from hlo.lowering.stablehlo.decompositions.random_bits import lower_rng_bit_generator
from hlo.lowering.stablehlo.decompositions.random_numbers import lower_rng
from hlo.lowering.stablehlo.decompositions.torch_index_select import lower_torch_index_select
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
            elif (rule := DECOMPOSITIONS.get(op.operation.name)) is not None:
                with ir.InsertionPoint(op), op.location:
                    values = rule(op)
                if values is not None:
                    replace(op, values)
        for op in reversed(tuples):
            if is_unused(op):
                op.operation.erase()


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


def _lower_broadcast(op: BroadcastOp) -> list[ir.Value]:
    """The new dimensions come first."""
    result_type = op.results[0].type
    added = len(shape(result_type)) - len(shape(op.operand.type))
    dimensions = range(added, len(shape(result_type)))
    return list(BroadcastInDimOp.create(op.operand, results=[result_type], broadcast_dimensions=dimensions).results)


def _lower_create_token(op: CreateTokenOp) -> list[ir.Value]:
    return list(AfterAllOp.create(results=[op.results[0].type]).results)


def _lower_get_tuple_element(op: GetTupleElementOp) -> list[ir.Value] | None:
    """None where the tuple comes from elsewhere."""
    made = defining(op.operands[0], "tuple")
    return None if made is None else [made.operands[op.index]]


DECOMPOSITIONS: dict[str, Callable[..., list[ir.Value] | None]] = {
    DotOp.OPERATION_NAME: _lower_dot,
    EinsumOp.OPERATION_NAME: lower_einsum,
    UnaryEinsumOp.OPERATION_NAME: lower_unary_einsum,
    BroadcastOp.OPERATION_NAME: _lower_broadcast,
    TorchIndexSelectOp.OPERATION_NAME: lower_torch_index_select,
    CreateTokenOp.OPERATION_NAME: _lower_create_token,
    GetTupleElementOp.OPERATION_NAME: _lower_get_tuple_element,
    "stablehlo.rng_bit_generator": lower_rng_bit_generator,
    "stablehlo.rng": lower_rng,
    **{f"stablehlo.{name}": rule for name, rule in BATCH_NORMALIZATIONS.items()},
}
"""What each op is written out as; None leaves it."""
