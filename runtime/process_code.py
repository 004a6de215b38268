"""Code that a process has once, beside its programs: written as LLVM IR, kept in the disk cache, never freed."""

from __future__ import annotations

import hashlib
import threading

from hlo.lowering.vector.target import host_architecture, names_of
from hlo.runtime.linked_code import LinkedCode
from hlo.runtime.llvm_library import default_triple

_loaded: dict[str, LinkedCode] = {}
_loading = threading.Lock()


def load_once(text: str, quick: bool = True) -> LinkedCode:
    """The code of a module that is written as text, for this machine's architecture; the same each time. `quick`: without
    optimisations."""
    with _loading:
        if text not in _loaded:
            _loaded[text] = LinkedCode([_object(text, quick)])
        return _loaded[text]


def _object(text: str, quick: bool) -> bytes:
    from hlo.runtime import disk_cache  # which imports the executables, which import this

    name = hashlib.sha256(f"{default_triple()} {quick} {text}".encode()).hexdigest()
    found = disk_cache.find_object(name)
    if found is None:
        found = _generate(text, quick)
        disk_cache.keep_object(name, found)
    return found


def _generate(text: str, quick: bool) -> bytes:
    from hlo.runtime.object_files import machine_named, text_to_object

    return text_to_object(text, machine_named(names_of(host_architecture())[-1]), quick=quick)
