"""An executable as a shared library: `exe.save("libmodel.so", format="so")`. C calls `int model_main(...)` as of an object (docs/deploy.md);
`hlo.load_executable` finds the executable in a section that is not loaded."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from hlo.errors import ArgumentError, HloError
from hlo.lowering.vector.target import host_triple
from hlo.runtime.aot.entry_text import CFunction, Version, declarations, function_text
from hlo.runtime.aot.join import Joined
from hlo.runtime.aot.lower import CCall
from hlo.runtime.aot.names import check_identifier, is_identifier
from hlo.runtime.aot.threads import connecting_texts
from hlo.runtime.custom_calls import CustomCall
from hlo.runtime.elf.link import link_library
from hlo.runtime.load_file import SECTION
from hlo.runtime.object_files import machine_named
from hlo.runtime.portable import NEEDED, linked, with_process_code
from hlo.runtime.program import Program
from hlo.runtime.program_file import pack
from hlo.runtime.shared_parts import THREADS
from hlo.runtime.symbols import Symbol


def library_of(program: Program, path: Any) -> bytes:
    """The file's contents; the path gives the name of the C function. Raises an HloError for what a C program cannot call."""
    if not program.objects:
        raise HloError("an executable that was loaded has no object files; save the one that was compiled")
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
        if any(THREADS.encode() in one for one in program.objects):
            for text in connecting_texts(host_triple()):
                joined.add_text(text)
        made = joined.file(names)
    finally:
        joined.close()
    whole = pack(with_process_code(linked(program)))
    return link_library([made, *program.objects], names, NEEDED, **{SECTION.removeprefix("."): whole})


def _name(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentError(f"the path of a file expected (str or os.PathLike), found {type(path).__name__}")
    stem = os.path.basename(os.fspath(path)).partition(".")[0].removeprefix("lib")
    return check_identifier(stem, "the name of a library, without lib and its ending,")


def _c_call(call: CustomCall) -> CCall:
    if not isinstance(call.function, Symbol) or not is_identifier(call.target):
        raise HloError(call.finding("a shared library cannot call a function of Python"))
    return CCall(call.target, len(call.operands), call.results)
