"""gather: a linalg.generic over the result whose body reads the operand at computed positions.

Before:  %0 = "stablehlo.gather"(%operand, %start_indices) {...} : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
After:   %0 = linalg.generic (d0, d1) ins(%start_indices at (d0, 0)) outs(%empty at (d0, d1)) {
             start = clamp(index_cast in, 0, 7); yield tensor.extract %operand[start, linalg.index 1] }

Each component of the index vectors is one input, start_indices under its own map: the index loads are regular, only
the operand is read by tensor.extract. Start indices are clamped, so that a slice is always inside the operand. A slice of
size 0 in a dimension that the result leaves out has no element: there the result is zeros (the specification names none)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import GatherOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.loops import Index, add, clamp, element, extract, shape, to_index, zero
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import fill, generic, loop_index


@lowers(GatherOp)
def lower_gather(op: GatherOp, lowering: Lowering) -> ir.Value:
    return gather(op, lowering, list(op.slice_sizes))


def gather(op: GatherOp, lowering: Lowering, slice_sizes: Sequence[int]) -> ir.Value:
    operand, indices = lowering[op.operand], lowering[op.start_indices]
    numbers, unsigned = op.dimension_numbers, is_unsigned(element_type(op.start_indices.type))
    result_type = lowering.type(op.results[0].type)
    if any(slice_sizes[d] == 0 for d in _absent(op)):
        return fill(zero(element(result_type)), result_type)
    rank = len(shape(result_type))
    batch_dims = [d for d in range(rank) if d not in numbers.offset_dims]
    limits = [n - size for n, size in zip(shape(operand), slice_sizes, strict=True)]

    def body(*scalars: ir.Value) -> list[ir.Value]:
        position: list[Index] = [0] * len(limits)
        for dimension, scalar in zip(numbers.start_index_map, scalars, strict=False):
            position[dimension] = clamp(to_index(scalar, unsigned), 0, limits[dimension]) if limits[dimension] else 0
        for dimension, index_dim in zip(
            numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
        ):
            position[dimension] = loop_index(batch_dims[index_dim - (index_dim > numbers.index_vector_dim)])
        for dimension, offset_dim in zip(_sliced_dims(op, len(limits)), numbers.offset_dims, strict=True):
            if slice_sizes[dimension] > 1:
                position[dimension] = add(position[dimension], loop_index(offset_dim))
        return [extract(operand, position)]

    maps = [
        _component_map(indices, numbers.index_vector_dim, batch_dims, rank, c)
        for c in range(len(numbers.start_index_map))
    ]
    empty = tensor.empty(shape(result_type), element(result_type))
    identity = ir.AffineMap.get_identity(rank)
    return generic([indices] * len(maps), maps, [empty], [identity], ["parallel"] * rank, body)[0]


def _sliced_dims(op: GatherOp, rank: int) -> list[int]:
    """The operand dimension of each offset dimension."""
    return [d for d in range(rank) if d not in _absent(op)]


def _absent(op: GatherOp) -> tuple[int, ...]:
    """The operand dimensions that the result leaves out."""
    return (*op.dimension_numbers.collapsed_slice_dims, *op.dimension_numbers.operand_batching_dims)


def _component_map(
    indices: ir.Value, index_vector_dim: int, batch_dims: Sequence[int], rank: int, component: int
) -> ir.AffineMap:
    """Where the generic reads one component of its index vector."""
    place = [ir.AffineExpr.get_dim(d) for d in batch_dims]
    if index_vector_dim < len(shape(indices)):
        place.insert(index_vector_dim, ir.AffineExpr.get_constant(component))
    return ir.AffineMap.get(rank, 0, place)
