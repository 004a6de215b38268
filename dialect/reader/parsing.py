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

    def parse(context: ir.Context) -> ir.Module:
        return _parse(_wrapped(generic), source.file_name, context)

    try:
        return parse(context)
    except ir.MLIRError as error:
        broken = diagnose(parse)
        if broken:
            raise VerifyError(*(_in_source(d, source, generic) for d in broken)) from None
        findings = [_diagnostic(d, source, generic) for d in error.error_diagnostics]
        raise ParseError(*(findings or [str(error)])) from None


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


_MODULE = re.compile(r'\s*(?:"builtin\.module"|(?:builtin\.)?module\b)')
_ALIAS = re.compile(r"(?:[ \t]*(?://[^\n]*)?\n|[ \t]*[#!][\w$.-]+\s*=[^\n]*\n)*")
_LAST_ALIASES = re.compile(r"(?:\n[ \t]*[#!][\w$.-]+ *=[^\n]*|\n[ \t]*(?://[^\n]*)?)*\s*\Z")


def _wrapped(text: str) -> str:
    """The text with a module around it when it has none; every line keeps its number."""
    start = _ALIAS.match(text).end()  # type: ignore[union-attr]
    if _MODULE.match(text, start):
        return text
    before, after = text[:start], text[start:]
    if before.endswith("\n"):  # at the end of an empty line or a comment's start: columns stay
        line = before.rstrip("\n").rfind("\n") + 1
        if before[line:].lstrip().startswith("//") or not before[line:].strip():
            before = before[:line] + "module {" + before[line:]
            return before + _closed(after)
    return f"{before}module {{{_closed(after)}"


def _closed(text: str) -> str:
    end = next(found.start() for found in _LAST_ALIASES.finditer(text))
    return f"{text[:end]}\n}}{text[end:]}"


def _in_source(found: Diagnostic, source: Source, generic: str) -> Diagnostic:
    """A finding in the text, with its column and line; one elsewhere (a location in a model's code) as it is."""
    if found.file != source.file_name:
        return found
    return source.from_generic(found.message, found.line, found.column, generic)


def _diagnostic(found: ir.DiagnosticInfo, source: Source, generic: str) -> Diagnostic:
    place = found.location
    if not place.is_a_file():
        return Diagnostic(found.message, source.file_name)
    return source.from_generic(found.message, place.start_line, place.start_col, generic)
