"""All mistakes of a text whose first one stops MLIR's parser: the statement at fault is blanked, the rest is parsed again.

What follows only from the blanking (a value or function that is gone) is not reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mlir import ir

from hlo.errors import Diagnostic

MAX_FINDINGS = 20
"""Each costs one parse of the text."""

_BRACKET = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|->|[{}()\[\]<>]')
_COMPARISON = re.compile(r"=\s+(?:[\w.]*compare\s+)?[<>]=?(?=[\s,])")
"""Of a person who writes `compare <, %a, %b`, with or without the op's name: no bracket."""
_RESULTS = re.compile(r"\s*((?:%[\w$.-]+(?::\d+)?\s*,?\s*)+)")
_NAME = re.compile(r"%[\w$.-]+")
_SYMBOL = re.compile(r"@[\w$.-]+|@\"[^\"]*\"")
_FUNCTION_RETURN = re.compile(r"\s*(?:func\.)?return\b[^{}]*$")
_PLACEHOLDER = '"hlo.left_out"() : () -> ()'
"""A function must end with some op; one that nothing knows will do."""
_TERMINATOR = re.compile(r'\s*"?(?:func\.|stablehlo\.)?return\b')
_MODULE = re.compile(r"\s*(?:builtin\.)?module\b.*\{\s*$")
_PLAIN_MODULE = "module {"
_CONSEQUENCES = (
    *("use of undeclared SSA value name", "does not reference a valid function", "undefined symbol"),
    *("defined outside the region", "expects different type than prior uses", "definition of SSA value"),
)
"""Names of values go on from one function to the next in MLIR: a use whose definition was blanked is taken for one of
the next definition of that name."""
_MISSED = re.compile(r'must name a function that the module defines, found "(.*)"$')


class Recovery:
    """A text in generic form of which statements are blanked until it can be parsed. Its first line begins with
    `opening` columns that are not the user's. `findings` are MLIR's, `module` is what is left, when that could be read."""

    def __init__(self, text: str, opening: int, parse: Callable[[str], ir.Module]):
        self.opening = text.encode()[:opening].decode()
        self.lines = text[len(self.opening) :].split("\n")
        self.given = list(self.lines)
        self.parse = parse
        self.lost: set[str] = set()
        self.findings: list[ir.DiagnosticInfo] = []
        self.module: ir.Module | None = None

    def run(self, known: Iterable[int] = ()) -> None:
        """Blanks the lines that are known to be wrong, and those that MLIR complains about."""
        for line in known:
            self._blank(line)
        for _ in range(MAX_FINDINGS):
            errors = self._errors()
            self.findings += [e for e in errors if not self._follows(e)]
            changed = [self._blank(e.location.start_line) for e in errors]
            if not any(changed):
                return

    def causes(self, found: Diagnostic) -> bool:
        """Whether a finding in the module that is left is about what stands for a blanked return, or misses a blanked function."""
        missed = _MISSED.search(found.message)
        return "'hlo.left_out' op" in found.message or (missed is not None and f"@{missed[1]}" in self.lost)

    def _errors(self) -> list[ir.DiagnosticInfo]:
        """What MLIR says, as far as it names a location."""
        try:
            self.module = self.parse(self.opening + "\n".join(self.lines))
        except ir.MLIRError as error:
            return [e for e in error.error_diagnostics if e.location.is_a_file()]
        return []

    def _follows(self, error: ir.DiagnosticInfo) -> bool:
        """Whether an error only says that something blanked before is missing."""
        location = error.location
        if not location.start_line:  # nothing is left of the module
            return self.lines != self.given
        if not any(text in error.message for text in _CONSEQUENCES):
            return False
        line = self.lines[location.start_line - 1] if location.start_line <= len(self.lines) else ""
        column = location.start_col - 1 - (len(self.opening.encode()) if location.start_line == 1 else 0)
        named = _NAME.search(error.message) or _NAME.match(line, max(column, 0))
        names = {named.group()} if named else {*_SYMBOL.findall(line), *_NAME.findall(line)}
        return bool(names & self.lost)

    def _blank(self, line: int) -> bool:
        """Blanks a statement of one line, or else the function around it; False when there was nothing to blank."""
        lines, number = self.lines, line - 1
        if not 0 <= number < len(lines) or not lines[number].strip():
            return False
        if _MODULE.match(lines[number]):
            is_new, lines[number] = lines[number] != _PLAIN_MODULE, _PLAIN_MODULE
            return is_new
        first, last = number, number
        if _FUNCTION_RETURN.match(lines[number]):
            lines[number] = _PLACEHOLDER
            return True
        if _TERMINATOR.match(lines[number]) or not _balanced(lines[number]):
            first, last = _function_around(lines, number)
        closing = "}" * -sum(map(_braces_opened, lines[first : last + 1]))
        for position in range(first, last + 1):
            self.lost |= _defined(lines[position])
            lines[position] = ""
        if closing:  # of what is around the function
            lines[last] = closing
        return first <= last


def _defined(line: str) -> set[str]:
    """The values and functions that a line makes."""
    results = _RESULTS.match(line)
    names = set(_NAME.findall(results[1])) if results else set()
    return names | set(_SYMBOL.findall(line)[:1] if "func" in line.partition("@")[0] else ())


def _balanced(line: str) -> bool:
    return _depth_after(line) == 0 and _braces_opened(line) == 0 and not line.strip().startswith(("}", "^"))


def _depth_after(line: str) -> int:
    tokens = _BRACKET.findall(_COMPARISON.sub("", line))
    return sum(t in "([{<" for t in tokens if len(t) == 1) - sum(t in ")]}>" for t in tokens if len(t) == 1)


def _braces_opened(line: str) -> int:
    tokens = _BRACKET.findall(line)
    return tokens.count("{") - tokens.count("}")


def _function_around(lines: list[str], number: int) -> tuple[int, int]:
    """The lines from the `func.func` before a line to the one that closes its braces, or, where these do not match, to
    the next function or what closes the module; none when there is no function. Other brackets are what may be wrong."""
    first = number
    while first > 0 and "func.func" not in lines[first]:
        first -= 1
    if "func.func" not in lines[first]:
        return 1, 0
    depth = 0
    for last in range(first, len(lines)):
        depth += _braces_opened(lines[last])
        if last >= number and (depth <= 0 or _ends_before(lines, last + 1)):
            return first, last
    return 1, 0


def _ends_before(lines: list[str], position: int) -> bool:
    """Whether a function begins at a line, or it closes the module: nothing but what stands outside follows."""
    following = lines[position : position + 1]
    if not following or "func.func" in following[0]:
        return True
    return following[0].strip() == "}" and not any("}" in line for line in lines[position + 1 :])
