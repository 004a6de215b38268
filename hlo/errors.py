"""What a user's mistake raises: every error of hlo derives from HloError and says where, what was found
and what was allowed."""

from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One finding: `file:line:column: message`, with the source line when it is at hand."""

    message: str
    file: str = "-"
    line: int = 0
    column: int = 0
    source: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        location = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        text = f"{location}{self.severity}: {self.message}"
        if self.source:
            caret = " " * (self.column - 1) + "^"
            text += f"\n{self.source}\n{caret}"
        return text


class HloError(Exception):
    """Base of all errors that are not bugs. `diagnostics` holds every finding, in order."""

    def __init__(self, *findings: str | Diagnostic):
        self.diagnostics = tuple(f if isinstance(f, Diagnostic) else Diagnostic(f) for f in findings)
        super().__init__("\n".join(str(d) if d.line else d.message for d in self.diagnostics))


class ParseError(HloError):
    """The text is not a program: syntax, unknown ops or types."""


class VerifyError(HloError):
    """The program breaks a constraint of the specification."""


class CompileError(HloError):
    """The program is valid but cannot be compiled for this target; names op and location."""


class ArgumentError(HloError):
    """A call with the wrong number, shape or element type of arguments, or a bad option."""
