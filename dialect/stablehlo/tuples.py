"""Tuples and tokens."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import I32
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import Token, Tuple, TupleMember, tuple_types


class TupleOp(Op, mnemonic="tuple"):
    """A tuple of values. https://openxla.org/stablehlo/spec#tuple"""

    ASSEMBLY = "operands attr-dict `:` custom<TupleOpType>"
    MOVES = True
    val = Operand(TupleMember, variadic=True)
    result = Result(Tuple)

    @constraint("C1", "C2")
    def infer(self):
        return [ir.TupleType.get_tuple([v.type for v in self.val])]


class GetTupleElementOp(Op, mnemonic="get_tuple_element"):
    """One value of a tuple. https://openxla.org/stablehlo/spec#get_tuple_element"""

    ASSEMBLY = "operands `[` $index `]` attr-dict `:` functional-type(operands, results)"
    MOVES = True
    operand = Operand(Tuple)
    index = Attr(I32)
    result = Result(TupleMember)

    @constraint("C1")
    def index_in_range(self):
        size = ir.TupleType(self.operand.type).num_types
        if not 0 <= self.index < size:
            return f"index must be in [0, {size}), found {self.index}"
        return None

    @constraint("C2")
    def infer(self):
        types = tuple_types(self.operand.type)
        if self.index < 0:  # MLIR would abort
            raise IndexError(self.index)
        return [types[self.index]]


class AfterAllOp(Op, mnemonic="after_all"):
    """A token that comes after others. https://openxla.org/stablehlo/spec#after_all"""

    ASSEMBLY = "operands attr-dict `:` custom<SameOperandsAndResultType>"
    inputs = Operand(Token, variadic=True, one_type=True)
    result = Result(Token)

    def infer(self):
        return [ir.Type.parse("!stablehlo.token")]


class CreateTokenOp(Op, mnemonic="create_token"):
    """A token that comes after nothing: after_all without inputs."""

    ASSEMBLY = "attr-dict `:` type(results)"
    output = Result(Token)

    def infer(self):
        return [ir.Type.parse("!stablehlo.token")]
