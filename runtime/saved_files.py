"""How files of compiled programs begin. Importing this costs nothing: hlo-run asks it of each file."""

from __future__ import annotations

MAGIC = b"hlo compiled program, format 5\n\0"
ELF = b"\x7fELF"
"""A shared library."""


def is_executable(data: bytes) -> bool:
    """Whether the beginning of a file is that of a saved program."""
    return data.startswith((MAGIC, ELF))
