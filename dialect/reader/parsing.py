"""Generic text through MLIR's parser, under the user's file name, its findings as ParseError."""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.reader.diagnostics import Source
from hlo.dialect.verifier import diagnose
from hlo.errors import Diagnostic, ParseError, VerifyError


def parse_module(generic: str, source: Source, context: ir.Context) -> ir.Module:
    """Parses the generic form of `source`. Raises VerifyError with every op that does not fit its definition, or
    ParseError with what MLIR says."""

    text, shift = _wrapped(generic)

    def parse(context: ir.Context) -> ir.Module:
        return _parse(text, source.file_name, context)

    try:
        return parse(context)
    except ir.MLIRError as error:
        broken = diagnose(parse)
        if broken:
            raise VerifyError(*(_in_source(d, source, generic, shift) for d in broken)) from None
        findings = [_diagnostic(d, source, generic, shift) for d in error.error_diagnostics]
        raise ParseError(*findings or (str(error),)) from None


def _parse(text: str, file_name: str, context: ir.Context) -> ir.Module:
    """ir.Module.parse takes no file name and ir.Operation.parse gives no module: its content moves into a new one."""
    parsed = ir.Operation.parse(text, source_name=file_name, context=context)
    module = ir.Module.create(parsed.operation.location)
    for attribute in parsed.operation.attributes:
        name = attribute if isinstance(attribute, str) else attribute.name
        module.operation.attributes[name] = parsed.operation.attributes[name]
    for operation in list(parsed.operation.regions[0].blocks[0].operations):
        module.body.append(operation)
    return module


_LEADING = re.compile(r"(?:\s+|//[^\n]*|[#!][\w$.-]+\s*=[^\n]*)*")
_MODULE = re.compile(r'"builtin\.module"|(?:builtin\.)?module\b')
_OUTERMOST = re.compile(r"^(?:builtin\.)?module\b", re.MULTILINE)
_ALIAS = re.compile(r"^[#!][\w$.-]+[ \t]*=[^\n]*", re.MULTILINE)


def _wrapped(text: str) -> tuple[str, int]:
    """The text with a module around it when it has none, and the columns by which its first line has moved.

    Aliases must stand before the module: all of them come to the first line, every other line keeps its number."""
    start = _LEADING.match(text).end()  # type: ignore[union-attr]
    if _MODULE.match(text, start) and len(_OUTERMOST.findall(text)) < 2:
        return text, 0
    opening = " ".join([*_ALIAS.findall(text), "module {"])
    return f"{opening}{_ALIAS.sub('', text)}\n}}", len(opening)


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
