"""Code that a process has once, for all its programs: written as LLVM IR, kept in the disk cache and in saved programs, never freed."""

from __future__ import annotations

import _thread
from collections.abc import Sequence
from typing import Protocol

from hlo.host import host_architecture, host_triple
from hlo.runtime.code.native_library import NativeLibrary, may_load
from hlo.runtime.saved.sha256 import sha256


class Loaded(Protocol):
    """Code with addresses."""

    def address(self, name: str) -> int: ...


READ_WORDS = """
define internal i64 @word(ptr %base, i64 %number) alwaysinline {
  %at = getelementptr i64, ptr %base, i64 %number
  %word = load i64, ptr %at
  ret i64 %word
}

define internal ptr @pointer(ptr %base, i64 %number) alwaysinline {
  %at = getelementptr i64, ptr %base, i64 %number
  %pointer = load ptr, ptr %at
  ret ptr %pointer
}
"""
"""LLVM IR of what code that is given arrays of words reads them by: the word, or the pointer, of a number."""

_loaded: dict[str, Loaded] = {}
_offered: dict[str, bytes] = {}
"""Both by name: a digest of the text."""
_loading = _thread.allocate_lock()


def load_once(text: str, quick: bool = True) -> Loaded:
    """The code of a module that is written as text, for this machine's architecture; the same each time. `quick`: without
    optimisations."""
    name = _name(text, quick)
    with _loading:
        return _brought(name) or _loaded.setdefault(name, _load(_object(text, quick)))


def load_brought(names: Sequence[str], symbol: str) -> Loaded | None:
    """The code with a function of this name among what a saved program has brought along, by the names it was offered under."""
    with _loading:
        found = (_brought(name) for name in names if symbol.encode() in _offered[name])
        return next((code for code in found if code and code.address(symbol)), None)


def _brought(name: str) -> Loaded | None:
    if name not in _loaded and name in _offered:
        _loaded[name] = NativeLibrary(_offered[name])
    return _loaded.get(name)


def offer(name: str, data: bytes) -> None:
    """A library that a saved program has brought along."""
    _offered.setdefault(name, data)


def offered(text: str) -> tuple[str, bytes]:
    """What a saved program takes along of a module: a name, and the library, so that nothing is linked where it is loaded."""
    return _name(text, True), _offered.get(_name(text, True)) or _linked(_object(text, True))


def _load(data: bytes) -> Loaded:
    if not may_load():
        from hlo.runtime.code.linked_code import LinkedCode

        return LinkedCode([data])
    return NativeLibrary(_linked(data))


def _linked(data: bytes) -> bytes:
    from hlo.runtime.elf.link import link_library
    from hlo.runtime.elf.read import ObjectFile

    return link_library([data], ObjectFile(data).defined())


def _name(text: str, quick: bool) -> str:
    return sha256(f"{host_triple()} {quick} {text}".encode()).hexdigest()


def _object(text: str, quick: bool) -> bytes:
    from hlo.runtime.saved import disk_cache  # which imports the executables, which import this

    name = _name(text, quick)
    found = disk_cache.find_object(name)
    if found is None:
        found = _generate(text, quick)
        disk_cache.keep_object(name, found)
    return found


def _generate(text: str, quick: bool) -> bytes:
    from hlo.lowering.target import names_of  # here: loading a saved program needs no table
    from hlo.runtime.compile.object_files import machine_named, text_to_object

    return text_to_object(text, machine_named(names_of(host_architecture())[-1]), quick=quick)
