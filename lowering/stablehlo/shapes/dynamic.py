"""Each dynamic op as the static one of the same meaning. Used by specialize-shapes.

Slices and paddings by amounts that only the running program knows, where the result's size is known: one gather for each
dimension takes the elements at computed positions."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64Matrix
from hlo.dialect.locations import diagnostic
from hlo.dialect.shapes import dilated, slice_size
from hlo.dialect.stablehlo import (
    ConvolutionOp,
    DynamicBroadcastInDimOp,
    DynamicConvOp,
    DynamicGatherOp,
    DynamicIotaOp,
    DynamicPadOp,
    DynamicReshapeOp,
    DynamicSliceOp,
    GatherOp,
    GetDimensionSizeOp,
    PadOp,
    RealDynamicSliceOp,
    RngOp,
    SetDimensionSizeOp,
    SliceOp,
)
from hlo.dialect.types import DYNAMIC, element_type, shape, tensor
from hlo.errors import CompileError
from hlo.lowering.copying import attributes_of
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
from hlo.lowering.stablehlo.shapes.known import DynamicOp, Rule, rebuilt, specializes

LARGEST_I32 = (1 << 31) - 1


def _of_size(mnemonic: str, *kept: str) -> Rule:
    """The op of a size that its last operand says, with the attributes that are `kept`."""

    def rule(dynamic: DynamicOp) -> list[ir.Value] | None:
        *operands, sizes = dynamic.op.operands
        result = dynamic.result_type(dynamic.integers(sizes))
        return result and rebuilt(mnemonic, operands, result, **{name: dynamic.op.attributes[name] for name in kept})

    return rule


specializes(DynamicBroadcastInDimOp)(_of_size("broadcast_in_dim", "broadcast_dimensions"))
specializes(DynamicIotaOp)(_of_size("iota", "iota_dimension"))
specializes(DynamicReshapeOp)(_of_size("reshape"))


@specializes(DynamicPadOp)
def lower_pad(dynamic: DynamicOp) -> list[ir.Value] | None:
    op = dynamic.op
    known = dynamic.all_integers(*op.operands[2:5])
    if known:
        low, high, interior = known
        padded = PadOp.create(
            op.operand, op.padding_value, edge_padding_low=low, edge_padding_high=high, interior_padding=interior
        )
        return list(padded.results)
    result = dynamic.result_type(None)
    if result is None:
        return None
    return padded_at_run_time(op.operand, op.padding_value, op.edge_padding_low, op.interior_padding, result)


@specializes(RealDynamicSliceOp)
def lower_slice(dynamic: DynamicOp) -> list[ir.Value] | None:
    op = dynamic.op
    known = dynamic.all_integers(*op.operands[1:4])
    if known:
        starts, limits, steps = known
        return list(SliceOp.create(op.operand, start_indices=starts, limit_indices=limits, strides=steps).results)
    strides = dynamic.integers(op.strides)
    sizes = strides and _sizes_behind_starts(dynamic, strides)
    if not sizes or any(stride != 1 for stride in strides or ()):
        result = dynamic.result_type(sizes or None)
        return result and sliced_at_run_time(op.operand, op.start_indices, op.strides, result)
    scalars = [scalar_at(Tensor(op.start_indices), d).value for d in range(len(sizes))]
    return list(DynamicSliceOp.create(op.operand, *scalars, slice_sizes=sizes).results)


def _sizes_behind_starts(dynamic: DynamicOp, strides: list[int]) -> list[int] | None:
    """The sizes of a slice whose limits are its starts and known integers, as those that JAX takes in loops."""
    limits = dynamic.op.limit_indices.owner
    if isinstance(limits, ir.Block) or limits.name != "stablehlo.add":
        return None
    starts = dynamic.op.start_indices
    lengths = [dynamic.integers(v) for v, other in permutations(limits.operands) if other == starts]
    found = next((length for length in lengths if length is not None), None)
    if found is None or min(found) < 0:
        return None
    return [slice_size(0, length, stride) for length, stride in zip(found, strides, strict=True)]


@specializes(DynamicGatherOp)
def lower_gather(dynamic: DynamicOp) -> list[ir.Value] | None:
    """Sizes that are not constants follow from a static result: its offset dimensions, and 1 for those left out."""
    op = dynamic.op
    sizes = dynamic.integers(op.slice_sizes)
    if sizes is None:
        sizes = _slice_sizes(dynamic)
    if sizes is None:
        return None
    attributes = attributes_of(op, "slice_sizes")
    return list(GatherOp.create(op.operand, op.start_indices, slice_sizes=sizes, **attributes).results)


def _slice_sizes(dynamic: DynamicOp) -> list[int] | None:
    op = dynamic.op
    d, result = op.dimension_numbers, shape(op.results[0].type)
    if DYNAMIC in result:
        return None
    left_out = {*d.collapsed_slice_dims, *d.operand_batching_dims}
    offsets = iter(result[i] for i in d.offset_dims)
    return [1 if i in left_out else next(offsets) for i in range(len(shape(op.operand.type)))]


@specializes(DynamicConvOp)
def lower_convolution(dynamic: DynamicOp) -> list[ir.Value] | None:
    op = dynamic.op
    padding = dynamic.integers(op.padding)
    attributes = attributes_of(op, "padding")
    if padding is None:
        return _convolution_padded_at_run_time(dynamic)
    pairs = list(zip(padding[::2], padding[1::2], strict=True))
    static = {**attributes, "padding": I64Matrix.encode(pairs)} if pairs else attributes
    made = ConvolutionOp.create(op.lhs, op.rhs, results=[op.results[0].type], **static)
    sizes = made.result_sizes()
    made.results[0].set_type(tensor(sizes, element_type(op.results[0].type)))
    return list(made.results)


def _convolution_padded_at_run_time(dynamic: DynamicOp) -> list[ir.Value] | None:
    """The image is padded first, to the size that the result asks for; what lies beyond no window sees."""
    result = dynamic.result_type(None)
    if result is None:
        return None
    image = padded_image(dynamic.op)
    attributes = attributes_of(dynamic.op, "padding", "lhs_dilation")
    return rebuilt("convolution", [image, dynamic.op.rhs], result, **attributes)


@specializes(GetDimensionSizeOp)
def lower_dimension_size(dynamic: DynamicOp) -> list[ir.Value] | None:
    size = shape(dynamic.op.operands[0].type)[dynamic.op.dimension]
    if size == DYNAMIC:
        return None
    t = dynamic.op.results[0].type
    if size > LARGEST_I32:
        message = (
            f"dimension {dynamic.op.dimension} has {size} elements, which the result's type ({t}) has no number for"
        )
        raise CompileError(diagnostic(dynamic.op, message))
    return rebuilt("constant", [], t, value=ir.Attribute.parse(f"dense<{size}> : {t}"))


@specializes(SetDimensionSizeOp)
def lower_set_dimension_size(dynamic: DynamicOp) -> list[ir.Value] | None:
    """The elements before the new size."""
    op = dynamic.op
    size, sizes = dynamic.integers(op.size), list(shape(op.operand.type))
    if size is None or DYNAMIC in sizes or not 0 <= size[0] <= sizes[op.dimension]:
        return None
    limits = [size[0] if d == op.dimension else n for d, n in enumerate(sizes)]
    zeros, ones = [0] * len(sizes), [1] * len(sizes)
    return list(SliceOp.create(op.operand, start_indices=zeros, limit_indices=limits, strides=ones).results)


@specializes(RngOp)
def lower_rng(dynamic: DynamicOp) -> list[ir.Value] | None:
    """The op itself, of a static result: decompose makes the numbers."""
    op = dynamic.op
    result = dynamic.result_type(dynamic.integers(op.shape))
    if result is not None:
        op.results[0].set_type(result)
    return None


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
