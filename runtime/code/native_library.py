"""Shared libraries in memory become code in this process, by the system's own loader: no LLVM is needed."""

from __future__ import annotations

import _ctypes
import ctypes
import os
import sys
from itertools import count

from hlo.errors import CompileError
from hlo.runtime.calls.escaped_exceptions import when_gone

_numbers = count()


def may_load() -> bool:
    """Whether this system has files in memory (Linux)."""
    return sys.platform == "linux" and hasattr(os, "memfd_create")


class NativeLibrary:
    """A loaded library; its code is gone with this object. What it does not define is found in the process."""

    def __init__(self, data: bytes):
        number = os.memfd_create("hlo", os.MFD_CLOEXEC)
        try:
            with open(number, "wb", closefd=False) as file:
                file.write(data)
            self._library = ctypes.CDLL(_name(number))
        except OSError as error:
            raise CompileError(f"the system cannot load the program's code: {error}") from None
        finally:
            os.close(number)
        when_gone(self, _ctypes.dlclose, self._library._handle)

    def address(self, name: str) -> int:
        """Where a function or variable is; 0 if the library has none of this name."""
        try:
            return ctypes.cast(self._library[name], ctypes.c_void_p).value or 0
        except AttributeError:
            return 0


def _name(number: int) -> str:
    """A path of a file that is open, which no other library has had: the loader takes libraries of one path for the same, and numbers of
    files are used again. Paths with `./` and `/` in between lead to the same file."""
    spelling = "".join("./" if bit == "1" else "/" for bit in f"{next(_numbers):b}")
    return f"/proc/self/fd/{spelling}{number}"
