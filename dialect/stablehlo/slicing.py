"""Ops that cut boxes out of tensors, and put them back."""

from __future__ import annotations

from collections.abc import Sequence

from hlo.dialect.attributes import I64Array
from hlo.dialect.clauses import (
    count_error,
    minimum_error,
    same_elements_error,
)
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.shapes import slice_size
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    IntTensor,
    element_type,
    largest_shape,
    rank,
    scalar_of,
    shape,
    tensor,
)


class SliceOp(Op, mnemonic="slice"):
    """A strided box of a tensor, known at compile time. https://openxla.org/stablehlo/spec#slice"""

    ASSEMBLY = "operands custom<SliceRanges> attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(AnyTensor)
    start_indices = Attr(I64Array)
    limit_indices = Attr(I64Array)
    strides = Attr(I64Array)
    result = Result(AnyTensor)

    @constraint("C2")
    def one_index_a_dimension(self):
        lists = {"start_indices": self.start_indices, "limit_indices": self.limit_indices, "strides": self.strides}
        count = rank(self.operand.type)
        errors = (count_error(name, values, count, "the rank of operand") for name, values in lists.items())
        return next((e for e in errors if e), None)

    @constraint("C3")
    def indices_in_range(self):
        boxes = zip(self.start_indices, self.limit_indices, largest_shape(self.operand.type))
        for d, (start, limit, size) in enumerate(boxes):
            if not 0 <= start <= limit or (size != DYNAMIC and limit > size):
                allowed = f"0 <= start_indices <= limit_indices{'' if size == DYNAMIC else f' <= {size}'}"
                return f"dimension {d} must have {allowed}, found {start} and {limit}"
        return None

    @constraint("C4")
    def strides_positive(self):
        return minimum_error("strides", self.strides, 1)

    @constraint("C1", "C5")
    def infer(self):
        sizes = map(slice_size, self.start_indices, self.limit_indices, self.strides)
        return [tensor(list(sizes), element_type(self.operand.type))]


class DynamicSliceOp(Op, mnemonic="dynamic_slice"):
    """A box whose start is known at run time. https://openxla.org/stablehlo/spec#dynamic_slice"""

    ASSEMBLY = "operands `,` `sizes` `=` $slice_sizes attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(AnyTensor)
    start_indices = Operand(scalar_of(IntTensor), variadic=True)
    slice_sizes = Attr(I64Array)
    result = Result(AnyTensor)

    @constraint("C2")
    def one_index_a_dimension(self):
        count = rank(self.operand.type)
        return count_error("start_indices", self.start_indices, count, "the rank of operand") or count_error(
            "slice_sizes", self.slice_sizes, count, "the rank of operand"
        )

    @constraint("C3")
    def indices_of_one_type(self):
        return one_index_type_error([v.type for v in self.start_indices])

    @constraint("C4")
    def sizes_fit(self):
        sizes = self.slice_sizes
        return minimum_error("slice_sizes", sizes, 0) or box_error(
            "slice_sizes", sizes, largest_shape(self.operand.type)
        )

    @constraint("C1", "C5")
    def infer(self):
        return [tensor(self.slice_sizes, element_type(self.operand.type))]


def one_index_type_error(types: list) -> str | None:
    if len(set(types)) <= 1:
        return None
    return f"start_indices must have one type, found {', '.join(map(str, types))}"


def box_error(name: str, sizes: Sequence[int], whole: Sequence[int]) -> str | None:
    """Whether the sizes are at most those of the whole, as far as both are known."""
    for d, (size, limit) in enumerate(zip(sizes, whole)):
        if DYNAMIC not in (size, limit) and size > limit:
            return f"{name} must be in [0, {limit}] at dimension {d}, found {size}"
    return None


class DynamicUpdateSliceOp(Op, mnemonic="dynamic_update_slice"):
    """Replaces a box whose start is known at run time. https://openxla.org/stablehlo/spec#dynamic_update_slice"""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(AnyTensor)
    update = Operand(AnyTensor)
    start_indices = Operand(scalar_of(IntTensor), variadic=True)
    result = Result(AnyTensor)

    @constraint("C2")
    def same_element_types(self):
        return same_elements_error("update and operand", [self.update.type, self.operand.type])

    @constraint("C3")
    def same_ranks(self):
        update, operand = rank(self.update.type), rank(self.operand.type)
        return None if update == operand else f"update must have rank {operand} (that of operand), found {update}"

    @constraint("C4")
    def one_index_a_dimension(self):
        return count_error("start_indices", self.start_indices, rank(self.operand.type), "the rank of operand")

    @constraint("C5")
    def indices_of_one_type(self):
        return one_index_type_error([v.type for v in self.start_indices])

    @constraint("C6")
    def update_fits(self):
        return box_error("update", shape(self.update.type), largest_shape(self.operand.type))

    @constraint("C1")
    def infer(self):
        return [self.operand.type]
