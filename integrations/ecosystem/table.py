"""The table of docs/ecosystem.md: a row for each library, rewritten one by one as they are tried."""

from __future__ import annotations

import re
from pathlib import Path

from .comparison import description_of
from .libraries import Library
from .trial import Outcome

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "ecosystem.md"


def head(library: Library) -> str:
    """What a row says whatever the outcome is: library, versions, program."""
    versions = ", ".join(text.replace("==", " ") for text in (*library.requirements, library.jax[0]))
    return f"| {library.name} | {versions} | {description_of(library.program)}"


def row(library: Library, outcome: Outcome) -> str:
    state = "; ".join(outcome.differences) or "equal"
    compiled = outcome.first["cpu"] / outcome.first["hlo"]
    return f"{head(library)} | {state} | {outcome.ratio:.2f} | {compiled:.2f} |"


def put(page: str, line: str) -> str:
    """The page with a library's row instead of its old one."""
    name = line.split("|")[1]
    found, count = re.subn(rf"^\|{re.escape(name)}\|.*$", lambda _: line, page, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"the page has {count} rows of{name}")
    return found
