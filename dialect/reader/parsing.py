"""Generic text through MLIR's parser, under the user's file name, its findings as ParseError."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

from mlir import ir

from hlo.dialect.contexts import context_of_types
from hlo.dialect.diagnostics import Source
from hlo.dialect.one_thread import use_one_thread
from hlo.dialect.reader.grammar import respelt
from hlo.dialect.reader.plain_words import in_plain_words, is_unexpected_end
from hlo.dialect.reader.recovery import Recovery, is_left_out
from hlo.dialect.registration import make_context
from hlo.dialect.verifier import diagnose, verify
from hlo.errors import Diagnostic, HloError, ParseError, VerifyError


def parse_module(generic: str, source: Source, context: ir.Context) -> ir.Module:
    """Parses the generic form of `source`. Raises VerifyError with every op that does not fit its definition, or
    ParseError with what MLIR says."""

    try:
        return _parse(_wrapped(generic)[0], source.file_name, context)
    except ir.MLIRError:
        generic = respelt(generic)
    text, shift = _wrapped(generic)
    try:
        return _parse(text, source.file_name, context)
    except ir.MLIRError:
        error = _error(text, shift, source, generic)
    if error is None:  # types are equal, but not the same: encodings
        with contextlib.suppress(ir.MLIRError):
            return _parse(text, source.file_name, make_context())
    raise error or ParseError(f"{source.file_name}: MLIR's parser refuses the text")


def _error(text: str, shift: int, source: Source, generic: str) -> HloError | None:
    """Everything that is wrong with a text that MLIR refuses; None where nothing is found."""
    with context_of_types(len(text)) as context:
        broken = diagnose(lambda: _parse(text, source.file_name, context))
    if broken:
        return VerifyError(*(_in_source(d, source, generic, shift) for d in broken))
    findings = further_findings(source, generic)
    return ParseError(*findings) if findings else None


def further_findings(source: Source, generic: str, known: Sequence[Diagnostic] = ()) -> list[Diagnostic]:
    """What is wrong with a text beside the known mistakes, whose statements are left out."""
    text, shift = _wrapped(generic)
    with context_of_types(len(text)) as context:
        recovery = Recovery(text, shift, lambda left: _parse(left, source.file_name, context))
        recovery.run(d.line for d in known)
        syntax = [_diagnostic(d, source, generic, shift) for d in recovery.findings]
        broken = verify(recovery.module) if recovery.module else []
    found = in_plain_words(source, [*known, *syntax]) + [
        _in_source(d, source, generic, shift) for d in broken if not is_left_out(d)
    ]
    return sorted(dict.fromkeys(found), key=lambda d: (not is_unexpected_end(d), d.line, d.column))


def _parse(text: str, file_name: str, context: ir.Context) -> ir.Module:
    """ir.Module.parse takes no file name and ir.Operation.parse gives no module: its content moves into a new one."""
    use_one_thread(context)
    parsed = ir.Operation.parse(text, source_name=file_name, context=context)
    module = ir.Module.create(parsed.operation.location)
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


def _wrapped(text: str) -> tuple[str, int]:
    """The text with a module around it when it has none, and the columns by which its first line has moved.

    Aliases must stand before the module: all of them come to the first line, every other line keeps its number."""
    aliases = list(_aliases(text))
    if _MODULE.match(text, _start(text, aliases)) and len(_OUTERMOST.findall(text)) < 2:
        return text, 0
    opening = " ".join([*(text[start:end].replace("\n", " ") for start, end in aliases), "module {"])
    program, resources = _without(text, aliases), _RESOURCES.search(text)
    if not resources:
        return f"{opening}{program}\n}}", len(opening)
    start = program.rindex(resources.group())
    return f"{opening}{program[:start]}}}{program[start:]}", len(opening)


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


def _in_source(found: Diagnostic, source: Source, generic: str, shift: int) -> Diagnostic:
    """A finding in the text, with its column and line; one elsewhere (a location in a model's code) as it is."""
    if found.file != source.file_name:
        return found
    column = max(found.column - shift, 1) if found.line == 1 else found.column
    return source.from_generic(found.message, found.line, column, generic)


def _diagnostic(found: ir.DiagnosticInfo, source: Source, generic: str, shift: int) -> Diagnostic:
    place = found.location
    if not place.is_a_file():
        return Diagnostic(found.message, source.file_name)
    finding = Diagnostic(found.message, source.file_name, place.start_line, place.start_col)
    return _in_source(finding, source, generic, shift)
