"""The thread pool of this process, made when the first program needs it."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import threading

from hlo.runtime.linked_code import LinkedCode
from hlo.runtime.llvm_library import default_triple
from hlo.runtime.threads.count import available_processors
from hlo.runtime.threads.systems import pool_text


def connect(words: int, threads: int) -> None:
    """Writes the words of a program that say who runs its parts (`shared_parts.py`): the pool, on so many threads."""
    ctypes.c_uint64.from_address(words).value = _run_parts()
    ctypes.c_int64.from_address(words + 8).value = threads


def _run_parts() -> int:
    with _making:
        return _address()


_making = threading.Lock()


@functools.cache
def _address() -> int:
    linked = LinkedCode([_object()])
    _kept.append(linked)
    ctypes.c_int64.from_address(linked.address("hlo_cores")).value = available_processors()
    return linked.address("hlo_run_parts")


_kept: list[LinkedCode] = []
"""Its threads run as long as the process."""


def _object() -> bytes:
    """The pool's object file, from the disk cache if it is there. The code is the same for all processors of an architecture."""
    from hlo.runtime import disk_cache  # which imports the executables, which import this

    text = pool_text(default_triple())
    name = hashlib.sha256(f"thread pool {default_triple()} {text}".encode()).hexdigest()
    found = disk_cache.find_object(name)
    if found is None:
        found = _generate(text)
        disk_cache.keep_object(name, found)
    return found


def _generate(text: str) -> bytes:
    from hlo.runtime.object_files import text_to_object

    return text_to_object(text, "baseline", quick=True)
