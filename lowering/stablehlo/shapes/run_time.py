"""Slices and paddings by amounts that only the running program knows, where the result's size is known: one gather for
each dimension takes the elements at computed positions."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.shapes import dilated
from hlo.dialect.stablehlo import BroadcastInDimOp, GatherOp, IotaOp, SliceOp
from hlo.dialect.structures import GatherDimensionNumbers
from hlo.dialect.types import element_type, shape, tensor
from hlo.lowering.stablehlo.arithmetic import Tensor, convert, create, maximum, select


def sliced_at_run_time(operand: ir.Value, starts: ir.Value, strides: ir.Value, result: ir.Type) -> list[ir.Value]:
    value = operand
    for d, size in enumerate(shape(result)):
        positions = _spread(_element(starts, d), size) + _iota(size) * _spread(_element(strides, d), size)
        value = _take(value, positions, d)
    return [value]


def padded_at_run_time(
    operand: ir.Value, padding_value: ir.Value, low: ir.Value, interior: ir.Value, result: ir.Type
) -> list[ir.Value]:
    """Position p of a dimension holds element (p - low) / (interior + 1), or padding where there is none."""
    value = operand
    for d, size in enumerate(shape(result)):
        step = _spread(_element(interior, d), size) + 1
        offset = _iota(size) - _spread(_element(low, d), size)
        value = _padded(value, padding_value, offset, step, d)
    return [value]


def padded_image(op: Any) -> ir.Value:
    """The lhs of a dynamic_conv with its dilation and padding, in the least size that its windows cover."""
    numbers, value, padding = op.dimension_numbers, op.lhs, op.padding
    zero = Tensor(_zero(element_type(op.lhs.type)))
    for i, d in enumerate(numbers.input_spatial_dimensions):
        windows = shape(op.results[0].type)[numbers.output_spatial_dimensions[i]]
        window = dilated(shape(op.rhs.type)[numbers.kernel_spatial_dimensions[i]], op.rhs_dilation[i])
        size = (windows - 1) * op.window_strides[i] + window if windows else 0
        low = _spread(_element(padding, i, 0), size)
        step = _spread(Tensor(_zero(ir.IntegerType.get_signless(64))), size) + op.lhs_dilation[i]
        value = _padded(value, zero.value, _iota(size) - low, step, d)
    return value


def _padded(value: ir.Value, padding_value: ir.Value, offset: Tensor, step: Tensor, dimension: int) -> ir.Value:
    size = shape(value.type)[dimension]
    quotient = Tensor(create("divide", [offset.type], [offset, step]).results[0])
    remainder = Tensor(create("remainder", [offset.type], [offset, step]).results[0])
    present = (offset >= 0) & remainder.equals(0) & (quotient < size)
    sizes = list(shape(value.type))
    sizes[dimension] = offset.shape[0]
    result = tensor(sizes, element_type(value.type))
    padding = Tensor(BroadcastInDimOp.create(padding_value, results=[result], broadcast_dimensions=[]).results[0])
    if not size:
        return padding.value
    mask = tensor(sizes, ir.IntegerType.get_signless(1))
    spread = BroadcastInDimOp.create(present.value, results=[mask], broadcast_dimensions=[dimension]).results[0]
    return select(Tensor(spread), Tensor(_take(value, maximum(quotient, 0), dimension)), padding).value


def _take(value: ir.Value, positions: Tensor, dimension: int) -> ir.Value:
    """Elements at positions of one dimension; positions are clamped."""
    sizes = list(shape(value.type))
    others = [d for d in range(len(sizes)) if d != dimension]
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(others),
        collapsed_slice_dims=(dimension,),
        start_index_map=(dimension,),
        index_vector_dim=1,
    )
    slice_sizes = [1 if d == dimension else n for d, n in enumerate(sizes)]
    return GatherOp.create(value, positions.value, dimension_numbers=numbers, slice_sizes=slice_sizes).results[0]


def _element(vector: ir.Value, *index: int) -> Tensor:
    """One integer, as i64."""
    limits, ones = [i + 1 for i in index], [1] * len(index)
    sliced = SliceOp.create(vector, start_indices=index, limit_indices=limits, strides=ones).results[0]
    scalar = create("reshape", [tensor([], element_type(vector.type))], [Tensor(sliced)]).results[0]
    return convert(Tensor(scalar), ir.IntegerType.get_signless(64))


def _spread(scalar: Tensor, size: int) -> Tensor:
    t = tensor([size], scalar.element)
    return Tensor(BroadcastInDimOp.create(scalar.value, results=[t], broadcast_dimensions=[]).results[0])


def _iota(size: int) -> Tensor:
    return Tensor(IotaOp.create(results=[tensor([size], ir.IntegerType.get_signless(64))], iota_dimension=0).results[0])


def _zero(element: ir.Type) -> ir.Value:
    wide = tensor([], ir.IntegerType.get_signless(64))
    zero = create("constant", [wide], [], value=ir.Attribute.parse(f"dense<0> : {wide}")).results[0]
    return convert(Tensor(zero), element).value
