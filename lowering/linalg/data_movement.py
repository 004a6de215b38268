"""Ops that only rearrange elements: broadcasts, transpose and reverse read their operand through an affine map; reshape
collapses and expands dimensions; concatenate and pad insert their operands into the result.

Before:  %0 = stablehlo.reverse %x, dims = [0] : tensor<6xf32>
After:   %0 = linalg.generic {indexing_maps = [(d0) -> (5 - d0), (d0) -> (d0)]} ins(%x) { linalg.yield %in }"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import (
    BroadcastInDimOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    TransposeOp,
)
from hlo.lowering.linalg.loops import element, extract, shape
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.slicing import insert_slice, strided_slice
from hlo.lowering.linalg.structured import empty, fill, read
from hlo.lowering.memory.storage import element_bytes

LEAST_ROW = 64
"""Bytes of the rows of a part that is written where it lies in a concatenation of concatenations."""

Groups = list[tuple[list[int], list[int]]]


def _dim(d: int) -> ir.AffineExpr:
    return ir.AffineExpr.get_dim(d)


@lowers(BroadcastInDimOp)
def lower_broadcast_in_dim(op: BroadcastInDimOp, lowering: Lowering) -> ir.Value:
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    dimensions = op.broadcast_dimensions
    repeats = [n == 1 and result_type.shape[d] != 1 for n, d in zip(operand.type.shape, dimensions, strict=True)]
    zero = ir.AffineExpr.get_constant(0)
    exprs = [zero if repeated else _dim(d) for repeated, d in zip(repeats, dimensions, strict=True)]
    return read(operand, ir.AffineMap.get(result_type.rank, 0, exprs), result_type)


@lowers(TransposeOp)
def lower_transpose(op: TransposeOp, lowering: Lowering) -> ir.Value:
    return transposed(lowering[op.operand], op.permutation)


def transposed(operand: ir.Value, permutation: Sequence[int]) -> ir.Value:
    """Dimension d of the result is dimension permutation[d] of the operand."""
    source, rank = ir.RankedTensorType(operand.type), len(permutation)
    result_type = ir.RankedTensorType.get([source.shape[d] for d in permutation], source.element_type)
    exprs = [_dim([*permutation].index(d)) for d in range(rank)]
    return read(operand, ir.AffineMap.get(rank, 0, exprs), result_type)


@lowers(ReverseOp)
def lower_reverse(op: ReverseOp, lowering: Lowering) -> ir.Value:
    result_type = lowering.type(op.result.type)
    exprs = [n - 1 - _dim(d) if d in op.dimensions else _dim(d) for d, n in enumerate(result_type.shape)]
    return read(lowering[op.operand], ir.AffineMap.get(result_type.rank, 0, exprs), result_type)


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
    middle = ir.RankedTensorType.get(sizes, element(operand))
    if sizes != source:
        operand = tensor.collapse_shape(middle, operand, [left for left, _ in groups])
    if sizes == target:
        return operand
    return tensor.expand_shape(result_type, operand, [right for _, right in groups], [], target)


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


@lowers(ConcatenateOp)
def lower_concatenate(op: ConcatenateOp, lowering: Lowering) -> ir.Value:
    """Of concatenations along another dimension as well (blocks of a matrix): each part is inserted where it lies in the whole."""
    if not any(_is_part(v) for v in op.inputs):
        return concatenate([lowering[v] for v in op.inputs], op.dimension)
    result = empty(lowering.type(op.result.type))
    for part, offsets in _parts(op, [0] * len(shape(result))):
        value = lowering[part]
        if 0 not in shape(value):
            result = insert_slice(value, result, offsets)
    return result


def _is_part(value: ir.Value) -> bool:
    """Whether it is a concatenation that nothing else reads, of rows that fill a vector: narrower ones have code of their own."""
    op = None if isinstance(value.owner, ir.Block) else value.owner.opview
    if not isinstance(op, ConcatenateOp) or len(list(value.uses)) != 1:
        return False
    return all(shape(part)[-1] * element_bytes(element(part)) >= LEAST_ROW for part in op.inputs)


def _parts(op: ConcatenateOp, offsets: Sequence[int]) -> Iterator[tuple[ir.Value, list[int]]]:
    """What is concatenated, and where each begins in the whole, in which `op` begins at `offsets`."""
    here = list(offsets)
    for value in op.inputs:
        yield from _parts(value.owner.opview, here) if _is_part(value) else [(value, list(here))]
        here[op.dimension] += shape(value)[op.dimension]


def concatenate(arrays: Sequence[ir.Value], dimension: int) -> ir.Value:
    """Arrays of one shape, except along `dimension`, after each other."""
    if len(arrays) == 1:
        return arrays[0]
    extents = list(shape(arrays[0]))
    extents[dimension] = sum(shape(a)[dimension] for a in arrays)
    result, offset = empty(ir.RankedTensorType.get(extents, element(arrays[0]))), 0
    for value in arrays:
        offsets = [offset if d == dimension else 0 for d in range(len(extents))]
        offset += shape(value)[dimension]
        if 0 not in shape(value):
            result = insert_slice(value, result, offsets)
    return result


@lowers(PadOp)
def lower_pad(op: PadOp, lowering: Lowering) -> ir.Value:
    value, steps = extract(lowering[op.padding_value], []), [interior + 1 for interior in op.interior_padding]
    return padded(lowering[op.operand], value, op.edge_padding_low, op.edge_padding_high, steps)


def padded(
    value: ir.Value, padding_value: ir.Value, low: Sequence[int], high: Sequence[int], dilation: Sequence[int]
) -> ir.Value:
    """The value dilated (`dilation - 1` elements between neighbours), then padded at both ends, or cropped where
    padding is negative: only what lands inside the result is inserted into a fill. Returns the value itself when nothing
    is to do."""
    extents, each = shape(value), list(zip(shape(value), low, high, dilation, strict=True))
    sizes = [max(lo + max((n - 1) * step + 1, 0) * (n > 0) + hi, 0) for n, lo, hi, step in each]
    if sizes == extents and not any(low) and all(step == 1 or n <= 1 for n, _, _, step in each):
        return value
    first = [max(0, -(lo // step)) for _, lo, _, step in each]
    last = [min(n - 1, (size - 1 - lo) // step) for size, (n, lo, _, step) in zip(sizes, each)]
    kept = [max(0, b - a + 1) for a, b in zip(first, last)]
    result = fill(padding_value, ir.RankedTensorType.get(sizes, element(value)))
    if 0 in kept:
        return result
    inside = strided_slice(value, first, [1] * len(kept), ir.RankedTensorType.get(kept, element(value)))
    offsets = [lo + a * step for a, (_, lo, _, step) in zip(first, each)]
    return insert_slice(inside, result, offsets, dilation)
