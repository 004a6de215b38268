"""Programs as files for machines that have no LLVM: their objects are linked here, and what else the process must have (the thread
pool, what ends loops) goes along."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hlo.errors import HloError
from hlo.runtime.code.loaded_code import INTERRUPT, RECORD, THREADS, Code
from hlo.runtime.code.native_library import NativeLibrary, may_load
from hlo.runtime.code.process_code import offer, offered
from hlo.runtime.saved.program import Program

NEEDED = ("libm.so.6", "libc.so.6")


def contents_of(program: Program, path: Any, format: str) -> bytes:
    """What `exe.save` writes: "exe", or "so" for C programs too, whose function has its name from the path."""
    if format == "so":
        from hlo.other_llvm import folders

        if folders() is None:
            raise HloError(
                "format='so' needs the function for C compiled, for which the packages mlir and llvm must be installed"
            )
        from hlo.runtime.aot.saved import library_of

        return library_of(program, path)
    from hlo.runtime.saved.program_file import pack

    return pack(with_process_code(linked(program)))


def linked(program: Program) -> Program:
    """The program with its objects linked to a shared library, where this system loads such; itself elsewhere."""
    if program.library or not may_load() or not program.objects:
        return program
    from hlo.runtime.elf.link import link_library  # not where programs are loaded only

    return program._replace(library=link_library(program.objects, names_of(program), NEEDED))


def names_of(program: Program) -> list[str]:
    """What `load` asks a library for."""
    return [
        program.entry,
        *(n for n in (THREADS, INTERRUPT, RECORD) if any(n.encode() in one for one in program.objects)),
    ]


def with_process_code(program: Program) -> Program:
    """The same, with the objects of what it calls in the process."""
    if not program.library or program.process_code:
        return program
    has = {name: name.encode() in program.library for name in (THREADS, INTERRUPT)}
    return program._replace(process_code=process_code(has[THREADS] or program.grid.size > 1, has[INTERRUPT]))


def process_code(threads: bool, loops: bool) -> tuple[tuple[str, bytes], ...]:
    """What a program with parts for threads, or with loops, calls in the process; and what calls programs."""
    from hlo.runtime.calls import array_calls, interrupts
    from hlo.runtime.threads import pool

    texts = [array_calls.text(), *([pool.text()] if threads else []), *([interrupts.text()] if loops else [])]
    return tuple(offered(text) for text in texts)


def load(program: Program) -> Code:
    """The code of a program that is a library."""
    for name, data in program.process_code:
        offer(name, data)
    library = NativeLibrary(program.library)
    addresses: Sequence[int] = [library.address(name) for name in (program.entry, THREADS, INTERRUPT, RECORD)]
    return Code(addresses[0], len(program.library), library, (), *addresses[1:])
