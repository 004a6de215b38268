"""Ops that are shorthand for others are written out, so that the lowering to linalg need not know them."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import GatherDimensionNumbers
from hlo.dialect.stablehlo import (
    AfterAllOp,
    BroadcastInDimOp,
    BroadcastOp,
    CreateTokenOp,
    GatherOp,
    GetTupleElementOp,
    TorchIndexSelectOp,
    TupleOp,
)
from hlo.dialect.types import shape
from hlo.lowering.finding import is_unused
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.stablehlo.decompositions import (  # noqa: F401
    contraction,
    normalization,
    random,
)
from hlo.lowering.stablehlo.decompositions.table import decomposes
from hlo.lowering.stablehlo.rewriting import defining, each_op


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
                rewrite(op, rule)
        for op in reversed(tuples):
            if is_unused(op):
                op.operation.erase()


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


@decomposes(TorchIndexSelectOp)
def lower_torch_index_select(op: TorchIndexSelectOp) -> list[ir.Value]:
    """The result has the dimensions of operand before dim, of index after the batch dimensions, of operand after dim."""
    sizes = list(shape(op.operand.type))
    batch = tuple(range(op.batch_dims))
    index_rank = len(shape(op.index.type))
    chosen = index_rank - op.batch_dims
    after = range(op.dim + chosen, op.dim + chosen + len(sizes) - op.dim - 1)
    numbers = GatherDimensionNumbers(
        offset_dims=(*range(op.batch_dims, op.dim), *after),
        collapsed_slice_dims=(op.dim,),
        operand_batching_dims=batch,
        start_indices_batching_dims=batch,
        start_index_map=(op.dim,),
        index_vector_dim=index_rank,
    )
    slice_sizes = [1 if d == op.dim or d in batch else size for d, size in enumerate(sizes)]
    gather = GatherOp.create(
        op.operand, op.index, results=[op.result.type], dimension_numbers=numbers, slice_sizes=slice_sizes
    )
    return [gather.results[0]]
