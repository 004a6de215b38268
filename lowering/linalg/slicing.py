"""Ops that read or write a box of a tensor: dynamic_slice, dynamic_update_slice, concatenate, pad.

Before:  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : tensor<8xf32>
After:   %c = ... extract %i, clamped to [0, 6]; %0 = tensor.extract_slice %x[%c] [2] [1]"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.stablehlo import ConcatenateOp, DynamicSliceOp, DynamicUpdateSliceOp, PadOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.loops import Index, clamp, element, shape, to_index
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.shape import strided_slice
from hlo.lowering.linalg.structured import empty, extract, fill
from hlo.lowering.numbers import emit


@lowers(DynamicSliceOp)
def lower_dynamic_slice(op: DynamicSliceOp, lowering: Lowering) -> ir.Value:
    operand, result_type = lowering[op.operand], lowering.type(op.result.type)
    if operand.type == result_type:
        return operand
    if 0 in result_type.shape:
        return empty(result_type)
    offsets = _clamped_offsets(op.start_indices, lowering, operand.type.shape, op.slice_sizes)
    return extract_slice(operand, offsets, result_type)


@lowers(DynamicUpdateSliceOp)
def lower_dynamic_update_slice(op: DynamicUpdateSliceOp, lowering: Lowering) -> ir.Value:
    operand, update = lowering[op.operand], lowering[op.update]
    if operand.type == update.type:
        return update
    if 0 in update.type.shape:
        return operand
    offsets = _clamped_offsets(op.start_indices, lowering, operand.type.shape, update.type.shape)
    return insert_slice(update, operand, offsets)


def _clamped_offsets(
    starts: Sequence[ir.Value], lowering: Lowering, sizes: Sequence[int], slice_sizes: Sequence[int]
) -> list[Index]:
    """Starts moved to where the slice lies within the operand; a slice of the whole dimension starts at 0."""
    offsets: list[Index] = []
    for start, size, slice_size in zip(starts, sizes, slice_sizes, strict=True):
        if size == slice_size:
            offsets.append(0)
            continue
        position = to_index(extract(lowering[start]), is_unsigned(element_type(start.type)))
        offsets.append(clamp(position, 0, size - slice_size))
    return offsets


@lowers(ConcatenateOp)
def lower_concatenate(op: ConcatenateOp, lowering: Lowering) -> ir.Value:
    return concatenate([lowering[v] for v in op.inputs], op.dimension)


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
    value, steps = extract(lowering[op.padding_value]), [interior + 1 for interior in op.interior_padding]
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


def extract_slice(source: ir.Value, offsets: Sequence[Index], result_type: ir.Type) -> ir.Value:
    """The box of the result's size at `offsets`."""
    sizes = ir.RankedTensorType(result_type).shape
    dynamic, attributes = _box(offsets, sizes, [1] * len(sizes), leading=1)
    return emit("tensor.extract_slice", result_type, source, *dynamic, attributes=attributes)


def insert_slice(
    source: ir.Value, into: ir.Value, offsets: Sequence[Index], strides: Sequence[int] | None = None
) -> ir.Value:
    """`into` with its box at `offsets` replaced by `source`."""
    sizes = source.type.shape
    dynamic, attributes = _box(offsets, sizes, strides or [1] * len(sizes), leading=2)
    return emit("tensor.insert_slice", into.type, source, into, *dynamic, attributes=attributes)


def _box(
    offsets: Sequence[Index], sizes: Sequence[int], strides: Sequence[int], leading: int
) -> tuple[list[ir.Value], dict[str, ir.Attribute]]:
    """The dynamic offsets, and the attributes of a slice op with `leading` operands before them."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    dynamic = [o for o in offsets if not isinstance(o, int)]
    static = [o if isinstance(o, int) else unknown for o in offsets]
    return dynamic, {
        "static_offsets": ir.DenseI64ArrayAttr.get(static),
        "static_sizes": ir.DenseI64ArrayAttr.get(list(sizes)),
        "static_strides": ir.DenseI64ArrayAttr.get(list(strides)),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1] * leading + [len(dynamic), 0, 0]),
    }
