"""The check dialect: expectations in test programs, met or missed when the program runs.

Operands and attributes are those of upstream's CheckOps.td
(https://github.com/openxla/stablehlo/blob/main/stablehlo/tests/CheckOps.td)."""

from __future__ import annotations

from hlo.dialect.attributes import F64, UI32, UI64, Elements, String
from hlo.dialect.definition import Attr, Op, Operand, constraint
from hlo.dialect.types import AnyTensor, compatible, is_complex, is_float, tensor_of

_FloatOrComplex = tensor_of("floating-point or complex", is_float, is_complex)


class _Expectation(Op):
    DIALECT = "check"
    IS_PURE = False


class _OfTensors(_Expectation):
    @constraint()
    def same_types(self):
        first, second = (v.type for v in self.operands)
        if not compatible(first, second):
            names = " and ".join(o.name for o in self.OPERANDS)
            return f"{names} must have one type, found {first} and {second}"
        return None


class _OfConstant(_Expectation):
    @constraint()
    def same_types(self):
        if not compatible(self.lhs.type, self.value.type):
            return f"lhs and value must have one type, found {self.lhs.type} and {self.value.type}"
        return None


class ExpectEqOp(_OfTensors, mnemonic="expect_eq"):
    """Both are equal, NaNs too."""

    ASSEMBLY = "operands attr-dict `:` custom<TypesOfExpected>"
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)


class ExpectEqConstOp(_OfConstant, mnemonic="expect_eq_const"):
    """lhs is a constant."""

    ASSEMBLY = "operands `,` custom<ExpectedValue> attr-dict"
    lhs = Operand(AnyTensor)
    value = Attr(Elements)


class ExpectAlmostEqOp(_OfTensors, mnemonic="expect_almost_eq"):
    """Both are equal within a tolerance."""

    ASSEMBLY = "operands (`,` `tolerance` `=` $tolerance^)? attr-dict `:` custom<TypesOfExpected>"
    lhs = Operand(_FloatOrComplex)
    rhs = Operand(_FloatOrComplex)
    tolerance = Attr(F64, optional=True, default=1e-4)


class ExpectAlmostEqConstOp(_OfConstant, mnemonic="expect_almost_eq_const"):
    """lhs is a constant within a tolerance."""

    ASSEMBLY = "operands `,` custom<ExpectedValue> (`,` `tolerance` `=` $tolerance^)? attr-dict"
    lhs = Operand(_FloatOrComplex)
    value = Attr(Elements)
    tolerance = Attr(F64, optional=True, default=1e-4)


class ExpectCloseOp(_OfTensors, mnemonic="expect_close"):
    """The distance of both in floating-point numbers is at least `min` and at most `max`."""

    ASSEMBLY = (
        "operands (`,` `max_ulp_difference` `=` $max_ulp_difference^)? (`,` `min_ulp_difference` `=` "
        "$min_ulp_difference^)? attr-dict `:` custom<TypesOfExpected>"
    )
    actual = Operand(_FloatOrComplex)
    expected = Operand(_FloatOrComplex)
    max_ulp_difference = Attr(UI64, optional=True, default=1)
    min_ulp_difference = Attr(UI64, optional=True, default=0)


class ExpectSerializedEqOp(_Expectation, mnemonic="expect_serialized_eq"):
    """The operand is what interpreter.probe has saved under a name."""

    ASSEMBLY = (
        "operands `,` `probe_id` `=` $probe_id (`,` `iter` `=` $iteration^)? attr-dict `:` custom<TypesOfExpected>"
    )
    expected = Operand(AnyTensor)
    probe_id = Attr(String)
    iteration = Attr(UI32, optional=True, default=0)
