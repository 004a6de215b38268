"""How an attribute that stands in a short form is spelt there, by its kind."""

from __future__ import annotations

import re
from collections.abc import Callable

from hlo.dialect.attributes import F32, F64, I32, I64, UI32, UI64, AttributeKind, Bool, I64Array, String
from hlo.dialect.cursor import INTEGER, INTEGERS, NUMBER, STRING, WORD, i64_array
from hlo.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Spelling:
    """Between the token of a short form and the attribute."""

    token: re.Pattern[str]
    expected: str
    """What the token is called in a message."""
    read: Callable[[str], str]
    """The token to the builtin spelling."""
    write: Callable[[str], str]
    """The printed attribute to the token."""


def integers(value: str) -> str:
    """`array<i64: 1, 2>` to `[1, 2]`."""
    return f"[{value.partition(':')[2][:-1].strip()}]"


def number(value: str) -> str:
    """`1 : i64` to `1`."""
    return value.partition(" :")[0]


def case(value: str) -> str:
    """`#stablehlo<fft_type RFFT>` to `RFFT`."""
    return value[:-1].split()[-1]


def _integer(type: str) -> Spelling:
    return Spelling(INTEGER, "an integer", lambda token: f"{token} : {type}", number)


def _float(type: str) -> Spelling:
    return Spelling(NUMBER, "a number", lambda token: f"{token} : {type}", number)


def _same(token: str) -> str:
    return token


_SPELLINGS: dict[AttributeKind, Spelling] = {
    I64Array: Spelling(INTEGERS, "a list of integers like [0, 1]", i64_array, integers),
    I32: _integer("i32"),
    I64: _integer("i64"),
    UI32: _integer("ui32"),
    UI64: _integer("ui64"),
    F32: _float("f32"),
    F64: _float("f64"),
    Bool: Spelling(re.compile(r"(?:true|false)\b"), "'true' or 'false'", _same, _same),
    String: Spelling(STRING, "a string", _same, _same),
}


def spelling(kind: AttributeKind) -> Spelling:
    """Raises KeyError for a kind that stands in no short form."""
    if kind.values:
        return Spelling(WORD, f"one of {', '.join(kind.values)}", lambda token: f'"{token}"', case)
    return _SPELLINGS[kind]
