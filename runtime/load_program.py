"""From a compiled program to an executable, without MLIR."""

from __future__ import annotations

import os
from pathlib import Path

from hlo.errors import ArgumentError, CompileError
from hlo.runtime.executable import Executable
from hlo.runtime.linked_code import link
from hlo.runtime.machine import can_run
from hlo.runtime.openmp import load_openmp
from hlo.runtime.program import Program
from hlo.runtime.program_file import DamagedFile, unpack

OPENMP_SYMBOL = b"__kmpc_"


def load_program(program: Program) -> Executable:
    """Links a program. Raises CompileError if this machine's processor cannot run it."""
    if not can_run(program.machine):
        raise CompileError(f"compiled for another processor: {program.machine}")
    if any(OPENMP_SYMBOL in one for one in program.objects):
        load_openmp()
    return Executable(link(program.objects, program.entry), program)


def load_executable(path: str | os.PathLike[str]) -> Executable:
    """Loads what `Executable.save` has written. The file holds machine code, which is run when the executable is called:
    load only what you trust. Raises ArgumentError for a file that cannot be read or is none, and CompileError if it was
    compiled for another processor or calls a target that is not registered."""
    try:
        return load_program(unpack(Path(path).read_bytes()))
    except OSError as error:
        raise ArgumentError(f"cannot read {os.fspath(path)!r}: {error.strerror}") from None
    except DamagedFile as error:
        raise ArgumentError(f"{os.fspath(path)!r}: {error}") from None
