"""Custom forms to generic forms, in the text: what MLIR's own parser can read with dialects defined in IRDL.

    %1 = stablehlo.add %0, %0 : tensor<2xf32>       %1 = "stablehlo.add"(%0, %0) : (tensor<2xf32>, ...) -> tensor<2xf32>

Only statements of the project's dialects are touched; every other character passes through. Comments are blanks
already. Each op keeps its line, and, alone on its line, its column. A statement that cannot be read is recorded and the
next one is tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from hlo.dialect.assembly import assembly_format
from hlo.dialect.assembly.attributes import as_spelt, has_own_spelling, to_builtin
from hlo.dialect.assembly.shardy import FORMATS as SHARDY
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.cursor import Cursor, Unexpected
from hlo.dialect.definition import OPS
from hlo.dialect.near_names import unknown_op
from hlo.dialect.reader.constants import repack_booleans
from hlo.dialect.reader.legacy import modernize

Read = Callable[["Rewriter", str], str]
Region = tuple[int, str, str]
"""Where the inside of a region starts in the file, the header of its block, and the inside, rewritten."""
_RESPELT = {"stablehlo.func": "func.func"}
"""Names of the specification's grammar for what MLIR has under another name."""

_DIALECTS = "stablehlo|chlo|check|interpreter"
_TOKEN = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"'
    rf"|(?<![\w.$#!@%^-])(?:{_DIALECTS}|sdy)\.[\w$.]+(?![\w$.]|\s*[=,])"
    rf"|#(?:stablehlo|chlo)[.<]|[{{}}]"
)
_GENERIC_NAME = re.compile(rf'"((?:{_DIALECTS}|sdy)\.[^"]*)"$')
_OPERANDS = re.compile(r"\s*\(")
_ALIAS = re.compile(r"[#!][\w$.-]+[ \t]*=")


class Rewriter(Cursor):
    """Rewrites one file; `errors` collects what could not be read."""

    def __init__(self, text: str):
        super().__init__(text)
        self.errors: list[Unexpected] = []
        self.statement_start = 0

    def rewrite(self) -> str:
        return self._body(nested=False)

    # Regions

    def region(self, header: str = "") -> Region:
        """A `{...}` with its statements rewritten: where its inside starts, and the inside, block header first."""
        self.expect("{")
        outer = self.statement_start
        start = self.position
        inside = self._body(nested=True)
        self.statement_start = outer
        return start, header, inside

    def _body(self, nested: bool) -> str:
        """Statements up to the end of the text, or (nested) to the closing brace, which is consumed."""
        text, opening = self.text, self.position - 1
        pieces: list[str] = []
        copied = position = self.position
        depth = 0
        while found := _TOKEN.search(text, position):
            token = found.group()
            position = found.end()
            if token == "{":
                depth += 1
            elif token == "}":
                if nested and depth == 0:
                    pieces.append(text[copied : found.start()])
                    self.position = position
                    return "".join(pieces)
                depth -= 1
            elif quick := self._usual_line(token, position):
                pieces.append(text[copied : found.start()])
                pieces.append(quick)
                copied = position = self.position
            elif read := self._reader(token, position):
                pieces.append(text[copied : found.start()])
                pieces.append(self._attempt(read, token, found))
                copied = position = self.position
        if nested:
            raise Unexpected("expected '}' that closes this region", opening)
        pieces.append(text[copied:])
        self.position = len(text)
        return "".join(pieces)

    def _usual_line(self, name: str, end: int) -> str | None:
        """The generic form of a statement that looks as it usually does, on one line; None for any other."""
        if name[0] in '"#':
            return None
        format = assembly_format(name)
        if format is None:
            return None
        self.statement_start, start = end - len(name), self.position
        written = format.read_line(self, end)
        if written is not None and "#" in written:  # an attribute to be spelled otherwise, or %0#1
            self.position = start
            return None
        return written

    def _reader(self, token: str, end: int) -> Read | None:
        """What reads on after a token; None when the token is to be copied."""
        if token[0] == '"':
            own = _OPERANDS.match(self.text, end) and _GENERIC_NAME.match(token)
            return Rewriter._generic if own and not self.names_a_location(end - len(token)) else None
        if token[0] == "#":
            return Rewriter._attribute
        following = self.text[end : end + 1]
        return None if following == "}" and not token.endswith(".return") else Rewriter._custom

    def _attempt(self, read: Read, token: str, found: re.Match[str]) -> str:
        """The rewritten statement with as many line ends as the original; records what fails."""
        self.statement_start = start = found.start()
        self.position = found.end()
        try:
            written = read(self, token)
            if has_own_spelling(written):
                written = to_builtin(written, start)
        except Unexpected as error:
            self.errors.append(error)
            self.position = found.end()
            return ""
        lines = self.text.count("\n", start, self.position)
        return written + "\n" * (lines - written.count("\n")) if lines else written

    # Statements

    def _attribute(self, token: str) -> str:
        """An attribute outside of our statements: an alias, or one of func.func."""
        self.position -= 1
        start = self.statement_start
        if token[-1] == ".":
            self.position += 1
            self.match(re.compile(r"\w+"), "the name of an attribute")
        self.skip()
        if self.peek() == "<":
            self.balanced()
        written = self.text[start : self.position]
        line = self.text.rfind("\n", 0, start) + 1
        return written if _ALIAS.match(self.text, line, start) else as_spelt(written, start)

    def _custom(self, name: str) -> str:
        if name in _RESPELT:
            return _RESPELT[name]
        format = assembly_format(name)
        if format:
            return format.read(self)
        start = self.statement_start
        if name.startswith("sdy."):
            known = ", ".join(op.removeprefix("sdy.") for op in SHARDY)
            raise Unexpected(f"{name}: of Shardy's ops only {known} are supported", start)
        if name not in OPS:
            raise Unexpected(unknown_op(name), start)
        raise Unexpected(f'{name} has no short form: expected the generic form "{name}"(...)', start)

    def _generic(self, token: str) -> str:
        """`"op"(operands) <{properties}> ({regions}) {attributes}`: one dictionary, and never exactly one region."""
        name = token[1:-1]
        if name not in OPS and name not in SHARDY:
            raise Unexpected(unknown_op(name), self.statement_start)
        self.skip()
        head = token + self.balanced()
        properties, regions = "", []
        after = self.position
        if self.accept("<"):
            properties = self.dictionary()
            self.expect(">")
            after = self.position
        if self.accept("("):
            regions = self.regions()
            after = self.position
        self.position = after
        attributes = self.dictionary()
        if not attributes:
            self.position = after
        return self.assemble(head, [properties, attributes], regions, name)

    def regions(self) -> list[Region]:
        """`{...}, {...})`: regions up to the closing parenthesis."""
        found = [self.region()]
        while self.accept(","):
            found.append(self.region())
        self.expect(")")
        return found

    # Writing

    def write(self, s: Statement) -> str:
        """The generic form of a statement."""
        head = f'"{s.name}"({", ".join(s.operands)})'
        if not s.attributes and not s.dictionary and not s.regions:
            return f"{head} : {s.type}"
        return f"{self.assemble(head, s.attribute_list, s.regions, s.name)} : {s.type}"

    def assemble(self, head: str, attributes: list[str], regions: Sequence[Region], name: str) -> str:
        """Head, regions (each inside on its own line of the file) and attributes. One region gets an empty second:
        MLIR takes unregistered ops with one region for symbol tables."""
        written = head
        for position, (start, header, inside) in enumerate(regions):
            written += (", " if position else " (") + "{" + header
            owed = self.text.count("\n", self.statement_start, start) - written.count("\n")
            written += "\n" * owed + inside + "}"
        if regions:
            written += ", {})" if len(regions) == 1 else ")"
        joined = ", ".join(filter(None, attributes))
        if not joined:
            return written
        return f"{written} {{{repack_booleans(modernize(name, joined))}}}"
