"""Directives for types: how a statement says the types of its operands and results behind the colon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlo.dialect.assembly.directives import FUNCTION_TYPE, TYPE, Directive
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.cursor import Unexpected

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter


class FunctionalType(Directive):
    """`functional-type(operands, results)`: `(tensor<2xf32>) -> tensor<f32>`."""

    line = f"({FUNCTION_TYPE})"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.type = reader.function_type()

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.type = groups[0]

    def write(self, s: Statement) -> str | None:
        return s.type


class ResultType(Directive):
    """`type(results)`: the type of the only result of an op without operands."""

    line = f"({TYPE})"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        self.read_line([reader.type()], s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.type = f"() -> {groups[0]}"

    def write(self, s: Statement) -> str | None:
        return s.results[0] if len(s.results) == 1 and not s.inputs else None


class OperandTypes(Directive):
    """`type(operands)`: the types of the operands of an op without results."""

    line = f"({TYPE}(?:, {TYPE})*)"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        self.read_line([", ".join(reader.types())], s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.type = f"({groups[0]}) -> ()"

    def is_present(self, s: Statement) -> bool:
        return bool(s.inputs)

    def write(self, s: Statement) -> str | None:
        return None if s.results else ", ".join(s.inputs)


class SameOperandsAndResultType(Directive):
    """One type for all operands and the result, or a function type."""

    line = f"(?:({TYPE})|({FUNCTION_TYPE}))"
    groups = 2

    def read(self, reader: Rewriter, s: Statement) -> None:
        type = reader.type()
        self.read_line(["", type] if type.startswith("(") else [type, ""], s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        type, function_type = groups
        s.type = f"({', '.join([type] * len(s.operands))}) -> {type}" if type else function_type

    def write(self, s: Statement) -> str | None:
        if len(s.results) != 1:
            return None
        return s.results[0] if len({*s.inputs, *s.results}) == 1 else s.type


class _Shortened(Directive):
    """A function type, or something shorter from which it follows."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        types = reader.types()
        is_function_type = len(types) == 1 and types[0].startswith("(")
        s.type = types[0] if is_function_type else self.long(types, reader)

    def long(self, types: list[str], reader: Rewriter) -> str:
        """The function type. Raises Unexpected."""
        raise NotImplementedError

    def short(self, s: Statement) -> str | None:
        """None where the types cannot be shortened."""
        raise NotImplementedError

    def write(self, s: Statement) -> str | None:
        return self.short(s) or s.type


class SelectOpType(_Shortened):
    """The types of the predicate and of the values: `tensor<i1>, tensor<2xf32>`."""

    line = f"({TYPE}), ({TYPE})"
    groups = 2

    def long(self, types: list[str], reader: Rewriter) -> str:
        if len(types) != 2:
            raise reader.fail("two types (predicate, value) or a function type")
        return _select_type(*types)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.type = _select_type(*groups)

    def short(self, s: Statement) -> str | None:
        return f"{s.inputs[0]}, {s.results[0]}" if s.inputs[1] == s.inputs[2] == s.results[0] else None


def _select_type(predicate: str, value: str) -> str:
    return f"({predicate}, {value}, {value}) -> {value}"


_COMPLEX = re.compile(r"complex<(\w+)>")


class ComplexOpType(_Shortened):
    """The result's type; the operands have its real type."""

    def long(self, types: list[str], reader: Rewriter) -> str:
        if len(types) != 1:
            raise reader.fail("one type before this")
        real = _COMPLEX.sub(r"\1", types[0], count=1)
        return f"({real}, {real}) -> {types[0]}"

    def short(self, s: Statement) -> str | None:
        return s.results[0] if {*s.inputs} == {_COMPLEX.sub(r"\1", s.results[0], count=1)} else None


class TupleOpType(Directive):
    """The type of the tuple, which holds those of the operands: the short form has no other."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        type = reader.type()
        if not type.startswith("tuple<"):
            raise reader.fail("a type tuple<...> before this")
        s.type = f"({type[6:-1]}) -> {type}"

    def write(self, s: Statement) -> str | None:
        return s.results[0] if s.results[0] == f"tuple<{', '.join(s.inputs)}>" else None


class OperandsToResults(Directive):
    """chlo's `T, T -> R`; a function type is read as well."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.peek() == "(":
            s.type = reader.function_type()
            return
        types = ", ".join(reader.types())
        reader.expect("->")
        s.type = f"({types}) -> {reader.result_types()}"

    def write(self, s: Statement) -> str | None:
        return f"{', '.join(s.inputs)} -> {s.type.partition(' -> ')[2] if len(s.results) != 1 else s.results[0]}"


class TypesOfExpected(Directive):
    """One type for all operands, or as many as there are; no results. Upstream's files have both, so that the generic form is printed."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        types = reader.types()
        if not s.operands or len(types) not in (1, len(s.operands)):
            wanted = f"operands, and one type or as many, found {len(s.operands)} operands and {len(types)} types"
            raise Unexpected(f"expected {wanted}", reader.statement_start)
        types = types * len(s.operands) if len(types) == 1 else types
        s.type = f"({', '.join(types)}) -> ()"

    def write(self, s: Statement) -> str | None:
        return None
