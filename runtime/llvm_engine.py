"""Code generation through LLVM's C API (ctypes on the wheel's libLLVM): a light pass pipeline, one target machine,
an object in memory, loaded by ORC. ctypes drops the GIL, so threads compile side by side."""

from __future__ import annotations

import ctypes as C
import functools
import weakref
from pathlib import Path
from typing import Any

from mlir import ir

from hlo.errors import ArgumentError, CompileError
from hlo.runtime.engine import Code

PASSES = b"function(early-cse,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"
CODEGEN_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT, OBJECT_FILE = 2, 2, 0, 1

CPUS = {"host": None, "avx512": b"skylake-avx512", "avx2": b"haswell", "baseline": b"x86-64"}
"""Names of `cpu=`: what LLVM generates code for; None asks for the machine's own processor."""

_P, _S = C.c_void_p, C.c_char_p
_FUNCTIONS = (
    ("LLVMGetDefaultTargetTriple", _P),
    ("LLVMGetHostCPUName", _P),
    ("LLVMGetHostCPUFeatures", _P),
    ("LLVMGetTargetFromTriple", C.c_int, _P, C.POINTER(_P), C.POINTER(_S)),
    ("LLVMCreateTargetMachine", _P, _P, _P, _P, _P, C.c_int, C.c_int, C.c_int),
    ("LLVMCreateTargetDataLayout", _P, _P),
    ("LLVMContextCreate", _P),
    ("LLVMContextDispose", None, _P),
    ("LLVMSetModuleDataLayout", None, _P, _P),
    ("LLVMSetTarget", None, _P, _P),
    ("LLVMCreatePassBuilderOptions", _P),
    ("LLVMDisposePassBuilderOptions", None, _P),
    ("LLVMRunPasses", _P, _P, _S, _P, _P),
    ("LLVMGetErrorMessage", _P, _P),
    ("LLVMDisposeErrorMessage", None, _P),
    ("LLVMTargetMachineEmitToMemoryBuffer", C.c_int, _P, _P, C.c_int, C.POINTER(_S), C.POINTER(_P)),
    ("LLVMGetBufferSize", C.c_size_t, _P),
    ("LLVMDisposeModule", None, _P),
    ("LLVMOrcCreateLLJIT", _P, C.POINTER(_P), _P),
    ("LLVMOrcDisposeLLJIT", _P, _P),
    ("LLVMOrcLLJITGetMainJITDylib", _P, _P),
    ("LLVMOrcLLJITAddObjectFile", _P, _P, _P, _P),
    ("LLVMOrcLLJITLookup", _P, _P, C.POINTER(C.c_uint64), _S),
    ("LLVMOrcLLJITGetGlobalPrefix", C.c_char, _P),
    ("LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess", _P, C.POINTER(_P), C.c_char, _P, _P),
    ("LLVMOrcJITDylibAddGenerator", None, _P, _P),
)


class _Handle(C.Structure):
    """MlirOperation: one pointer, passed by value."""

    _fields_ = [("pointer", _P)]


@functools.cache
def _llvm() -> C.CDLL:
    """libLLVM with its functions declared and the x86 back end initialised."""
    import mlir

    packages = Path(mlir.__path__[0]).parent
    library = C.CDLL(str(next((packages / "llvm" / "lib").glob("libLLVM*.so*"))))
    for name, result, *arguments in _FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter"):
        getattr(library, f"LLVMInitializeX86{part}")()
    return library


@functools.cache
def _mlir() -> C.PyDLL:
    """MLIR's C API. It keeps the GIL: a context may be used by one thread at a time."""
    from mlir import _mlir_libs

    library = C.PyDLL(str(next(Path(_mlir_libs.__path__[0]).glob("libMLIRPythonCAPI.so*"))))
    translate = library.mlirTranslateModuleToLLVMIR
    translate.restype, translate.argtypes = _P, [_Handle, _P]
    return library


@functools.cache
def _target_machine(cpu: str) -> tuple[int, int, int]:
    """Triple, target machine and data layout for a processor."""
    if cpu not in CPUS:
        raise ArgumentError(f"unknown cpu {cpu!r}; known: {', '.join(CPUS)}")
    library = _llvm()
    triple, target, message = library.LLVMGetDefaultTargetTriple(), _P(), _S()
    if library.LLVMGetTargetFromTriple(triple, C.byref(target), C.byref(message)):
        raise CompileError(f"LLVM has no back end for this machine: {(message.value or b'').decode()}")
    host = CPUS[cpu] is None
    name = library.LLVMGetHostCPUName() if host else C.cast(_S(CPUS[cpu]), _P)
    features = library.LLVMGetHostCPUFeatures() if host else C.cast(_S(b""), _P)
    levels = (CODEGEN_LEVEL, RELOC_PIC, CODE_MODEL_DEFAULT)
    machine = library.LLVMCreateTargetMachine(target, triple, name, features, *levels)
    return triple, machine, library.LLVMCreateTargetDataLayout(machine)


def compile_module(module: ir.Module, entry: str, cpu: str = "host") -> Code:
    """Machine code of a module in the LLVM dialect; `Code.keep` owns it."""
    buffer, size = _object(module, cpu)
    jit = _Jit(buffer)
    return Code(jit.lookup(entry), size, jit)


def _object(module: ir.Module, cpu: str) -> tuple[int, int]:
    """A memory buffer with the module's object file, and its size."""
    library = _llvm()
    triple, machine, layout = _target_machine(cpu)
    context = library.LLVMContextCreate()
    try:
        translated = _translate(module, context)
        library.LLVMSetTarget(translated, triple)
        library.LLVMSetModuleDataLayout(translated, layout)
        _run_passes(translated, machine)
        return _emit(translated, machine)
    finally:
        library.LLVMContextDispose(context)


def _translate(module: ir.Module, context: int) -> int:
    translated = _mlir().mlirTranslateModuleToLLVMIR(_operation(module), context)
    if not translated:
        raise CompileError("translation to LLVM IR failed")
    return translated


def _run_passes(translated: int, machine: int) -> None:
    library = _llvm()
    options = library.LLVMCreatePassBuilderOptions()
    _check(library.LLVMRunPasses(translated, PASSES, machine, options))
    library.LLVMDisposePassBuilderOptions(options)


def _emit(translated: int, machine: int) -> tuple[int, int]:
    library = _llvm()
    message, buffer = _S(), _P()
    failed = library.LLVMTargetMachineEmitToMemoryBuffer(
        machine, translated, OBJECT_FILE, C.byref(message), C.byref(buffer)
    )
    library.LLVMDisposeModule(translated)
    if failed:
        raise CompileError(f"code generation failed: {(message.value or b'').decode()}")
    assert buffer.value
    return buffer.value, library.LLVMGetBufferSize(buffer)


def _operation(module: ir.Module) -> _Handle:
    get, name = C.pythonapi.PyCapsule_GetPointer, C.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = _P, [C.py_object, _S]
    name.restype, name.argtypes = _S, [C.py_object]
    capsule = module.operation._CAPIPtr
    return _Handle(get(capsule, name(capsule)))


def _check(error: int | None) -> None:
    """Raises what an LLVMErrorRef says."""
    if error:
        message: Any = _llvm().LLVMGetErrorMessage(error)
        text = C.string_at(message).decode()
        _llvm().LLVMDisposeErrorMessage(message)
        raise CompileError(f"code generation failed: {text}")


class _Jit:
    """Loaded code; freed with this object. Symbols it needs are found in the process (libm, the OpenMP runtime)."""

    def __init__(self, buffer: int):
        library, handle, generator = _llvm(), _P(), _P()
        _check(library.LLVMOrcCreateLLJIT(C.byref(handle), None))
        self.handle = handle
        weakref.finalize(self, library.LLVMOrcDisposeLLJIT, handle).atexit = False  # the process's end frees it
        dylib = library.LLVMOrcLLJITGetMainJITDylib(handle)
        prefix = library.LLVMOrcLLJITGetGlobalPrefix(handle)
        create = library.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess
        _check(create(C.byref(generator), prefix, None, None))
        library.LLVMOrcJITDylibAddGenerator(dylib, generator)
        _check(library.LLVMOrcLLJITAddObjectFile(handle, dylib, buffer))

    def lookup(self, name: str) -> int:
        address = C.c_uint64()
        _check(_llvm().LLVMOrcLLJITLookup(self.handle, C.byref(address), name.encode()))
        return address.value
