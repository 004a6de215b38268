"""CHLO ops that are not elementwise: constants, top_k, ragged_dot, scan."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import (
    I64,
    PRECISION_CONFIG,
    AttributeKind,
    Bool,
    Elements,
    RaggedDotDimensionNumbers,
    structure,
)
from hlo.dialect.choices import ELEMENT, chosen_element
from hlo.dialect.clauses import count_error, listed, unique_error
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.regions import returned_types, signature_error
from hlo.dialect.shapes import without
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    IntTensor,
    compatible,
    compatible_sizes,
    element_type,
    rank,
    shape,
    tensor,
    with_element,
    without_dimension,
)

Typed = AttributeKind(
    "attribute with a type (1.0 : f32)",
    lambda a: a,
    lambda v: v,
    lambda a: isinstance(a, (ir.IntegerAttr, ir.FloatAttr)) or _is_complex_number(a),
)


def _is_complex_number(a: ir.Attribute) -> bool:
    """Complex numbers have no class in Python: `#complex.number<:f32 1.0, 2.0> : complex<f32>`."""
    return isinstance(a.type, ir.ComplexType)


class ConstantOp(Op, mnemonic="constant"):
    """A tensor known at compile time."""

    ASSEMBLY = "attr-dict custom<ConstantValue>"
    DIALECT = "chlo"
    value = Attr(Elements)
    output = Result(AnyTensor)

    def infer(self):
        return [ir.ShapedType(self.value.type)]


class ConstantLikeOp(Op, mnemonic="constant_like"):
    """One number in the shape of operand."""

    DIALECT = "chlo"
    value = Attr(Typed)
    operand = Operand(AnyTensor)
    result = Result(AnyTensor)

    def infer(self):
        return [with_element(self.operand.type, self.value.type)]


class TopKOp(Op, mnemonic="top_k"):
    """The k largest elements along the last dimension, largest first, and where they are; of equal ones the first,
    whether or not `is_stable`."""

    ASSEMBLY = (
        "`(` operands `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:` custom<OperandsToResults>"
    )
    DIALECT = "chlo"
    operand = Operand(AnyTensor)
    k = Attr(I64)
    is_stable = Attr(Bool, optional=True, default=False)
    values = Result(AnyTensor)
    indices = Result(IntTensor)

    @constraint()
    def has_k_elements(self):
        operand = self.operand.type
        if rank(operand) == 0:
            return f"operand must have at least one dimension, found {operand}"
        size = shape(operand)[-1]
        if self.k < 0 or (size != DYNAMIC and self.k > size):
            return f"k must be in [0, {size}], found {self.k}"
        return None

    def infer(self):
        sizes = [*shape(self.operand.type)[:-1], self.k]
        elements = element_type(self.operand.type), ir.IntegerType.get_signless(32)
        return [tensor(sizes, element) for element in elements]


class RaggedDotOp(Op, mnemonic="ragged_dot"):
    """A dot_general along one of whose dimensions groups of lhs meet different parts of rhs."""

    DIALECT = "chlo"
    CHOICE = (ELEMENT,)
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    group_sizes = Operand(IntTensor)
    ragged_dot_dimension_numbers = Attr(structure(RaggedDotDimensionNumbers))
    precision_config = Attr(PRECISION_CONFIG, optional=True)
    result = Result(AnyTensor)

    @constraint()
    def one_ragged_dimension(self):
        dimensions = self.ragged_dot_dimension_numbers.lhs_ragged_dimensions
        if len(dimensions) != 1:
            return f"lhs_ragged_dimensions must be one dimension, found {list(dimensions)}"
        return None

    @constraint()
    def dimensions_in_range(self):
        numbers = self.ragged_dot_dimension_numbers
        for side, t in (("lhs", self.lhs.type), ("rhs", self.rhs.type)):
            groups = {n: d for n, d in vars(numbers).items() if n.startswith(side)}
            for name, dimensions in groups.items():
                if not all(0 <= d < rank(t) for d in dimensions):
                    return f"{name} must be in [0, {rank(t)}), found {list(dimensions)}"
        return None

    @constraint()
    def paired_sizes_match(self):
        numbers, lhs, rhs = self.ragged_dot_dimension_numbers, self.lhs.type, self.rhs.type
        for what in ("batching", "contracting"):
            left = getattr(numbers, f"lhs_{what}_dimensions")
            right = getattr(numbers, f"rhs_{what}_dimensions")
            if len(left) != len(right):
                return f"as many {what} dimensions must be of lhs as of rhs, found {list(left)} and {list(right)}"
            if not all(compatible_sizes(shape(lhs)[i], shape(rhs)[j]) for i, j in zip(left, right)):
                return (
                    f"{what} dimensions must have equal sizes, found {list(left)} of {lhs} and {list(right)} of {rhs}"
                )
        return None

    @constraint()
    def dimensions_unique(self):
        d = self.ragged_dot_dimension_numbers
        lhs = d.lhs_batching_dimensions + d.lhs_contracting_dimensions
        rhs = d.rhs_batching_dimensions + d.rhs_contracting_dimensions + d.rhs_group_dimensions
        return unique_error("lhs_batching_dimensions and lhs_contracting_dimensions", lhs) or unique_error(
            "rhs_batching_dimensions, rhs_contracting_dimensions and rhs_group_dimensions", rhs
        )

    @constraint()
    def group_dimensions_fit_the_ragged_one(self):
        """rhs has parts for groups where the ragged dimension of lhs is free."""
        d = self.ragged_dot_dimension_numbers
        (ragged,) = d.lhs_ragged_dimensions
        is_free = ragged not in d.lhs_batching_dimensions + d.lhs_contracting_dimensions
        reason = "the ragged dimension is free" if is_free else "the ragged dimension is batching or contracting"
        return count_error("rhs_group_dimensions", d.rhs_group_dimensions, int(is_free), reason)

    @constraint()
    def group_sizes_fit(self):
        """One size a group, or one for each group and each index of the dimensions outside of the ragged one."""
        d, found = self.ragged_dot_dimension_numbers, shape(self.group_sizes.type)
        outer = [shape(self.lhs.type)[i] for i in self._outer_dimensions()]
        if len(found) != 1 and (len(found) != len(outer) + 1 or not all(map(compatible_sizes, found, outer))):
            return f"group_sizes must have shape [groups] or {listed(outer)} and groups, found {listed(found)}"
        groups = [shape(self.rhs.type)[i] for i in d.rhs_group_dimensions]
        if all(compatible_sizes(found[-1], size) for size in groups):
            return None
        return f"group_sizes must have {groups[0]} groups (the size of the group dimension of rhs), found {found[-1]}"

    def _outer_dimensions(self):
        """Batching dimensions of lhs, and those of the ragged dimension's kind that come before it."""
        d = self.ragged_dot_dimension_numbers
        (ragged,) = d.lhs_ragged_dimensions
        if ragged in d.lhs_batching_dimensions:
            return d.lhs_batching_dimensions[: d.lhs_batching_dimensions.index(ragged)]
        if ragged in d.lhs_contracting_dimensions:
            before = d.lhs_contracting_dimensions[: d.lhs_contracting_dimensions.index(ragged)]
        else:
            gone = d.lhs_batching_dimensions + d.lhs_contracting_dimensions
            before = tuple(i for i in range(ragged) if i not in gone)
        return d.lhs_batching_dimensions + before

    def infer(self):
        """Batch, what is left of lhs, what is left of rhs; before them the groups, when it is a contracted dimension of
        lhs that they divide."""
        d, lhs, rhs = self.ragged_dot_dimension_numbers, shape(self.lhs.type), shape(self.rhs.type)
        groups = (
            shape(self.group_sizes.type) if set(d.lhs_ragged_dimensions) & set(d.lhs_contracting_dimensions) else ()
        )
        left = without(lhs, d.lhs_batching_dimensions + d.lhs_contracting_dimensions)
        right = without(rhs, d.rhs_batching_dimensions + d.rhs_contracting_dimensions + d.rhs_group_dimensions)
        sizes = [*groups, *(lhs[i] for i in d.lhs_batching_dimensions), *left, *right]
        return [tensor(sizes, chosen_element(self, element_type(self.lhs.type)))]


class ScanOp(Op, mnemonic="scan"):
    """body(input slices, carries) -> (output slices, carries) along one dimension."""

    ASSEMBLY = "custom<ScanOp>"
    DIALECT = "chlo"
    inputs = Operand(AnyTensor, variadic=True)
    inits = Operand(AnyTensor, variadic=True)
    dimension = Attr(I64)
    scan_dim_size = Attr(I64, optional=True)
    is_reverse = Attr(Bool, optional=True, default=False)
    is_associative = Attr(Bool, optional=True)
    body = Region()
    outputs = Result(AnyTensor, variadic=True)
    carries = Result(AnyTensor, variadic=True)

    @constraint()
    def dimension_in_range(self):
        for value in (*self.inputs, *self.outputs):
            if not 0 <= self.dimension < rank(value.type):
                return f"dimension must be in [0, {rank(value.type)}), found {self.dimension}"
        return None

    @constraint()
    def steps_are_of_one_number(self):
        wanted = DYNAMIC if self.scan_dim_size is None else self.scan_dim_size
        for value in (*self.inputs, *self.outputs):
            size = shape(value.type)[self.dimension]
            if not compatible_sizes(size, wanted):
                reason = "scan_dim_size" if self.scan_dim_size is not None else "that of the other inputs and outputs"
                return (
                    f"dimension {self.dimension} of inputs and outputs must have size {wanted} ({reason}), found {size}"
                )
            wanted = size if wanted == DYNAMIC else wanted
        return None

    @constraint()
    def carries_keep_types(self):
        before, after = [v.type for v in self.inits], [v.type for v in self.carries]
        if len(before) != len(after) or not all(map(compatible, before, after)):
            return f"carries must have the types of inits {list(map(str, before))}, found {list(map(str, after))}"
        return None

    @constraint()
    def body_takes_slices(self):
        inits = [v.type for v in self.inits]
        inputs = [without_dimension(v.type, self.dimension) for v in self.inputs]
        outputs = [without_dimension(v.type, self.dimension) for v in self.outputs]
        return signature_error("body", self.body, inputs + inits, outputs + inits)

    def infer(self):
        """Outputs are the body's slices of them, as many as there are steps, put together along the dimension."""
        steps = shape(self.inputs[0].type)[self.dimension] if self.inputs else self.scan_dim_size
        returned = returned_types(self.body)
        outputs = returned[: len(returned) - len(self.inits)]
        return [*(_stacked(t, self.dimension, steps) for t in outputs), *(v.type for v in self.inits)]


def _stacked(t: ir.Type, dimension: int, steps: int) -> ir.Type:
    return tensor([*shape(t)[:dimension], steps, *shape(t)[dimension:]], element_type(t))
