"""An assembly format's text to its directives, and the three ways through them: reading, reading a usual line at once, writing."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hlo.dialect.assembly import op_directives, region_directives, shardy, type_directives
from hlo.dialect.assembly.directives import (
    AttributeDictionary,
    AttributeValue,
    Directive,
    Literal,
    Operands,
    Optional,
    joined,
    read_groups,
)
from hlo.dialect.assembly.statement import Statement
from hlo.dialect.assembly.values import spelling
from hlo.dialect.attributes import AttributeKind
from hlo.dialect.cursor import Unexpected
from hlo.dialect.definition import OPS

if TYPE_CHECKING:
    from hlo.dialect.reader.rewriter import Rewriter

_CUSTOM = {
    cls.__name__: cls
    for module in (op_directives, region_directives, shardy, type_directives)
    for cls in vars(module).values()
    if isinstance(cls, type) and issubclass(cls, Directive)
}
"""The classes that `custom<Name>` may name."""
_DIRECTIVES: dict[str, Callable[[], Directive]] = {
    "operands": Operands,
    "attr-dict": AttributeDictionary,
    "attr-dict-with-keyword": lambda: AttributeDictionary("attributes"),
    "functional-type(operands, results)": type_directives.FunctionalType,
    "type(operands)": type_directives.OperandTypes,
    "type(results)": type_directives.ResultType,
}
_TOKEN = re.compile(
    r"`(?P<literal>[^`]*)`|\$(?P<attribute>\w+)\^?|custom<(?P<custom>\w+)>"
    rf"|(?P<directive>{'|'.join(sorted(map(re.escape, _DIRECTIVES), reverse=True))})\^?|(?P<group>\()|(?P<end>\)\?)|(?P<blank>\s+)"
)
_END_OF_LINE = r"(?= *(?:\n(?!\s*[:,{<(-])|loc\())"
"""Behind which no statement begins with what would go on with this one."""


class AssemblyFormat:
    """The short form of an op. `attributes`: the kinds of those that its text may name.

    Raises ValueError where the text is no format."""

    def __init__(self, name: str, text: str, attributes: Mapping[str, AttributeKind]):
        self.name, self.text, self._attributes = name, text, attributes
        self._position = 0
        self.members, self.blanks = self._sequence()
        self._takers = [m for m in self.members if m.takes_line]
        shown = frozenset().union(*(m.shown for m in self.members))
        for member in self.members:
            if isinstance(member, AttributeDictionary):
                member.others = shown

    # The format's text

    def _sequence(self) -> tuple[list[Directive], list[bool]]:
        """The directives up to the end of the text or of a group, and before which of them a blank stands."""
        members: list[Directive] = []
        blanks: list[bool] = []
        blank, after_punctuation = True, False
        while self._position < len(self.text):
            found = _TOKEN.match(self.text, self._position)
            if not found:
                raise ValueError(f"{self.name}: no assembly format at {self.text[self._position :]!r}")
            self._position = found.end()
            if found["end"]:
                break
            if found["blank"]:
                continue
            if found["literal"] == "":  # MLIR's way to leave out a blank
                blank = False
                continue
            member = self._directive(found)
            members.append(member)
            blanks.append(blank and _blank_before(member, after_punctuation))
            blank, after_punctuation = _after(member)
        return members, blanks

    def _directive(self, found: re.Match[str]) -> Directive:
        if found["literal"]:
            return Literal(found["literal"])
        if found["group"]:
            members, blanks = self._sequence()
            return Optional(members, _line(members, blanks), blanks)
        if found["directive"]:
            return _DIRECTIVES[found["directive"]]()
        if found["custom"]:
            if found["custom"] not in _CUSTOM:
                raise ValueError(f"{self.name}: there is no directive custom<{found['custom']}>")
            return _CUSTOM[found["custom"]]()
        key = found["attribute"]
        if key not in self._attributes:
            raise ValueError(f"{self.name} has no attribute {key!r}; it has {sorted(self._attributes)}")
        return AttributeValue(key, spelling(self._attributes[key]))

    # Its use

    def read(self, reader: Rewriter) -> str:
        """The generic form of the statement behind whose name the reader stands. Raises Unexpected."""
        s = Statement(self.name, type="() -> ()")
        for member in self.members:
            member.read(reader, s)
        return reader.write(s)

    @functools.cached_property
    def _usual_line(self) -> re.Pattern[str] | None:
        line = _line(self.members, self.blanks)
        return None if line is None else re.compile(line + _END_OF_LINE)

    def read_line(self, reader: Rewriter, start: int) -> str | None:
        """The generic form of a statement that looks as it usually does, on one line; `start`: behind its name. None for any other."""
        found = self._usual_line and self._usual_line.match(reader.text, start)
        if not found or "\n" in found[0]:
            return None
        s = Statement(self.name, type="() -> ()")
        try:
            read_groups(self._takers, found.groups(), s)
        except Unexpected:  # reading piece by piece says where
            return None
        reader.position = found.end()
        return reader.write(s)

    def write(self, s: Statement) -> str | None:
        """The short form; None where it cannot say all of the statement."""
        if s.regions and not any(m.has_regions for m in self.members):
            return None
        written = joined(self.members, self.blanks, s)
        return None if written is None else self.name + written


def _line(members: Sequence[Directive], blanks: Sequence[bool]) -> str | None:
    """How the directives look on one line; None where one of them does not say."""
    pieces = []
    for member, blank in zip(members, blanks):
        if member.line is None:
            return None
        if isinstance(member, Optional) and blank:
            pieces.append(member.line.replace("(?:", "(?: ", 1))
        else:
            pieces.append(f" {member.line}" if blank and member.line else member.line)
    return "".join(pieces)


def _blank_before(member: Directive, after_punctuation: bool) -> bool:
    """MLIR's rules: none before what closes a bracket and before commas, none between a word and a bracket."""
    if isinstance(member, Optional):
        return member.blanks[0]
    if not isinstance(member, Literal):
        return not member.attached
    if len(member.text) != 1:
        return True
    return member.text not in (">)}]," if after_punctuation else "<>(){}[],")


def _after(member: Directive) -> tuple[bool, bool]:
    """Whether a blank may follow, and whether the directive was punctuation."""
    if not isinstance(member, Literal):
        return True, False
    return member.text not in ("<", "(", "{", "["), not member.is_word


@functools.cache
def assembly_format(name: str) -> AssemblyFormat | None:
    """The assembly format of an op by its full name; None where it has none."""
    if name in shardy.FORMATS:
        return AssemblyFormat(name, *shardy.FORMATS[name])
    op = OPS.get(name)
    if op is None or not op.ASSEMBLY:
        return None
    return AssemblyFormat(name, op.ASSEMBLY, {a.key: a.kind for a in op.ATTRIBUTES})
