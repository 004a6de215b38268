"""Ops that read slices whose start indices are given by a tensor of indices. Clauses have the numbers of today's
specification, which knows batching dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hlo.dialect.attributes import (
    I64,
    Bool,
    GatherDimensionNumbers,
    I64Array,
    structure,
)
from hlo.dialect.clauses import (
    count_error,
    index_error,
    listed,
    minimum_error,
    range_error,
    sorted_error,
    unique_and_sorted_error,
    unique_error,
    vector_size_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.known_integers import constant_integers
from hlo.dialect.shapes import combine, without
from hlo.dialect.stablehlo.slicing import box_error
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    IntTensor,
    compatible_sizes,
    element_type,
    largest_shape,
    rank,
    shape,
    static_vector_of,
    tensor,
)


def batching_sizes_error(operand: Sequence[int], dims: Sequence[int], indices: Sequence[int], at: Sequence[int]):
    """Whether batching dimensions of operand and indices have the same sizes, pair by pair."""
    found = [operand[d] for d in dims], [indices[d] for d in at]
    if all(map(compatible_sizes, *found)):
        return None
    return f"batching dimensions of operand and indices must have the same sizes, found {found[0]} and {found[1]}"


def index_size_error(name: str, dims: Sequence[int], indices: Sequence[int], index_vector_dim: int) -> str | None:
    """Whether there is one dimension for each component of an index; index_vector_dim is in range."""
    size = indices[index_vector_dim] if index_vector_dim < len(indices) else 1
    return None if size == DYNAMIC else count_error(name, dims, size, "the number of components of an index")


def not_among_error(index_vector_dim: int, name: str, dims: Sequence[int]) -> str | None:
    if index_vector_dim not in dims:
        return None
    return f"index_vector_dim must not be among {name}, found {index_vector_dim} in {listed(dims)}"


class _Gather(Op):
    MOVES = True
    operand = Operand(AnyTensor)
    start_indices = Operand(IntTensor)
    dimension_numbers = Attr(structure(GatherDimensionNumbers))
    slice_sizes: Any = Attr(I64Array)
    indices_are_sorted = Attr(Bool, optional=True, default=False)
    result = Result(AnyTensor)

    def sizes(self) -> Sequence[int]:
        """slice_sizes, DYNAMIC when they are known at run time only."""
        return self.slice_sizes

    @constraint("C1")
    def dimensions_of_operand_accounted_for(self):
        d = self.dimension_numbers
        found = len(d.offset_dims) + len(d.collapsed_slice_dims) + len(d.operand_batching_dims)
        if found == rank(self.operand.type):
            return None
        names = "offset_dims, collapsed_slice_dims and operand_batching_dims"
        return f"{names} must together have size {rank(self.operand.type)} (the rank of operand), found {found}"

    @constraint("C2")
    def index_vector_dim_in_range(self):
        limit = rank(self.start_indices.type) + 1
        return index_error("index_vector_dim", self.dimension_numbers.index_vector_dim, limit)

    @constraint("C3")
    def index_components_mapped(self):
        d = self.dimension_numbers
        indices = shape(self.start_indices.type)
        return index_size_error("start_index_map", d.start_index_map, indices, d.index_vector_dim)

    @constraint("C4")
    def offset_dims_sorted(self):
        return unique_and_sorted_error("offset_dims", self.dimension_numbers.offset_dims)

    @constraint("C5")
    def offset_dims_in_range(self):
        return range_error(
            "offset_dims", self.dimension_numbers.offset_dims, len(self._batch_sizes()) + self._offsets()
        )

    @constraint("C6")
    def dropped_dims_unique(self):
        d = self.dimension_numbers
        dropped = d.collapsed_slice_dims + d.operand_batching_dims
        return unique_error("collapsed_slice_dims and operand_batching_dims", dropped)

    @constraint("C7")
    def collapsed_slice_dims_sorted(self):
        return sorted_error("collapsed_slice_dims", self.dimension_numbers.collapsed_slice_dims)

    @constraint("C8")
    def collapsed_slice_dims_in_range(self):
        dims = self.dimension_numbers.collapsed_slice_dims
        return range_error("collapsed_slice_dims", dims, rank(self.operand.type))

    @constraint("C20")
    def one_slice_size_a_dimension(self):
        return count_error("slice_sizes", self.slice_sizes, rank(self.operand.type), "the rank of operand")

    @constraint("C9")
    def collapsed_slices_of_one(self):
        return self._slices_error("collapsed_slice_dims")

    @constraint("C10")
    def operand_batching_dims_sorted(self):
        return sorted_error("operand_batching_dims", self.dimension_numbers.operand_batching_dims)

    @constraint("C11")
    def operand_batching_dims_in_range(self):
        dims = self.dimension_numbers.operand_batching_dims
        return range_error("operand_batching_dims", dims, rank(self.operand.type))

    @constraint("C12")
    def batching_slices_of_one(self):
        return self._slices_error("operand_batching_dims")

    def _slices_error(self, name: str) -> str | None:
        found = [self.sizes()[d] for d in getattr(self.dimension_numbers, name)]
        if all(size <= 1 for size in found):
            return None
        return f"slice_sizes at {name} must be at most 1, found {listed(found)}"

    @constraint("C13")
    def indices_batching_dims_unique(self):
        return unique_error("start_indices_batching_dims", self.dimension_numbers.start_indices_batching_dims)

    @constraint("C14")
    def indices_batching_dims_in_range(self):
        dims = self.dimension_numbers.start_indices_batching_dims
        return range_error("start_indices_batching_dims", dims, rank(self.start_indices.type))

    @constraint("C15")
    def index_vector_dim_is_no_batching_dim(self):
        d = self.dimension_numbers
        return not_among_error(d.index_vector_dim, "start_indices_batching_dims", d.start_indices_batching_dims)

    @constraint("C16")
    def as_many_batching_dims(self):
        d = self.dimension_numbers
        count = len(d.start_indices_batching_dims)
        reason = "that of start_indices_batching_dims"
        return count_error("operand_batching_dims", d.operand_batching_dims, count, reason)

    @constraint("C17")
    def batching_sizes_agree(self):
        d = self.dimension_numbers
        indices = shape(self.start_indices.type), d.start_indices_batching_dims
        return batching_sizes_error(shape(self.operand.type), d.operand_batching_dims, *indices)

    @constraint("C18")
    def start_index_map_unique(self):
        d = self.dimension_numbers
        both = d.start_index_map + d.operand_batching_dims
        return unique_error("start_index_map and operand_batching_dims", both)

    @constraint("C19")
    def start_index_map_in_range(self):
        return range_error("start_index_map", self.dimension_numbers.start_index_map, rank(self.operand.type))

    @constraint("C21")
    def slices_fit(self):
        sizes = self.slice_sizes
        return minimum_error("slice_sizes", sizes, 0) or box_error(
            "slice_sizes", sizes, largest_shape(self.operand.type)
        )

    def _batch_sizes(self) -> list[int]:
        return without(shape(self.start_indices.type), [self.dimension_numbers.index_vector_dim])

    def _offsets(self) -> int:
        return len(self.dimension_numbers.offset_dims)

    @constraint("C22", "C23")
    def infer(self):
        d = self.dimension_numbers
        offsets = without(self.sizes(), d.collapsed_slice_dims + d.operand_batching_dims)
        sizes = combine(self._batch_sizes(), offsets, d.offset_dims)
        return [tensor(sizes, element_type(self.operand.type))]


class GatherOp(_Gather, mnemonic="gather"):
    """Slices of operand at the indices in start_indices. https://openxla.org/stablehlo/spec#gather"""


class DynamicGatherOp(_Gather, mnemonic="dynamic_gather"):
    """A gather with slice sizes known at run time. https://openxla.org/stablehlo/spec#dynamic_gather"""

    slice_sizes = Operand(static_vector_of(IntTensor))
    static_slice_sizes = Attr(I64Array, optional=True, key="slice_sizes")
    """Says nothing: what programs keep that were made from a gather."""

    def sizes(self) -> Sequence[int]:
        known, count = constant_integers(self.slice_sizes) or [], rank(self.operand.type)
        return known if len(known) == count else [DYNAMIC] * count

    @constraint("C20")
    def one_slice_size_a_dimension(self):
        return vector_size_error("slice_sizes", self.slice_sizes.type, rank(self.operand.type), "the rank of operand")

    @constraint("C21")
    def slices_fit(self):
        """As far as the program's text gives them."""
        known = constant_integers(self.slice_sizes) or ()
        return minimum_error("slice_sizes", known, 0) or box_error(
            "slice_sizes", self.sizes(), largest_shape(self.operand.type)
        )


class TorchIndexSelectOp(Op, mnemonic="torch_index_select"):
    """Slices along one dimension, batched; not in the specification (group "not in HLO")."""

    MOVES = True
    operand = Operand(AnyTensor)
    index = Operand(IntTensor)
    dim = Attr(I64)
    batch_dims = Attr(I64)
    result = Result(AnyTensor)

    @constraint("dim")
    def dim_in_range(self):
        return index_error("dim", self.dim, rank(self.operand.type))

    @constraint("batch_dims")
    def batch_dims_in_range(self):
        limit = min(self.dim, rank(self.index.type))
        return index_error("batch_dims", self.batch_dims, limit + 1)

    @constraint("batch_dims")
    def batch_sizes_agree(self):
        dims = range(self.batch_dims)
        return batching_sizes_error(shape(self.operand.type), dims, shape(self.index.type), dims)

    @constraint("operand")
    def there_is_something_to_select(self):
        """Start indices are clamped into operand, so there must be one, unless nothing is read: a gather's C21."""
        if shape(self.operand.type)[self.dim] != 0 or 0 in shape(self.infer()[0]):
            return None
        return (
            f"operand must have elements in dimension {self.dim}, as result {self.result.type} has some, found size 0"
        )

    @constraint("result")
    def infer(self):
        operand, index = shape(self.operand.type), shape(self.index.type)
        sizes = [*operand[: self.dim], *index[self.batch_dims :], *operand[self.dim + 1 :]]
        return [tensor(sizes, element_type(self.operand.type))]
