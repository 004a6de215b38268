"""An executable as a shared library: `exe.save("libmodel.so", format="so")`. C calls `int model_main(...)` as of an
object (docs/deploy.md); `hlo.load_executable` finds the executable's header in a section that is not loaded; code and
constants are there once, for both."""

from __future__ import annotations

import functools
import os
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.host import host_triple
from hlo.runtime.aot.entry_text import CFunction, Version, declarations, function_text
from hlo.runtime.aot.join import Joined
from hlo.runtime.aot.levels import tiles_text
from hlo.runtime.aot.lower import CCall
from hlo.runtime.aot.names import check_identifier, is_identifier
from hlo.runtime.aot.threads import connecting_texts
from hlo.runtime.code.loaded_code import INTERRUPT, THREADS
from hlo.runtime.code.symbols import Symbol
from hlo.runtime.compile.object_files import machine_named
from hlo.runtime.custom_calls.registry import CustomCall
from hlo.runtime.elf.link import link_library
from hlo.runtime.saved.file_format import ALIGNMENT, encoded, pack_parts
from hlo.runtime.saved.load_file import SECTION, library_digest
from hlo.runtime.saved.portable import NEEDED, names_of, process_code
from hlo.runtime.saved.program import Program
from hlo.runtime.saved.program_file import header_of


def library_of(program: Program, path: Any) -> bytes:
    """The file's contents; the path gives the name of the C function. Raises an HloError for what a C program cannot call."""
    if not program.objects:
        raise HloError(
            "the executable comes from a shared library, where its code is linked already: copy that file, or save the executable that was compiled"
        )
    if program.grid.size > 1:
        raise HloError(f"a program for a grid of {program.grid} processes is no C function")
    name = _name(path)
    calls = tuple(map(_c_call, program.custom_calls))
    joined = Joined(machine_named("host"))
    try:
        constants = tuple(joined.data(np.ascontiguousarray(one).tobytes()) for one in program.constants)
        arguments = tuple(f"arg{n}" for n in range(len(program.signature.arguments)))
        function = CFunction(
            f"{name}_main",
            "main",
            program.signature,
            arguments,
            program.arena,
            (Version(program.entry, constants, calls),),
        )
        data = "\n".join(f"@{c} = external constant i8" for c in dict.fromkeys(constants))
        joined.add_text("\n".join([data, declarations([function]), function_text(function, 64, False, False)]))
        names = [function.name]
        has_threads = THREADS in names_of(program)
        if has_threads:
            for text in connecting_texts(host_triple()):
                joined.add_text(text)
        if program.machine == "amx" or "+amx-tile" in program.machine.split():
            joined.add_text(tiles_text())
        made = joined.file(names)
    finally:
        joined.close()
    extra = {SECTION.removeprefix("."): functools.partial(_described, program)}
    return link_library([made, *program.objects], [*names, *names_of(program)], NEEDED, extra, has_threads)


def _described(program: Program, loaded: bytes) -> bytes:
    """The executable's header in a library that is loaded as these bytes: code and constants are those of the library. The thread pool of
    the process goes along: the library's own is unloaded with it, while its threads run."""
    parts = [(0, len(loaded)), *((at, one.nbytes) for one in program.constants for at in _offsets(loaded, one))]
    blobs = [b""] * len(parts)  # those of the library come first, and are not written again
    names = names_of(program)
    rest = program._replace(
        objects=(), library=b"", constants=(), process_code=process_code(THREADS in names, INTERRUPT in names)
    )
    header = header_of(rest, blobs)
    header |= {"library": 0, "within": parts, "digest": library_digest(loaded)}
    numbers = iter(range(1, len(parts)))
    header["constants"] = [
        {**encoded(one, []), "array": next(numbers)} if _offsets(loaded, one) else encoded(one, blobs)
        for one in program.constants
    ]
    return pack_parts(header, blobs[len(parts) :])


def _offsets(loaded: bytes, constant: np.ndarray) -> list[int]:
    """Where a library has a constant's bytes, as they must lie to be used there; nothing if it has them nowhere. The file's
    header, of 64 bytes, is not yet what it will be."""
    data, at = np.ascontiguousarray(constant).tobytes(), ALIGNMENT
    while (at := loaded.find(data, at)) % ALIGNMENT and at >= 0:
        at += 1
    return [at] if at >= 0 else []


def _name(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"the path of a file expected (str or os.PathLike), found {type(path).__name__}")
    stem = os.path.basename(os.fspath(path)).partition(".")[0].removeprefix("lib")
    return check_identifier(stem, "the name of a library, without lib and its ending,")


def _c_call(call: CustomCall) -> CCall:
    if not isinstance(call.function, Symbol) or not is_identifier(call.target):
        raise HloError(call.finding("a shared library cannot call a function of Python"))
    return CCall(call.target, len(call.operands), call.results)
