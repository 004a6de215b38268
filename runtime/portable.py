"""Programs as files for machines that have no LLVM: their objects are linked here, and what the process must have beside them (the thread
pool, what ends loops) goes along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hlo.runtime.code import Code
from hlo.runtime.interrupted_loops import INTERRUPT
from hlo.runtime.native_library import NativeLibrary, may_load
from hlo.runtime.process_code import offer, offered
from hlo.runtime.profile.layout import RECORD
from hlo.runtime.program import Program
from hlo.runtime.shared_parts import THREADS

NEEDED = ("libm.so.6", "libc.so.6")


def contents_of(program: Program, path: Any, format: str) -> bytes:
    """What `exe.save` writes: "exe", or "so" for C programs too, whose function has its name from the path."""
    if format == "so":
        from hlo.runtime.aot.saved import library_of

        return library_of(program, path)
    from hlo.runtime.program_file import pack

    return pack(with_process_code(linked(program)))


def linked(program: Program) -> Program:
    """The program as a shared library instead of objects, where this system loads such; itself elsewhere."""
    if program.library or not may_load() or not program.objects:
        return program
    from hlo.runtime.elf.link import link_library  # not where programs are loaded only

    return replace(program, objects=(), library=link_library(program.objects, _names(program), NEEDED))


def _names(program: Program) -> list[str]:
    return [
        program.entry,
        *(n for n in (THREADS, INTERRUPT, RECORD) if any(n.encode() in one for one in program.objects)),
    ]


def with_process_code(program: Program) -> Program:
    """The same, with the objects of what it calls in the process."""
    if not program.library or program.process_code:
        return program
    from hlo.runtime import interrupts
    from hlo.runtime.threads import pool

    texts = [pool.text()] if THREADS.encode() in program.library or program.grid.size > 1 else []
    if INTERRUPT.encode() in program.library:
        texts.append(interrupts.text())
    return replace(program, process_code=tuple(offered(text) for text in texts))


def load(program: Program) -> Code:
    """The code of a program that is a library."""
    for name, data in program.process_code:
        offer(name, data)
    library = NativeLibrary(program.library)
    addresses: Sequence[int] = [library.address(name) for name in (program.entry, THREADS, INTERRUPT, RECORD)]
    return Code(addresses[0], len(program.library), library, (), *addresses[1:])
