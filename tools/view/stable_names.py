"""Values keep their names from one pass to the next. MLIR numbers values anew each time it prints: one op less, and every line behind it is
another text. Here a line that a pass has left alone gives its values the names that they had.

Before: %1 = exp %0   %2 = add %1, %1                       After a pass has added an op in front:
MLIR:   %1 = negate %0   %2 = exp %1   %3 = add %2, %2      here:  %3 = negate %0   %1 = exp %3   %2 = add %1, %1"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hlo.tools.view.alignment import Pair, align
from hlo.tools.view.lines import Line

_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|%[\w$.-]+')
_BARE = re.compile(r"%[\w$.-]+")
_FUNCTION = re.compile(r'^\s*(?:func|llvm|gpu)\.func .*?(@"[^"]*"|@[\w$.-]+)')
_NUMBER = re.compile(r"(?<=%)\d+$|_\d+$")
_RESULTS = re.compile(r"^\s*(%[\w$.-]+)(?::\d+)? = ")


def with_stable_names(old: Sequence[Line], new: Sequence[Line]) -> tuple[list[Line], list[Pair]]:
    """The new lines in the names of the old ones, which have stable names already, and the pairs of lines that are aligned."""
    pairs = align(list(map(_shape, old)), list(map(_shape, new)))
    before = {j: old[i].text for i, j in pairs}
    namer = _Namer(_names_of_functions(old))
    return [Line(namer.renamed(line.text, before.get(n)), line.ops) for n, line in enumerate(new)], pairs


def _names_of_functions(lines: Sequence[Line]) -> dict[str, dict[str, None]]:
    """In their order: arguments come first."""
    names: dict[str, dict[str, None]] = {}
    current = names[""] = {}
    for line in lines:
        if head := _FUNCTION.match(line.text):
            current = names[head[1]] = {}
        if "%" in line.text:
            current.update((value, None) for value in _values(line.text))
    return names


def _values(text: str) -> list[str]:
    return [found for found in _VALUE.findall(text) if found[0] == "%"]


def _shape(line: Line) -> tuple[str, tuple[int, ...]]:
    """A line but for the names of its values."""
    if '"' not in line.text:
        return _BARE.sub("%", line.text), line.ops
    return _VALUE.sub(_placeholder, line.text), line.ops


def _placeholder(found: re.Match[str]) -> str:
    return "%" if found.group().startswith("%") else found.group()


class _Namer:
    """Renames the values of one function after another; two values of a function never get one name. A value of a line that is new gets a
    name that the function has not had: `earlier` are those of the text before, by function."""

    def __init__(self, earlier: dict[str, dict[str, None]]) -> None:
        self.earlier = earlier
        self._start("")

    def _start(self, function: str) -> None:
        self.names: dict[str, str] = {}
        self.taken: set[str] = set()
        self.kept = self.earlier.get(function, {})
        self.numbers: dict[str, int] = {}

    def renamed(self, text: str, before: str | None) -> str:
        """`before`: the aligned line, whose names the values take where these are free; arguments take those of the function before."""
        head = _FUNCTION.match(text)
        if head:
            self._start(head[1])
        if "%" not in text:
            return text
        proposed = iter(_values(before) if before is not None else self.kept if head else ())
        results = _RESULTS.match(text)
        if results is not None and results[1] in self.names:  # a value of another region than the one that had it
            self.taken.discard(self.names.pop(results[1]))
        return _VALUE.sub(lambda found: self._name(found.group(), proposed), text)

    def _name(self, value: str, proposed: Iterator[str]) -> str:
        if value[0] != "%":
            return value
        wanted = next(proposed, None)
        name = self.names.get(value)
        if name is None:
            name = wanted if wanted is not None and wanted not in self.taken else self._free(value)
            self.names[value] = name
            self.taken.add(name)
        return name

    def _free(self, value: str) -> str:
        """The value's own name, or it with another number."""
        name, stem = value, _NUMBER.sub("", value)
        while name in self.taken or name in self.kept:
            number = self.numbers[stem] = self.numbers.get(stem, -1) + 1
            name = f"{stem}{number}" if stem == "%" else f"{stem}_{number}"
        return name
