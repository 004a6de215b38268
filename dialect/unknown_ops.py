"""Lets an IRDL dialect hold ops that IRDL cannot define (mixed variadics, terminators): sets the dialect's
`unknownOpsAllowed` byte, which LLVM 22 exposes to C++ only. To be dropped with LLVM 23, whose Python-defined dialects
attach traits to ops.

The byte is reached through the dialect's address and is written only after the object has been recognised: its name,
name length and context pointer are where LLVM 22.1 keeps them, and the two flags hold their initial zeros."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path

from mlir import _mlir_libs, ir

from hlo.errors import HloError
from hlo.other_llvm import library as library_name

# mlir::Dialect in LLVM 22.1: vtable, name (pointer, length), TypeID, context, two flags.
_NAME, _NAME_LENGTH, _CONTEXT = 1, 2, 4
_UNKNOWN_OPS_ALLOWED, _UNKNOWN_TYPES_ALLOWED = 40, 41


class _Pointer(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_void_p)]


class _StringRef(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


@functools.cache
def _c_api() -> ctypes.CDLL:
    library = ctypes.CDLL(library_name(Path(_mlir_libs.__file__).parent / "libMLIRPythonCAPI.so"))
    library.mlirContextGetOrLoadDialect.restype = _Pointer
    library.mlirContextGetOrLoadDialect.argtypes = [_Pointer, _StringRef]
    return library


def _context_pointer(context: ir.Context) -> int:
    capsule = context._CAPIPtr
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get_pointer(capsule, get_name(capsule))


def allow_unknown_ops(context: ir.Context, namespace: str) -> None:
    """Makes a loaded dialect accept ops it does not define; raises HloError when the wheel is not the one known."""
    name = namespace.encode()
    pointer = _context_pointer(context)
    dialect = _c_api().mlirContextGetOrLoadDialect(_Pointer(pointer), _StringRef(name, len(name))).ptr
    if not dialect:
        raise HloError(f"dialect {namespace!r} is not loaded")
    words = (ctypes.c_uint64 * 6).from_address(dialect)
    flags = (ctypes.c_ubyte * 48).from_address(dialect)
    known = (
        words[_NAME_LENGTH] == len(name)
        and words[_CONTEXT] == pointer
        and ctypes.string_at(words[_NAME], len(name)) == name
        and flags[_UNKNOWN_OPS_ALLOWED] in (0, 1)
        and flags[_UNKNOWN_TYPES_ALLOWED] == 0
    )
    if not known:
        raise HloError(_unknown_wheel(namespace))
    flags[_UNKNOWN_OPS_ALLOWED] = 1


def _unknown_wheel(namespace: str) -> str:
    from importlib import metadata

    package = "xtc-mlir-python-bindings"
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        found = "an unknown version"
    return (
        f"dialect {namespace!r} has an unexpected memory layout: found {package} {found}, "
        "allowed are versions 22.1.x (installed by `pip install hlo`)"
    )
