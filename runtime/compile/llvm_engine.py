"""A module in the LLVM dialect becomes object files, large ones in parts, and code in this process."""

from __future__ import annotations

import ctypes as C
import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mlir import ir

from hlo.errors import ArgumentError, CompileError
from hlo.lowering.llvm.generate_plainly import is_plain
from hlo.lowering.target import TARGETS, processor
from hlo.other_llvm import library as library_name
from hlo.runtime.calls import interrupted_loops
from hlo.runtime.code import parallel_parts
from hlo.runtime.code.linked_code import link
from hlo.runtime.code.loaded_code import INTERRUPT, Code
from hlo.runtime.code.routines import routine_assembly, routine_objects
from hlo.runtime.compile import small_float_functions
from hlo.runtime.compile.code_options import code_options
from hlo.runtime.compile.llvm_library import P, S, llvm
from hlo.runtime.compile.object_files import ASSEMBLY, OBJECT, Machine, machine_named, object_file, text_to_object
from hlo.runtime.compile.split_module import split
from hlo.runtime.grid import meetings
from hlo.runtime.profile import timers


class _Handle(C.Structure):
    """MlirOperation: one pointer, passed by value."""

    _fields_ = [("pointer", P)]


@functools.cache
def _mlir() -> C.PyDLL:
    """MLIR's C API. It keeps the GIL: a context may be used by one thread at a time."""
    from mlir import _mlir_libs

    library = C.PyDLL(library_name(next(Path(_mlir_libs.__path__[0]).glob("libMLIRPythonCAPI.so*"))))
    translate = library.mlirTranslateModuleToLLVMIR
    translate.restype, translate.argtypes = P, [_Handle, P]
    return library


def compile_module(module: ir.Module, entry: str, cpu: str = "host") -> Code:
    """Machine code of a module in the LLVM dialect; `Code.keep` owns it."""
    return link(generate(module, cpu), entry)


def generate(module: ir.Module, cpu: str = "host") -> list[bytes]:
    """Object files of a module, which loses its functions: large ones are compiled in parts, one a thread."""
    cpu = processor(cpu)
    objects = compiled(_parts(module), cpu)
    objects += routine_objects(objects, cpu)
    return [*objects, *(make(cpu) for names, make in HELPERS if any(n in one for one in objects for n in names))]


def assembly(module: ir.Module, cpu: str = "host") -> str:
    """What `generate` would put into object files, as text, routines behind the module's functions, which it loses."""
    cpu = processor(cpu)
    code = b"".join(compiled(_parts(module), cpu, ASSEMBLY))
    return b"".join([code, *routine_assembly(code, cpu)]).decode()


def _parts(module: ir.Module) -> list[ir.Module]:
    return split(module, len(os.sched_getaffinity(0)))


def compiled(parts: Sequence[ir.Module], cpu: str, kind: int = OBJECT) -> list[bytes]:
    """An object file (or assembly) of each module in the LLVM dialect, side by side."""
    if cpu not in ("host", *TARGETS):
        raise ArgumentError(f"unknown cpu {cpu!r}; known: host, {', '.join(TARGETS)}")
    contexts = [llvm().LLVMContextCreate() for _ in parts]
    try:
        translated = [translate(part, context) for part, context in zip(parts, contexts)]
        return _files(translated, machine_named(cpu), kind, [is_plain(part) for part in parts])
    finally:
        for context in contexts:
            llvm().LLVMContextDispose(context)


@functools.cache
def _conversions(cpu: str) -> bytes:
    """The object file of the functions that LLVM calls for element types the processor does not know."""
    return text_to_object(small_float_functions.TEXT, machine_named(cpu))


@functools.cache
def _meetings(cpu: str) -> bytes:
    """The object file of the functions by which processes of a grid meet."""
    return _from_dialect(meetings.text(), cpu)


@functools.cache
def _from_dialect(text: str, cpu: str) -> bytes:
    return object_of_text(text, cpu)


def object_of_text(text: str, cpu: str) -> bytes:
    return code_of_text(text, cpu, OBJECT)


def code_of_text(text: str, cpu: str, kind: int) -> bytes:
    """The object file (or assembly) of functions that are written in the LLVM dialect."""
    library = llvm()
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        context = library.LLVMContextCreate()
        try:
            return object_file(translate(module, context), machine_named(cpu), kind)
        finally:
            library.LLVMContextDispose(context)


TIMED = b"hlo_profile_begin"
"""What every program with timers calls."""

HELPERS = (
    (small_float_functions.NAMES, _conversions),
    ((parallel_parts.RUN_PARTS.encode(), TIMED), functools.partial(_from_dialect, parallel_parts.TEXT)),
    ((TIMED,), lambda cpu: _from_dialect(timers.text(), cpu)),
    ((INTERRUPT.encode(),), functools.partial(_from_dialect, interrupted_loops.TEXT)),
    (tuple(name.encode() for name in meetings.NAMES), _meetings),
)
"""Names of functions, and what makes the object file that has them; each is made once a process and added to programs that call one."""


def _files(translated: list[int], machine: Machine, kind: int, quick: list[bool]) -> list[bytes]:
    with code_options():
        if len(translated) == 1:
            return [object_file(translated[0], machine, kind, quick[0])]
        make = functools.partial(object_file, machine=machine, kind=kind)
        with ThreadPoolExecutor(min(len(translated), len(os.sched_getaffinity(0)))) as pool:
            return list(pool.map(lambda one, plainly: make(one, quick=plainly), translated, quick))


def translate(module: ir.Module, context: int) -> int:
    """The LLVM module of a module in the LLVM dialect, in an LLVM context."""
    translated = _mlir().mlirTranslateModuleToLLVMIR(_operation(module), context)
    if not translated:
        raise CompileError("translation to LLVM IR failed")
    return translated


def _operation(module: ir.Module) -> _Handle:
    get, name = C.pythonapi.PyCapsule_GetPointer, C.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = P, [C.py_object, S]
    name.restype, name.argtypes = S, [C.py_object]
    capsule = module.operation._CAPIPtr
    return _Handle(get(capsule, name(capsule)))
