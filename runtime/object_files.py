"""LLVM IR becomes an object file: LLVM's C API, a light pass pipeline, a target machine for each thread. Without MLIR."""

from __future__ import annotations

import ctypes as C
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from hlo.errors import CompileError
from hlo.interruption import stop_if_asked
from hlo.runtime.code_options import code_options
from hlo.runtime.llvm_library import P, S, check, llvm

PASSES = b"function(early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"
QUICK_PASSES = b"function(simplifycfg)"
CODEGEN_LEVEL, QUICK_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT = 2, 0, 2, 0
ASSEMBLY, OBJECT = 0, 1
"""Kinds of files that LLVM writes."""

CPUS = {"host": None, "avx512": b"skylake-avx512", "avx2": b"haswell", "baseline": b"x86-64"}
"""Names of `cpu=`: what LLVM generates code for; None asks for the machine's own processor."""


def text_to_object(text: str, cpu: str, quick: bool = False) -> bytes:
    """The object file of a module that is written as text, which must be right. `quick`: without optimisations, in a quarter of the time."""
    library, parsed, message = llvm(), P(), S()
    context = library.LLVMContextCreate()
    try:
        data = text.encode()
        buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"text")
        failed = library.LLVMParseIRInContext(context, buffer, C.byref(parsed), C.byref(message))
        assert not failed, message.value
        assert parsed.value
        with code_options():
            return object_file(parsed.value, cpu, quick=quick)
    finally:
        library.LLVMContextDispose(context)


def object_file(translated: int, cpu: str, kind: int = OBJECT, quick: bool = False) -> bytes:
    """The object file (or assembly) of a module, which is gone after."""
    stop_if_asked()
    library = llvm()
    with _target_machine(cpu, QUICK_LEVEL if quick else CODEGEN_LEVEL) as (triple, machine):
        library.LLVMSetTarget(translated, triple)
        layout = library.LLVMCreateTargetDataLayout(machine)
        library.LLVMSetModuleDataLayout(translated, layout)
        library.LLVMDisposeTargetData(layout)
        _run_passes(translated, machine, QUICK_PASSES if quick else PASSES)
        library.LLVMSetTargetMachineAsmVerbosity(machine, kind == ASSEMBLY)
        return _emit(translated, machine, kind)


@contextmanager
def _target_machine(cpu: str, level: int) -> Iterator[tuple[int, int]]:
    """Triple and target machine for a processor. Threads must not share one: it is back on the shelf when this one is done."""
    try:
        made = _machines[cpu, level].pop()
    except IndexError:
        made = _make_target_machine(cpu, level)
    yield made
    _machines[cpu, level].append(made)


_machines: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
"""Those that nobody uses: making one takes as long as the code of a small function."""


def _make_target_machine(cpu: str, level: int) -> tuple[int, int]:
    library = llvm()
    triple, target, message = library.LLVMGetDefaultTargetTriple(), P(), S()
    if library.LLVMGetTargetFromTriple(triple, C.byref(target), C.byref(message)):
        raise CompileError(f"LLVM has no back end for this machine: {(message.value or b'').decode()}")
    host = CPUS[cpu] is None
    name = library.LLVMGetHostCPUName() if host else C.cast(S(CPUS[cpu]), P)
    features = library.LLVMGetHostCPUFeatures() if host else C.cast(S(b""), P)
    levels = (level, RELOC_PIC, CODE_MODEL_DEFAULT)
    return triple, library.LLVMCreateTargetMachine(target, triple, name, features, *levels)


def _run_passes(translated: int, machine: int, passes: bytes) -> None:
    library = llvm()
    options = library.LLVMCreatePassBuilderOptions()
    check(library.LLVMRunPasses(translated, passes, machine, options))
    library.LLVMDisposePassBuilderOptions(options)


def _emit(translated: int, machine: int, kind: int) -> bytes:
    library = llvm()
    message, buffer = S(), P()
    failed = library.LLVMTargetMachineEmitToMemoryBuffer(machine, translated, kind, C.byref(message), C.byref(buffer))
    library.LLVMDisposeModule(translated)
    if failed:
        raise CompileError(f"code generation failed: {(message.value or b'').decode()}")
    data = C.string_at(library.LLVMGetBufferStart(buffer), library.LLVMGetBufferSize(buffer))
    library.LLVMDisposeMemoryBuffer(buffer)
    return data
