"""The methods of the XLA document's ComputationBuilder, under its names and with its order of arguments.

Shapes are what `type_of` takes; literals are arrays; computations are what `Build` returns, functions of the program, or
Python functions. docs/specification.md says where the documents contradict each other and what is done then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir

from hlo.builder.computations import computation_of
from hlo.builder.core import Function
from hlo.builder.later_names import LaterMethods
from hlo.builder.type_syntax import type_of
from hlo.builder.value import Value
from hlo.builder.windows import Padding
from hlo.dialect.attributes import ConvDimensionNumbers
from hlo.dialect.types import element_type
from hlo.errors import ArgumentError


class DocumentMethods(LaterMethods):
    kConvBatchDimension, kConvFeatureDimension = 0, 1
    kConvFirstSpatialDimension, kConvSecondSpatialDimension = 2, 3
    kConvKernelOutputDimension, kConvKernelInputDimension = 0, 1
    kConvKernelFirstSpatialDimension, kConvKernelSecondSpatialDimension = 2, 3

    # Parameters, shapes, constants

    def Parameter(self, parameter_number: int, shape: Any, name: str = "") -> Value:
        return self.parameter(shape, name, number=parameter_number)  # type: ignore[attr-defined]

    def GetShape(self, operand: Value) -> ir.Type:
        """The type of a value, which every method takes as a shape."""
        return self.value(operand).type

    def CheckShape(self, operand: Value, expected_shape: Any) -> Value:
        return self.check_shape(operand, expected_shape)  # type: ignore[attr-defined]

    def CheckSameShape(self, lhs: Value, rhs: Value) -> None:
        """Raises ArgumentError when two values differ in shape or element type."""
        found = self.value(lhs).type, self.value(rhs).type
        if found[0] != found[1]:
            raise ArgumentError(f"the same shape was expected, found {found[0]} and {found[1]}")

    def ConstantLiteral(self, literal: Any) -> Value:
        return self.constant(np.asarray(literal))

    def ConstantR0(self, value: Any, dtype: Any = None) -> Value:
        return self._constant_of_rank(0, value, dtype)

    def ConstantR1(self, values: Any, value: Any = None, dtype: Any = None) -> Value:
        """A vector of values; or, given a length and one value, of so many of it."""
        if value is None:
            return self._constant_of_rank(1, values, dtype)
        if int(values) < 0:
            raise ArgumentError(f"the length of a vector must not be negative, found {values}")
        return self.broadcast_in_dim(self._constant_of_rank(0, value, dtype), [], [int(values)])

    def ConstantR2(self, values: Any, dtype: Any = None) -> Value:
        return self._constant_of_rank(2, values, dtype)

    def ConstantR2FromArray2D(self, values: Any) -> Value:
        return self._constant_of_rank(2, values, None)

    def ConstantR3FromArray3D(self, values: Any) -> Value:
        return self._constant_of_rank(3, values, None)

    def ConstantR4FromArray4D(self, values: Any) -> Value:
        return self._constant_of_rank(4, values, None)

    def _constant_of_rank(self, rank: int, values: Any, dtype: Any) -> Value:
        made = self.constant(values, dtype)
        if made.rank != rank:
            raise ArgumentError(f"a constant of rank {rank} was expected, found rank {made.rank}")
        return made

    # Shapes of arrays

    def Broadcast(self, operand: Any, broadcast_sizes: Sequence[int]) -> Value:
        """New dimensions on the left."""
        return self.op("broadcast", operand, list(broadcast_sizes))

    def Pad(self, operand: Any, padding_value: Any, padding_config: Any) -> Value:
        """`padding_config`: for each dimension (low, high, interior), or an object with the fields edge_padding_low,
        edge_padding_high and interior_padding."""
        return self.pad(operand, padding_value, [_padding_of(dimension) for dimension in padding_config])

    def Reshape(self, operand: Any, *sizes: Sequence[int]) -> Value:
        """`Reshape(operand, new_sizes)`, or `Reshape(operand, dimensions, new_sizes)`: the operand's dimensions are flattened
        in the order of `dimensions`, most major first."""
        if len(sizes) not in (1, 2):
            raise ArgumentError(f"Reshape takes operand, [dimensions,] new_sizes; found {1 + len(sizes)} arguments")
        return self.reshape(operand, list(sizes[-1]), dimensions=sizes[0] if len(sizes) == 2 else None)

    def Slice(self, operand: Any, start_indices: Any, limit_indices: Any, strides: Any = None) -> Value:
        return self.slice(operand, list(start_indices), list(limit_indices), strides)

    def Concatenate(self, *operands_and_dimension: Any) -> Value:
        """`Concatenate(operands..., dimension)`."""
        if not operands_and_dimension:
            raise ArgumentError("Concatenate takes operands, then a dimension; found nothing")
        *operands, dimension = operands_and_dimension
        listed = len(operands) == 1 and isinstance(operands[0], (list, tuple))
        return self.concat_in_dim(operands[0] if listed else operands, dimension)

    Concat = Concatenate

    def Trans(self, operand: Any) -> Value:
        """The transpose of a matrix."""
        value = self.value(operand)
        if value.rank != 2:
            raise ArgumentError(f"Trans takes an array of rank 2, found rank {value.rank}")
        return self.transpose(value, [1, 0])

    def Tuple(self, *elements: Any) -> Value:
        """A tuple of values, or of a list of values."""
        listed = len(elements) == 1 and isinstance(elements[0], (list, tuple))
        return self.op("tuple", *(elements[0] if listed else elements))

    # Arithmetic

    def ReducePrecision(self, operand: Any, mantissa_bits: int, exponent_bits: int) -> Value:
        return self.reduce_precision(operand, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)

    def SqrtF32(self, operand: Any) -> Value:
        return self.op("sqrt", self._f32(operand, "SqrtF32"))

    def SquareF32(self, operand: Any) -> Value:
        return self.square(self._f32(operand, "SquareF32"))

    def ReciprocalF32(self, operand: Any) -> Value:
        return self.reciprocal(self._f32(operand, "ReciprocalF32"))

    def _f32(self, operand: Any, name: str) -> Value:
        value = self.value(operand)
        if str(element_type(value.type)) != "f32":
            raise ArgumentError(f"{name} takes an array of f32, found {value.type}")
        return value

    # Windows

    def Conv(self, lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Padding) -> Value:
        return self.conv(lhs, rhs, window_strides, padding)

    def ConvWithGeneralPadding(self, lhs: Any, rhs: Any, window_strides: Sequence[int], padding: Padding) -> Value:
        return self.conv(lhs, rhs, window_strides, padding)

    def ConvWithGeneralDimensions(
        self,
        lhs: Any,
        rhs: Any,
        window_strides: Sequence[int],
        padding: Padding,
        dimension_numbers: ConvDimensionNumbers,
    ) -> Value:
        return self.conv(lhs, rhs, window_strides, padding, dimension_numbers)

    def ConvGeneral(
        self,
        lhs: Any,
        rhs: Any,
        window_strides: Sequence[int],
        padding: Padding,
        dimension_numbers: ConvDimensionNumbers,
    ) -> Value:
        return self.conv(lhs, rhs, window_strides, padding, dimension_numbers)

    @staticmethod
    def CreateDefaultConvDimensionNumbers() -> ConvDimensionNumbers:
        """Batch, feature, height, width; of the weights output feature, input feature, height, width."""
        return ConvDimensionNumbers(0, 1, (2, 3), 1, 0, (2, 3), 0, 1, (2, 3))

    @staticmethod
    def CreateConvDimensionNumbers(
        batch: int,
        feature: int,
        first_spatial: int,
        second_spatial: int,
        kernel_output_feature: int,
        kernel_input_feature: int,
        kernel_first_spatial: int,
        kernel_second_spatial: int,
    ) -> ConvDimensionNumbers:
        """Raises ArgumentError for numbers that are no order of four dimensions."""
        inputs = batch, feature, first_spatial, second_spatial
        kernel = kernel_output_feature, kernel_input_feature, kernel_first_spatial, kernel_second_spatial
        for name, numbers in (("input", inputs), ("weight", kernel)):
            if sorted(numbers) != [0, 1, 2, 3]:
                raise ArgumentError(f"the {name} dimension numbers must be 0, 1, 2 and 3, each once, found {numbers}")
        spatial = (first_spatial, second_spatial)
        return ConvDimensionNumbers(batch, feature, spatial, kernel[1], kernel[0], kernel[2:], batch, feature, spatial)

    def Reduce(self, operand: Any, init_value: Any, computation: Any, dimensions_to_reduce: Sequence[int]) -> Any:
        return self.reduce(operand, init_value, computation, list(dimensions_to_reduce))

    def ReduceWindow(
        self,
        operand: Any,
        init_value: Any,
        computation: Any,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Padding,
    ) -> Any:
        """`init_value` and `computation` in either order: the documents' example has the other one."""
        if is_computation(init_value):
            init_value, computation = computation, init_value
        return self.reduce_window(
            operand, init_value, computation, list(window_dimensions), list(window_strides), padding=padding
        )

    ReduceWindowWithGeneralPadding = ReduceWindow

    def SelectAndScatter(
        self,
        operand: Any,
        select: Any,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Padding,
        source: Any,
        init_value: Any,
        scatter: Any,
    ) -> Value:
        return self.select_and_scatter(
            operand, source, init_value, select, scatter, list(window_dimensions), list(window_strides), padding
        )

    SelectAndScatterWithGeneralPadding = SelectAndScatter

    # Computations and the host

    def Map(self, *arguments: Any) -> Value:
        """`Map(operands, computation, static_operands={})`, or `Map(operands..., computation, static_operands...)`."""
        positions = [i for i, a in enumerate(arguments) if is_computation(a)]
        if len(positions) != 1:
            raise ArgumentError("Map takes operands, one computation and static operands")
        operands, static = (_listed(part) for part in (arguments[: positions[0]], arguments[positions[0] + 1 :]))
        return self.map(operands, arguments[positions[0]], static_operands=[self.value(s) for s in static])

    def While(self, condition: Any, body: Any, init: Any) -> Any:
        """`init`: a value, a tuple among them; or a list of values, which the computations take one by one."""
        return self.while_(condition, body, init)

    def Infeed(self, shape: Any) -> Any:
        """Data of a shape from the host's queue: one value, or a tuple for a tuple shape. Of an empty tuple, nothing is read."""
        with self._here():
            wanted = type_of(shape)
            types = [wanted]
            if isinstance(wanted, ir.TupleType):
                types = [wanted.get_type(i) for i in range(wanted.num_types)]
                if any(isinstance(t, ir.TupleType) for t in types):
                    raise ArgumentError(f"Infeed takes no nested tuple shapes, found {wanted}")
            *values, _ = self.infeed(None, *types) if types else (None,)
            return self.op("tuple", *values) if isinstance(wanted, ir.TupleType) else values[0]

    def CustomCallOp(self, call_target_name: str, operands: Sequence[Any], shape: Any) -> Any:
        """Calls what is registered under a name (`hlo.runtime.custom_calls.registry`), a symbol of machine code among them."""
        with self._here():
            wanted = type_of(shape)
        return self.custom_call(call_target_name, *operands, result_types=[wanted])

    CustomCall = CustomCallOp

    def ComputeConstant(self, handle: Value, output_layout: Any = None) -> np.ndarray:
        """The value of what depends on no parameter. `output_layout`: minor_to_major of the array that is returned."""
        found = self.compute_constant(handle)  # type: ignore[attr-defined]
        return found if output_layout is None else with_layout(found, output_layout)

    def Trace(self, tag: str, operand: Value) -> None:
        self.trace(tag, operand)  # type: ignore[attr-defined]


def with_layout(array: np.ndarray, minor_to_major: Sequence[int]) -> np.ndarray:
    """The same array, its elements in memory in the order that a layout says."""
    order = list(minor_to_major)[::-1]
    if sorted(order) != list(range(array.ndim)):
        wanted = ", ".join(map(str, range(array.ndim))) or "nothing"
        raise ArgumentError(f"minor_to_major must hold {wanted}, each once, found {list(minor_to_major)}")
    return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))


def is_computation(given: Any) -> bool:
    return (
        computation_of(given) is not None
        or isinstance(given, Function)
        or (callable(given) and not isinstance(given, Value))
    )


def _listed(arguments: Sequence[Any]) -> list[Any]:
    listed = len(arguments) == 1 and isinstance(arguments[0], (list, tuple))
    return list(arguments[0] if listed else arguments)


def _padding_of(dimension: Any) -> tuple[int, int, int]:
    if hasattr(dimension, "edge_padding_low"):
        return dimension.edge_padding_low, dimension.edge_padding_high, dimension.interior_padding
    try:
        low, high, *interior = dimension
    except TypeError:
        raise ArgumentError(
            f"a dimension's padding is (low, high) or (low, high, interior), found {dimension!r}"
        ) from None
    return low, high, interior[0] if interior else 0
