"""Positions in the user's text, and MLIR's own findings brought back to them."""

from __future__ import annotations

import re

from hlo.errors import Diagnostic


class Source:
    """A program's text and the name of its file."""

    def __init__(self, text: str, file_name: str):
        self.text = text
        self.file_name = file_name

    def line(self, number: int) -> str:
        """A line by its number, from 1."""
        lines = self.text.split("\n", number)
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else ""

    def diagnostic(self, message: str, position: int) -> Diagnostic:
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        return Diagnostic(message, self.file_name, line, column, self.line(line))

    def from_generic(self, message: str, line: int, column: int, generic: str) -> Diagnostic:
        """A finding of MLIR's parser in the generic text: its line is the user's, its column is looked up."""
        ours = Source(generic, self.file_name).line(line)
        theirs = self.line(line)
        return Diagnostic(message, self.file_name, line, _column(ours, theirs, column), theirs)

    def in_generic(self, message: str, position: int, generic: str) -> Diagnostic:
        """A finding at a position of the generic text."""
        line = generic.count("\n", 0, position) + 1
        return self.from_generic(message, line, position - generic.rfind("\n", 0, position), generic)


def with_source(findings: list[Diagnostic], text: str | bytes, file_name: str) -> list[Diagnostic]:
    """The findings with the lines that they are about, as far as they are in this text (locations may name other files)."""
    lines = (text.decode(errors="replace") if isinstance(text, bytes) else text).split("\n")

    def shown(finding: Diagnostic) -> Diagnostic:
        if finding.source or finding.file != file_name or not 0 < finding.line <= len(lines):
            return finding
        return finding._replace(source=lines[finding.line - 1].rstrip("\r"))

    return [shown(finding) for finding in findings]


_ITEM = re.compile(r'[%#@!^]?[\w.$-]+|"[^"]*"|.')


def _column(generic: str, original: str, column: int) -> int:
    """Where the item that stands at a column of the generic line stands in the original."""
    same = 0
    while same < min(len(generic), len(original), column - 1) and generic[same] == original[same]:
        same += 1
    if same >= column - 1:
        return column
    if generic[column - 1 :] and original.endswith(generic[column - 1 :]):
        return column + len(original) - len(generic)
    item = _ITEM.match(generic, column - 1)
    found = original.find(item.group().strip('"'), same) if item else -1
    return (found if found >= 0 else same) + 1
