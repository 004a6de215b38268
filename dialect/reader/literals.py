"""Literals that would end the process in MLIR's parser, or be read as something else: pairs of numbers for elements that are not
complex, strings among numbers, arrays of types that the bindings cannot read. MLIR refuses all other wrong ones by itself."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

_ELEMENTS = re.compile(r"\b(dense|sparse)\s*<([^<>\"]*(?:\"[^\"\\]*(?:\\.[^\"\\]*)*\"[^<>\"]*)*)>")
_SUSPECT = re.compile(r'\bsparse\s*<|\bdense\s*<[^<>("]*[("](?!0x)')
_ARRAY = re.compile(r"(?<![\w.!$])array\s*<\s*(?!(?:i1|i8|i16|i32|i64|f32|f64)\b|\d+\s*x\b)([\w!.]*)")
"""`array<2 x i64>` is no attribute but LLVM's type, within `!llvm.struct<...>`."""
_HEXADECIMAL = re.compile(r'\s*"0x[^"]*"\s*')
_NUMBER = r"[-+]?\s*(?:0x[0-9A-Fa-f]+|[0-9.]+(?:[eE][-+]?[0-9]+)?)"
_PAIR = re.compile(rf"\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)")
_TYPE = re.compile(r"\s*:\s*([!\w.$-]+)(\s*<[\s\d?x*\[\]]*)?(complex\s*<)?")
_STRING = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"')
_SHAPED = ("tensor", "vector")
_LARGE = re.compile(r"(?<![\w.$%@#])\d[\d.]*[eE]\+?\d{3,}")
_UNSIGNED = "f8E8M0FNU"
_NEGATIVE = re.compile(
    rf"(?:\bdense\s*<[^<>\"]*?(?<![\w.])(-)[^<>\"]*>\s*:\s*tensor<[\s\d?x]*|(?<![\w.])(-)\s*\d[\w.+-]*\s*:\s*){_UNSIGNED}\b"
)


def literal_error(text: str) -> tuple[str, int] | None:
    """What is wrong with the first literal of a text in generic form (without comments) that MLIR must not see, and its position."""
    every = (*_wrong_elements(text), *_wrong_arrays(text), *_wrong_numbers(text))
    found = [f for f in every if not _is_in_string(text, f[1])]
    return min(found, key=lambda f: f[1]) if found else None


def _wrong_arrays(text: str) -> Iterator[tuple[str, int]]:
    for array in _ARRAY.finditer(text):
        yield f"array<{array[1]}>: arrays have elements of i1, i8, i16, i32, i64, f32 or f64", array.start()


def _wrong_numbers(text: str) -> Iterator[tuple[str, int]]:
    """Numbers that end the process for some of the small float types."""
    for number in _LARGE.finditer(text):
        if _is_infinite(number[0]):
            yield f"{number[0]} is larger than all numbers of f64", number.start()
    for number in _NEGATIVE.finditer(text) if _UNSIGNED in text else ():
        yield f"{_UNSIGNED} has no negative numbers", number.start(number.lastindex or 0)


def _is_infinite(number: str) -> bool:
    try:
        return float(number) == math.inf
    except ValueError:
        return False


def _wrong_elements(text: str) -> Iterator[tuple[str, int]]:
    for suspect in _SUSPECT.finditer(text):
        literal = _ELEMENTS.match(text, suspect.start())
        error = _elements_error(text, literal) if literal else None
        if error:
            yield error, suspect.start()


def _elements_error(text: str, literal: re.Match[str]) -> str | None:
    kind, content = literal[1], literal[2]
    type = _TYPE.match(text, literal.end())
    if type is None:
        return None  # MLIR says that the type is missing
    if type[1].startswith("!"):
        type = _aliased(text, type[1]) or type
    return _sparse_error(content, type) if kind == "sparse" else _dense_error(content, type)


def _dense_error(content: str, type: re.Match[str]) -> str | None:
    if _HEXADECIMAL.fullmatch(content):
        return None
    if '"' in content:
        return "a literal of strings: elements are numbers, true, false, pairs of numbers, or all of them as one string of hexadecimal digits"
    if "(" not in content:
        return None
    if not type[3]:
        return "a complex literal for elements that are not complex"
    return (
        "elements of a complex literal are pairs of numbers"
        if re.search(r"[^\[\],\s]", _PAIR.sub("", content))
        else None
    )


def _sparse_error(content: str, type: re.Match[str]) -> str | None:
    """Indices are integers; values are numbers of the type."""
    if type[1] not in _SHAPED:
        return f"a sparse literal has a tensor's type, found {type[1]}"
    indices, values = _split(content)
    if re.search(r"[^\[\],\s\d-]", indices):
        return "the indices of a sparse literal are integers"
    return (
        _dense_error(values, type)
        if not _HEXADECIMAL.fullmatch(values)
        else "the values of a sparse literal are numbers"
    )


def _split(content: str) -> tuple[str, str]:
    """Indices and values of a sparse literal: what stands before and after the first comma outside of brackets."""
    depth = 0
    for position, character in enumerate(content):
        depth += (character in "([") - (character in ")]")
        if character == "," and not depth:
            return content[:position], content[position + 1 :]
    return content, ""


def _aliased(text: str, name: str) -> re.Match[str] | None:
    """What a name stands for, through other names."""
    for _ in range(100):
        found = re.search(rf"(?<![\w.$!-]){re.escape(name)}\s*=\s*([^\n]*)", text)
        type = _TYPE.match(": " + found[1]) if found else None
        if type is None or not type[1].startswith("!"):
            return type
        name = type[1]
    return None


def _is_in_string(text: str, position: int) -> bool:
    """Whether a position is in a string."""
    for string in _STRING.finditer(text):
        if string.end() > position:
            return string.start() <= position
    return False
