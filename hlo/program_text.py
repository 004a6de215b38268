"""What users hand over as a program: text, or the path of a file that has it. A file is read once."""

from __future__ import annotations

import os
import stat
from typing import IO, Any

from hlo.errors import ArgumentError


class ProgramText:
    """`data`: as it was given, or as the file has it. `file_name`: for locations; "-" for what is in no file."""

    def __init__(self, data: str | bytes, file_name: str = "-"):
        self.data, self.file_name = data, file_name

    @property
    def encoded(self) -> bytes:
        """The same for a text and for a file that has it."""
        return self.data.encode(errors="surrogatepass") if isinstance(self.data, str) else self.data


def program_text(program: Any) -> ProgramText | None:
    """Text, bytes or the contents of the file at a path; None for what is none of them. Raises ArgumentError for a file that cannot be
    read."""
    if isinstance(program, (bytes, bytearray)):  # a bytearray: what jax.export's serialize() returns
        return ProgramText(bytes(program))
    if isinstance(program, str) and is_text(program):
        return ProgramText(program)
    if isinstance(program, (str, os.PathLike)):
        return ProgramText(contents(program), shown(program))
    return None


def is_text(program: str) -> bool:
    """A path has no line break and no brace."""
    return any(c in program for c in "\n{}") or not program.strip()


def contents(path: Any) -> bytes:
    """The bytes of a file. Raises ArgumentError."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"the path of a file expected (str or os.PathLike), found {type(path).__name__}")
    try:
        with open(path, "rb") as file:
            return all_of(file)
    except OSError as error:
        raise ArgumentError(f"cannot read {shown(path)!r}: {error.strerror}") from None
    except (ValueError, MemoryError) as error:  # a null byte in the path; what is too large
        raise ArgumentError(f"cannot read {shown(path)!r}: {error or 'not enough memory'}") from None


MOST_UNSIZED = 1 << 30
"""Bytes that are read from a pipe or a device, which do not say how many they have: /dev/zero has no end."""


def all_of(file: IO[bytes]) -> bytes:
    """The rest of an open file. Raises ValueError for one that is larger than the memory, or has no size and too much to read."""
    state = os.fstat(file.fileno())
    if stat.S_ISREG(state.st_mode):
        if state.st_size > machine_memory():
            raise ValueError(f"it has {state.st_size} bytes, more than the {machine_memory()} of this machine's memory")
        return file.read()
    data = bytearray()
    while piece := file.read(1 << 20):
        data += piece
        if len(data) > MOST_UNSIZED:
            raise ValueError(f"it is no file, and gives more than {MOST_UNSIZED} bytes")
    return bytes(data)


def machine_memory() -> int:
    """Bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def shown(path: Any) -> str:
    """A path as text that every output takes: what is no UTF-8 is replaced."""
    try:
        return os.fsencode(path).decode(errors="replace")
    except UnicodeEncodeError:  # a half of a character, which no file's name has
        return os.fsdecode(path).encode(errors="replace").decode()
