"""Directives of single ops or families: `custom<SliceRanges>` is the class SliceRanges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlo.dialect.assembly.attributes import convolution_dimensions
from hlo.dialect.assembly.directives import TYPE, Directive
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.assembly.values import integers, number
from hlo.dialect.cursor import INTEGERS, OP_NAME, STRING, WORD, i64_array, split_list

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter

# Constants


class ConstantValue(Directive):
    """`dense<1> : tensor<2xi32>`; old `() {value = ...} : () -> T` is read as well."""

    shown = frozenset(["value"])
    line = rf'(dense<[^<>"\n]*> : ({TYPE}))'
    groups = 2

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.peek() == "(":
            self._read_old(reader, s)
        else:
            self.read_line(reader.typed_attribute(), s)

    def _read_old(self, reader: Rewriter, s: Statement) -> None:
        reader.expect("(")
        reader.expect(")")
        properties = ""
        if reader.accept("<"):
            properties = reader.dictionary()
            reader.expect(">")
        s.dictionary = ", ".join(filter(None, [s.dictionary, properties, reader.dictionary()]))
        reader.expect(":")
        s.type = reader.function_type()

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.attributes["value"] = groups[0]
        s.type = f"() -> {groups[1]}"

    def write(self, s: Statement) -> str | None:
        value = s.attributes.get("value", "")
        return value if len(s.results) == 1 and value.endswith(f" : {s.results[0]}") else None


class ExpectedValue(Directive):
    """`dense<1> : tensor<2xi32>`: what the operand, which has its type, is to be."""

    shown = frozenset(["value"])

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes["value"], type = reader.typed_attribute()
        s.type = f"({type}) -> ()"

    def write(self, s: Statement) -> str | None:
        return s.attributes["value"]


# Numbers and lists between the operands and the type


class ExponentMantissa(Directive):
    """`e8m10`."""

    shown = frozenset(["exponent_bits", "mantissa_bits"])
    line = r"e(\d+)m(\d+)\b"
    groups = 2

    def read(self, reader: Rewriter, s: Statement) -> None:
        format = reader.match(re.compile(r"e\d+m\d+\b"), "a format like e8m10")
        self.read_line(format[1:].split("m"), s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.attributes["exponent_bits"], s.attributes["mantissa_bits"] = (f"{bits} : i32" for bits in groups)

    def write(self, s: Statement) -> str | None:
        if not self.shown <= s.attributes.keys():
            return None
        return f"e{number(s.attributes['exponent_bits'])}m{number(s.attributes['mantissa_bits'])}"


_RANGE = r"\d+:\d+(?::\d+)?"


class SliceRanges(Directive):
    """`[0:3, 1:4:2]`: start, limit and stride of each dimension."""

    names = ("start_indices", "limit_indices", "strides")
    shown = frozenset(names)
    line = rf"\[((?:{_RANGE}(?:, {_RANGE})*)?)\]"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        reader.expect("[")
        ranges: list[tuple[str, str, str]] = []
        while not reader.accept("]"):
            if ranges:
                reader.expect(",")
            start = reader.integer()
            reader.expect(":")
            limit = reader.integer()
            ranges.append((start, limit, reader.integer() if reader.accept(":") else "1"))
        self._take(ranges, s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        ranges = [part.split(":") for part in groups[0].split(", ")] if groups[0] else []
        self._take([r if len(r) == 3 else [*r, "1"] for r in ranges], s)

    def _take(self, ranges: Sequence[Sequence[str]], s: Statement) -> None:
        for column, name in enumerate(self.names):
            s.attributes[name] = i64_array(f"[{', '.join(r[column] for r in ranges)}]")

    def write(self, s: Statement) -> str | None:
        columns = (split_list(integers(s.attributes[name])[1:-1]) for name in self.names)
        ranges = [f"{a}:{b}" + ("" if c == "1" else f":{c}") for a, b, c in zip(*columns)]
        return f"[{', '.join(ranges)}]"


# Contractions


class DotDimensionNumbers(Directive):
    """`batching_dims = [0] x [0], contracting_dims = [2] x [1]`; without batching dimensions the second part alone."""

    shown = frozenset(["dot_dimension_numbers"])
    line = rf"(?:batching_dims = ({INTEGERS.pattern}) x ({INTEGERS.pattern}), )?contracting_dims = ({INTEGERS.pattern}) x ({INTEGERS.pattern})"
    groups = 4

    def read(self, reader: Rewriter, s: Statement) -> None:
        batching = ["[]", "[]"]
        if reader.accept_word("batching_dims"):
            batching = self._pair(reader)
            reader.expect(",")
        reader.expect_word("contracting_dims")
        self.read_line([*batching, *self._pair(reader)], s)

    def _pair(self, reader: Rewriter) -> list[str]:
        """`= [0] x [1]`."""
        reader.expect("=")
        lhs = reader.integers()
        reader.expect("x")
        return [lhs, reader.integers()]

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
        listed = ", ".join(f"{n}_dimensions = {i64_array(v or '[]')}" for n, v in zip(names, groups))
        s.attributes["dot_dimension_numbers"] = f"{{{listed}}}"

    def write(self, s: Statement) -> str | None:
        lists = dict(re.findall(r"(\w+) = (\[[^\]]*\])", s.attributes["dot_dimension_numbers"]))

        def pair(kind: str) -> str:
            return " x ".join(lists.get(f"{side}_{kind}_dimensions", "[]") for side in ("lhs", "rhs"))

        batching = f"batching_dims = {pair('batching')}, " if "lhs_batching_dimensions" in lists else ""
        return f"{batching}contracting_dims = {pair('contracting')}"


class PrecisionConfigAndAlgorithm(Directive):
    """`, precision = [HIGH, HIGH], algorithm = <...>`, both optional."""

    shown = frozenset(["precision_config", "algorithm"])
    attached = True
    line = r"(?:, precision = \[(\w+), (\w+)\])?"
    groups = 2

    def read(self, reader: Rewriter, s: Statement) -> None:
        while reader.accept(","):
            if reader.accept_word("precision"):
                reader.expect("=")
                if reader.peek() != "[":
                    raise reader.fail("'['")
                self.read_line(WORD.findall(reader.balanced()), s)
            elif reader.accept_word("algorithm"):
                reader.expect("=")
                if reader.peek() != "<":
                    raise reader.fail("'<'")
                s.attributes["algorithm"] = "#stablehlo.dot_algorithm" + reader.balanced()
            else:
                raise reader.fail("'precision' or 'algorithm'")

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        if None not in groups:
            words = ", ".join(f'"{word}"' for word in groups)
            s.attributes["precision_config"] = f"[{words}]"

    def write(self, s: Statement) -> str | None:
        written = ""
        if "precision_config" in s.attributes:
            cases = re.findall(r"precision (\w+)", s.attributes["precision_config"])
            written = f", precision = [{', '.join(cases)}]"
        if "algorithm" in s.attributes:
            written += f", algorithm = {s.attributes['algorithm'][len('#stablehlo.dot_algorithm') :]}"
        return written


# Convolutions

_DIMENSIONS = re.compile(r"\[[^\]]*\]\s*x\s*\[[^\]]*\]\s*->\s*\[[^\]]*\]")


class ConvolutionDimensions(Directive):
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`."""

    shown = frozenset(["dimension_numbers"])

    def read(self, reader: Rewriter, s: Statement) -> None:
        start = reader.position
        written = reader.match(_DIMENSIONS, "dimensions like [b, 0, f]x[0, i, o]->[b, 0, f]")
        s.attributes["dimension_numbers"] = convolution_dimensions(written, start)

    def write(self, s: Statement) -> str | None:
        return s.attributes["dimension_numbers"][len("#stablehlo.conv<") : -1]


_MATRIX = re.compile(r"\[\s*(?:\[[-\d\s,]*\]\s*,?\s*)*\]")
_SPLAT = re.compile(r"dense<(-?\d*)> : tensor<(\d+)x2xi64>")


class WindowAttributes(Directive):
    """`stride = [2, 2], pad = [[1, 1], [0, 0]], lhs_dilate = ..., rhs_dilate = ..., reverse = [false, true]`, as far as they are there."""

    names = {
        "stride": "window_strides",
        "pad": "padding",
        "lhs_dilate": "lhs_dilation",
        "rhs_dilate": "rhs_dilation",
        "reverse": "window_reversal",
    }
    shown = frozenset(names.values())
    attached = True

    def read(self, reader: Rewriter, s: Statement) -> None:
        keys = re.compile("|".join(self.names))
        while reader.peek() != "}":
            if self.shown & s.attributes.keys():
                reader.expect(",")
            key = reader.match(keys, f"one of {', '.join(self.names)}")
            reader.expect("=")
            s.attributes[self.names[key]] = self._value(reader, key)

    def _value(self, reader: Rewriter, key: str) -> str:
        if key == "pad":
            rows = reader.match(_MATRIX, "padding like [[1, 1], [0, 0]]")
            count = rows.count("[") - 1
            return f"dense<{rows if count else ''}> : tensor<{count}x2xi64>"
        if key != "reverse":
            return reader.i64_array()
        reader.skip()
        flags = split_list(reader.balanced()[1:-1])
        listed = ", ".join({"0": "false", "1": "true"}.get(flag, flag) for flag in flags)
        return f"array<i1: {listed}>" if listed else "array<i1>"

    def write(self, s: Statement) -> str | None:
        values = {key: self._shown(s.attributes[name]) for key, name in self.names.items() if name in s.attributes}
        return None if None in values.values() else ", ".join(f"{key} = {value}" for key, value in values.items())

    def _shown(self, value: str) -> str | None:
        """None for padding in hexadecimal digits."""
        if not value.startswith("dense<"):
            return integers(value)
        if value.startswith("dense<[["):
            return value[len("dense<") : value.index("> :")]
        splat = _SPLAT.fullmatch(value)
        if not splat or not (splat[1] or splat[2] == "0"):
            return None
        return f"[{', '.join([f'[{splat[1]}, {splat[1]}]'] * int(splat[2]))}]"


# Calls


class CustomCallTarget(Directive):
    """`@target`, in quotes where it is no plain name."""

    shown = frozenset(["call_target_name"])

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.attributes["call_target_name"] = symbol_name(reader, "the name of the target")

    def write(self, s: Statement) -> str | None:
        target = s.attributes["call_target_name"][1:-1]
        return f"@{target}" if re.fullmatch(r"[A-Za-z_][\w$.]*", target) else f'@"{target}"'


def symbol_name(reader: Rewriter, expected: str) -> str:
    """`@name` or `@"name"` as a string attribute."""
    reader.expect("@")
    return reader.match(STRING, "a name") if reader.peek() == '"' else f'"{reader.match(OP_NAME, expected)}"'


class BarrierOperands(Directive):
    """The operands, or `()` where there are none."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        if reader.accept("("):
            reader.expect(")")
            return
        s.operands += reader.values()
        reader.expect(":")
        types = ", ".join(reader.types())
        s.type = types if "->" in types else f"({types}) -> ({types})"

    def write(self, s: Statement) -> str | None:
        if s.results != s.inputs:
            return None
        return f"{', '.join(s.operands)} : {', '.join(s.inputs)}" if s.operands else "()"
