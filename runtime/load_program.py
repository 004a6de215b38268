"""From a program compiled for a CPU to an executable, without MLIR."""

from __future__ import annotations

from hlo.errors import CompileError
from hlo.runtime.executable import Executable
from hlo.runtime.linked_code import link
from hlo.runtime.machine import can_run
from hlo.runtime.openmp import load_openmp
from hlo.runtime.program import Program

OPENMP_SYMBOL = b"__kmpc_"


def load_program(program: Program) -> Executable:
    """Links a program. Raises CompileError if this machine's processor cannot run it."""
    if not can_run(program.machine):
        raise CompileError(f"compiled for another processor: {program.machine}")
    if any(OPENMP_SYMBOL in one for one in program.objects):
        load_openmp()
    return Executable(link(program.objects, program.entry), program)
