"""Directives of ops with regions: while, reduce, composite, scan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlo.dialect.assembly.directives import VALUE, Directive
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.cursor import OP_NAME, Cursor, Unexpected, scalar_of, split_list

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter

_BLOCK = re.compile(r"\s*\^\w+\(")


def block_arguments(region: str) -> tuple[list[str], str]:
    """The arguments (`%a: T`) of a printed region's first block, and the rest of the region."""
    found = _BLOCK.match(region)
    if not found:
        return [], region
    cursor = Cursor(region, found.end() - 1)
    arguments = split_list(cursor.balanced()[1:-1])
    cursor.expect(":")
    return arguments, region[cursor.position :]


class WhileOp(Directive):
    """`(%i = %start) : T attributes {...} cond {...} do {...}`: both regions take the named values."""

    attached = True
    has_regions = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        names = self._starts(reader, s)
        types = []
        if names:
            reader.expect(":")
            types = reader.types()
        if reader.accept_word("attributes"):
            s.dictionary = reader.dictionary()
        header = f"^bb0({', '.join(f'{n}: {t}' for n, t in zip(names, types))}):" if names else ""
        for keyword in ("cond", "do"):
            reader.expect_word(keyword)
            s.regions.append(reader.region(header))
        listed = ", ".join(types)
        s.type = f"({listed}) -> ({listed})"

    def _starts(self, reader: Rewriter, s: Statement) -> list[str]:
        """`(%i = %start, ...)`: the names; the starts are the operands."""
        names: list[str] = []
        reader.expect("(")
        while not reader.accept(")"):
            if names:
                reader.expect(",")
            names.append(reader.value())
            reader.expect("=")
            s.operands.append(reader.value())
        return names

    def write(self, s: Statement) -> str | None:
        """None where an argument of the regions has another type than its start: the form has one for both."""
        (first, condition), (second, body) = map(block_arguments, s.regions)
        names = [argument.partition(":")[0] for argument in first]
        wanted = [f"{name}: {type}" for name, type in zip(names, s.inputs)]
        if first != wanted or second != wanted or s.results != s.inputs:
            return None
        starts = ", ".join(f"{name} = {start}" for name, start in zip(names, s.operands))
        types = f" : {', '.join(s.inputs)}" if s.inputs else ""
        attributes = s.attribute_dictionary()
        return f"({starts}){types}{' attributes ' if attributes else ''}{attributes} cond {{{condition}}} do {{{body}}}"


class ReduceInputs(Directive):
    """`(%a init: %b), (%c init: %d)`: inputs and initial values."""

    line = rf"\(({VALUE}) init: ({VALUE})\)"
    groups = 2
    attached = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        inputs: list[str] = []
        starts: list[str] = []
        while not inputs or reader.accept(","):
            reader.expect("(")
            inputs.append(reader.value())
            reader.expect_word("init")
            reader.expect(":")
            starts.append(reader.value())
            reader.expect(")")
        s.operands = inputs + starts

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.operands += groups

    def write(self, s: Statement) -> str | None:
        half = len(s.operands) // 2
        return ", ".join(f"({a} init: {b})" for a, b in zip(s.operands[:half], s.operands[half:]))


_ONE_OP = re.compile(r"\s*(%\w+) = (stablehlo\.\w+) (%\w+), (%\w+) : (\S+)\s*stablehlo\.return (%\w+) : \S+\s*(?:\^|$)")
_APPLICABLE = [f"stablehlo.{op}" for op in ("add", "and", "maximum", "minimum", "multiply", "or", "xor")]


class AppliedOp(Directive):
    """`applies stablehlo.add`, where the region is one commutative op on its two arguments."""

    line = rf"applies ({'|'.join(map(re.escape, _APPLICABLE))})"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.accept_word("applies"):
            s.applied = reader.match(OP_NAME, "the name of an op")

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.applied = groups[0]

    def write(self, s: Statement) -> str | None:
        op = _applied(s)
        return f"applies {op}" if op else ""


def _applied(s: Statement) -> str | None:
    """The only op of a printed region that is one commutative op on its two arguments."""
    arguments, body = block_arguments(s.regions[0])
    found = _ONE_OP.fullmatch(body)
    if len(s.operands) != 2 or not found or found[2] not in _APPLICABLE or found[1] != found[6]:
        return None
    names = [argument.partition(":")[0] for argument in arguments]
    return found[2] if names == [found[3], found[4]] and found[5] == scalar_of(s.inputs[0]) else None


class Reducer(Directive):
    """`reducer(%a: A, %b: A) (%c: B, %d: B) {...}`: the block takes the first ones, then the second ones. Nothing behind an applied op."""

    line = ""
    attached = True
    has_regions = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.regions.append(self._applied(s, reader.statement_start) if s.applied else self._region(reader))

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.regions.append(self._applied(s, 0))

    def _applied(self, s: Statement, start: int) -> tuple[int, str, str]:
        """A region with the applied op on two scalars."""
        if s.applied not in _APPLICABLE:
            allowed = ", ".join(_APPLICABLE)
            raise Unexpected(f"a reduction applies a commutative op, one of {allowed}; found {s.applied}", start)
        inputs = split_list(Cursor(s.type).balanced()[1:-1])
        if not inputs or not inputs[0].startswith("tensor<"):
            raise Unexpected(f"expected a tensor as first operand type, found {s.type}", start)
        t = scalar_of(inputs[0])
        if t == "tensor<>":
            raise Unexpected(f"expected an element type in the first operand's type, found {inputs[0]!r}", start)
        body = f'%_r = "{s.applied}"(%_a, %_b) : ({t}, {t}) -> {t} "stablehlo.return"(%_r) : ({t}) -> ()'
        return start, f"^bb0(%_a: {t}, %_b: {t}): ", body

    def _region(self, reader: Rewriter) -> tuple[int, str, str]:
        reader.expect_word("reducer")
        first: list[str] = []
        second: list[str] = []
        while reader.accept("("):
            first.append(self._argument(reader))
            reader.expect(",")
            second.append(self._argument(reader))
            reader.expect(")")
        return reader.region(f"^bb0({', '.join(first + second)}):")

    def _argument(self, reader: Rewriter) -> str:
        name = reader.value()
        reader.expect(":")
        argument = f"{name}: {reader.type()}"
        if reader.accept_word("loc"):
            reader.skip()
            argument += " loc" + reader.balanced()
        return argument

    def write(self, s: Statement) -> str | None:
        if _applied(s):
            return ""
        arguments, body = block_arguments(s.regions[0])
        half = len(s.operands) // 2
        pairs = " ".join(f"({a}, {b})" for a, b in zip(arguments[:half], arguments[half:]))
        return f"\n     reducer{pairs} {{{body}}}"


class GenericRegions(Directive):
    """`({...}, {...})` as in the generic form, where there are any. Upstream's short form has none: such an op is
    printed in generic form."""

    has_regions = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.accept("("):
            s.regions = reader.regions()

    def write(self, s: Statement) -> str | None:
        return None if s.regions else ""


class ScanOp(Directive):
    """`(inputs) inits (starts) dimension=0 attributes {...} {region} : type`; printed in generic form."""

    attached = True
    has_regions = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        inputs = self._values(reader)
        reader.expect_word("inits")
        starts = self._values(reader)
        reader.expect_word("dimension")
        reader.expect("=")
        s.attributes["dimension"] = f"{reader.integer()} : i64"
        s.dictionary = reader.dictionary() if reader.accept_word("attributes") else ""
        s.regions = [reader.region()]
        reader.expect(":")
        s.operands, s.type = inputs + starts, reader.function_type()
        results = s.type.rpartition("->")[2].strip()
        outputs = len(split_list(results[1:-1])) if results.startswith("(") else 1
        s.attributes["operandSegmentSizes"] = f"array<i32: {len(inputs)}, {len(starts)}>"
        s.attributes["resultSegmentSizes"] = f"array<i32: {outputs - len(starts)}, {len(starts)}>"

    def _values(self, reader: Rewriter) -> list[str]:
        reader.expect("(")
        values = reader.values()
        reader.expect(")")
        return values

    def write(self, s: Statement) -> str | None:
        return None
