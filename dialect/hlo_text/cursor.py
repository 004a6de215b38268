"""A position in an HLO text, and the steps that a parser takes from there."""

from __future__ import annotations

import re
from typing import NoReturn

from hlo.dialect.diagnostics import Source
from hlo.errors import ParseError

MAX_NESTING = 64
"""Brackets within each other."""

_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*', re.DOTALL)
_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"%?((?:[A-Za-z_]|\d+(?=[\w.-]*[A-Za-z_]))(?:[\w.]|-(?!>))*)")
_SHAPE = re.compile(r"[a-z][a-z0-9]*\[|\(")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[()\[\]{},\n"]')
_FOUND = re.compile(r"[\w.%-]{1,40}|\S")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class Cursor:
    """`text`: with blanks for comments, so that positions are those of the source."""

    def __init__(self, source: Source):
        self.source = source
        self.text = _COMMENT.sub(lambda c: c[0] if c[0][0] == '"' else re.sub(r"[^\n]", " ", c[0]), source.text)
        self.position = 0

    def fail(self, expected: str, position: int | None = None) -> NoReturn:
        """Raises ParseError; what was found is the next word, unless `expected` tells."""
        if position is None:
            self.skip_blank()
            position = self.position
        if ", found " not in expected:
            found = _FOUND.match(self.text, position)
            expected += f", found {found[0]!r}" if found else ", found the end of the text"
        raise ParseError(self.source.diagnostic(f"expected {expected}", position))

    def skip_blank(self) -> None:
        self.position = _BLANK.match(self.text, self.position).end()  # type: ignore[union-attr]

    def at_end(self) -> bool:
        self.skip_blank()
        return self.position >= len(self.text)

    def peek(self, token: str) -> bool:
        self.skip_blank()
        return self.text.startswith(token, self.position)

    def take(self, token: str) -> bool:
        """Goes on behind a token if it is next."""
        if not self.peek(token):
            return False
        self.position += len(token)
        return True

    def take_word(self, word: str) -> bool:
        """The same for a word, which no letter follows."""
        start = self.position
        if self.take(word) and not re.match(r"[\w.-]", self.text[self.position : self.position + 1]):
            return True
        self.position = start
        return False

    def expect(self, token: str, expected: str) -> None:
        if not self.take(token):
            self.fail(expected)

    def name(self, expected: str) -> str:
        """A name without its %."""
        self.skip_blank()
        found = _NAME.match(self.text, self.position)
        if not found:
            self.fail(expected)
        self.position = found.end()
        return found[1]

    def at_shape(self) -> bool:
        self.skip_blank()
        return _SHAPE.match(self.text, self.position) is not None

    def skip_brackets(self) -> None:
        """Behind the bracket that closes the next one."""
        opening = self.text[self.position]
        self.position += 1
        self.until(_CLOSING[opening])
        self.expect(_CLOSING[opening], f"{_CLOSING[opening]} for this {opening}")

    def until(self, ends: str) -> tuple[str, int]:
        """The text up to one of some characters outside of brackets, and where it begins."""
        self.skip_blank()
        start = self.position
        opened: list[str] = []
        for piece in _PIECE.finditer(self.text, start):
            token = piece[0]
            if not opened and token in ends:
                self.position = piece.start()
                return self.text[start : self.position].rstrip(), start
            if token == '"':
                self.fail("a closing quote, found none", piece.start())
            if token in _CLOSING:
                opened.append(_CLOSING[token])
                if len(opened) > MAX_NESTING:
                    self.fail(f"brackets nested at most {MAX_NESTING} deep, found more", piece.start())
            elif token in _CLOSING.values() and (not opened or opened.pop() != token):
                self.fail(f"brackets that match, found {token!r}", piece.start())
        if opened:
            self.fail(f"{opened[-1]}, found the end of the text", len(self.text))
        self.position = len(self.text)
        return self.text[start:].rstrip(), start
