"""Ops whose shapes are values, known at run time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from mlir import ir

from hlo.dialect.attributes import I64, I64Array
from hlo.dialect.choices import ELEMENT, SIZES, chosen_element, chosen_sizes, sizes_in
from hlo.dialect.clauses import (
    index_error,
    listed,
    minimum_error,
    range_error,
    representable_error,
    same_elements_error,
    shape_error,
    unique_error,
    vector_size_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.known_integers import constant_integers
from hlo.dialect.quantized import (
    broadcast_type,
    reshaped_type,
)
from hlo.dialect.shapes import element_count, padded_with_interior, slice_size
from hlo.dialect.stablehlo.data_movement import Broadcasting, Reshaping, broadcast_error
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    DimensionTensor,
    TensorOrPerAxis,
    TypeSet,
    compatible_sizes,
    element_type,
    is_complex,
    is_float,
    is_integer,
    is_per_tensor,
    largest_shape,
    rank,
    scalar_of,
    shape,
    static_vector_of,
    tensor,
    tensor_of,
    vector_of,
)

_Sizes = vector_of(DimensionTensor)
_KnownSizes = static_vector_of(DimensionTensor)
_Number = tensor_of(
    "integer, floating-point, complex or per-tensor quantized", is_integer, is_float, is_complex, is_per_tensor
)
_Index = TypeSet("index", lambda t: isinstance(t, ir.IndexType), "!builtin.index")
_Witness = TypeSet("shape witness", lambda t: str(t) == "!shape.witness", "")
_Size = replace(
    scalar_of(tensor_of("si32", lambda t: isinstance(t, ir.IntegerType) and t.is_signless and t.width == 32)),
    only=("tensor<i32>",),
)


def _sizes_error(name: str, vector: ir.Value, result: ir.Type) -> str | None:
    """Whether sizes that the program's text gives are those of the result: code reads and writes what its type says."""
    known = constant_integers(vector)
    if known is None:
        return None
    return minimum_error(name, known, 0) or shape_error(f"result of {name} {listed(known)}", result, known)


class DynamicBroadcastInDimOp(Broadcasting, mnemonic="dynamic_broadcast_in_dim"):
    """A broadcast to a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_broadcast_in_dim"""

    ASSEMBLY = "operands `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    operand = Operand(TensorOrPerAxis)
    output_dimensions = Operand(_KnownSizes)
    broadcast_dimensions = Attr(I64Array)
    known_expanding_dimensions = Attr(I64Array, optional=True, default=())
    known_nonexpanding_dimensions = Attr(I64Array, optional=True, default=())
    result = Result(TensorOrPerAxis)

    @constraint("C7")
    def one_size_a_dimension(self):
        count = rank(self.result.type)
        return vector_size_error("output_dimensions", self.output_dimensions.type, count, "the rank of result")

    @constraint()
    def result_has_the_sizes(self):
        return _sizes_error("output_dimensions", self.output_dimensions, self.result.type)

    @constraint("C5")
    def known_sizes_repeat_or_stay(self):
        sizes = constant_integers(self.output_dimensions)
        return sizes and broadcast_error(shape(self.operand.type), sizes, self.broadcast_dimensions)

    @constraint("C8")
    def known_dimensions_unique(self):
        both = self.known_expanding_dimensions + self.known_nonexpanding_dimensions
        return unique_error("known_expanding_dimensions and known_nonexpanding_dimensions", both)

    @constraint("C9")
    def known_expanding_in_range(self):
        dimensions = self.known_expanding_dimensions
        return range_error("known_expanding_dimensions", dimensions, rank(self.operand.type))

    @constraint("C10")
    def known_nonexpanding_in_range(self):
        dimensions = self.known_nonexpanding_dimensions
        return range_error("known_nonexpanding_dimensions", dimensions, rank(self.operand.type))

    def infer(self):
        sizes = chosen_sizes(self, sizes_in(self.output_dimensions))
        return [broadcast_type(self.operand.type, sizes, self.broadcast_dimensions)]


class DynamicIotaOp(Op, mnemonic="dynamic_iota"):
    """An iota of a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_iota"""

    ASSEMBLY = "operands `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)"
    CHOICE = (ELEMENT, SIZES)
    output_shape = Operand(_KnownSizes)
    iota_dimension = Attr(I64)
    result = Result(_Number)

    @constraint("C1")
    def dimension_in_range(self):
        return index_error("iota_dimension", self.iota_dimension, rank(self.result.type))

    @constraint("C2")
    def one_size_a_dimension(self):
        count = rank(self.result.type)
        return vector_size_error("output_shape", self.output_shape.type, count, "the rank of result")

    @constraint()
    def result_has_the_sizes(self):
        return _sizes_error("output_shape", self.output_shape, self.result.type)

    def infer(self):
        return [tensor(chosen_sizes(self, sizes_in(self.output_shape)), chosen_element(self))]


class _Resizing(Op):
    """The clauses of an op whose sizes are those of its operand, changed by amounts that are values."""

    AMOUNTS: ClassVar[tuple[str, ...]] = ()
    """The operands that say by how much: a number for each dimension."""
    operand: Any
    result: Any

    @staticmethod
    def resized(size: int, *amounts: int) -> int:
        """The size of the result along a dimension."""
        raise NotImplementedError

    @constraint("C2")
    def one_amount_a_dimension(self):
        count = rank(self.operand.type)
        errors = (vector_size_error(n, getattr(self, n).type, count, "the rank of operand") for n in self.AMOUNTS)
        return next((error for error in errors if error), None)

    @constraint()
    def amounts_have_one_type(self):
        """Upstream's clause."""
        types = [getattr(self, name).type for name in self.AMOUNTS]
        if len(set(types)) == 1:
            return None
        *names, last = self.AMOUNTS
        return f"{', '.join(names)} and {last} must have one type, found {', '.join(map(str, types))}"

    @constraint("")
    def same_ranks(self):
        operand, result = self.operand.type, self.result.type
        if rank(operand) == rank(result):
            return None
        return f"operand and result must have one rank, found {operand} and {result}"

    def _new_sizes(self) -> list[int] | None:
        """Those that known amounts give."""
        known = [constant_integers(getattr(self, name)) for name in self.AMOUNTS]
        return None if None in known else [self.resized(*row) for row in zip(shape(self.operand.type), *known)]

    def _size_error(self) -> str | None:
        """Whether the result has the sizes that known amounts give; for the last clause, since others say which amounts are legal."""
        new = self._new_sizes()
        if new is None:
            return None
        return representable_error("result", new) or shape_error("result", self.result.type, new)

    def infer(self):
        """With unknown sizes where amounts are computed."""
        new = self._new_sizes() or [DYNAMIC] * rank(self.operand.type)
        return [tensor(chosen_sizes(self, new), element_type(self.operand.type))]


class DynamicPadOp(_Resizing, mnemonic="dynamic_pad"):
    """A pad by sizes known at run time. https://openxla.org/stablehlo/spec#dynamic_pad"""

    LABELS = {"same_ranks": "C4"}
    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    MOVES = True
    AMOUNTS = ("edge_padding_low", "edge_padding_high", "interior_padding")
    operand = Operand(AnyTensor)
    padding_value = Operand(scalar_of(AnyTensor))
    edge_padding_low = Operand(_KnownSizes)
    edge_padding_high = Operand(_KnownSizes)
    interior_padding = Operand(_KnownSizes)
    result = Result(AnyTensor)

    @staticmethod
    def resized(size: int, *amounts: int) -> int:
        return padded_with_interior(size, *amounts)

    @constraint("C1")
    def same_element_types(self):
        types = [self.operand.type, self.padding_value.type, self.result.type]
        return same_elements_error("operand, padding_value and result", types)

    @constraint("C3")
    def interior_not_negative(self):
        return minimum_error("interior_padding", constant_integers(self.interior_padding) or (), 0)

    @constraint("C4")
    def result_has_the_sizes(self):
        return self._size_error()


class DynamicReshapeOp(Reshaping, mnemonic="dynamic_reshape"):
    """A reshape to a shape known at run time. https://openxla.org/stablehlo/spec#dynamic_reshape"""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    operand = Operand(TensorOrPerAxis)
    output_shape = Operand(_KnownSizes)
    result = Result(TensorOrPerAxis)

    @constraint("C4")
    def one_size_a_dimension(self):
        count = rank(self.result.type)
        return vector_size_error("output_shape", self.output_shape.type, count, "the rank of result")

    @constraint()
    def result_has_the_sizes(self):
        return _sizes_error("output_shape", self.output_shape, self.result.type)

    @constraint("C2")
    def as_many_elements_as_known_sizes(self):
        sizes, count = constant_integers(self.output_shape), element_count(shape(self.operand.type))
        if sizes is None or compatible_sizes(count, element_count(sizes)):
            return None
        return f"operand and result must have the same number of elements, found {count} and {element_count(sizes)}"

    def infer(self):
        return [reshaped_type(self.operand.type, chosen_sizes(self, sizes_in(self.output_shape)))]


class RealDynamicSliceOp(_Resizing, mnemonic="real_dynamic_slice"):
    """A strided box known at run time; not in the specification (group "dynamism"), its clauses are those of slice."""

    LABELS = {"same_ranks": "C5"}
    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    MOVES = True
    AMOUNTS = ("start_indices", "limit_indices", "strides")
    operand = Operand(AnyTensor)
    start_indices = Operand(_KnownSizes)
    limit_indices = Operand(_KnownSizes)
    strides = Operand(_KnownSizes)
    result = Result(AnyTensor)

    @staticmethod
    def resized(size: int, *amounts: int) -> int:
        return slice_size(*amounts)

    @constraint("C1")
    def same_element_types(self):
        return same_elements_error("operand and result", [self.operand.type, self.result.type])

    @constraint("C3", "C4")
    def known_bounds_in_range(self):
        starts, limits, strides = map(constant_integers, (self.start_indices, self.limit_indices, self.strides))
        error = minimum_error("start_indices", starts or (), 0) or minimum_error("strides", strides or (), 1)
        if error:
            return error
        if limits is not None and not all(
            n == DYNAMIC or limit <= n for limit, n in zip(limits, largest_shape(self.operand.type))
        ):
            return f"limit_indices must be at most the sizes of operand, found {listed(limits)} for {self.operand.type}"
        if starts and limits and not all(start <= limit for start, limit in zip(starts, limits)):
            return f"start_indices must be at most limit_indices, found {listed(starts)} and {listed(limits)}"
        return None

    @constraint("C5")
    def result_has_the_sizes(self):
        return self._size_error()


class GetDimensionSizeOp(Op, mnemonic="get_dimension_size"):
    """The size of a dimension at run time. https://openxla.org/stablehlo/spec#get_dimension_size"""

    ASSEMBLY = "operands `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"
    operand = Operand(TensorOrPerAxis)
    dimension = Attr(I64)
    result = Result(_Size)

    @constraint("C1")
    def dimension_in_range(self):
        return index_error("dimension", self.dimension, rank(self.operand.type))

    def infer(self):
        return [tensor([], ir.IntegerType.get_signless(32))]


class SetDimensionSizeOp(Op, mnemonic="set_dimension_size"):
    """Makes a dimension dynamic, with a size known at run time; not in the specification (group "dynamism")."""

    ASSEMBLY = "operands `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(AnyTensor)
    size = Operand(_Size)
    dimension = Attr(I64)
    result = Result(AnyTensor)

    @constraint("dimension")
    def dimension_in_range(self):
        return index_error("dimension", self.dimension, rank(self.operand.type))

    @constraint("size")
    def known_size_in_range(self):
        known, most = constant_integers(self.size), shape(self.operand.type)[self.dimension]
        if not known or (known[0] >= 0 and (most == DYNAMIC or known[0] <= most)):
            return None
        return f"size must be in [0, {most}] (that of operand), found {known[0]}"

    @constraint("size")
    def result_has_the_size(self):
        known, found = constant_integers(self.size), shape(self.result.type)
        if not known or self.dimension >= len(found) or compatible_sizes(found[self.dimension], known[0]):
            return None
        return f"dimension {self.dimension} of result must have size {known[0]}, found {found[self.dimension]}"

    @constraint("result")
    def infer(self):
        sizes = list(shape(self.operand.type))
        sizes[self.dimension] = DYNAMIC
        return [tensor(sizes, element_type(self.operand.type))]


class ComputeReshapeShapeOp(Op, mnemonic="compute_reshape_shape"):
    """The shape in which the size -1 is replaced so that it holds num_elements; not in the specification."""

    ONE_TYPE = (("dynamic_shape", "result"),)
    num_elements = Operand(_Index)
    dynamic_shape = Operand(_Sizes)
    result = Result(_Sizes)

    @constraint("result")
    def infer(self):
        return [self.dynamic_shape.type]


class CstrReshapableOp(Op, mnemonic="cstr_reshapable"):
    """A witness that num_elements elements fit a shape; not in the specification."""

    num_elements = Operand(_Index)
    dynamic_shape = Operand(_Sizes)
    result = Result(_Witness)

    def infer(self):
        return [ir.Type.parse("!shape.witness")]
