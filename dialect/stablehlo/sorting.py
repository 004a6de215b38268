"""Sorting along a dimension."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import I64, Bool
from hlo.dialect.clauses import same_shapes_error
from hlo.dialect.definition import Attr, Op, Operand, Region, Result, constraint
from hlo.dialect.regions import signature_error
from hlo.dialect.types import AnyTensor, element_type, rank, tensor


class SortOp(Op, mnemonic="sort"):
    """Sorts slices of some tensors together. https://openxla.org/stablehlo/spec#sort"""

    inputs = Operand(AnyTensor, variadic=True)
    dimension = Attr(I64, optional=True, default=-1)
    is_stable = Attr(Bool, optional=True, default=False)
    comparator = Region()
    result = Result(AnyTensor, variadic=True)

    @constraint("C1")
    def has_inputs(self):
        return None if self.inputs else "must have at least one input, found 0"

    @constraint("C3")
    def same_shapes(self):
        return same_shapes_error("inputs", [v.type for v in self.inputs])

    @constraint("C4")
    def dimension_in_range(self):
        count = rank(self.inputs[0].type)
        if count == 0:
            return f"inputs must have a dimension to sort along, found {self.inputs[0].type}"
        if not -count <= self.dimension < count:
            return f"dimension must be in [-{count}, {count}), found {self.dimension}"
        return None

    @constraint("C5")
    def comparator_is_a_predicate_of_pairs(self):
        pairs = [tensor([], element_type(v.type)) for v in self.inputs for _ in range(2)]
        return signature_error("comparator", self.comparator, pairs, [tensor([], ir.IntegerType.get_signless(1))])

    @constraint("C2", "C3")
    def infer(self):
        return [v.type for v in self.inputs]
