"""MLIR's words for common mistakes, said so that a person who wrote a program knows what to change."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from hlo.dialect.diagnostics import Source
from hlo.dialect.near_names import unknown_op
from hlo.errors import Diagnostic

ELEMENT_TYPES = [
    "i1",
    "i2",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "ui2",
    "ui4",
    "ui8",
    "ui16",
    "ui32",
    "ui64",
    "bf16",
    "f16",
    "f32",
    "f64",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E3M4",
    "f8E4M3",
    "f8E4M3FN",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E5M2",
    "f8E5M2FNUZ",
    "f8E8M0FNU",
    "complex<f32>",
    "complex<f64>",
    "!quant.uniform<...>",
]

_WORD = re.compile(r"[^\S\n]*(->|[!#@%]?[A-Za-z_][\w.]*|%\d+|-?\d\w*|\S)")
"""The next one on a line: MLIR's position may be the end of what stands before it."""
CLOSES = {")": "(", "]": "[", "}": "{"}
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|//[^\n]*|->|[{}()\[\]"]')
_RESULTS_EXPECTED = (
    "expected an operation, found the type 'tensor'; the types of a function's results stand behind '->'"
)
_LIST_ENDS = ("expected ')'", "expected ']'")
_UNKNOWN_OP = re.compile(r"custom op '(\w+)' is unknown \(tried")
_UNKNOWN_DIALECT = re.compile(r"Dialect `(\w+)' not found for custom op '([\w.$]+)'")


def in_plain_words(source: Source, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings reworded. Of a truncated text, what is open at its end comes first, and what else is expected
    somewhere follows from that; so does what is found from an open string or a wrong bracket on."""
    plain = [d._replace(message=_reworded(d)) for d in findings]
    if plain and (string := _open_string(source)):
        return [_end_inside(source, string, "a string"), *(d for d in plain if d.line < string.line)]
    opened, wrong = _nesting(source.text) if plain else ([], None)
    if wrong is not None:
        return _up_to_bracket(source, plain, opened, wrong)
    if opened:
        return [
            _unexpected_end(source, opened[-1]),
            *(d for d in plain if not d.message.startswith("expected ")),
        ]
    return plain


def _reworded(found: Diagnostic) -> str:
    word = _WORD.match(found.source, found.column - 1) if found.column else None
    text = word[1] if word else ""
    unknown = _UNKNOWN_DIALECT.search(found.message)
    if unknown:
        return f"unknown dialect '{unknown[1]}' of op '{unknown[2]}'; programs use stablehlo, chlo, func, arith, math, tensor, shape"
    bare = _UNKNOWN_OP.match(found.message)
    if bare:
        return _RESULTS_EXPECTED if bare[1] == "tensor" else unknown_op(bare[1])
    if "expected non-function type" in found.message:
        return _type_expected(text, found.source[word.end() :] if word else "")
    if found.message in _LIST_ENDS:
        return f"expected ',' or {found.message[-3:]}, found {_quoted(text)}"
    if found.message.startswith("use of undeclared SSA value name"):
        name = re.compile(r"%[\w$.-]+").match(found.source, found.column - 1)
        return f"use of undeclared value {name.group()}" if name else found.message
    if found.message.startswith("expected operation name in quotes"):
        return f"expected an operation such as '%0 = stablehlo.add ...', found {_quoted(text)}"
    return found.message


def _type_expected(text: str, behind: str) -> str:
    if re.match(r"\s*:", behind):
        return f"expected an argument such as %a: tensor<2x3xf32>, or a type, found {_quoted(text)}"
    if not re.fullmatch(r"[A-Za-z_]\w*", text) or text.lower() == "tensor":
        return f"expected a type such as tensor<2x3xf32>, found {_quoted(text)}"
    same = [name for name in ELEMENT_TYPES if name.lower() == text.lower()]
    near = same or difflib.get_close_matches(text, ELEMENT_TYPES, 1, 0.6)
    hint = f"did you mean {near[0]}? " if near else ""
    return f"unknown type '{text}'; {hint}element types are {', '.join(ELEMENT_TYPES)}"


def _quoted(text: str) -> str:
    return f"'{text}'" if text else "the end of the line"


_END = "unexpected end of input"


def is_unexpected_end(found: Diagnostic) -> bool:
    """Whether a finding is that of a truncated text."""
    return found.message.startswith(_END)


def _nesting(text: str) -> tuple[list[int], int | None]:
    """The brackets that are open, and the one that closes none of them: the innermost is of another kind, or there is
    none. Without such a bracket, those that are open at the end of the text."""
    opened: list[int] = []
    for found in _BRACKET.finditer(text):
        token = found.group()
        if len(token) > 1:
            continue
        if token in "([{":
            opened.append(found.start())
        elif token in CLOSES and (not opened or text[opened[-1]] != CLOSES[token]):
            return opened, found.start()
        elif token in CLOSES:
            opened.pop()
    return opened, None


def _unexpected_end(source: Source, innermost: int) -> Diagnostic:
    opening = source.diagnostic("", innermost)
    return _end_inside(source, opening, f"'{opening.source[: opening.column].strip()[-60:]}'")


def _up_to_bracket(source: Source, plain: list[Diagnostic], opened: list[int], wrong: int) -> list[Diagnostic]:
    """The findings of a text whose brackets do not match, without those that follow from that. One that closes nothing
    may be too many anywhere above: then only what MLIR says first is sure."""
    if not opened:
        return plain[:1]
    closed = source.text[opened[-1]]
    place = source.diagnostic("", wrong if closed == "{" else opened[-1])
    before = [d for d in plain if d.line < place.line and not d.message.startswith("expected ")]
    there = [d for d in plain if d.line == place.line]
    if not there:
        closing = next(end for end, begin in CLOSES.items() if begin == closed)
        message = f"expected '{closing}', found '{source.text[wrong]}'"
        there = [
            place._replace(message=message if closed == "{" else f"expected '{closing}' that closes this '{closed}'")
        ]
    return [*before, there[0]]


def _end_inside(source: Source, opening: Diagnostic, what: str) -> Diagnostic:
    end = source.diagnostic("", len(source.text.rstrip()))
    return end._replace(message=f"{_END} inside {what} opened at line {opening.line}")


def _open_string(source: Source) -> Diagnostic | None:
    """Where a string begins that does not end."""
    opened = [found.start() for found in _BRACKET.finditer(source.text) if found.group() == '"']
    return source.diagnostic("", opened[0]) if opened else None
