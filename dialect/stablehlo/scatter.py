"""Ops that update slices whose start indices are given by a tensor of indices. Clauses have the numbers of today's
specification, which knows batching dimensions."""

from __future__ import annotations

from hlo.dialect.attributes import (
    Bool,
    ScatterDimensionNumbers,
    structure,
)
from hlo.dialect.clauses import (
    count_error,
    index_error,
    listed,
    pairwise_elements_error,
    range_error,
    same_shapes_error,
    sorted_error,
    unique_and_sorted_error,
    unique_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.reducers import accumulator_elements, reducer_error
from hlo.dialect.shapes import without
from hlo.dialect.stablehlo.gather import batching_sizes_error, index_size_error, not_among_error
from hlo.dialect.stablehlo.slicing import box_error
from hlo.dialect.types import (
    AnyTensor,
    DimensionTensor,
    compatible_sizes,
    largest_shape,
    rank,
    shape,
    tensor,
)


class ScatterOp(Op, mnemonic="scatter"):
    """Combines updates into inputs at the indices in scatter_indices.
    https://openxla.org/stablehlo/spec#scatter"""

    inputs = Operand(AnyTensor, variadic=True)
    scatter_indices = Operand(DimensionTensor)
    updates = Operand(AnyTensor, variadic=True)
    scatter_dimension_numbers = Attr(structure(ScatterDimensionNumbers))
    indices_are_sorted = Attr(Bool, optional=True, default=False)
    unique_indices = Attr(Bool, optional=True, default=False)
    update_computation = Region()
    result = Result(AnyTensor, variadic=True)

    @constraint("C5")
    def counts_agree(self):
        return None if self.inputs else "must have at least one input, found 0"

    @constraint("C1")
    def inputs_of_one_shape(self):
        return same_shapes_error("inputs", [v.type for v in self.inputs])

    @constraint("C2")
    def dimensions_of_inputs_accounted_for(self):
        d, wanted = self.scatter_dimension_numbers, rank(self.inputs[0].type)
        found = len(d.update_window_dims) + len(d.inserted_window_dims) + len(d.input_batching_dims)
        if found == wanted:
            return None
        names = "update_window_dims, inserted_window_dims and input_batching_dims"
        return f"{names} must together have size {wanted} (the rank of inputs), found {found}"

    @constraint("C3")
    def updates_of_one_shape(self):
        return same_shapes_error("updates", [v.type for v in self.updates])

    @constraint("C6")
    def same_element_types(self):
        inputs, updates = ([v.type for v in values] for values in (self.inputs, self.updates))
        return pairwise_elements_error("updates", updates, "inputs", inputs)

    @constraint("C7")
    def update_window_dims_sorted(self):
        return unique_and_sorted_error("update_window_dims", self.scatter_dimension_numbers.update_window_dims)

    @constraint("C8")
    def update_window_dims_in_range(self):
        dims = self.scatter_dimension_numbers.update_window_dims
        return range_error("update_window_dims", dims, rank(self.updates[0].type))

    @constraint("C9")
    def absent_dims_unique(self):
        d = self.scatter_dimension_numbers
        absent = d.inserted_window_dims + d.input_batching_dims
        return unique_error("inserted_window_dims and input_batching_dims", absent)

    @constraint("C10")
    def inserted_window_dims_sorted(self):
        return sorted_error("inserted_window_dims", self.scatter_dimension_numbers.inserted_window_dims)

    @constraint("C11")
    def inserted_window_dims_in_range(self):
        dims = self.scatter_dimension_numbers.inserted_window_dims
        return range_error("inserted_window_dims", dims, rank(self.inputs[0].type))

    @constraint("C12")
    def input_batching_dims_sorted(self):
        return sorted_error("input_batching_dims", self.scatter_dimension_numbers.input_batching_dims)

    @constraint("C13")
    def input_batching_dims_in_range(self):
        dims = self.scatter_dimension_numbers.input_batching_dims
        return range_error("input_batching_dims", dims, rank(self.inputs[0].type))

    @constraint("C14")
    def indices_batching_dims_unique(self):
        dims = self.scatter_dimension_numbers.scatter_indices_batching_dims
        return unique_error("scatter_indices_batching_dims", dims)

    @constraint("C15")
    def indices_batching_dims_in_range(self):
        dims = self.scatter_dimension_numbers.scatter_indices_batching_dims
        return range_error("scatter_indices_batching_dims", dims, rank(self.scatter_indices.type))

    @constraint("C22")
    def index_vector_dim_in_range(self):
        limit = rank(self.scatter_indices.type) + 1
        return index_error("index_vector_dim", self.scatter_dimension_numbers.index_vector_dim, limit)

    @constraint("C16")
    def index_vector_dim_is_no_batching_dim(self):
        d = self.scatter_dimension_numbers
        return not_among_error(d.index_vector_dim, "scatter_indices_batching_dims", d.scatter_indices_batching_dims)

    @constraint("C17")
    def as_many_batching_dims(self):
        d = self.scatter_dimension_numbers
        count = len(d.scatter_indices_batching_dims)
        reason = "that of scatter_indices_batching_dims"
        return count_error("input_batching_dims", d.input_batching_dims, count, reason)

    @constraint("C18")
    def batching_sizes_agree(self):
        d = self.scatter_dimension_numbers
        indices = shape(self.scatter_indices.type), d.scatter_indices_batching_dims
        return batching_sizes_error(shape(self.inputs[0].type), d.input_batching_dims, *indices)

    @constraint("C19")
    def index_components_mapped(self):
        d, indices = self.scatter_dimension_numbers, shape(self.scatter_indices.type)
        dims = d.scatter_dims_to_operand_dims
        return index_size_error("scatter_dims_to_operand_dims", dims, indices, d.index_vector_dim)

    @constraint("C20")
    def mapped_dims_unique(self):
        d = self.scatter_dimension_numbers
        both = d.scatter_dims_to_operand_dims + d.input_batching_dims
        return unique_error("scatter_dims_to_operand_dims and input_batching_dims", both)

    @constraint("C21")
    def mapped_dims_in_range(self):
        dims = self.scatter_dimension_numbers.scatter_dims_to_operand_dims
        return range_error("scatter_dims_to_operand_dims", dims, rank(self.inputs[0].type))

    @constraint("C4")
    def updates_shape(self):
        d, updates = self.scatter_dimension_numbers, shape(self.updates[0].type)
        scatter_sizes = without(shape(self.scatter_indices.type), [d.index_vector_dim])
        if len(updates) != len(scatter_sizes) + len(d.update_window_dims):
            allowed = f"{len(scatter_sizes)} scatter and {len(d.update_window_dims)} window dimensions"
            return f"updates must have {allowed}, found {self.updates[0].type}"
        found = without(updates, d.update_window_dims)
        if not all(map(compatible_sizes, found, scatter_sizes)):
            return f"scatter dimensions of updates must have sizes {listed(scatter_sizes)}, found {listed(found)}"
        windows = without(largest_shape(self.inputs[0].type), d.inserted_window_dims + d.input_batching_dims)
        return box_error("window of updates", [updates[i] for i in d.update_window_dims], windows)

    @constraint("C23")
    def update_computation_is_a_reducer(self):
        return reducer_error("update_computation", self.update_computation, [v.type for v in self.inputs])

    @constraint("C24", "C25")
    def infer(self):
        inputs = [v.type for v in self.inputs]
        elements = accumulator_elements(self.regions, inputs)
        return [tensor(shape(t), e) for t, e in zip(inputs, elements)]
