"""`--verify-diagnostics`: comments such as `// expected-error@+1 {{part of the message}}` name the diagnostics a file must
give, as in mlir-opt. Lines: `@+N`, `@-N`, `@above`, `@below`, `@unknown`, none (the same line). `-re` after the severity
reads `{{...}}` inside the text as regular expressions."""

from __future__ import annotations

import re

from hlo.errors import ArgumentError, Diagnostic
from hlo.lazy_dataclasses import dataclass

_EXPECTED = re.compile(
    r"//\s*expected-(error|warning|remark|note)(-re)?\s*(@(?:[+-]\d+|above|below|unknown))?\s*(\d+)?\s*\{\{(.*?)\}\}\s*(?=$|//)"
)

MOST_DIGITS = 6
"""Of a distance in lines and a count of diagnostics."""


@dataclass
class Expectation:
    severity: str
    line: int
    """The line of the diagnostic; 0 for any."""
    text: str
    is_regex: bool
    written_on: int
    count: int

    def matches(self, found: Diagnostic) -> bool:
        if found.severity != self.severity or (self.line and found.line != self.line):
            return False
        if not self.is_regex:
            return self.text in found.message
        pattern = "".join(
            part if i % 2 else re.escape(part) for i, part in enumerate(re.split(r"\{\{|\}\}", self.text))
        )
        try:
            return re.search(pattern, found.message) is not None
        except re.error as error:
            raise ArgumentError(
                f"line {self.written_on}: expected-{self.severity}-re: {self.text!r} has no regular expressions in {{{{...}}}}: {error}"
            ) from None


def expectations(text: str) -> list[Expectation]:
    """Every expected-... comment of a file."""
    lines = text.splitlines()
    return [
        Expectation(m[1], _line(m[3], number, lines), m[5], bool(m[2]), number, _number(m[4] or "1", number))
        for number, line in enumerate(lines, 1)
        for m in _EXPECTED.finditer(line)
    ]


def _number(digits: str, line: int) -> int:
    """A distance in lines, or how many equal diagnostics are expected."""
    digits = digits.lstrip("+-")
    if len(digits) > MOST_DIGITS:
        raise ArgumentError(
            f"line {line}: expected-...: a number of at most {MOST_DIGITS} digits expected, found {digits[:40]}"
        )
    return int(digits)


def _line(relative_line: str | None, number: int, lines: list[str]) -> int:
    if relative_line is None:
        return number
    if relative_line == "@unknown":
        return 0
    if relative_line == "@below":
        return _next_program_line(number, lines, 1)
    if relative_line == "@above":
        return _next_program_line(number, lines, -1)
    distance = _number(relative_line[1:], number)
    return number - distance if relative_line[1] == "-" else number + distance


def _next_program_line(number: int, lines: list[str], step: int) -> int:
    """The nearest line above or below that does not itself hold only an expectation."""
    at = number + step
    while 1 <= at <= len(lines) and lines[at - 1].lstrip().startswith("// expected-"):
        at += step
    return at


def mismatches(text: str, found: list[Diagnostic], file: str, only_expected: bool = False) -> list[Diagnostic]:
    """What was expected and not given, and (unless `only_expected`) what was given (errors and warnings) and not expected."""
    missing = []
    left = list(found)
    for expected in expectations(text):
        for _ in range(expected.count):
            hit = next((d for d in left if expected.matches(d)), None)
            if hit is None:
                message = f'expected {expected.severity} "{expected.text}" was not produced'
                missing.append(Diagnostic(message, file, expected.written_on, 1))
            else:
                left.remove(hit)
    if only_expected:
        return missing
    unexpected = [
        Diagnostic(f"unexpected {d.severity}: {d.message}", d.file, d.line, d.column, d.source)
        for d in left
        if d.severity in ("error", "warning")
    ]
    return missing + unexpected
