"""LLVM IR becomes an object file: LLVM's C API, a light pass pipeline, a target machine for each thread. Without MLIR."""

from __future__ import annotations

import ctypes as C
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from hlo.errors import CompileError
from hlo.interruption import stop_if_asked
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.target import target
from hlo.runtime.compile.code_options import code_options
from hlo.runtime.compile.llvm_library import P, S, check, default_triple, llvm
from hlo.runtime.compile.machine import host

PASSES = b"function(sroa,simplifycfg,instcombine<no-verify-fixpoint>,sroa,loop-mssa(licm),early-cse)"
QUICK_PASSES = b"function(simplifycfg)"
CODEGEN_LEVEL, QUICK_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT = 2, 0, 2, 0
ASSEMBLY, OBJECT = 0, 1
"""Kinds of files that LLVM writes."""


@dataclass(frozen=True)
class Machine:
    """What LLVM generates code for: a triple, the name of a processor, the features in addition to its own ("+avx2,-fma")."""

    triple: str
    cpu: str
    features: str = ""


@cache
def machine_named(name: str) -> Machine:
    """A row of the table of targets, in this system; "host" is the machine's own processor."""
    row = target(name)
    cpu, features = (row.llvm_name, row.features) if row.llvm_name is not None else host()
    return Machine(default_triple(), cpu, ",".join(features))


def text_to_object(text: str, machine: Machine, quick: bool = False) -> bytes:
    """The object file of a module that is written as text, which must be right. `quick`: without optimisations, in a
    quarter of the time."""
    library, parsed, message = llvm(), P(), S()
    context = library.LLVMContextCreate()
    try:
        data = text.encode()
        buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"text")
        failed = library.LLVMParseIRInContext(context, buffer, C.byref(parsed), C.byref(message))
        assert not failed, message.value
        assert parsed.value
        with code_options():
            return object_file(parsed.value, machine, quick=quick)
    finally:
        library.LLVMContextDispose(context)


def object_file(translated: int, machine: Machine, kind: int = OBJECT, quick: bool = False) -> bytes:
    """The object file (or assembly) of a module, which is gone after."""
    stop_if_asked()
    library = llvm()
    with target_machine(machine, QUICK_LEVEL if quick else CODEGEN_LEVEL) as made:
        set_machine(translated, machine, made)
        run_passes(translated, made, QUICK_PASSES if quick else PASSES)
        library.LLVMSetTargetMachineAsmVerbosity(made, kind == ASSEMBLY)
        return emit(translated, made, kind)


def set_machine(module: int, machine: Machine, made: int) -> None:
    """Writes triple and data layout into a module."""
    library = llvm()
    library.LLVMSetTarget(module, C.cast(S(machine.triple.encode()), P))
    layout = library.LLVMCreateTargetDataLayout(made)
    library.LLVMSetModuleDataLayout(module, layout)
    library.LLVMDisposeTargetData(layout)


@contextmanager
def target_machine(machine: Machine, level: int = CODEGEN_LEVEL) -> Iterator[int]:
    """LLVM's target machine. Threads must not share one: it is back on the shelf when this one is done."""
    try:
        made = _machines[machine, level].pop()
    except IndexError:
        made = _make_target_machine(machine, level)
    yield made
    _machines[machine, level].append(made)


_machines: dict[tuple[Machine, int], list[int]] = defaultdict(list)
"""Those that nobody uses: making one takes as long as the code of a small function."""


def _make_target_machine(machine: Machine, level: int) -> int:
    library = llvm()
    texts = [C.cast(S(text.encode()), P) for text in (machine.triple, machine.cpu, machine.features)]
    target, message = P(), S()
    if library.LLVMGetTargetFromTriple(texts[0], C.byref(target), C.byref(message)):
        raise CompileError(f"LLVM has no back end for {machine.triple}: {(message.value or b'').decode()}")
    levels = (level, RELOC_PIC, CODE_MODEL_DEFAULT)
    made: int = library.LLVMCreateTargetMachine(target, *texts, *levels)
    return made


def run_passes(translated: int, machine: int, passes: bytes) -> None:
    library = llvm()
    options = library.LLVMCreatePassBuilderOptions()
    check(library.LLVMRunPasses(translated, passes, machine, options))
    library.LLVMDisposePassBuilderOptions(options)


def emit(translated: int, machine: int, kind: int) -> bytes:
    library = llvm()
    message, buffer = S(), P()
    failed = library.LLVMTargetMachineEmitToMemoryBuffer(machine, translated, kind, C.byref(message), C.byref(buffer))
    library.LLVMDisposeModule(translated)
    if failed:
        raise CompileError(f"code generation failed: {(message.value or b'').decode()}")
    data = C.string_at(library.LLVMGetBufferStart(buffer), library.LLVMGetBufferSize(buffer))
    library.LLVMDisposeMemoryBuffer(buffer)
    return data
