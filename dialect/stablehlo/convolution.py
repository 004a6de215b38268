"""Convolution, with padding known at compile time or at run time."""

from __future__ import annotations

from typing import Any, ClassVar

from hlo.dialect.attributes import (
    I64,
    PRECISION_CONFIG,
    BoolArray,
    ConvDimensionNumbers,
    I64Array,
    I64Matrix,
    structure,
)
from hlo.dialect.choices import ELEMENT, SIZES, chosen_element, chosen_sizes
from hlo.dialect.clauses import (
    count_error,
    minimum_error,
    padding_error,
    range_error,
    same_elements_error,
    shape_error,
    unique_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.known_integers import constant_integers
from hlo.dialect.quantized import (
    axis_error,
    has_quantized,
    per_tensor_error,
    same_expressed_error,
    same_storage_error,
    weights_error,
)
from hlo.dialect.reducers import is_accumulator
from hlo.dialect.shapes import dilated, padded, window_count
from hlo.dialect.stablehlo.contraction import DEFAULT_PRECISION, precision_error
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    IntTensor,
    TensorOrPerAxis,
    bit_width,
    compatible_elements,
    compatible_sizes,
    element_type,
    is_float,
    rank,
    shape,
    tensor,
)


def _spatial_rank(op: Any) -> int:
    return max(rank(op.lhs.type) - 2, 0)


def _ones(op: Any) -> tuple[int, ...]:
    return (1,) * _spatial_rank(op)


def _no_padding(op: Any) -> tuple[tuple[int, int], ...]:
    return ((0, 0),) * _spatial_rank(op)


def _not_reversed(op: Any) -> tuple[bool, ...]:
    return (False,) * _spatial_rank(op)


class _Convolution(Op):
    CHOICE: ClassVar[tuple[str, ...]] = (ELEMENT,)
    lhs = Operand(AnyTensor)
    rhs = Operand(TensorOrPerAxis)
    window_strides = Attr(I64Array, optional=True, default=_ones)
    padding: Any = Attr(I64Matrix, optional=True, default=_no_padding)
    lhs_dilation = Attr(I64Array, optional=True, default=_ones)
    rhs_dilation = Attr(I64Array, optional=True, default=_ones)
    window_reversal = Attr(BoolArray, optional=True, default=_not_reversed)
    dimension_numbers = Attr(structure(ConvDimensionNumbers))
    feature_group_count = Attr(I64)
    batch_group_count = Attr(I64)
    precision_config = Attr(PRECISION_CONFIG, optional=True, default=DEFAULT_PRECISION)
    result = Result(TensorOrPerAxis)

    def paddings(self) -> list[tuple[int, int]]:
        """Low and high padding of each spatial dimension; DYNAMIC when known at run time only."""
        return [tuple(row) for row in self.padding]

    @constraint("C1")
    def same_ranks(self):
        lhs, rhs = rank(self.lhs.type), rank(self.rhs.type)
        if lhs != rhs:
            return f"lhs and rhs must have one rank, found {lhs} and {rhs}"
        return None if lhs >= 2 else f"lhs and rhs must have rank 2 or more, found {lhs}"

    @constraint("C2")
    def same_element_types(self):
        elements = [element_type(v.type) for v in (self.lhs, self.rhs)]
        if all(is_float(e) and bit_width(e) == 8 for e in elements):
            return None  # two formats of 8-bit floats, as stablehlo-opt takes them
        if has_quantized(self.lhs.type, self.rhs.type):
            return None
        return same_elements_error("lhs and rhs", [self.lhs.type, self.rhs.type])

    def _count_error(self, name: str) -> str | None:
        return count_error(name, getattr(self, name), _spatial_rank(self), "the number of spatial dimensions")

    @constraint("C3")
    def strides_count(self):
        return self._count_error("window_strides")

    @constraint("C4")
    def strides_positive(self):
        return minimum_error("window_strides", self.window_strides, 1)

    @constraint("C5")
    def padding_shape(self):
        return padding_error(self.padding, _spatial_rank(self), "the number of spatial dimensions")

    @constraint("C6")
    def lhs_dilation_count(self):
        return self._count_error("lhs_dilation")

    @constraint("C7")
    def lhs_dilation_positive(self):
        return minimum_error("lhs_dilation", self.lhs_dilation, 1)

    @constraint("C8")
    def rhs_dilation_count(self):
        return self._count_error("rhs_dilation")

    @constraint("C9")
    def rhs_dilation_positive(self):
        return minimum_error("rhs_dilation", self.rhs_dilation, 1)

    @constraint("C10")
    def reversal_count(self):
        return self._count_error("window_reversal")

    @constraint("C22")
    def feature_groups_positive(self):
        return minimum_error("feature_group_count", [self.feature_group_count], 1)

    @constraint("C23")
    def batch_groups_positive(self):
        return minimum_error("batch_group_count", [self.batch_group_count], 1)

    @constraint("C24")
    def one_kind_of_groups(self):
        features, batches = self.feature_group_count, self.batch_group_count
        if 1 in (features, batches):
            return None
        return f"feature_group_count or batch_group_count must be 1, found {features} and {batches}"

    def _spatial_error(self, name: str) -> str | None:
        dimensions = getattr(self.dimension_numbers, name)
        return count_error(name, dimensions, _spatial_rank(self), "the number of spatial dimensions")

    def _dimensions_error(self, name: str, dimensions: tuple[int, ...]) -> str | None:
        return unique_error(name, dimensions) or range_error(name, dimensions, rank(self.lhs.type))

    @constraint("C13")
    def input_spatial_count(self):
        return self._spatial_error("input_spatial_dimensions")

    @constraint("C14")
    def input_dimensions_legal(self):
        d = self.dimension_numbers
        dimensions = (d.input_batch_dimension, *d.input_spatial_dimensions, d.input_feature_dimension)
        return self._dimensions_error("input dimensions", dimensions)

    @constraint("C18")
    def kernel_spatial_count(self):
        return self._spatial_error("kernel_spatial_dimensions")

    @constraint("C19")
    def kernel_dimensions_legal(self):
        d = self.dimension_numbers
        features = d.kernel_input_feature_dimension, d.kernel_output_feature_dimension
        return self._dimensions_error("kernel dimensions", (*d.kernel_spatial_dimensions, *features))

    @constraint("C20")
    def output_spatial_count(self):
        return self._spatial_error("output_spatial_dimensions")

    @constraint("C21")
    def output_dimensions_legal(self):
        d = self.dimension_numbers
        dimensions = (d.output_batch_dimension, *d.output_spatial_dimensions, d.output_feature_dimension)
        return self._dimensions_error("output dimensions", dimensions)

    @constraint("C11")
    def batch_divisible(self):
        batch = shape(self.lhs.type)[self.dimension_numbers.input_batch_dimension]
        return _divisible_error("input batch", batch, "batch_group_count", self.batch_group_count)

    @constraint("C12")
    def features_divisible(self):
        features = shape(self.lhs.type)[self.dimension_numbers.input_feature_dimension]
        return _divisible_error("input feature", features, "feature_group_count", self.feature_group_count)

    @constraint("C15")
    def kernel_takes_features_of_a_group(self):
        d = self.dimension_numbers
        features = shape(self.lhs.type)[d.input_feature_dimension]
        found = shape(self.rhs.type)[d.kernel_input_feature_dimension]
        wanted = DYNAMIC if features == DYNAMIC else features // self.feature_group_count
        if compatible_sizes(found, wanted):
            return None
        allowed = f"{features} input features / {self.feature_group_count} groups"
        return f"kernel input feature dimension must have size {wanted} ({allowed}), found {found}"

    @constraint("C16")
    def kernel_divisible_by_batch_groups(self):
        features = shape(self.rhs.type)[self.dimension_numbers.kernel_output_feature_dimension]
        return _divisible_error("kernel output feature", features, "batch_group_count", self.batch_group_count)

    @constraint("C17")
    def kernel_divisible_by_feature_groups(self):
        features = shape(self.rhs.type)[self.dimension_numbers.kernel_output_feature_dimension]
        return _divisible_error("kernel output feature", features, "feature_group_count", self.feature_group_count)

    @constraint("C25")
    def precision_for_each_operand(self):
        return precision_error(self.precision_config)

    @constraint("C26", "C28")
    def result_shape(self):
        return shape_error("result", self.result.type, self.result_sizes())

    def result_sizes(self) -> list[int]:
        """Batch of a group, output features, and the number of windows in each spatial dimension."""
        d, lhs, rhs = self.dimension_numbers, shape(self.lhs.type), shape(self.rhs.type)
        sizes = [0] * len(lhs)
        batch = lhs[d.input_batch_dimension]
        sizes[d.output_batch_dimension] = DYNAMIC if batch == DYNAMIC else batch // self.batch_group_count
        sizes[d.output_feature_dimension] = rhs[d.kernel_output_feature_dimension]
        windows = zip(self.window_strides, self.paddings(), self.lhs_dilation, self.rhs_dilation)
        for i, (stride, padding, lhs_dilation, rhs_dilation) in enumerate(windows):
            base = dilated(lhs[d.input_spatial_dimensions[i]], lhs_dilation)
            window = dilated(rhs[d.kernel_spatial_dimensions[i]], rhs_dilation)
            size = DYNAMIC if DYNAMIC in padding else padded(base, *padding)
            sizes[d.output_spatial_dimensions[i]] = window_count(size, window, stride)
        return sizes

    def infer(self):
        return [tensor(self.result_sizes(), chosen_element(self, element_type(self.lhs.type)))]

    @constraint("C27")
    def result_element_type(self):
        lhs, result = element_type(self.lhs.type), element_type(self.result.type)
        if compatible_elements(lhs, result) or is_accumulator(lhs, result):
            return None  # frameworks let products accumulate in another type (JAX's preferred_element_type)
        return f"result must have the element type of lhs {lhs} or a wider one, found {result}"

    @constraint("C28", quantized=True)
    def quantized_with_rhs(self):
        return weights_error(self.lhs.type, self.rhs.type, self.result.type)

    @constraint("C29", quantized=True)
    def kernel_axis_is_output_feature(self):
        wanted = self.dimension_numbers.kernel_output_feature_dimension
        return axis_error("rhs", self.rhs.type, wanted, "kernel_output_feature_dimension")

    @constraint("C30", quantized=True)
    def result_axis_is_output_feature(self):
        wanted = self.dimension_numbers.output_feature_dimension
        return axis_error("result", self.result.type, wanted, "output_feature_dimension")

    @constraint("C31", quantized=True)
    def one_storage_type(self):
        if not has_quantized(self.lhs.type):
            return None
        return same_storage_error(lhs=self.lhs.type, rhs=self.rhs.type)

    @constraint("C32", "C34", quantized=True)
    def one_expressed_type(self):
        return same_expressed_error(lhs=self.lhs.type, rhs=self.rhs.type, result=self.result.type)

    @constraint("C33", quantized=True)
    def result_per_tensor_like_rhs(self):
        return per_tensor_error(self.lhs.type, self.rhs.type, self.result.type)


def _divisible_error(name: str, size: int, group_name: str, groups: int) -> str | None:
    if size == DYNAMIC or size % groups == 0:
        return None
    return f"{name} dimension must have a size divisible by {group_name} {groups}, found {size}"


class ConvolutionOp(_Convolution, mnemonic="convolution"):
    """Sums of products of windows with a kernel. https://openxla.org/stablehlo/spec#convolution"""

    ASSEMBLY = (
        "`(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions> `,` `window` `=` `{` "
        "custom<WindowAttributes> `}` attr-dict `:` functional-type(operands, results)"
    )


class DynamicConvOp(_Convolution, mnemonic="dynamic_conv"):
    """Convolution with padding known at run time. https://openxla.org/stablehlo/spec#dynamic_conv"""

    CHOICE = (ELEMENT, SIZES)
    padding = Operand(IntTensor)

    def paddings(self) -> list[tuple[int, int]]:
        known = constant_integers(self.padding) or []
        if len(known) != 2 * _spatial_rank(self):
            return [(DYNAMIC, DYNAMIC)] * _spatial_rank(self)
        return list(zip(known[::2], known[1::2]))

    @constraint("C5")
    def padding_shape(self):
        return shape_error("padding", self.padding.type, [_spatial_rank(self), 2])

    def infer(self):
        sizes = chosen_sizes(self, self.result_sizes())
        return [tensor(sizes, chosen_element(self, element_type(self.lhs.type)))]
