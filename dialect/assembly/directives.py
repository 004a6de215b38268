"""The directives that an assembly format is made of: literals, attributes, operands, the attribute dictionary, groups.

A directive reads its piece of a statement, writes it, and knows how it usually looks on one line: what all directives
of a format know of that, joined, is the regular expression that reads most statements of a program at once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hlo.dialect.assembly.statement import Statement
from hlo.dialect.assembly.values import Spelling

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter

VALUE = r"%[\w$-]+(?:#\d+)?"
TYPE = r'tensor<[^<>"\n]*(?:<[^<>"\n]*>[^<>"\n]*)?>'
FUNCTION_TYPE = rf"\([^()\n]*\) -> {TYPE}"


class Directive:
    """A piece of an assembly format."""

    shown: frozenset[str] = frozenset()
    """Attributes that it shows, which the dictionary leaves out then."""
    attached = False
    """Whether no blank stands before it."""
    line: str | None = None
    """The regular expression of its usual text on one line, "" where that is empty; None: statements with it are read piece by piece."""
    groups = 0
    """Groups of the expression."""
    takes_line = True
    """Whether it has something to take from a usual line."""
    has_regions = False
    """Whether it reads and writes the op's regions."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        """Reads its piece at the reader's position. Raises Unexpected."""
        raise NotImplementedError

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        """Takes its piece from the groups of its expression."""

    def accept(self, reader: Rewriter) -> bool:
        """Reads its piece if it stands there. Literals only can say that: an optional group begins with one."""
        raise NotImplementedError

    def is_present(self, s: Statement) -> bool:
        """Whether an optional group is written in which it stands."""
        return True

    def write(self, s: Statement) -> str | None:
        """Its piece; None where the short form cannot say it."""
        raise NotImplementedError


class Literal(Directive):
    """A word or punctuation."""

    takes_line = False

    def __init__(self, text: str):
        self.text = text
        self.line = re.escape(text)
        self.is_word = text[0].isalpha()

    def read(self, reader: Rewriter, s: Statement) -> None:
        (reader.expect_word if self.is_word else reader.expect)(self.text)

    def accept(self, reader: Rewriter) -> bool:
        return (reader.accept_word if self.is_word else reader.accept)(self.text)

    def write(self, s: Statement) -> str:
        return self.text


class AttributeValue(Directive):
    """`$name`: the value of an attribute."""

    groups = 1

    def __init__(self, key: str, spelling: Spelling):
        self.key, self.spelling = key, spelling
        self.shown = frozenset([key])
        self.line = f"({spelling.token.pattern})"

    def read(self, reader: Rewriter, s: Statement) -> None:
        self.read_line([reader.match(self.spelling.token, self.spelling.expected)], s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.attributes[self.key] = self.spelling.read(groups[0])

    def is_present(self, s: Statement) -> bool:
        return self.key in s.attributes

    def write(self, s: Statement) -> str | None:
        return self.spelling.write(s.attributes[self.key]) if self.is_present(s) else None


class Operands(Directive):
    """`operands`: all operands between commas, maybe none."""

    line = rf"({VALUE}(?:, {VALUE})*)"
    groups = 1

    def read(self, reader: Rewriter, s: Statement) -> None:
        s.operands += reader.values()

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        s.operands += groups[0].split(", ")

    def write(self, s: Statement) -> str:
        return ", ".join(s.operands)


class AttributeDictionary(Directive):
    """`attr-dict`: the other attributes, as `{...}`; with a keyword before it, `attributes {...}`."""

    line = ""
    takes_line = False

    def __init__(self, keyword: str = ""):
        self.keyword = keyword
        self.others: frozenset[str] = frozenset()
        """What the format shows elsewhere."""

    def read(self, reader: Rewriter, s: Statement) -> None:
        if not self.keyword or reader.accept_word(self.keyword):
            s.dictionary = reader.dictionary()

    def write(self, s: Statement) -> str:
        dictionary = s.attribute_dictionary(self.others)
        return f"{self.keyword} {dictionary}" if self.keyword and dictionary else dictionary


class Optional(Directive):
    """`(...)?`: literals, and what they introduce."""

    def __init__(self, members: Sequence[Directive], text_of_line: str | None, blanks: Sequence[bool]):
        self.members, self.blanks = members, blanks
        self.shown = frozenset().union(*(m.shown for m in members))
        self.groups = sum(m.groups for m in members)
        self.line = None if text_of_line is None else f"(?:{text_of_line})?"
        self.attached = not blanks[0]

    def read(self, reader: Rewriter, s: Statement) -> None:
        start = reader.position
        introduction = list(itertools.takewhile(lambda m: isinstance(m, Literal), self.members))
        for literal in introduction:
            if not literal.accept(reader):
                reader.position = start
                return
        for member in self.members[len(introduction) :]:
            member.read(reader, s)

    def read_line(self, groups: Sequence[str], s: Statement) -> None:
        if groups[0] is not None:
            read_groups(self.members, groups, s)

    def write(self, s: Statement) -> str | None:
        if not all(m.is_present(s) for m in self.members):
            return ""
        return joined(self.members, [False, *self.blanks[1:]], s)


def read_groups(members: Sequence[Directive], groups: Sequence[str], s: Statement) -> None:
    """Hands each directive its groups of the whole expression."""
    start = 0
    for member in members:
        if member.takes_line:
            member.read_line(groups[start : start + member.groups], s)
            start += member.groups


def joined(members: Sequence[Directive], blanks: Sequence[bool], s: Statement) -> str | None:
    """What the directives write, with blanks between; None where one of them cannot."""
    pieces = []
    for member, blank in zip(members, blanks):
        piece = member.write(s)
        if piece is None:
            return None
        pieces.append(f" {piece}" if blank and piece else piece)
    return "".join(pieces)
