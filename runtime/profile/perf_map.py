"""HLO_PERF_MAP=1: the addresses and names of kernels in /tmp/perf-PID.map, where Linux's `perf report` looks for code
that no file holds."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from hlo.errors import ArgumentError

FUNCTION = 2
"""STT_FUNC."""


def add_functions(objects: Sequence[bytes], address: Callable[[str], int]) -> None:
    """Appends the functions of linked objects. `address`: where one is by its name. Raises ArgumentError where the file
    cannot be written."""
    from hlo.runtime.elf.read import LOCAL, UNDEFINED, ObjectFile

    symbols = [
        symbol
        for data in objects
        for symbol in ObjectFile(data).symbols
        if symbol.kind == FUNCTION and symbol.binding != LOCAL and symbol.section != UNDEFINED and symbol.size
    ]
    lines = "".join(f"{address(one.name):x} {one.size:x} {one.name}\n" for one in symbols)
    _append(f"/tmp/perf-{os.getpid()}.map", lines)


def _append(path: str, text: str) -> None:
    """To a file of this user that is no link: others may write to the folder."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "a") as file:
            file.write(text)
    except OSError as error:
        raise ArgumentError(f"HLO_PERF_MAP: cannot write {path!r}: {error.strerror}") from None
