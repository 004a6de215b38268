"""Ops that change the element type: conversion, bits, complex parts, predicates."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import I32
from hlo.dialect.choices import ELEMENT, chosen_element
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import (
    DYNAMIC,
    AnyTensor,
    BoolTensor,
    ComplexTensor,
    TensorOrPerAxis,
    bit_width,
    compatible,
    compatible_shapes,
    compatible_sizes,
    element_type,
    is_complex,
    is_float,
    is_per_tensor,
    is_signed,
    most_specific,
    rank,
    shape,
    tensor,
    tensor_of,
    with_element,
)

_SignedFloatOrComplex = tensor_of(
    "signed integer, floating-point, complex or per-tensor quantized", is_signed, is_float, is_complex, is_per_tensor
)
_SignedOrFloat = tensor_of("signed integer, floating-point or per-tensor quantized", is_signed, is_float, is_per_tensor)
_Float = tensor_of("floating-point", is_float)
_FloatOrQuantized = tensor_of("floating-point or per-tensor quantized", is_float, is_per_tensor)
_FloatOrComplex = tensor_of("floating-point or complex", is_float, is_complex)
_ComplexPart = tensor_of("f32 or f64", lambda t: isinstance(t, (ir.F32Type, ir.F64Type)))


def real_type(element: ir.Type) -> ir.Type:
    """The type of the parts of a complex element; a real element is its own."""
    return element.element_type if isinstance(element, ir.ComplexType) else element


class AbsOp(Op, mnemonic="abs"):
    """Elementwise absolute value. https://openxla.org/stablehlo/spec#abs"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    operand = Operand(_SignedFloatOrComplex)
    result = Result(_SignedOrFloat)

    @constraint("C1", "C2")
    def infer(self):
        return [with_element(self.operand.type, real_type(element_type(self.operand.type)))]


class _Part(Op):
    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    operand = Operand(_FloatOrComplex)
    result = Result(_Float)

    @constraint("C1", "C2")
    def infer(self):
        return [with_element(self.operand.type, real_type(element_type(self.operand.type)))]


class RealOp(_Part, mnemonic="real"):
    """Elementwise real part. https://openxla.org/stablehlo/spec#real"""


class ImagOp(_Part, mnemonic="imag"):
    """Elementwise imaginary part. https://openxla.org/stablehlo/spec#imag"""


class ComplexOp(Op, mnemonic="complex"):
    """Complex numbers from real and imaginary parts. https://openxla.org/stablehlo/spec#complex"""

    ASSEMBLY = "operands attr-dict `:` custom<ComplexOpType>"
    ELEMENTWISE = True
    ONE_TYPE = (("lhs", "rhs"),)
    lhs = Operand(_ComplexPart)
    rhs = Operand(_ComplexPart)
    result = Result(ComplexTensor)

    @constraint("C1")
    def same_types(self):
        if not compatible(self.lhs.type, self.rhs.type):
            return f"lhs and rhs must have one type, found {self.lhs.type} and {self.rhs.type}"
        return None

    @constraint("C2", "C3")
    def infer(self):
        parts = most_specific(self.lhs.type, self.rhs.type)
        return [with_element(parts, ir.ComplexType.get(element_type(parts)))]


class IsFiniteOp(Op, mnemonic="is_finite"):
    """Elementwise test for neither infinity nor NaN. https://openxla.org/stablehlo/spec#is_finite"""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    ELEMENTWISE = True
    x = Operand(_FloatOrQuantized)
    y = Result(BoolTensor)

    @constraint("C1")
    def infer(self):
        return [with_element(self.x.type, ir.IntegerType.get_signless(1))]


class ConvertOp(Op, mnemonic="convert"):
    """Elementwise conversion between element types. https://openxla.org/stablehlo/spec#convert"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    CHOICE = (ELEMENT,)
    operand = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint("C1")
    def same_shapes(self):
        if not compatible_shapes(self.operand.type, self.result.type):
            return f"operand and result must have one shape, found {self.operand.type} and {self.result.type}"
        return None

    def infer(self):
        return [with_element(self.operand.type, chosen_element(self))]


class BitcastConvertOp(Op, mnemonic="bitcast_convert"):
    """Another reading of the bits. https://openxla.org/stablehlo/spec#bitcast_convert"""

    ASSEMBLY = "operands attr-dict `:` functional-type(operands, results)"
    ELEMENTWISE = True
    CHOICE = (ELEMENT,)
    operand = Operand(TensorOrPerAxis)
    result = Result(TensorOrPerAxis)

    @constraint("C2")
    def both_or_none_complex(self):
        operand, result = element_type(self.operand.type), element_type(self.result.type)
        if is_complex(operand) != is_complex(result):
            return f"operand and result must both be complex or both not, found {operand} and {result}"
        return None

    @constraint("C1")
    def same_bits(self):
        operand, result = self.operand.type, self.result.type
        if bit_width(element_type(operand)) < bit_width(element_type(result)):
            legal = _is_split(wide=result, narrow=operand)
        else:
            legal = _is_split(wide=operand, narrow=result)
        if not legal:
            return f"operand and result must have the same bits in the last dimension, found {operand} and {result}"
        return None

    def infer(self):
        """Equal widths keep the shape; wider elements take the last dimension up, narrower ones add one."""
        sizes, element = shape(self.operand.type), chosen_element(self)
        old, new = bit_width(element_type(self.operand.type)), bit_width(element)
        if new > old:
            return [tensor(sizes[:-1], element)]
        return [tensor(sizes if new == old else [*sizes, old // new], element)]


def _is_split(wide: ir.Type, narrow: ir.Type) -> bool:
    """Whether the elements of `narrow` are those of `wide`, cut along one more dimension at the end."""
    wide_bits, narrow_bits = bit_width(element_type(wide)), bit_width(element_type(narrow))
    if wide_bits == narrow_bits:
        return compatible_shapes(wide, narrow)
    if rank(narrow) != rank(wide) + 1:
        return False
    *outer, last = shape(narrow)
    same_outer = all(map(compatible_sizes, outer, shape(wide)))
    return same_outer and (last == DYNAMIC or last * narrow_bits == wide_bits)


class ReducePrecisionOp(Op, mnemonic="reduce_precision"):
    """Elementwise rounding to fewer bits. https://openxla.org/stablehlo/spec#reduce_precision"""

    ASSEMBLY = "operands `,` `format` `=` custom<ExponentMantissa> attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    ONE_TYPE = (("operand", "output"),)
    operand = Operand(_FloatOrQuantized)
    exponent_bits = Attr(I32)
    mantissa_bits = Attr(I32)
    output = Result(_FloatOrQuantized)

    @constraint("C2")
    def exponent_bits_are_positive(self):
        if self.exponent_bits < 1:
            return f"exponent_bits must be at least 1, found {self.exponent_bits}"
        return None

    @constraint("C3")
    def mantissa_bits_are_not_negative(self):
        if self.mantissa_bits < 0:
            return f"mantissa_bits must be at least 0, found {self.mantissa_bits}"
        return None

    @constraint("C1")
    def infer(self):
        return [self.operand.type]
