"""Futures: what async_start gives and async_done takes.

Upstream's may stand for any number of values, `!stablehlo.future<A, B>`. Types of IRDL have a fixed number of parameters: here
a future has one, a tuple where there are not one value but several or none. Reader and printer translate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlir import ir

from hlo.dialect.types import tuple_types

_NAME = "!stablehlo.future<"
_FUTURE = re.compile(rf'"[^"\\]*(?:\\.[^"\\]*)*"|{re.escape(_NAME)}')
_BRACKET = re.compile(r"->|[<>]")


def future_of(types: Sequence[ir.Type]) -> ir.Type:
    """The future of values of these types."""
    inside = types[0] if len(types) == 1 else ir.TupleType.get_tuple(list(types))
    return ir.Type.parse(f"{_NAME}{inside}>")


def future_types(future: ir.Type) -> list[ir.Type]:
    """The types of the values that a future stands for."""
    inside = ir.Type.parse(str(future).removeprefix(_NAME)[:-1])
    return tuple_types(inside) if isinstance(inside, ir.TupleType) else [inside]


def with_tuples(text: str) -> str:
    """Upstream's spelling of futures as the one of our IR."""
    return _respelt(text, lambda inside: inside if _is_one(inside) else f"tuple<{inside}>")


def without_tuples(text: str) -> str:
    """Our IR's spelling of futures as upstream's."""
    return _respelt(text, lambda inside: inside[len("tuple<") : -1] if inside.startswith("tuple<") else inside)


def _is_one(inside: str) -> bool:
    """Whether the text is one type: something, without a comma outside of brackets."""
    depth = 0
    for character in inside:
        depth += {"<": 1, "[": 1, "{": 1, ">": -1, "]": -1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            return False
    return bool(inside.strip())


def _respelt(text: str, change: Callable[[str], str]) -> str:
    """The text with what is inside of the brackets of each future changed."""
    if _NAME not in text:
        return text
    pieces, copied = [], 0
    for found in _FUTURE.finditer(text):
        end = _closing(text, found.end()) if found.group() == _NAME else None
        if end is not None:
            pieces += [text[copied : found.end()], change(text[found.end() : end])]
            copied = end
    return "".join([*pieces, text[copied:]])


def _closing(text: str, start: int) -> int | None:
    """Where the bracket that is open at `start` closes; None if it does not."""
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += {"<": 1, ">": -1}.get(found.group(), 0)
        if depth == 0:
            return found.start()
    return None
