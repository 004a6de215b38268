"""Code generation through LLVM's C API: a light pass pipeline, a target machine for each thread, objects in memory."""

from __future__ import annotations

import ctypes as C
import functools
import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from mlir import ir

from hlo.errors import ArgumentError, CompileError
from hlo.lowering.vector.target import processor
from hlo.runtime import shared_parts, small_float_functions
from hlo.runtime.code import Code
from hlo.runtime.code_options import code_options
from hlo.runtime.linked_code import link
from hlo.runtime.llvm_library import P, S, check, llvm
from hlo.runtime.split_module import split

PASSES = b"function(early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"
CODEGEN_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT = 2, 2, 0
ASSEMBLY, OBJECT = 0, 1
"""Kinds of files that LLVM writes."""

CPUS = {"host": None, "avx512": b"skylake-avx512", "avx2": b"haswell", "baseline": b"x86-64"}
"""Names of `cpu=`: what LLVM generates code for; None asks for the machine's own processor."""


class _Handle(C.Structure):
    """MlirOperation: one pointer, passed by value."""

    _fields_ = [("pointer", P)]


@functools.cache
def _mlir() -> C.PyDLL:
    """MLIR's C API. It keeps the GIL: a context may be used by one thread at a time."""
    from mlir import _mlir_libs

    library = C.PyDLL(str(next(Path(_mlir_libs.__path__[0]).glob("libMLIRPythonCAPI.so*"))))
    translate = library.mlirTranslateModuleToLLVMIR
    translate.restype, translate.argtypes = P, [_Handle, P]
    return library


def compile_module(module: ir.Module, entry: str, cpu: str = "host") -> Code:
    """Machine code of a module in the LLVM dialect; `Code.keep` owns it."""
    return link(generate(module, cpu), entry)


def generate(module: ir.Module, cpu: str = "host") -> list[bytes]:
    """Object files of a module, which loses its functions: large ones are compiled in parts, one a thread."""
    cpu = processor(cpu)
    objects = _compiled(module, cpu, OBJECT)
    return [*objects, *(make(cpu) for names, make in HELPERS if any(n in one for one in objects for n in names))]


def assembly(module: ir.Module, cpu: str = "host") -> str:
    """What `generate` would put into object files, as text; the module loses its functions."""
    return "".join(text.decode() for text in _compiled(module, processor(cpu), ASSEMBLY))


def _compiled(module: ir.Module, cpu: str, kind: int) -> list[bytes]:
    if cpu not in CPUS:
        raise ArgumentError(f"unknown cpu {cpu!r}; known: {', '.join(CPUS)}")
    parts = split(module, len(os.sched_getaffinity(0)))
    contexts = [llvm().LLVMContextCreate() for _ in parts]
    try:
        return _files([_translate(part, context) for part, context in zip(parts, contexts)], cpu, kind)
    finally:
        for context in contexts:
            llvm().LLVMContextDispose(context)


@functools.cache
def _conversions(cpu: str) -> bytes:
    """The object file of the functions that LLVM calls for element types the processor does not know."""
    library, parsed, message = llvm(), P(), S()
    context = library.LLVMContextCreate()
    try:
        text = small_float_functions.TEXT.encode()
        buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(text, len(text), b"conversions")
        failed = library.LLVMParseIRInContext(context, buffer, C.byref(parsed), C.byref(message))
        assert not failed, message.value
        assert parsed.value
        return _file(parsed.value, cpu)
    finally:
        library.LLVMContextDispose(context)


@functools.cache
def _shared_parts(cpu: str) -> bytes:
    """The object file of the function that runs parts on threads."""
    library = llvm()
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(shared_parts.TEXT)
        context = library.LLVMContextCreate()
        try:
            return _file(_translate(module, context), cpu)
        finally:
            library.LLVMContextDispose(context)


HELPERS = (
    (small_float_functions.NAMES, _conversions),
    ((shared_parts.SHARE.encode(),), _shared_parts),
)
"""Names of functions, and what makes the object file that has them; each is made once a process and added to programs that call one."""


def _files(translated: list[int], cpu: str, kind: int) -> list[bytes]:
    with code_options():
        if len(translated) == 1:
            return [_file(translated[0], cpu, kind)]
        with ThreadPoolExecutor(len(translated)) as pool:
            return list(pool.map(functools.partial(_file, cpu=cpu, kind=kind), translated))


def _file(translated: int, cpu: str, kind: int = OBJECT) -> bytes:
    library = llvm()
    with _target_machine(cpu) as (triple, machine):
        library.LLVMSetTarget(translated, triple)
        library.LLVMSetModuleDataLayout(translated, library.LLVMCreateTargetDataLayout(machine))
        _run_passes(translated, machine)
        library.LLVMSetTargetMachineAsmVerbosity(machine, kind == ASSEMBLY)
        return _emit(translated, machine, kind)


@contextmanager
def _target_machine(cpu: str) -> Iterator[tuple[int, int]]:
    """Triple and target machine for a processor. Threads must not share one: it is back on the shelf when this one is done."""
    try:
        made = _machines[cpu].pop()
    except IndexError:
        made = _make_target_machine(cpu)
    yield made
    _machines[cpu].append(made)


_machines: dict[str, list[tuple[int, int]]] = defaultdict(list)
"""Those that nobody uses: making one takes as long as the code of a small function."""


def _make_target_machine(cpu: str) -> tuple[int, int]:
    library = llvm()
    triple, target, message = library.LLVMGetDefaultTargetTriple(), P(), S()
    if library.LLVMGetTargetFromTriple(triple, C.byref(target), C.byref(message)):
        raise CompileError(f"LLVM has no back end for this machine: {(message.value or b'').decode()}")
    host = CPUS[cpu] is None
    name = library.LLVMGetHostCPUName() if host else C.cast(S(CPUS[cpu]), P)
    features = library.LLVMGetHostCPUFeatures() if host else C.cast(S(b""), P)
    levels = (CODEGEN_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT)
    return triple, library.LLVMCreateTargetMachine(target, triple, name, features, *levels)


def _translate(module: ir.Module, context: int) -> int:
    translated = _mlir().mlirTranslateModuleToLLVMIR(_operation(module), context)
    if not translated:
        raise CompileError("translation to LLVM IR failed")
    return translated


def _run_passes(translated: int, machine: int) -> None:
    library = llvm()
    options = library.LLVMCreatePassBuilderOptions()
    check(library.LLVMRunPasses(translated, PASSES, machine, options))
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


def _operation(module: ir.Module) -> _Handle:
    get, name = C.pythonapi.PyCapsule_GetPointer, C.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = P, [C.py_object, S]
    name.restype, name.argtypes = S, [C.py_object]
    capsule = module.operation._CAPIPtr
    return _Handle(get(capsule, name(capsule)))
