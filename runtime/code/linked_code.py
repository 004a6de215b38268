"""Object files in memory become code in this process (LLVM's ORC).

All programs are in one session, each in a library of its own: making a session takes longer than linking a small program. Libraries of
programs that are gone are emptied and serve again."""

from __future__ import annotations

import ctypes as C
import functools
import threading
from collections.abc import Sequence
from itertools import count
from typing import Any

from hlo.environment import PERF_MAP
from hlo.errors import CompileError
from hlo.runtime.calls.escaped_exceptions import when_gone
from hlo.runtime.code.loaded_code import INTERRUPT, RECORD, THREADS, Code
from hlo.runtime.compile.llvm_library import P, check, llvm


def link(objects: Sequence[bytes], entry: str) -> Code:
    """Machine code with the address of its entry; `Code.keep` owns it."""
    linked = LinkedCode(objects)
    found = [
        linked.address(n) if any(n.encode() in one for one in objects) else 0 for n in (THREADS, INTERRUPT, RECORD)
    ]
    if PERF_MAP.value():
        from hlo.runtime.profile.perf_map import add_functions

        add_functions(objects, linked.address)
    return Code(linked.address(entry), sum(map(len, objects)), linked, tuple(objects), *found)


class LinkedCode:
    """Loaded code; freed with this object. Symbols that no object defines are found in the process (libc, libm)."""

    def __init__(self, objects: Sequence[bytes]):
        library = llvm()
        self.home = _take_home()
        when_gone(self, _give_back, self.home)
        for one in objects:
            buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(one, len(one), b"hlo")
            check(library.LLVMOrcLLJITAddObjectFile(_session(), self.home, buffer))

    def address(self, name: str) -> int:
        """Where a function begins."""
        library, found = llvm(), []

        @_Handler
        def take(error: int | None, symbols: Any, number: int, _: Any) -> None:
            """Called on this thread, before the look-up returns."""
            found.append((error, symbols[0].address if number else 0))

        session = library.LLVMOrcLLJITGetExecutionSession(_session())
        entry = library.LLVMOrcLLJITMangleAndIntern(_session(), name.encode())  # the look-up releases it
        order, wanted = _SearchOrder(self.home, 0), _Wanted(entry, 0)
        library.LLVMOrcExecutionSessionLookup(session, 0, C.byref(order), 1, C.byref(wanted), 1, take, None)
        ((error, address),) = found
        check(error)
        return address


class _SearchOrder(C.Structure):
    """LLVMOrcCJITDylibSearchOrder."""

    _fields_ = [("library", P), ("flags", C.c_int)]


class _Wanted(C.Structure):
    """LLVMOrcCLookupSetElement."""

    _fields_ = [("name", P), ("flags", C.c_int)]


class _Symbol(C.Structure):
    """LLVMOrcCSymbolMapPair."""

    _fields_ = [("name", P), ("address", C.c_uint64), ("flags", C.c_uint8 * 2)]


_Handler = C.CFUNCTYPE(None, P, C.POINTER(_Symbol), C.c_size_t, P)


def _session() -> int:
    """The one session of this process, whatever threads ask for it first."""
    with _making:
        return _make_session()


_making = threading.Lock()


@functools.cache
def _make_session() -> int:
    handle = P()
    check(llvm().LLVMOrcCreateLLJIT(C.byref(handle), None))
    if handle.value is None:
        raise CompileError("LLVM made no session to link in")
    return handle.value


_empty: list[int] = []
"""Libraries that nobody uses. Taking from a list and adding to it are single steps of the interpreter."""

_numbers = count()


def _take_home() -> int:
    """A library with nothing in it that finds what is in the process."""
    try:
        return _empty.pop()
    except IndexError:
        pass
    library, generator = llvm(), P()
    session = library.LLVMOrcLLJITGetExecutionSession(_session())
    made: int = library.LLVMOrcExecutionSessionCreateBareJITDylib(session, f"program {next(_numbers)}".encode())
    prefix = library.LLVMOrcLLJITGetGlobalPrefix(_session())
    check(library.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(C.byref(generator), prefix, None, None))
    library.LLVMOrcJITDylibAddGenerator(made, generator)
    return made


def _give_back(home: int) -> None:
    check(llvm().LLVMOrcJITDylibClear(home))
    _empty.append(home)
