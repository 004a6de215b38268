"""StableHLO text to a module: `read`.

Comes in: what JAX, PyTorch/XLA and TensorFlow print, in short or generic form. Goes out: a module that holds builtin
attributes only. Read by everything that starts from a file."""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.diagnostics import Source
from hlo.dialect.futures import with_tuples
from hlo.dialect.hlo_text import is_hlo_text, read_hlo
from hlo.dialect.reader.bytecode import text_of_bytecode
from hlo.dialect.reader.comments import without_comments
from hlo.dialect.reader.constants import restored, shortened
from hlo.dialect.reader.exported import MAGIC, artifact_in
from hlo.dialect.reader.grammar import with_signless_integers, with_stored_elements, wrong_hexadecimal
from hlo.dialect.reader.limits import check_limits
from hlo.dialect.reader.literals import literal_error
from hlo.dialect.reader.parsing import further_findings, parse_module
from hlo.dialect.reader.resources import with_resources
from hlo.dialect.reader.rewriter import Rewriter
from hlo.dialect.reader.trial import is_rare, try_reading
from hlo.errors import ParseError
from hlo.saved_files import is_executable

__all__ = ["read", "split_input", "to_generic"]


def read(text: str | bytes, context: ir.Context, file_name: str = "-") -> ir.Module:
    """The module that a text describes. Raises ParseError with every mistake found."""
    source = Source(_decode(text, file_name), file_name)
    if is_hlo_text(source.text):
        return read_hlo(source, context)
    generic, may_end = _in_generic_form(source)
    if may_end:
        try_reading(lambda: parse_module(generic, source, context), source.text, file_name)
    return parse_module(generic, source, context)


def _in_generic_form(source: Source) -> tuple[str, bool]:
    """The text in generic form, and whether reading it may end the process."""
    short, constants = shortened(source.text)
    if constants:
        try:
            generic, may_end = _in_generic_form(Source(short, source.file_name))
            return restored(generic, constants), may_end
        except ParseError:
            pass  # said below, with the positions of the whole text
    check_limits(source)
    generic = to_generic(source)
    return generic, is_rare(generic)


def to_generic(source: Source) -> str:
    """The text without comments and with all our statements in generic form, line by line."""
    text = without_comments(source.text)
    wrong = wrong_hexadecimal(text) if "0x" in text else None
    if wrong:
        raise ParseError(source.diagnostic(*wrong))
    rewriter = Rewriter(text)
    try:
        generic = rewriter.rewrite()
    except RecursionError:
        raise ParseError(source.diagnostic("regions are nested too deeply", rewriter.position)) from None
    found = sorted(rewriter.errors, key=lambda e: e.position)
    known = [source.diagnostic(e.message, e.position) for e in found]
    literal = literal_error(generic)
    if literal:
        raise ParseError(*known, source.in_generic(*literal, generic))
    if known:
        raise ParseError(*further_findings(source, generic, known))
    try:
        generic = with_resources(generic)
    except LookupError as missing:
        message, position = missing.args
        raise ParseError(source.in_generic(message, position, generic)) from None
    return with_tuples(with_stored_elements(with_signless_integers(generic)))


def _decode(text: str | bytes, file_name: str) -> str:
    """Bytes to text; bytecode and VHLO by way of jaxlib."""
    if isinstance(text, str) and text.startswith("MLïR"):
        raise ParseError(f"{file_name} is MLIR bytecode that was read as text: read it as bytes")
    if isinstance(text, bytes) and text.startswith(MAGIC):
        return text_of_bytecode(text, file_name)
    try:
        plain = _plain(text)
        return text_of_bytecode(plain.encode(), file_name) if _is_vhlo(plain) else plain
    except UnicodeError as error:
        artifact = artifact_in(text) if isinstance(text, bytes) else None
        if artifact:
            return text_of_bytecode(artifact, file_name)
        if isinstance(text, bytes) and is_executable(text):
            raise ParseError(
                f"{file_name} is a compiled program or a library; hlo.load_executable and hlo-run take what exe.save has written"
            ) from None
        raise ParseError(f"{file_name} is not UTF-8 text (byte {error.start})") from None  # type: ignore[attr-defined]


_VHLO = re.compile(r'^[^\n"/]*?"?vhlo\.\w+_v\d', re.MULTILINE)


def _is_vhlo(text: str) -> bool:
    """Whether an operation of the text is one of VHLO's, whose names end with their versions."""
    return "vhlo." in text and _VHLO.search(without_comments(text)) is not None


def _plain(text: str | bytes) -> str:
    """Without the mark that some editors put at the beginning. Raises UnicodeError, too for text with surrogates."""
    decoded = text.decode() if isinstance(text, bytes) else text.encode().decode()
    return decoded.removeprefix("\ufeff")


SEPARATOR = "// -----"
"""What begins a line between two parts of a file."""


def split_input(text: str, separator: str = SEPARATOR) -> list[tuple[int, str]]:
    """The parts of a file between lines that begin with the separator, each with the number of lines before it."""
    parts, start = [], 0
    for found in re.finditer(rf"^{re.escape(separator)}[^\n]*$", text, re.MULTILINE):
        parts.append((text.count("\n", 0, start), text[start : found.start()]))
        start = found.end()
    parts.append((text.count("\n", 0, start), text[start:]))
    return parts
