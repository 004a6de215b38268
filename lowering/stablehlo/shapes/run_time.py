"""Slices and paddings by amounts that only the running program knows, where the result's size is known: one gather for
each dimension takes the elements at computed positions."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.shapes import dilated
from hlo.dialect.types import element_type, shape, tensor
from hlo.lowering.stablehlo.arithmetic import (
    Tensor,
    broadcast,
    build,
    constant,
    convert,
    elements_at,
    iota,
    maximum,
    scalar_at,
    select,
)


def sliced_at_run_time(operand: ir.Value, starts: ir.Value, strides: ir.Value, result: ir.Type) -> list[ir.Value]:
    value = operand
    for d, size in enumerate(shape(result)):
        positions = _spread(_element(starts, d), size) + _iota(size) * _spread(_element(strides, d), size)
        value = elements_at(Tensor(value), positions, d).value
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
    zero = convert(constant(tensor([], ir.IntegerType.get_signless(64)), 0), element_type(op.lhs.type))
    for i, d in enumerate(numbers.input_spatial_dimensions):
        windows = shape(op.results[0].type)[numbers.output_spatial_dimensions[i]]
        window = dilated(shape(op.rhs.type)[numbers.kernel_spatial_dimensions[i]], op.rhs_dilation[i])
        size = (windows - 1) * op.window_strides[i] + window if windows else 0
        low = _spread(_element(padding, i, 0), size)
        step = constant(low.type, op.lhs_dilation[i])
        value = _padded(value, zero.value, _iota(size) - low, step, d)
    return value


def _padded(value: ir.Value, padding_value: ir.Value, offset: Tensor, step: Tensor, dimension: int) -> ir.Value:
    size = shape(value.type)[dimension]
    quotient = offset / step
    present = (offset >= 0) & build("remainder", offset, step).equals(0) & (quotient < size)
    sizes = list(shape(value.type))
    sizes[dimension] = offset.shape[0]
    padding = broadcast(Tensor(padding_value), sizes)
    if not size:
        return padding.value
    mask = broadcast(present, sizes, [dimension])
    return select(mask, elements_at(Tensor(value), maximum(quotient, 0), dimension), padding).value


def _element(vector: ir.Value, *index: int) -> Tensor:
    """One integer, as i64."""
    return convert(scalar_at(Tensor(vector), *index), ir.IntegerType.get_signless(64))


def _spread(scalar: Tensor, size: int) -> Tensor:
    return broadcast(scalar, [size])


def _iota(size: int) -> Tensor:
    return iota(tensor([size], ir.IntegerType.get_signless(64)), 0)
