"""convolution: the input padded where it must be, then one contraction (see contraction.py).

Elements of the kernel that meet padding alone are left out. With a dilated input, the result is made in phases, each a contraction with those elements of the kernel that meet elements of the input
(`dilation.py`).

Groups are dimensions of their own, made by tensor.expand_shape: feature groups split the input's features, batch
groups its batch, both the kernel's output features. Loops: group (if any), batch, output spatial, output features, then
kernel spatial, input features. A reversed window reads the input backwards (`o * stride + (size - 1 - k) * dilation`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from mlir import ir

from hlo.dialect.attributes import ConvDimensionNumbers
from hlo.dialect.stablehlo import ConvolutionOp
from hlo.lowering.linalg.contraction import Contraction, contract
from hlo.lowering.linalg.data_movement import padded, reshape, transposed
from hlo.lowering.linalg.loops import element, shape, zero
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.slicing import insert_slice, strided_slice
from hlo.lowering.linalg.structured import empty, fill, in_parts
from hlo.lowering.linalg.windows.dilation import around, met_taps, narrowed, phases_of
from hlo.lowering.linalg.windows.reduce_window import Window

GROUP = "group"
MANY_FEATURES, NARROW = 16, 16
"""Input features of a group from which on, and elements of the last spatial dimension up to which, the input is transposed, so that its features are last,
where each group has one output feature: windows are dot products of contiguous features then, and no copies of them that are used once each.
128 features in 4 groups, 14x14, 5x5 kernels: 6.4 times as fast in f32, 2.0 times in f64; nine such convolutions 1.5 to 6.4 times. Results of 26
and 54 columns 0.3 to 1.6 times, groups of 4 and 8 features 0.7 to 1.6 (AMD EPYC, Zen 5, AVX-512, one thread)."""
Labels = list[str]
"""What each dimension of a tensor is (ConvDimensionNumbers.labels)."""


@lowers(ConvolutionOp)
def lower_convolution(op: ConvolutionOp, lowering: Lowering) -> ir.Value:
    lhs, rhs = lowering[op.lhs], lowering[op.rhs]
    numbers = op.dimension_numbers
    window = Window.of_convolution(op, [shape(rhs)[d] for d in numbers.kernel_spatial_dimensions])
    result_shape, inputs = shape(op.results[0]), [shape(lhs)[d] for d in numbers.input_spatial_dimensions]
    if not lowering.many_threads:
        rhs, window = _met_part(rhs, numbers, window, inputs, result_shape)
    if not lowering.many_threads and _has_narrow_sums(op, shape(rhs), result_shape):
        lhs, numbers = _features_last(lhs, numbers)
    if lowering.many_threads or max(window.base_dilations, default=1) == 1 or not prod([*result_shape, *inputs]):
        return _convolve(op, numbers, lowering, _pad(lhs, numbers, window), rhs, window, result_shape)
    return _convolve_in_phases(op, numbers, lowering, lhs, rhs, window)


def _met_part(
    rhs: ir.Value, numbers: ConvDimensionNumbers, window: Window, inputs: Sequence[int], result: Sequence[int]
) -> tuple[ir.Value, Window]:
    """The kernel and the window without elements that meet padding alone: the others may leave nothing of a kernel that is larger than the
    input but a product of matrices."""
    taps = met_taps(window, inputs, [result[d] for d in numbers.output_spatial_dimensions])
    if not all(map(len, taps)) or window.sizes == tuple(map(len, taps)):
        return rhs, window
    window, kept = narrowed(window, taps)
    return _kept_of_kernel(rhs, numbers, kept), window


def _kept_of_kernel(rhs: ir.Value, numbers: ConvDimensionNumbers, kept: Sequence[range]) -> ir.Value:
    first, sizes, steps = _box(shape(rhs), numbers.kernel_spatial_dimensions, kept)
    return strided_slice(rhs, first, steps, ir.RankedTensorType.get(sizes, element(rhs)))


def _has_narrow_sums(op: ConvolutionOp, kernel: Sequence[int], result: Sequence[int]) -> bool:
    """Whether windows over many features, which are not last, make one feature of a group, of a few columns."""
    numbers, groups = op.dimension_numbers, op.feature_group_count
    spatial = [kernel[d] for d in numbers.kernel_spatial_dimensions]
    if groups == 1 or kernel[numbers.kernel_output_feature_dimension] != groups or prod(spatial) == 1:
        return False
    is_last = numbers.input_feature_dimension == len(kernel) - 1
    is_narrow = result[numbers.output_spatial_dimensions[-1]] <= NARROW
    return kernel[numbers.kernel_input_feature_dimension] >= MANY_FEATURES and is_narrow and not is_last


def _features_last(lhs: ir.Value, numbers: ConvDimensionNumbers) -> tuple[ir.Value, ConvDimensionNumbers]:
    """The input as batch, spatial dimensions, features."""
    spatial = numbers.input_spatial_dimensions
    order = [numbers.input_batch_dimension, *spatial, numbers.input_feature_dimension]
    moved = replace(
        numbers,
        input_batch_dimension=0,
        input_spatial_dimensions=tuple(range(1, len(spatial) + 1)),
        input_feature_dimension=len(spatial) + 1,
    )
    return transposed(lhs, order), moved


def _convolve_in_phases(
    op: ConvolutionOp, numbers: ConvDimensionNumbers, lowering: Lowering, lhs: ir.Value, rhs: ir.Value, window: Window
) -> ir.Value:
    """All phases read one padded copy of the input; their results are inserted into the whole one."""
    result_type = ir.RankedTensorType(lowering.type(op.results[0].type))
    sizes = [shape(lhs)[d] for d in numbers.input_spatial_dimensions]
    counts = [result_type.shape[d] for d in numbers.output_spatial_dimensions]
    phases = list(phases_of(window, sizes, counts))
    covered = sum(prod(map(len, phase.results)) for phase in phases)
    result = empty(result_type) if covered == prod(counts) else fill(zero(result_type.element_type), result_type)
    if not phases:
        return result
    whole = around(window, phases)
    lhs = _pad(lhs, numbers, whole)
    for phase in phases:
        offsets, part_shape, strides = _box(result_type.shape, numbers.output_spatial_dimensions, phase.results)
        kernel = _kept_of_kernel(rhs, numbers, phase.taps)
        part = _convolve(op, numbers, lowering, lhs, kernel, phase.moved_into(whole), part_shape)
        result = part if part.type == result_type else insert_slice(part, result, offsets, strides)
    return result


def _box(sizes: Sequence[int], dimensions: Sequence[int], kept: Sequence[range]) -> tuple[list[int], ...]:
    """Offsets, sizes and strides of what is kept of some dimensions of a tensor, and of the whole others."""
    ranges = dict(zip(dimensions, kept, strict=True))
    every = [ranges.get(d, range(n)) for d, n in enumerate(sizes)]
    return [r.start for r in every], [len(r) for r in every], [r.step for r in every]


def _convolve(
    op: ConvolutionOp,
    numbers: ConvDimensionNumbers,
    lowering: Lowering,
    lhs: ir.Value,
    rhs: ir.Value,
    window: Window,
    result_shape: list[int],
) -> ir.Value:
    """The contraction of an input that is padded already; `numbers` say how it lies, `window` is part of the op's, or all of it."""
    result_type = ir.RankedTensorType.get(result_shape, element(op.results[0]))
    groups = op.feature_group_count * op.batch_group_count
    split = "input features" if op.feature_group_count > 1 else "batch"
    input_labels, kernel_labels, result_labels = numbers.labels()
    if groups > 1:
        lhs, input_labels = _split(lhs, input_labels, split, groups)
        rhs, kernel_labels = _split(rhs, kernel_labels, "features", groups)
        result_shape, result_labels = _split_shape(result_shape, result_labels, "features", groups)
    loops = _loops(input_labels, kernel_labels, result_labels, window)
    result = contract(op, lowering, lhs, rhs, loops, result_shape)
    return result if groups == 1 else reshape(result, lowering.type(result_type))


def _pad(lhs: ir.Value, numbers: ConvDimensionNumbers, window: Window) -> ir.Value:
    """The input with padding and lhs_dilation of its spatial dimensions."""
    rank = len(shape(lhs))
    low, high, dilation = [0] * rank, [0] * rank, [1] * rank
    for i, dimension in enumerate(numbers.input_spatial_dimensions):
        (low[dimension], high[dimension]), dilation[dimension] = window.padding[i], window.base_dilations[i]
    return padded(lhs, zero(element(lhs)), low, high, dilation)


def _split_shape(sizes: Sequence[int], labels: Labels, label: str, groups: int) -> tuple[list[int], Labels]:
    """Splits a dimension into (group, rest)."""
    d = labels.index(label)
    return [*sizes[:d], groups, sizes[d] // groups, *sizes[d + 1 :]], [*labels[:d], GROUP, *labels[d:]]


def _split(value: ir.Value, labels: Labels, label: str, groups: int) -> tuple[ir.Value, Labels]:
    return in_parts(value, labels.index(label), groups), _split_shape(shape(value), labels, label, groups)[1]


def _loops(input_labels: Labels, kernel_labels: Labels, result_labels: Labels, window: Window) -> Contraction:
    spatial, group = range(len(window.sizes)), [GROUP] if GROUP in result_labels else []
    parallel = [*group, "batch", *(f"spatial {k}" for k in spatial), "features"]
    reduction = [*(f"kernel {k}" for k in spatial), "input features"]
    loop_of = {label: ir.AffineExpr.get_dim(loop) for loop, label in enumerate([*parallel, *reduction])}
    windows = {f"spatial {k}": window.position(k, loop_of[f"spatial {k}"], loop_of[f"kernel {k}"]) for k in spatial}
    return Contraction.of([input_labels, kernel_labels, result_labels], parallel, reduction, windows)
