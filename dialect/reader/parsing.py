"""Generic text through MLIR's parser, under the user's file name, its findings as ParseError."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mlir import ir

from hlo.dialect.contexts import context_of_types
from hlo.dialect.diagnostics import Source
from hlo.dialect.one_thread import use_one_thread
from hlo.dialect.reader.grammar import respelt
from hlo.dialect.reader.plain_words import in_plain_words, is_unexpected_end
from hlo.dialect.reader.recovery import Recovery
from hlo.dialect.registration import make_context
from hlo.dialect.verifier import diagnose, verify
from hlo.errors import Diagnostic, HloError, ParseError, VerifyError


def parse_module(generic: str, source: Source, context: ir.Context) -> ir.Module:
    """Parses the generic form of `source`. Raises VerifyError with every op that does not fit its definition, or
    ParseError with what MLIR says."""

    try:
        return _program(_wrapped(generic), source.file_name, context)
    except ir.MLIRError:
        generic = respelt(generic)
    wrapped = _wrapped(generic)
    try:
        return _program(wrapped, source.file_name, context)
    except ir.MLIRError as refused:
        error = _error(wrapped, source, generic)
        said = [_diagnostic(d, source, generic, wrapped) for d in refused.error_diagnostics]
    if error is None:  # types are equal, but not the same: encodings
        with contextlib.suppress(ir.MLIRError):
            return _program(wrapped, source.file_name, make_context())
    raise error or ParseError(*said)


def _error(wrapped: _Wrapped, source: Source, generic: str) -> HloError | None:
    """Everything that is wrong with a text that MLIR refuses; None where nothing is found."""
    with context_of_types(len(wrapped.text)) as context:
        broken = diagnose(lambda: _parse(wrapped.text, source.file_name, context))
    if broken:
        return VerifyError(*(_in_source(d, source, generic, wrapped) for d in broken))
    findings = further_findings(source, generic)
    return ParseError(*findings) if findings else None


def further_findings(source: Source, generic: str, known: Sequence[Diagnostic] = ()) -> list[Diagnostic]:
    """What is wrong with a text apart from the known mistakes, whose statements are left out."""
    wrapped = _wrapped(generic)
    with context_of_types(len(wrapped.text)) as context:
        recovery = Recovery(wrapped.text, wrapped.opening, lambda left: _parse(left, source.file_name, context))
        recovery.run(d.line for d in known)
        syntax = [_diagnostic(d, source, generic, wrapped) for d in recovery.findings]
        broken = verify(recovery.module, in_dump=True) if recovery.module else []
    found = in_plain_words(source, [*known, *syntax]) + [
        _in_source(d, source, generic, wrapped) for d in broken if not recovery.causes(d)
    ]
    return sorted(dict.fromkeys(found), key=lambda d: (not is_unexpected_end(d), d.line, d.column))


def _program(wrapped: _Wrapped, file_name: str, context: ir.Context) -> ir.Module:
    """The module of a text, in which the locations on the first line are the user's."""
    module = _parse(wrapped.text, file_name, context)
    if wrapped.opening:
        _move_first_line(module, wrapped.opening, file_name)
    return module


def _move_first_line(module: ir.Module, columns: int, file_name: str) -> None:
    """Moves what stands on the first line to the left. The walk follows the text: it ends at the second line."""

    def moved(location: ir.Location) -> ir.Location | None:
        if _line(location, file_name) != 1 or location.start_col <= columns:
            return None
        return ir.Location.file(file_name, 1, location.start_col - columns, module.context)

    def visit(op: ir.Operation) -> ir.WalkResult:
        if _line(op.location, file_name) > 1:
            return ir.WalkResult.INTERRUPT
        if new := moved(op.location):
            op.location = new
        for argument in (a for region in op.regions for block in region for a in block.arguments):
            if new := moved(argument.location):
                argument.set_location(new)
        return ir.WalkResult.ADVANCE

    for op in module.body.operations:
        op.operation.walk(visit, ir.WalkOrder.PRE_ORDER)


def _line(location: ir.Location, file_name: str) -> int:
    """The line of the file that a location names; 0 for one elsewhere."""
    return location.start_line if location.is_a_file() and location.filename == file_name else 0


def _parse(text: str, file_name: str, context: ir.Context) -> ir.Module:
    """ir.Module.parse takes no file name and ir.Operation.parse gives no module: its content moves into a new one. So
    does an op that stands alone: the line that opens the module around it may have been left out."""
    use_one_thread(context)
    parsed = ir.Operation.parse(text, source_name=file_name, context=context)
    module = ir.Module.create(parsed.operation.location)
    if parsed.operation.name != "builtin.module":
        module.body.append(parsed)
        return module
    for attribute in parsed.operation.attributes:
        name = attribute if isinstance(attribute, str) else attribute.name
        module.operation.attributes[name] = parsed.operation.attributes[name]
    for operation in list(parsed.operation.regions[0].blocks[0].operations):
        module.body.append(operation)
    return module


_MODULE = re.compile(r'"builtin\.module"|(?:builtin\.)?module\b')
_OUTERMOST = re.compile(r"^(?:builtin\.)?module\b", re.MULTILINE)
_RESOURCES = re.compile(r"^\{-#.*#-\}\s*\Z", re.MULTILINE | re.DOTALL)
_ALIAS = re.compile(r"^[#!][\w$.-]+\s*=", re.MULTILINE)
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|->|[{}()\[\]<>\n]')
_GOES_ON = re.compile(r"\s*->")
_WHITE = re.compile(r"\s*")


class _Wrapped(NamedTuple):
    """A text with a module around it. `opening` is how many columns stand before the user's first line, `aliases` is
    where each alias stands: its column there and its position in the user's text."""

    text: str
    opening: int = 0
    aliases: tuple[tuple[int, int], ...] = ()

    def location(self, line: int, column: int, generic: str) -> tuple[int, int]:
        """The user's line and column of a position in the text."""
        if line != 1 or column > self.opening:
            return line, column - (self.opening if line == 1 else 0)
        start, position = max((alias for alias in self.aliases if alias[0] <= column), default=(column, 0))
        position = min(position + column - start, len(generic))
        return generic.count("\n", 0, position) + 1, position - generic.rfind("\n", 0, position)


def _wrapped(text: str) -> _Wrapped:
    """The text with a module around it when it has none.

    Aliases must stand before the module: all of them come to the first line, every other line keeps its number."""
    aliases = list(_aliases(text))
    if _MODULE.match(text, _start(text, aliases)) and len(_OUTERMOST.findall(text)) < 2:
        return _Wrapped(text)
    opening, starts = "", []
    for start, end in aliases:
        starts.append((len(opening.encode()) + 1, start))
        opening += text[start:end].replace("\n", " ") + " "
    opening += "module {"
    columns, program = len(opening.encode()), _without(text, aliases)
    resources = _RESOURCES.search(text) if "{-#" in text else None
    if not resources:
        return _Wrapped(f"{opening}{program}\n}}", columns, tuple(starts))
    start = program.rindex(resources.group())
    return _Wrapped(f"{opening}{program[:start]}}}{program[start:]}", columns, tuple(starts))


def _aliases(text: str) -> Iterator[tuple[int, int]]:
    """Where the definitions of aliases start and end: at the end of a line outside of brackets."""
    position = 0
    while found := _ALIAS.search(text, position):
        position = _end_of_alias(text, found.end())
        yield found.start(), position


def _end_of_alias(text: str, start: int) -> int:
    depth = 0
    for found in _NESTING.finditer(text, start):
        token = found.group()
        if token in ("(", "[", "{", "<"):
            depth += 1
        elif token in (")", "]", "}", ">"):
            depth -= 1
        elif token == "\n" and depth <= 0 and _is_end(text, start, found):
            return found.start()
    return len(text)


def _is_end(text: str, start: int, line_end: re.Match[str]) -> bool:
    """Whether a definition is there and does not go on with the results of a function type."""
    return bool(text[start : line_end.start()].strip()) and not _GOES_ON.match(text, line_end.end())


def _start(text: str, aliases: Sequence[tuple[int, int]]) -> int:
    """Where the first item stands that is no alias."""
    position = _WHITE.match(text).end()  # type: ignore[union-attr]
    for start, end in aliases:
        if start != position:
            break
        position = _WHITE.match(text, end).end()  # type: ignore[union-attr]
    return position


def _without(text: str, aliases: Sequence[tuple[int, int]]) -> str:
    """The text with the line ends of the aliases only."""
    pieces, copied = [], 0
    for start, end in aliases:
        pieces += [text[copied:start], "\n" * text.count("\n", start, end)]
        copied = end
    return "".join([*pieces, text[copied:]])


def _in_source(found: Diagnostic, source: Source, generic: str, wrapped: _Wrapped) -> Diagnostic:
    """A finding in the text, with its column and line; one elsewhere (a location in a model's code) as it is."""
    if found.file != source.file_name:
        return found
    line, column = wrapped.location(found.line, found.column, generic)
    return source.from_generic(found.message, line, column, generic)


def _diagnostic(found: ir.DiagnosticInfo, source: Source, generic: str, wrapped: _Wrapped) -> Diagnostic:
    location = found.location
    if not location.is_a_file():
        return Diagnostic(found.message, source.file_name)
    finding = Diagnostic(found.message, source.file_name, location.start_line, location.start_col)
    return _in_source(finding, source, generic, wrapped)
