"""Ops that work on each element by itself, operands and result being of one type: arithmetic, logic, bits,
transcendental functions. Those that change the element type are in `selection` and `conversion`."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import RESULT_ACCURACY, ResultAccuracy
from hlo.dialect.clauses import same_shapes_error
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.quantized import (
    all_quantized,
    axis,
    has_quantized,
    is_per_axis,
    same_expressed_error,
    same_storage_error,
)
from hlo.dialect.types import (
    AnyTensor,
    TensorOrPerAxis,
    TypeSet,
    compatible,
    compatible_baselines,
    is_bool,
    is_complex,
    is_float,
    is_integer,
    is_per_tensor,
    is_signed,
    most_specific,
    tensor_of,
)

FloatOrComplex = tensor_of("floating-point, complex or per-tensor quantized", is_float, is_complex, is_per_tensor)
Float = tensor_of("floating-point or per-tensor quantized", is_float, is_per_tensor)
Number = tensor_of(
    "integer, floating-point, complex or per-tensor quantized", is_integer, is_float, is_complex, is_per_tensor
)
SignedNumber = tensor_of(
    "signed integer, floating-point, complex or per-tensor quantized", is_signed, is_float, is_complex, is_per_tensor
)
BoolOrInteger = tensor_of("boolean or integer", is_bool, is_integer)
Integer = tensor_of("integer", is_integer)


class _Unary(Op):
    """result has the type of operand (C1)."""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    ONE_TYPE = (("operand", "result"),)
    operand = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint("C1")
    def infer(self):
        return [self.operand.type]


class _Binary(Op):
    """lhs, rhs and result have one type (C1)."""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    ELEMENTWISE = True
    ONE_TYPE = (("lhs", "rhs", "result"),)
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    result = Result(AnyTensor)

    @constraint("C1")
    def infer(self):
        return [most_specific(self.lhs.type, self.rhs.type)]

    @constraint("C1")
    def same_types(self):
        if not compatible(self.lhs.type, self.rhs.type, compatible_baselines):
            return f"lhs and rhs must have one type, found {self.lhs.type} and {self.rhs.type}"
        return None


class _FloatOrComplexUnary(_Unary):
    operand = Operand(FloatOrComplex)
    result = Result(FloatOrComplex)


class _Transcendental(_FloatOrComplexUnary):
    result_accuracy = Attr(RESULT_ACCURACY, optional=True)

    @constraint()
    def accuracy_is_sound(self):
        accuracy = self.result_accuracy
        return None if accuracy is None else _accuracy_error(accuracy)


def _accuracy_error(accuracy: ResultAccuracy) -> str | None:
    """Tolerances are of mode TOLERANCE only, and at least 0."""
    modes = ("DEFAULT", "HIGHEST", "TOLERANCE")
    if accuracy.mode not in modes:
        return f"mode of result_accuracy must be one of {', '.join(modes)}, found {accuracy.mode}"
    tolerances = {"atol": accuracy.atol, "rtol": accuracy.rtol, "ulps": accuracy.ulps}
    least = next((f"{name} = {value}" for name, value in tolerances.items() if not value >= 0), None)
    if least:
        return f"tolerances of result_accuracy must be at least 0, found {least}"
    if accuracy.mode != "TOLERANCE" and any(tolerances.values()):
        return f"atol, rtol and ulps of result_accuracy must be 0 in mode {accuracy.mode}, found {tolerances}"
    return None


class _FloatUnary(_Unary):
    operand = Operand(Float)
    result = Result(Float)


class _IntegerUnary(_Unary):
    operand = Operand(Integer)
    result = Result(Integer)


def _binary(elements: TypeSet) -> tuple[Operand, Operand, Result]:
    return Operand(elements), Operand(elements), Result(elements)


class _NumberBinary(_Binary):
    lhs, rhs, result = _binary(Number)


class _LogicalBinary(_Binary):
    lhs, rhs, result = _binary(BoolOrInteger)


class _IntegerBinary(_Binary):
    lhs, rhs, result = _binary(Integer)


class AddOp(_Binary, mnemonic="add"):
    """Elementwise addition (logical or for booleans). https://openxla.org/stablehlo/spec#add"""

    lhs, rhs, result = _binary(TensorOrPerAxis)

    def _types(self) -> dict[str, ir.Type]:
        return {"lhs": self.lhs.type, "rhs": self.rhs.type, "result": self.result.type}

    @constraint("C1")
    def same_types(self):
        types = [self.lhs.type, self.rhs.type]
        if types[0] == types[1]:
            return None
        if has_quantized(*types, self.result.type):
            return same_shapes_error("lhs and rhs", types)
        return super().same_types()

    @constraint("C2", quantized=True)
    def all_are_quantized(self):
        types = self._types()
        if all_quantized(*types.values()):
            return None
        found = ", ".join(str(t) for t in types.values())
        return f"lhs, rhs and result must all be quantized or all not, found {found}"

    @constraint("C3", quantized=True)
    def one_storage_type(self):
        return same_storage_error(**self._types())

    @constraint("C4", quantized=True)
    def one_expressed_type(self):
        return same_expressed_error(**self._types())

    @constraint("C5", quantized=True)
    def result_is_per_axis_like_operands(self):
        lhs, rhs, result = map(is_per_axis, self._types().values())
        if (lhs or rhs) == result:
            return None
        wanted = "per-axis" if lhs or rhs else "per-tensor"
        return f"result must be {wanted} quantized as lhs and rhs say, found {self.result.type}"

    @constraint("C6", "C7", quantized=True)
    def one_quantized_dimension(self):
        found = {name: axis(t) for name, t in self._types().items() if is_per_axis(t)}
        if len(set(found.values())) <= 1:
            return None
        listed = ", ".join(f"{d} in {name}" for name, d in found.items())
        return f"the quantized dimension must be the same everywhere, found {listed}"

    @constraint("C1")
    def infer(self):
        lhs, rhs = self.lhs.type, self.rhs.type
        if lhs == rhs:
            return [lhs]
        return [t for t in (lhs, rhs) if is_per_axis(t)][:1] or [most_specific(lhs, rhs)]


class AndOp(_LogicalBinary, mnemonic="and"):
    """Elementwise and, bitwise for integers. https://openxla.org/stablehlo/spec#and"""


class Atan2Op(_Binary, mnemonic="atan2"):
    """Elementwise angle of the point (rhs, lhs). https://openxla.org/stablehlo/spec#atan2"""

    lhs, rhs, result = _binary(FloatOrComplex)


class CbrtOp(_Transcendental, mnemonic="cbrt"):
    """Elementwise cubic root. https://openxla.org/stablehlo/spec#cbrt"""


class CeilOp(_FloatUnary, mnemonic="ceil"):
    """Elementwise rounding towards plus infinity. https://openxla.org/stablehlo/spec#ceil"""


class CosineOp(_Transcendental, mnemonic="cosine"):
    """Elementwise cosine. https://openxla.org/stablehlo/spec#cosine"""


class CountLeadingZerosOp(_IntegerUnary, mnemonic="count_leading_zeros"):
    """Elementwise number of leading zero bits. https://openxla.org/stablehlo/spec#count_leading_zeros"""


class DivideOp(_NumberBinary, mnemonic="divide"):
    """Elementwise division, integers rounding to zero. https://openxla.org/stablehlo/spec#divide"""


class Exp2Op(_Transcendental, mnemonic="exp2"):
    """Elementwise power of two (StableHLO 1.22). https://github.com/openxla/stablehlo/pull/3007"""


class ExponentialOp(_Transcendental, mnemonic="exponential"):
    """Elementwise exponential. https://openxla.org/stablehlo/spec#exponential"""


class ExponentialMinusOneOp(_Transcendental, mnemonic="exponential_minus_one"):
    """Elementwise exp(x) - 1. https://openxla.org/stablehlo/spec#exponential_minus_one"""


class FloorOp(_FloatUnary, mnemonic="floor"):
    """Elementwise rounding towards minus infinity. https://openxla.org/stablehlo/spec#floor"""


class LogOp(_Transcendental, mnemonic="log"):
    """Elementwise natural logarithm. https://openxla.org/stablehlo/spec#log"""


class Log2Op(_Transcendental, mnemonic="log2"):
    """Elementwise logarithm to base 2 (StableHLO 1.22). https://github.com/openxla/stablehlo/pull/3007"""


class LogPlusOneOp(_Transcendental, mnemonic="log_plus_one"):
    """Elementwise log(1 + x). https://openxla.org/stablehlo/spec#log_plus_one"""


class LogisticOp(_Transcendental, mnemonic="logistic"):
    """Elementwise 1 / (1 + exp(-x)). https://openxla.org/stablehlo/spec#logistic"""


class MaximumOp(_Binary, mnemonic="maximum"):
    """Elementwise maximum (or for booleans, lexicographic for complex). https://openxla.org/stablehlo/spec#maximum"""


class MinimumOp(_Binary, mnemonic="minimum"):
    """Elementwise minimum (and for booleans, lexicographic for complex). https://openxla.org/stablehlo/spec#minimum"""


class MultiplyOp(_Binary, mnemonic="multiply"):
    """Elementwise product (logical and for booleans). https://openxla.org/stablehlo/spec#multiply"""


class NegateOp(_Unary, mnemonic="negate"):
    """Elementwise negation, modulo 2^N for integers. https://openxla.org/stablehlo/spec#negate"""

    operand = Operand(Number)
    result = Result(Number)


class NotOp(_Unary, mnemonic="not"):
    """Elementwise not, bitwise for integers. https://openxla.org/stablehlo/spec#not"""

    operand = Operand(BoolOrInteger)
    result = Result(BoolOrInteger)


class OrOp(_LogicalBinary, mnemonic="or"):
    """Elementwise or, bitwise for integers. https://openxla.org/stablehlo/spec#or"""


class PopcntOp(_IntegerUnary, mnemonic="popcnt"):
    """Elementwise number of set bits. https://openxla.org/stablehlo/spec#popcnt"""


class PowerOp(_NumberBinary, mnemonic="power"):
    """Elementwise lhs to the power of rhs. https://openxla.org/stablehlo/spec#power"""


class RemainderOp(_NumberBinary, mnemonic="remainder"):
    """Elementwise remainder with the sign of lhs. https://openxla.org/stablehlo/spec#remainder"""


class RoundNearestAfzOp(_FloatUnary, mnemonic="round_nearest_afz"):
    """Elementwise rounding, ties away from zero. https://openxla.org/stablehlo/spec#round_nearest_afz"""


class RoundNearestEvenOp(_FloatUnary, mnemonic="round_nearest_even"):
    """Elementwise rounding, ties to even. https://openxla.org/stablehlo/spec#round_nearest_even"""


class RsqrtOp(_Transcendental, mnemonic="rsqrt"):
    """Elementwise 1 / sqrt(x). https://openxla.org/stablehlo/spec#rsqrt"""


class ShiftLeftOp(_IntegerBinary, mnemonic="shift_left"):
    """Elementwise shift left by rhs bits. https://openxla.org/stablehlo/spec#shift_left"""


class ShiftRightArithmeticOp(_IntegerBinary, mnemonic="shift_right_arithmetic"):
    """Elementwise shift right, the sign moving in. https://openxla.org/stablehlo/spec#shift_right_arithmetic"""


class ShiftRightLogicalOp(_IntegerBinary, mnemonic="shift_right_logical"):
    """Elementwise shift right, zeros moving in. https://openxla.org/stablehlo/spec#shift_right_logical"""


class SignOp(_Unary, mnemonic="sign"):
    """Elementwise sign. https://openxla.org/stablehlo/spec#sign"""

    operand = Operand(SignedNumber)
    result = Result(SignedNumber)


class SineOp(_Transcendental, mnemonic="sine"):
    """Elementwise sine. https://openxla.org/stablehlo/spec#sine"""


class SqrtOp(_Transcendental, mnemonic="sqrt"):
    """Elementwise square root. https://openxla.org/stablehlo/spec#sqrt"""


class SubtractOp(_NumberBinary, mnemonic="subtract"):
    """Elementwise difference. https://openxla.org/stablehlo/spec#subtract"""


class TanOp(_Transcendental, mnemonic="tan"):
    """Elementwise tangent. https://openxla.org/stablehlo/spec#tan"""


class TanhOp(_Transcendental, mnemonic="tanh"):
    """Elementwise hyperbolic tangent. https://openxla.org/stablehlo/spec#tanh"""


class XorOp(_LogicalBinary, mnemonic="xor"):
    """Elementwise exclusive or, bitwise for integers. https://openxla.org/stablehlo/spec#xor"""
