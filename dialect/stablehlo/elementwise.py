"""Ops that work on each element by itself."""

from __future__ import annotations

from hlo.dialect.definition import Op, Operand, Result, constraint
from hlo.dialect.types import AnyTensor


class _Binary(Op):
    lhs = Operand(AnyTensor)
    rhs = Operand(AnyTensor)
    result = Result(AnyTensor)

    def infer(self):
        return [self.lhs.type]

    @constraint("C1")
    def same_types(self):
        if self.lhs.type != self.rhs.type:
            return f"lhs and rhs must have one type, found {self.lhs.type} and {self.rhs.type}"
        return None


class AddOp(_Binary, mnemonic="add"):
    """Elementwise addition (logical or for booleans). https://openxla.org/stablehlo/spec#add"""
