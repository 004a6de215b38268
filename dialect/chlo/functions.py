"""Elementwise functions."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.definition import Op, Operand, Result, constraint
from hlo.dialect.types import (
    BoolTensor,
    ComplexTensor,
    FloatTensor,
    IntTensor,
    compatible,
    compatible_baselines,
    is_complex,
    is_float,
    most_specific,
    tensor_of,
    with_element,
)

_FloatOrComplex = tensor_of("floating-point or complex", is_float, is_complex)


class _Unary(Op):
    ASSEMBLY = "operands attr-dict `:` custom<OperandsToResults>"
    ELEMENTWISE = True
    ONE_TYPE = (("operand", "result"),)
    DIALECT = "chlo"
    operand = Operand(_FloatOrComplex)
    result = Result(_FloatOrComplex)

    def infer(self):
        return [self.operand.type]


class _FloatUnary(_Unary):
    operand = Operand(FloatTensor)
    result = Result(FloatTensor)


class _Predicate(Op):
    ASSEMBLY = "operands attr-dict `:` custom<OperandsToResults>"
    ELEMENTWISE = True
    DIALECT = "chlo"
    operand = Operand(FloatTensor)
    result = Result(BoolTensor)

    def infer(self):
        return [with_element(self.operand.type, ir.IntegerType.get_signless(1))]


class _Binary(Op):
    """Two operands of one type, whatever they are called."""

    ASSEMBLY = "operands attr-dict `:` custom<OperandsToResults>"
    ELEMENTWISE = True
    DIALECT = "chlo"

    @constraint()
    def same_types(self):
        (first, second), names = (v.type for v in self.operands), [o.name for o in self.OPERANDS]
        if not compatible(first, second, compatible_baselines):
            return f"{names[0]} and {names[1]} must have one type, found {first} and {second}"
        return None

    def infer(self):
        return [most_specific(*(v.type for v in self.operands))]


class AcosOp(_Unary, mnemonic="acos"):
    """Elementwise arc cosine."""


class AcoshOp(_Unary, mnemonic="acosh"):
    """Elementwise inverse hyperbolic cosine."""


class AsinOp(_Unary, mnemonic="asin"):
    """Elementwise arc sine."""


class AsinAcosKernelOp(_Unary, mnemonic="_asin_acos_kernel"):
    """What complex asin and acos have in common."""

    operand = Operand(ComplexTensor)
    result = Result(ComplexTensor)


class AsinhOp(_Unary, mnemonic="asinh"):
    """Elementwise inverse hyperbolic sine."""


class AtanOp(_Unary, mnemonic="atan"):
    """Elementwise arc tangent."""


class AtanhOp(_Unary, mnemonic="atanh"):
    """Elementwise inverse hyperbolic tangent."""


class BesselI1eOp(_FloatUnary, mnemonic="bessel_i1e"):
    """Elementwise exponentially scaled modified Bessel function of order 1."""


class ConjOp(_Unary, mnemonic="conj"):
    """Elementwise complex conjugate."""


class CoshOp(_Unary, mnemonic="cosh"):
    """Elementwise hyperbolic cosine."""


class DigammaOp(_FloatUnary, mnemonic="digamma"):
    """Elementwise derivative of log gamma."""


class ErfOp(_FloatUnary, mnemonic="erf"):
    """Elementwise error function."""


class ErfInvOp(_FloatUnary, mnemonic="erf_inv"):
    """Elementwise inverse of the error function."""


class ErfcOp(_FloatUnary, mnemonic="erfc"):
    """Elementwise 1 - erf(x)."""


class IsInfOp(_Predicate, mnemonic="is_inf"):
    """Elementwise test for an infinity."""


class IsNegInfOp(_Predicate, mnemonic="is_neg_inf"):
    """Elementwise test for minus infinity."""


class IsPosInfOp(_Predicate, mnemonic="is_pos_inf"):
    """Elementwise test for plus infinity."""


class LgammaOp(_FloatUnary, mnemonic="lgamma"):
    """Elementwise logarithm of the absolute gamma function."""


class SinhOp(_Unary, mnemonic="sinh"):
    """Elementwise hyperbolic sine."""


class SquareOp(_Unary, mnemonic="square"):
    """Elementwise x * x."""


class TanOp(_Unary, mnemonic="tan"):
    """Elementwise tangent."""


class MulhiOp(_Binary, mnemonic="mulhi"):
    """Elementwise upper half of the product of integers."""

    ONE_TYPE = (("lhs", "rhs", "result"),)
    lhs = Operand(IntTensor)
    rhs = Operand(IntTensor)
    result = Result(IntTensor)


class NextAfterOp(_Binary, mnemonic="next_after"):
    """Elementwise next number after x in the direction of y."""

    ONE_TYPE = (("x", "y", "result"),)
    x = Operand(FloatTensor)
    y = Operand(FloatTensor)
    result = Result(FloatTensor)


class PolygammaOp(_Binary, mnemonic="polygamma"):
    """Elementwise n-th derivative of digamma at x."""

    ONE_TYPE = (("n", "x", "result"),)
    n = Operand(FloatTensor)
    x = Operand(FloatTensor)
    result = Result(FloatTensor)


class ZetaOp(_Binary, mnemonic="zeta"):
    """Elementwise Hurwitz zeta function."""

    ONE_TYPE = (("x", "q", "result"),)
    x = Operand(FloatTensor)
    q = Operand(FloatTensor)
    result = Result(FloatTensor)
