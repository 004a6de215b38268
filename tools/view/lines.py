"""A module as lines of text, each with the numbers of the program's ops that it computes (origins.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mlir import ir

from hlo.dialect.printer import print_module
from hlo.tools.view.origins import FILE, NumberedOps, Ops

MOST_ELEMENTS = 16
"""Constants with more elements are printed without them."""


class Line(NamedTuple):
    text: str
    ops: Ops = ()


CONTINUED = ("reducer(", "cond {")
"""How the second line of an op begins."""

_SIMPLE = re.compile(rf' loc\((?:unknown|"{FILE}":(\d+):\d+)\)$')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"| loc\(')
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[()]')


def printed(module: ir.Module) -> str:
    """The module's text with locations."""
    return print_module(module, debug_info=True, local_scope=True, most_elements=MOST_ELEMENTS)


def lines_of(text: str, numbered: NumberedOps) -> list[Line]:
    """The lines of a `printed` text, without locations. An op with regions has its numbers on its first line and on those of its braces."""
    texts: list[str] = []
    ops: list[Ops] = []
    open_: list[list[int]] = []
    for line in text.split("\n"):
        if not line or line.startswith("#loc"):
            continue
        shown, found = _without_locations(line, numbered)
        number = len(texts)
        texts.append(shown)
        ops.append(found)
        closes, opens = shown.lstrip().startswith("}"), shown.endswith("{")
        braces = open_.pop() if closes and open_ else []
        braces.append(number)
        if shown.lstrip().startswith(CONTINUED):
            braces.append(number - 1)
        if opens:
            open_.append(braces)
        elif closes:
            for one in braces:
                ops[one] = found
    return list(map(Line, texts, ops))


def _without_locations(line: str, numbered: NumberedOps) -> tuple[str, Ops]:
    """A line's text, and the numbers in its last location: those in front are of arguments."""
    simple = _SIMPLE.search(line)
    if simple is None:
        return _scanned(line, numbered)
    rest = line[: simple.start()]
    found = numbered.sets[int(simple[1] or 0)]
    return (_scanned(rest, numbered)[0] if " loc(" in rest else rest), found


def _scanned(line: str, numbered: NumberedOps) -> tuple[str, Ops]:
    pieces: list[str] = []
    ops: Ops = ()
    start = 0
    for begin, end in _locations(line):
        pieces.append(line[start:begin])
        ops = numbered.ops_in(line[begin:end])
        start = end
    return "".join(pieces) + line[start:], ops


def _locations(line: str) -> Iterator[tuple[int, int]]:
    """Where each ` loc(...)` begins and ends; strings hold none."""
    position = 0
    while found := _TOKEN.search(line, position):
        position = found.end()
        if found.group() == " loc(":
            position = _closing(line, position)
            yield found.start(), position


def _closing(line: str, position: int) -> int:
    """Behind the bracket that closes the one in front of `position`."""
    depth = 1
    while depth:
        found = _BRACKET.search(line, position)
        if found is None:
            return len(line)
        position = found.end()
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
    return position
