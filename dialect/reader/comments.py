"""Comments of program text."""

from __future__ import annotations

import re

_STRING_OR_COMMENT = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*')


def without_comments(text: str) -> str:
    """The text with blanks for its comments: every other character keeps its position.

    So a comment may stand wherever white space may, and no form of a statement has to know of it. Only lines with `//` are
    searched for strings, since a string ends on its line: constants of megabytes cost nothing."""
    pieces, copied = [], 0
    found = text.find("//")
    while found >= 0:
        start = text.rfind("\n", 0, found) + 1
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        pieces += [text[copied:start], _STRING_OR_COMMENT.sub(_blank, text[start:end])]
        copied, found = end, text.find("//", end)
    return "".join([*pieces, text[copied:]]) if pieces else text


def _blank(found: re.Match[str]) -> str:
    word = found.group()
    return word if word[0] == '"' else " " * len(word)
