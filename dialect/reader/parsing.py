"""Generic text through MLIR's parser, under the user's file name, its findings as ParseError."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.reader.diagnostics import Source
from hlo.dialect.verifier import diagnose
from hlo.errors import Diagnostic, ParseError, VerifyError


def parse_module(generic: str, source: Source, context: ir.Context) -> ir.Module:
    """Parses the generic form of `source`. Raises VerifyError with every op that does not fit its definition, or
    ParseError with what MLIR says."""
    try:
        return ir.Module.parse(generic, context)
    except ir.MLIRError as error:
        broken = [source.from_generic(d.message, d.line, d.column, generic) for d in diagnose(generic)]
        if broken:
            raise VerifyError(*broken) from None
        findings = [_diagnostic(d, source, generic) for d in error.error_diagnostics]
        raise ParseError(*(findings or [str(error)])) from None


def _diagnostic(found: ir.DiagnosticInfo, source: Source, generic: str) -> Diagnostic:
    place = found.location
    if not place.is_a_file():
        return Diagnostic(found.message, source.file_name)
    return source.from_generic(found.message, place.start_line, place.start_col, generic)
