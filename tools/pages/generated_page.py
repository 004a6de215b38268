"""The command line of programs that write a page of docs/ from tables: `python -m hlo.tools.pages.status [--check]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def write_or_check(prog: str, path: Path, page: Callable[[], str], words: Sequence[str] | None = None) -> int:
    """Writes the page, or (--check) compares it with the file: exit code 1, and a message, where they differ. `words`: of
    the command line; None: those of this process."""
    parser = argparse.ArgumentParser(prog=f"python -m {prog}", description=f"Writes docs/{path.name}.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the page is not up to date")
    options = parser.parse_args(words)
    text = page()
    if not options.check:
        path.write_text(text)
        return 0
    if path.exists() and path.read_text() == text:
        return 0
    print(f"docs/{path.name} is not up to date: run python -m {prog}", file=sys.stderr)
    return 1
