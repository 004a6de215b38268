"""torch_index_select as a gather. Used by decompose."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import GatherDimensionNumbers
from hlo.dialect.stablehlo import GatherOp, TorchIndexSelectOp
from hlo.dialect.types import shape
from hlo.lowering.stablehlo.decompositions.table import decomposes


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
