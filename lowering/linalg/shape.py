"""Ops that only rearrange elements: broadcasts, transpose, reverse and strided slice read their operand through an
affine map; reshape collapses and expands dimensions; iota writes the index.

Before:  %0 = stablehlo.reverse %x, dims = [0] : tensor<6xf32>
After:   %0 = linalg.generic {indexing_maps = [(d0) -> (5 - d0), (d0) -> (d0)]} ins(%x) { linalg.yield %in }"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from mlir import ir

from hlo.dialect.stablehlo import (
    BroadcastInDimOp,
    BroadcastOp,
    IotaOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
)
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.conversion import convert
from hlo.lowering.linalg.structured import elementwise, empty, loop_index, read
from hlo.lowering.numbers import emit

Groups = list[tuple[list[int], list[int]]]


def _dim(d: int) -> ir.AffineExpr:
    return ir.AffineExpr.get_dim(d)


@lowers(BroadcastInDimOp)
def lower_broadcast_in_dim(op: BroadcastInDimOp, lowering: Lowering) -> ir.Value:
    return _broadcast(op, lowering, op.broadcast_dimensions)


@lowers(BroadcastOp)
def lower_broadcast(op: BroadcastOp, lowering: Lowering) -> ir.Value:
    count = len(op.broadcast_sizes)
    return _broadcast(op, lowering, range(count, op.result.type.rank))


def _broadcast(op: ir.OpView, lowering: Lowering, dimensions: Sequence[int]) -> ir.Value:
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    repeats = [n == 1 and result_type.shape[d] != 1 for n, d in zip(operand.type.shape, dimensions, strict=True)]
    zero = ir.AffineExpr.get_constant(0)
    exprs = [zero if repeated else _dim(d) for repeated, d in zip(repeats, dimensions, strict=True)]
    return read(operand, ir.AffineMap.get(result_type.rank, 0, exprs), result_type)


@lowers(TransposeOp)
def lower_transpose(op: TransposeOp, lowering: Lowering) -> ir.Value:
    rank = len(op.permutation)
    exprs = [_dim(op.permutation.index(d)) for d in range(rank)]
    return read(lowering[op.operand], ir.AffineMap.get(rank, 0, exprs), lowering.type(op.result.type))


@lowers(ReverseOp)
def lower_reverse(op: ReverseOp, lowering: Lowering) -> ir.Value:
    result_type = lowering.type(op.result.type)
    exprs = [n - 1 - _dim(d) if d in op.dimensions else _dim(d) for d, n in enumerate(result_type.shape)]
    return read(lowering[op.operand], ir.AffineMap.get(result_type.rank, 0, exprs), result_type)


@lowers(SliceOp)
def lower_slice(op: SliceOp, lowering: Lowering) -> ir.Value:
    result_type = lowering.type(op.result.type)
    return strided_slice(lowering[op.operand], op.start_indices, op.strides, result_type)


def strided_slice(operand: ir.Value, starts: Sequence[int], strides: Sequence[int], result_type: ir.Type) -> ir.Value:
    """The elements at starts + d * strides."""
    if operand.type == result_type and not any(starts):
        return operand
    if 0 in result_type.shape:
        return empty(result_type)
    attributes = {
        "static_offsets": ir.DenseI64ArrayAttr.get(list(starts)),
        "static_sizes": ir.DenseI64ArrayAttr.get(list(result_type.shape)),
        "static_strides": ir.DenseI64ArrayAttr.get(list(strides)),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
    }
    return emit("tensor.extract_slice", result_type, operand, attributes=attributes)


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


@lowers(ReshapeOp)
def lower_reshape(op: ReshapeOp, lowering: Lowering) -> ir.Value:
    return reshape(lowering[op.operand], lowering.type(op.result.type))


def reshape(operand: ir.Value, result_type: ir.Type) -> ir.Value:
    """Collapses the dimensions that are not the result's, then expands; one of the two where it is enough."""
    source, target = list(operand.type.shape), list(ir.RankedTensorType(result_type).shape)
    if source == target:
        return operand
    if not prod(target):
        return empty(result_type)
    if not source or not target:
        groups: Groups = []
    else:
        groups = list(common_groups(source, target))
    sizes = [prod(source[d] for d in group) for group, _ in groups]
    middle = operand if sizes == source else _collapse(operand, [g for g, _ in groups], sizes)
    return middle if sizes == target else _expand(middle, [g for _, g in groups], result_type)


def common_groups(source: Sequence[int], target: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """The finest split of both shapes into runs of dimensions with equal products. Neither is empty, no size is 0."""
    i = j = 0
    while i < len(source) and j < len(target):
        left, right = [i], [j]
        products = [source[i], target[j]]
        i, j = i + 1, j + 1
        while products[0] != products[1]:
            if products[0] < products[1]:
                products[0] *= source[i]
                left.append(i)
                i += 1
            else:
                products[1] *= target[j]
                right.append(j)
                j += 1
        if i == len(source) or j == len(target):
            left += range(i, len(source))
            right += range(j, len(target))
            i = len(source)
        yield left, right


def _reassociation(groups: Sequence[Sequence[int]]) -> ir.Attribute:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(i64, d) for d in group]) for group in groups])


def _collapse(operand: ir.Value, groups: Sequence[Sequence[int]], sizes: Sequence[int]) -> ir.Value:
    result = ir.RankedTensorType.get(sizes, operand.type.element_type)
    return emit("tensor.collapse_shape", result, operand, attributes={"reassociation": _reassociation(groups)})


def _expand(operand: ir.Value, groups: Sequence[Sequence[int]], result_type: ir.Type) -> ir.Value:
    attributes = {
        "reassociation": _reassociation(groups),
        "static_output_shape": ir.DenseI64ArrayAttr.get(list(ir.RankedTensorType(result_type).shape)),
    }
    return emit("tensor.expand_shape", result_type, operand, attributes=attributes)
