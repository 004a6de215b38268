"""The files that locations name, such as a model's Python. Only those in folders that the user names become a part of the page: a program
from elsewhere could name any file of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hlo.tools.view.origins import Origin

LARGEST = 1 << 20
"""Bytes of a source file that is shown."""


def origin_table(origins: Sequence[Origin]) -> tuple[list[str], list[Any]]:
    """The names of all files, and each origin as [name, [file, line, column], ...] with the files' numbers."""
    files: dict[str, int] = {}
    table = [
        [origin.name, *([files.setdefault(p.file, len(files)), p.line, p.column] for p in origin.positions)]
        for origin in origins
    ]
    return list(files), table


def source_texts(files: Iterable[str], folders: Sequence[Path], program: str | None) -> list[str | None]:
    """The text of each file; None for those that are not in the folders, not text, or too large. `program`: the program's own file, which
    is shown wherever it is."""
    allowed = [folder.resolve() for folder in folders]
    return [_text(Path(name), allowed, name == program) for name in files]


def _text(path: Path, folders: Sequence[Path], is_program: bool) -> str | None:
    try:
        real = path.resolve()
        if not is_program and (path.suffix != ".py" or not any(real.is_relative_to(one) for one in folders)):
            return None
        return real.read_text() if real.is_file() and real.stat().st_size <= LARGEST else None
    except (OSError, ValueError, RuntimeError):  # no name of a file, a loop of links, or no UTF-8
        return None
