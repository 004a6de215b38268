"""Comparison and choice between elements."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import COMPARISON_DIRECTION, COMPARISON_TYPE
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import (
    AnyTensor,
    BoolTensor,
    compatible,
    compatible_baselines,
    compatible_shapes,
    element_type,
    is_complex,
    is_float,
    is_quantized,
    is_unsigned,
    most_specific,
    rank,
    with_element,
)


def default_comparison_type(op: CompareOp) -> str:
    """What a compare without compare_type means, by the element type of its operands."""
    return comparison_types(element_type(op.lhs.type))[0]


def comparison_types(element: ir.Type) -> tuple[str, ...]:
    """The legal comparison types of an element type; the first is the default."""
    if is_complex(element):
        return ("FLOAT",)
    if is_float(element) or is_quantized(element):
        return ("FLOAT", "TOTALORDER", "WEAKORDER")
    return ("UNSIGNED",) if is_unsigned(element) else ("SIGNED",)


class CompareOp(Op, mnemonic="compare"):
    """Elementwise comparison. https://openxla.org/stablehlo/spec#compare"""

    ASSEMBLY = (
        "$comparison_direction `,` operands (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)"
    )
    ELEMENTWISE = True
    ONE_TYPE = (("lhs", "rhs"),)
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    comparison_direction = Attr(COMPARISON_DIRECTION)
    compare_type = Attr(COMPARISON_TYPE, optional=True, default=default_comparison_type)
    result = Result(BoolTensor)

    @constraint("C1")
    def same_element_types(self):
        lhs, rhs = element_type(self.lhs.type), element_type(self.rhs.type)
        if not compatible_baselines(lhs, rhs):
            return f"lhs and rhs must have one element type, found {lhs} and {rhs}"
        return None

    @constraint("C2")
    def same_shapes(self):
        if not compatible_shapes(self.lhs.type, self.rhs.type):
            return f"lhs and rhs must have one shape, found {self.lhs.type} and {self.rhs.type}"
        return None

    @constraint("C3")
    def comparison_type_of_elements(self):
        element = element_type(self.lhs.type)
        legal = comparison_types(element)
        if self.compare_type not in (*legal, "NOTYPE"):
            return f"compare_type of {element} must be {' or '.join(legal)}, found {self.compare_type}"
        return None

    @constraint("C2")
    def infer(self):
        lhs = self.lhs.type
        boolean = ir.IntegerType.get_signless(1)
        return [most_specific(with_element(lhs, boolean), with_element(self.rhs.type, boolean))]


class SelectOp(Op, mnemonic="select"):
    """Elementwise choice between two tensors. https://openxla.org/stablehlo/spec#select"""

    ASSEMBLY = "operands attr-dict `:` custom<SelectOpType>"
    ELEMENTWISE = True
    ONE_TYPE = (("on_true", "on_false", "result"),)
    pred = Operand(BoolTensor)
    on_true = Operand(AnyTensor)
    on_false = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint("C1")
    def pred_is_scalar_or_of_result_shape(self):
        pred = self.pred.type
        if rank(pred) != 0 and not compatible_shapes(pred, self.on_true.type):
            return f"pred must be 0-dimensional or have the shape of on_true {self.on_true.type}, found {pred}"
        return None

    @constraint("C2")
    def same_types(self):
        if not compatible(self.on_true.type, self.on_false.type, compatible_baselines):
            return f"on_true and on_false must have one type, found {self.on_true.type} and {self.on_false.type}"
        return None

    @constraint("C2")
    def infer(self):
        return [most_specific(self.on_true.type, self.on_false.type)]


class ClampOp(Op, mnemonic="clamp"):
    """Elementwise restriction to [min, max]. https://openxla.org/stablehlo/spec#clamp"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    ONE_TYPE = (("operand", "result"),)
    min = Operand(AnyTensor)
    operand = Operand(AnyTensor)
    max = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint("C1")
    def min_is_scalar_or_of_operand_shape(self):
        return _bound_error("min", self.min.type, self.operand.type)

    @constraint("C2")
    def max_is_scalar_or_of_operand_shape(self):
        return _bound_error("max", self.max.type, self.operand.type)

    @constraint("C3")
    def same_element_types(self):
        types = [element_type(v.type) for v in (self.min, self.operand, self.max)]
        if not all(compatible_baselines(t, types[1]) for t in types):
            found = ", ".join(map(str, types))
            return f"min, operand and max must have one element type, found {found}"
        return None

    @constraint("C4")
    def infer(self):
        return [self.operand.type]


def _bound_error(name: str, bound: ir.Type, operand: ir.Type) -> str | None:
    if rank(bound) == 0 or compatible_shapes(bound, operand):
        return None
    return f"{name} must be 0-dimensional or have the shape of operand {operand}, found {bound}"
