"""The machine code of the plugin in this process: from hlo's disk cache where an earlier process has left it there."""

from __future__ import annotations

import numpy as np

from hlo.jax.code import machine_code
from hlo.jax.code.process_memory import keep_forever
from hlo.jax.code.shorthand import LOWERING
from hlo.runtime.calls.executable import Executable
from hlo.runtime.calls.signature import ArrayType, Signature
from hlo.runtime.compile.machine import machine_of
from hlo.runtime.saved import disk_cache
from hlo.runtime.saved.program import Program

_ENTRY = "Addresses"
_OPTIONS = {"engine": "llvm", "cpu": "host", "entry": _ENTRY}


def load() -> dict[str, int]:
    """The address of each function."""
    text = machine_code.source()
    name = disk_cache.digest(text.encode(), _OPTIONS)
    executable = disk_cache.find(name) or _compiled(text, name)
    (table,) = keep_forever(executable)()
    return dict(zip(machine_code.NAMES, table.tolist()))


def _compiled(text: str, name: str) -> Executable:
    """A program as any other: it has no arguments, its result is the table of addresses."""
    from mlir import ir
    from mlir.passmanager import PassManager

    from hlo.runtime.compile.engine import compile_code

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        PassManager.parse(LOWERING).run(module.operation)
        code = compile_code(module, _ENTRY)
    table = ArrayType((len(machine_code.NAMES),), np.dtype(np.uint64))
    program = Program(Signature((), (table,)), code.objects, _ENTRY, (), 0, (), machine_of("host"))
    disk_cache.keep(name, program)
    return Executable(code, program)
