"""From a program compiled for a CPU to an executable, without MLIR."""

from __future__ import annotations

from hlo.errors import CompileError
from hlo.interruption import uninterrupted
from hlo.runtime.calls.executable import Executable
from hlo.runtime.code.loaded_code import Code
from hlo.runtime.compile.machine import can_run
from hlo.runtime.saved import portable
from hlo.runtime.saved.program import Program


def load_program(program: Program, threads: int | None = None) -> Executable:
    """Links a program, which is to run on so many threads (None: the process's default). Raises CompileError if this machine's
    processor cannot run it."""
    if not can_run(program.machine):
        raise CompileError(f"compiled for another processor: {program.machine}")
    return Executable(_code(program), program, threads)


def _code(program: Program) -> Code:
    if program.library:
        return portable.load(program)
    from hlo.runtime.code.linked_code import link

    return uninterrupted(lambda: link(program.objects, program.entry))
