"""Ops that move elements without computing: broadcasts, reshapes, padding, concatenation."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.dialect.attributes import I64, I64Array
from hlo.dialect.choices import SIZES, chosen_sizes
from hlo.dialect.clauses import (
    count_error,
    index_error,
    listed,
    minimum_error,
    range_error,
    representable_error,
    same_elements_error,
    unique_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.quantized import (
    axis,
    axis_error,
    broadcast_axis_error,
    broadcast_type,
    is_per_axis,
    moved_elements_error,
    reshape_error,
    reshaped_type,
    with_axis,
)
from hlo.dialect.shapes import element_count, padded_with_interior, total
from hlo.dialect.types import (
    AnyTensor,
    TensorOrPerAxis,
    compatible_sizes,
    element_type,
    largest_shape,
    most_specific,
    rank,
    scalar_of,
    shape,
    tensor,
)


class Broadcasting(Op):
    """The clauses of a broadcast along named dimensions, whether its sizes are attributes or values."""

    MOVES = True

    @constraint("C1")
    def same_element_types(self):
        return moved_elements_error(self.operand.type, self.result.type, parameters=False)

    @constraint("C2")
    def one_dimension_for_each_of_operand(self):
        return count_error(
            "broadcast_dimensions", self.broadcast_dimensions, rank(self.operand.type), "the rank of operand"
        )

    @constraint("C3")
    def dimensions_in_range(self):
        return range_error("broadcast_dimensions", self.broadcast_dimensions, rank(self.result.type))

    @constraint("C4")
    def dimensions_unique(self):
        return unique_error("broadcast_dimensions", self.broadcast_dimensions)

    @constraint("C5")
    def sizes_repeat_or_stay(self):
        return broadcast_error(shape(self.operand.type), shape(self.result.type), self.broadcast_dimensions)

    @constraint("C6")
    def quantized_dimension_moves_along(self):
        return broadcast_axis_error(self.operand.type, self.result.type, self.broadcast_dimensions)


class BroadcastInDimOp(Broadcasting, mnemonic="broadcast_in_dim"):
    """Repeats a tensor along new and unit dimensions. https://openxla.org/stablehlo/spec#broadcast_in_dim"""

    ASSEMBLY = "operands `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    operand = Operand(TensorOrPerAxis)
    broadcast_dimensions = Attr(I64Array)
    result = Result(TensorOrPerAxis)

    def infer(self):
        return [broadcast_type(self.operand.type, chosen_sizes(self), self.broadcast_dimensions)]


def broadcast_error(operand: Sequence[int], result: Sequence[int], dimensions: Sequence[int]) -> str | None:
    """Whether each size of the operand is 1 or the result's at its dimension."""
    for j, (size, i) in enumerate(zip(operand, dimensions)):
        if size != 1 and not compatible_sizes(size, result[i]):
            return f"dimension {j} of operand must have size 1 or {result[i]} (dimension {i} of result), found {size}"
    return None


class BroadcastOp(Op, mnemonic="broadcast"):
    """Repeats a tensor along new leading dimensions; not in the specification (group "not in HLO")."""

    ASSEMBLY = "operands `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(AnyTensor)
    broadcast_sizes = Attr(I64Array)
    result = Result(AnyTensor)

    @constraint("broadcast_sizes")
    def sizes_not_negative(self):
        return minimum_error("broadcast_sizes", self.broadcast_sizes, 0)

    @constraint("result")
    def infer(self):
        operand = self.operand.type
        return [tensor([*self.broadcast_sizes, *shape(operand)], element_type(operand))]


class Reshaping(Op):
    """The clauses of a reshape, whether its sizes are attributes or values."""

    MOVES = True

    @constraint("C1")
    def same_element_types(self):
        return moved_elements_error(self.operand.type, self.result.type)

    @constraint("C2")
    def same_number_of_elements(self):
        operand, result = element_count(shape(self.operand.type)), element_count(shape(self.result.type))
        if not compatible_sizes(operand, result):
            return f"operand and result must have the same number of elements, found {operand} and {result}"
        return None

    @constraint("C3")
    def quantized_dimension_stays(self):
        return reshape_error(self.operand.type, self.result.type)


class ReshapeOp(Reshaping, mnemonic="reshape"):
    """The same elements in row-major order under another shape. https://openxla.org/stablehlo/spec#reshape"""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    CHOICE = (SIZES,)
    operand = Operand(TensorOrPerAxis)
    result = Result(TensorOrPerAxis)

    def infer(self):
        return [reshaped_type(self.operand.type, chosen_sizes(self))]


class TransposeOp(Op, mnemonic="transpose"):
    """Permutes dimensions. https://openxla.org/stablehlo/spec#transpose"""

    ASSEMBLY = "operands `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(TensorOrPerAxis)
    permutation = Attr(I64Array)
    result = Result(TensorOrPerAxis)

    @constraint("C1", quantized=True)
    def same_quantization(self):
        return moved_elements_error(self.operand.type, self.result.type)

    @constraint("C2")
    def is_a_permutation(self):
        dimensions = list(range(rank(self.operand.type)))
        if sorted(self.permutation) != dimensions:
            return f"permutation must be a permutation of {dimensions}, found {listed(self.permutation)}"
        return None

    @constraint("C4")
    def quantized_dimension_moves_along(self):
        operand, result = self.operand.type, self.result.type
        if not is_per_axis(operand) or not is_per_axis(result):
            return None
        wanted = self.permutation.index(axis(operand))
        return axis_error("result", result, wanted, "where permutation puts that of operand")

    @constraint("C1", "C3")
    def infer(self):
        sizes, element = shape(self.operand.type), element_type(self.operand.type)
        if is_per_axis(self.operand.type):
            element = with_axis(element, self.permutation.index(axis(self.operand.type)))
        return [tensor([sizes[d] for d in self.permutation], element)]


class ReverseOp(Op, mnemonic="reverse"):
    """Reverses the order of elements along dimensions. https://openxla.org/stablehlo/spec#reverse"""

    ASSEMBLY = "operands `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>"
    ONE_TYPE = (("operand", "result"),)
    MOVES = True
    operand = Operand(AnyTensor)
    dimensions = Attr(I64Array)
    result = Result(AnyTensor)

    @constraint("C2")
    def dimensions_unique(self):
        return unique_error("dimensions", self.dimensions)

    @constraint("C3")
    def dimensions_in_range(self):
        return range_error("dimensions", self.dimensions, rank(self.operand.type))

    @constraint("C1")
    def infer(self):
        return [self.operand.type]


class PadOp(Op, mnemonic="pad"):
    """Adds elements around and between those of a tensor. https://openxla.org/stablehlo/spec#pad"""

    ASSEMBLY = (
        "operands `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,` `interior` `=` "
        "$interior_padding attr-dict `:` functional-type(operands, results)"
    )
    MOVES = True
    operand = Operand(AnyTensor)
    padding_value = Operand(scalar_of(AnyTensor))
    edge_padding_low = Attr(I64Array)
    edge_padding_high = Attr(I64Array)
    interior_padding = Attr(I64Array)
    result = Result(AnyTensor)

    @constraint("C1")
    def same_element_types(self):
        return same_elements_error("operand and padding_value", [self.operand.type, self.padding_value.type])

    @constraint("C2")
    def one_padding_a_dimension(self):
        lists = {
            "edge_padding_low": self.edge_padding_low,
            "edge_padding_high": self.edge_padding_high,
            "interior_padding": self.interior_padding,
        }
        count = rank(self.operand.type)
        errors = (count_error(name, values, count, "the rank of operand") for name, values in lists.items())
        return next((e for e in errors if e), None)

    @constraint("C3")
    def interior_not_negative(self):
        return minimum_error("interior_padding", self.interior_padding, 0)

    def _padded(self, sizes: Sequence[int]) -> list[int]:
        low, high, interior = self.edge_padding_low, self.edge_padding_high, self.interior_padding
        return list(map(padded_with_interior, sizes, low, high, interior))

    @constraint("C4")
    def sizes_not_negative(self):
        return representable_error("result", self._padded(largest_shape(self.operand.type)))

    @constraint("C1", "C4")
    def infer(self):
        return [tensor(self._padded(shape(self.operand.type)), element_type(self.operand.type))]


class ConcatenateOp(Op, mnemonic="concatenate"):
    """Tensors one after another along a dimension. https://openxla.org/stablehlo/spec#concatenate"""

    ASSEMBLY = "operands `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)"
    MOVES = True
    inputs = Operand(AnyTensor, variadic=True)
    dimension = Attr(I64)
    result = Result(AnyTensor)

    @constraint("C3")
    def has_inputs(self):
        return None if self.inputs else "must have at least one input, found 0"

    @constraint("C1")
    def same_element_types(self):
        return same_elements_error("inputs", [v.type for v in self.inputs])

    @constraint("C4")
    def dimension_in_range(self):
        return index_error("dimension", self.dimension, rank(self.inputs[0].type))

    @constraint("C2")
    def same_other_sizes(self):
        types = [v.type for v in self.inputs]
        first = _other_sizes(shape(types[0]), self.dimension)
        for sizes in (_other_sizes(shape(t), self.dimension) for t in types):
            if len(sizes) != len(first) or not all(map(compatible_sizes, sizes, first)):
                found = ", ".join(map(str, types))
                return f"inputs must have one shape except at dimension {self.dimension}, found {found}"
        return None

    def _size(self) -> int:
        return total([shape(v.type)[self.dimension] for v in self.inputs])

    @constraint("C6")
    def size_representable(self):
        return representable_error("result", [self._size()])

    @constraint("C5", "C6")
    def infer(self):
        element = element_type(self.inputs[0].type)
        others = most_specific(*(tensor(_other_sizes(shape(v.type), self.dimension), element) for v in self.inputs))
        sizes = list(shape(others))
        sizes[self.dimension] = self._size()
        return [tensor(sizes, element)]


def _other_sizes(sizes: tuple[int, ...], dimension: int) -> list[int]:
    """The sizes with a 1 at a dimension."""
    return [1 if d == dimension else size for d, size in enumerate(sizes)]
