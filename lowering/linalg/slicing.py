"""Ops that read or write a box of a tensor: slice, dynamic_slice, dynamic_update_slice.

Before:  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : tensor<8xf32>
After:   %c = ... extract %i, clamped to [0, 6]; %0 = tensor.extract_slice %x[%c] [2] [1]"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import DynamicSliceOp, DynamicUpdateSliceOp, SliceOp
from hlo.dialect.types import element_type, is_unsigned
from hlo.lowering.linalg.loops import Index, clamp, extract, to_index
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import empty


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
        position = to_index(extract(lowering[start], []), is_unsigned(element_type(start.type)))
        offsets.append(clamp(position, 0, size - slice_size))
    return offsets


def extract_slice(
    source: ir.Value, offsets: Sequence[Index], result_type: ir.Type, strides: Sequence[int] | None = None
) -> ir.Value:
    """The box of the result's size at `offsets`."""
    sizes = ir.RankedTensorType(result_type).shape
    return tensor.extract_slice(result_type, source, *_box(offsets, sizes, strides))


def insert_slice(
    source: ir.Value, into: ir.Value, offsets: Sequence[Index], strides: Sequence[int] | None = None
) -> ir.Value:
    """`into` with its box at `offsets` replaced by `source`."""
    return tensor.insert_slice(source, into, *_box(offsets, source.type.shape, strides))


def _box(offsets: Sequence[Index], sizes: Sequence[int], strides: Sequence[int] | None) -> tuple[Sequence[Any], ...]:
    """Dynamic offsets, sizes and strides, then static ones."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    dynamic = [o for o in offsets if not isinstance(o, int)]
    static = [o if isinstance(o, int) else unknown for o in offsets]
    return dynamic, [], [], static, list(sizes), list(strides or [1] * len(sizes))


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
    return extract_slice(operand, starts, result_type, strides)
