"""The interface of code generation: a module in the LLVM dialect becomes machine code in this process.

Two engines: "llvm" (LLVM's C API, runtime/llvm_engine.py) and "mlir" (MLIR's ExecutionEngine, the plain alternative)."""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlir import ir

from hlo.errors import ArgumentError, CompileError


@dataclass(frozen=True)
class Code:
    """Machine code in memory: the address of the entry, the size in bytes, and what must stay alive with it."""

    entry: int
    size: int
    keep: Any


def compile_code(module: ir.Module, entry: str, engine: str = "llvm", cpu: str = "host") -> Code:
    """Generates code for a module in the LLVM dialect. Raises CompileError with LLVM's message."""
    if engine not in ENGINES:
        raise ArgumentError(f"unknown engine {engine!r}; engines: {', '.join(ENGINES)}")
    load_openmp()
    return ENGINES[engine](module, entry, cpu)


def _llvm(module: ir.Module, entry: str, cpu: str) -> Code:
    from hlo.runtime.llvm_engine import compile_module

    return compile_module(module, entry, cpu)


def _mlir(module: ir.Module, entry: str, cpu: str) -> Code:
    from mlir.execution_engine import ExecutionEngine

    if cpu != "host":
        raise ArgumentError(f"engine 'mlir' generates code for the host only, found cpu={cpu!r}")
    try:
        engine = ExecutionEngine(module, opt_level=2, shared_libs=[])
    except RuntimeError as error:
        raise CompileError(f"code generation failed: {error}") from None
    address = engine.raw_lookup(entry)
    if not address:
        raise CompileError(f"code generation failed: no function {entry!r}")
    return Code(address, 0, engine)


ENGINES: dict[str, Callable[[ir.Module, str, str], Code]] = {"llvm": _llvm, "mlir": _mlir}


@functools.cache
def load_openmp() -> ctypes.CDLL:
    """Makes the OpenMP runtime's symbols visible to generated code; once a process."""
    folders = [Path(sys.prefix) / "lib", Path(sysconfig.get_path("purelib")).parents[1], *_wheel_folders()]
    for folder in folders:
        if (folder / "libiomp5.so").exists():
            return ctypes.CDLL(str(folder / "libiomp5.so"), ctypes.RTLD_GLOBAL)
    raise CompileError("libiomp5.so (package intel-openmp) was not found; install hlo's dependencies again")


def _wheel_folders() -> list[Path]:
    from importlib.metadata import PackageNotFoundError, files

    try:
        return [Path(f.locate()).parent for f in files("intel-openmp") or () if f.name == "libiomp5.so"]
    except PackageNotFoundError:
        return []
