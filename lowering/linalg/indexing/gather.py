"""gather: a linalg.generic over the result whose body reads the operand at computed positions.

Before:  %0 = "stablehlo.gather"(%operand, %start_indices) {...} : (tensor<8x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
After:   %0 = linalg.generic (d0, d1) ins(%start_indices at (d0, 0)) outs(%empty at (d0, d1)) {
             start = index_cast clamp(in, 0, 7); yield tensor.extract %operand[start, linalg.index 1] }

Each component of the index vectors is one input, start_indices under its own map: the index loads are regular, only the
operand is read by tensor.extract. A component that is concatenated to the others is read where it was, and one that is
the same constant everywhere is no input. Start indices are clamped, so that a slice is always inside the operand. A
slice of size 0 in a dimension that the result leaves out has no element: there the result is zeros (the specification
names none)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.stablehlo import GatherOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.dialect.types import shape as shape_of
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.loops import Index, add, element, extract, shape, zero
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import fill, generic, loop_index
from hlo.lowering.stablehlo.constants import splat


@lowers(GatherOp)
def lower_gather(op: GatherOp, lowering: Lowering) -> ir.Value:
    operand, numbers, slice_sizes = lowering[op.operand], op.dimension_numbers, op.slice_sizes
    result_type = lowering.type(op.results[0].type)
    if any(slice_sizes[d] == 0 for d in _absent(op)):
        return fill(zero(element(result_type)), result_type)
    rank = len(shape(result_type))
    batch_dims = [d for d in range(rank) if d not in numbers.offset_dims]
    limits = [n - size for n, size in zip(shape(operand), slice_sizes, strict=True)]
    unsigned = is_unsigned(element_type(op.start_indices.type))
    components = list(_components(op.start_indices, numbers.index_vector_dim))
    known = [_known(values, limits[d]) for (values, _), d in zip(components, numbers.start_index_map, strict=True)]

    def body(*scalars: ir.Value) -> list[ir.Value]:
        position: list[Index] = [0] * len(limits)
        read = iter(scalars)
        for dimension, start in zip(numbers.start_index_map, known, strict=True):
            position[dimension] = _clamped(next(read), limits[dimension], unsigned) if start is None else start
        for dimension, index_dim in zip(
            numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True
        ):
            position[dimension] = loop_index(batch_dims[index_dim - (index_dim > numbers.index_vector_dim)])
        for dimension, offset_dim in zip(_sliced_dims(op, len(limits)), numbers.offset_dims, strict=True):
            if slice_sizes[dimension] > 1:
                position[dimension] = add(position[dimension], loop_index(offset_dim))
        return [extract(operand, position)]

    inputs = [component for component, start in zip(components, known, strict=True) if start is None]
    maps = [_component_map(values, numbers.index_vector_dim, batch_dims, rank, n) for values, n in inputs]
    empty = tensor.empty(shape(result_type), element(result_type))
    identity = ir.AffineMap.get_identity(rank)
    arrays = [lowering[values] for values, _ in inputs]
    return generic(arrays, maps, [empty], [identity], ["parallel"] * rank, body)[0]


def _components(indices: ir.Value, index_vector_dim: int) -> Iterator[tuple[ir.Value, int]]:
    """Where each component of the index vectors is: an array, and the index of the component in it."""
    joined = made_by(indices, "stablehlo.concatenate")
    if joined is not None and joined.opview.dimension == index_vector_dim:
        for part in joined.operands:
            yield from _components(part, index_vector_dim)
    else:
        sizes = shape_of(indices.type)
        yield from ((indices, n) for n in range(sizes[index_vector_dim] if index_vector_dim < len(sizes) else 1))


def _known(indices: ir.Value, limit: int) -> int | None:
    """The clamped start index, where it is the same in all slices and known."""
    if limit == 0:
        return 0
    number = splat(indices)
    if number is None:
        return None
    kind = element_type(indices.type)
    return int(min(max(number % (1 << kind.width) if is_unsigned(kind) else number, 0), limit))


def _clamped(number: ir.Value, limit: int, unsigned: bool) -> ir.Value:
    """A start index between 0 and a limit. It is clamped before it is made an index, so that vectors of small integers stay small."""
    kind, index = ir.IntegerType(number.type), ir.IndexType.get()
    largest = arith.constant(kind, min(limit, (1 << kind.width - (not unsigned)) - 1))
    if unsigned:
        return arith.index_castui(index, arith.minui(number, largest))
    return arith.index_cast(index, arith.minsi(arith.maxsi(number, zero(kind)), largest))


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
    loops = [ir.AffineExpr.get_dim(d) for d in batch_dims]
    if index_vector_dim < len(shape_of(indices.type)):
        loops.insert(index_vector_dim, ir.AffineExpr.get_constant(component))
    return ir.AffineMap.get(rank, 0, loops)
