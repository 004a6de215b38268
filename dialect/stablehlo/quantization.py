"""Conversions between floating-point and quantized tensors."""

from __future__ import annotations

from hlo.dialect.choices import ELEMENT, chosen_element
from hlo.dialect.clauses import same_shapes_error
from hlo.dialect.definition import Op, Operand, Result, constraint
from hlo.dialect.types import FloatTensor, QuantizedTensor, element_type, is_quantized, shape, tensor


class UniformQuantizeOp(Op, mnemonic="uniform_quantize"):
    """Elementwise conversion to a quantized type. https://openxla.org/stablehlo/spec#uniform_quantize"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    CHOICE = (ELEMENT,)
    operand = Operand(FloatTensor | QuantizedTensor)
    result = Result(QuantizedTensor)

    @constraint("C1")
    def same_shapes(self):
        return same_shapes_error("operand and result", [self.operand.type, self.result.type])

    @constraint("C2")
    def expressed_types_agree(self):
        operand, result = element_type(self.operand.type), element_type(self.result.type)
        expressed = operand.expressed_type if is_quantized(operand) else operand
        if result.expressed_type == expressed:
            return None
        return f"expressed type of result must be {expressed} (that of operand), found {result.expressed_type}"

    def infer(self):
        return [tensor(shape(self.operand.type), chosen_element(self))]


class UniformDequantizeOp(Op, mnemonic="uniform_dequantize"):
    """Elementwise conversion to the expressed type. https://openxla.org/stablehlo/spec#uniform_dequantize"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    operand = Operand(QuantizedTensor)
    result = Result(FloatTensor)

    @constraint("C1", "C2")
    def infer(self):
        operand = self.operand.type
        return [tensor(shape(operand), element_type(operand).expressed_type)]
