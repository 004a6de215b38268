"""The usual one-line statements of a printed program, each read by one regular expression: faster than its form, which
reads anything unusual (attributes, line breaks, comments, loc in between)."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlo.dialect.reader.cursor import scalar_of

_VALUE = r"%[\w$-]+(?:#\d+)?"
TYPE = r'tensor<[^<>"\n]*(?:<[^<>"\n]*>[^<>"\n]*)?>'
FUNCTION_TYPE = rf"\([^()\n]*\) -> {TYPE}"
END = r"(?= *(?:\n|loc\())"
_RANGE = r"\d+:\d+(?::\d+)?"
_INTS = r"\[((?:-?\d+(?:, -?\d+)*)?)\]"

Write = Callable[[re.Match[str]], str]
"""From the match (behind the op's name) to what stands behind the quoted name in the generic form."""


def _array(integers: str) -> str:
    return f"array<i64: {integers}>" if integers else "array<i64>"


def _constant(line: re.Match[str]) -> str:
    return f"() {{value = {line[1]}}} : () -> {line[2]}"


def _dims(name: str) -> Write:
    return lambda line: f"({line[1]}) {{{name} = {_array(line[2])}}} : {line[3]}"


def _slice(line: re.Match[str]) -> str:
    parts = [part.split(":") for part in line[2].split(",")] if line[2] else []
    starts, limits = (_array(", ".join(part[i].strip() for part in parts)) for i in (0, 1))
    strides = _array(", ".join(part[2].strip() if len(part) > 2 else "1" for part in parts))
    return f"({line[1]}) {{start_indices = {starts}, limit_indices = {limits}, strides = {strides}}} : {line[3]}"


def _compare(line: re.Match[str]) -> str:
    kind = f', compare_type = "{line[4]}"' if line[4] else ""
    return f'({line[2]}, {line[3]}) {{comparison_direction = "{line[1]}"{kind}}} : {line[5]}'


def _select(line: re.Match[str]) -> str:
    predicate, value = line[2], line[3]
    return f"({line[1]}) : ({predicate}, {value}, {value}) -> {value}"


def _return(line: re.Match[str]) -> str:
    return f"({line[1]}) : ({line[2]}) -> ()"


def _dot_general(line: re.Match[str]) -> str:
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    numbers = ", ".join(f"{n}_dimensions = {_array(line[i] or '')}" for i, n in enumerate(names, 3))
    precision = f', precision_config = ["{line[7]}", "{line[8]}"]' if line[7] else ""
    return f"({line[1]}, {line[2]}) {{dot_dimension_numbers = {{{numbers}}}{precision}}} : {line[9]}"


def _reduce(line: re.Match[str]) -> str:
    t = scalar_of(line[6])
    body = f'%_r = "{line[3]}"(%_a, %_b) : ({t}, {t}) -> {t} "stablehlo.return"(%_r) : ({t}) -> ()'
    region = f"{{^bb0(%_a: {t}, %_b: {t}): {body}}}, {{}}"
    return f"({line[1]}, {line[2]}) ({region}) {{dimensions = {_array(line[4])}}} : {line[5]}"


_DIMS = rf" ({_VALUE}), dims = {_INTS} : ({FUNCTION_TYPE})"

_PATTERNS: dict[str, tuple[str, Write]] = {
    "stablehlo.constant": (rf' (dense<[^<>"\n]*> : ({TYPE}))', _constant),
    "stablehlo.broadcast_in_dim": (_DIMS, _dims("broadcast_dimensions")),
    "stablehlo.transpose": (_DIMS, _dims("permutation")),
    "stablehlo.slice": (rf" ({_VALUE}) \[((?:{_RANGE}(?:, {_RANGE})*)?)\] : ({FUNCTION_TYPE})", _slice),
    "stablehlo.compare": (
        rf" (EQ|NE|GE|GT|LE|LT), ({_VALUE}), ({_VALUE})"
        rf"(?:, (FLOAT|TOTALORDER|WEAKORDER|SIGNED|UNSIGNED))? : ({FUNCTION_TYPE})",
        _compare,
    ),
    "stablehlo.select": (rf" ({_VALUE}, {_VALUE}, {_VALUE}) : ({TYPE}), ({TYPE})", _select),
    "stablehlo.return": (rf" ({_VALUE}(?:, {_VALUE})*) : ({TYPE}(?:, {TYPE})*)", _return),
    "stablehlo.dot_general": (
        rf" ({_VALUE}), ({_VALUE})(?:, batching_dims = {_INTS} x {_INTS})?, contracting_dims = {_INTS} x {_INTS}"
        rf"(?:, precision = \[(DEFAULT|HIGH|HIGHEST), (DEFAULT|HIGH|HIGHEST)\])? : ({FUNCTION_TYPE})",
        _dot_general,
    ),
    "stablehlo.reduce": (
        rf"\(({_VALUE}) init: ({_VALUE})\) applies (stablehlo\.[a-z]+) across dimensions = {_INTS}"
        rf" : (\(({TYPE}), {TYPE}\) -> [^()\n]*?)",
        _reduce,
    ),
}

USUAL_LINES = {name: (re.compile(pattern + END), write) for name, (pattern, write) in _PATTERNS.items()}
"""By the op's name: what its usual line looks like behind the name, and how the generic form goes on."""
