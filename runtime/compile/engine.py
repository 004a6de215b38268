"""The interface of code generation: a module in the LLVM dialect becomes machine code in this process.

Two engines: "llvm" (LLVM's C API, runtime/compile/llvm_engine.py) and "mlir" (MLIR's ExecutionEngine, the plain alternative)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from mlir import ir

from hlo.errors import ArgumentError, CompileError
from hlo.runtime.calls import interrupted_loops
from hlo.runtime.code import parallel_parts
from hlo.runtime.code.loaded_code import Code
from hlo.runtime.grid import meetings


def compile_code(module: ir.Module, entry: str, engine: str = "llvm", cpu: str = "host") -> Code:
    """Generates code for a module in the LLVM dialect. Raises CompileError with LLVM's message."""
    if engine not in ENGINES:
        raise ArgumentError(f"unknown engine {engine!r}; engines: {', '.join(ENGINES)}")
    return ENGINES[engine](module, entry, cpu)


def _llvm(module: ir.Module, entry: str, cpu: str) -> Code:
    from hlo.runtime.compile.llvm_engine import compile_module

    return compile_module(module, entry, cpu)


def _mlir(module: ir.Module, entry: str, cpu: str) -> Code:
    from mlir.execution_engine import ExecutionEngine

    from hlo.runtime.code.routines import add_routines

    if cpu != "host":
        raise ArgumentError(f"engine 'mlir' generates code for the host only, found cpu={cpu!r}")
    add_runtime(module, entry)
    add_routines(module, cpu)
    try:
        engine = ExecutionEngine(module, opt_level=2, shared_libs=[])
    except RuntimeError as error:
        raise CompileError(f"code generation failed: {error}") from None
    start, threads, interrupt = addresses(engine)
    return Code(start, 0, engine, threads=threads, interrupt=interrupt)


_ADDRESSES = """
llvm.func @{entry}(!llvm.ptr)
llvm.func @store_addresses(%to: !llvm.ptr) {{
  %0 = llvm.mlir.addressof @{entry} : !llvm.ptr
  %1 = llvm.mlir.addressof @hlo_threads : !llvm.ptr
  %2 = llvm.mlir.addressof @hlo_interrupt : !llvm.ptr
  %second = llvm.getelementptr %to[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %third = llvm.getelementptr %to[2] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.store %0, %to : !llvm.ptr, !llvm.ptr
  llvm.store %1, %second : !llvm.ptr, !llvm.ptr
  llvm.store %2, %third : !llvm.ptr, !llvm.ptr
  llvm.return
}}
"""


def add_runtime(module: ir.Module, entry: str) -> None:
    """Adds what runs parts on threads, where processes of a grid meet, what ends loops, and what `addresses` needs."""
    texts = (_ADDRESSES.format(entry=entry), parallel_parts.TEXT, meetings.text(), interrupted_loops.TEXT)
    add_functions(module, "".join(texts))


def add_functions(module: ir.Module, text: str) -> None:
    """Moves what the text defines, and declares, into the module; what is in both is the one with a body."""
    known = {_symbol(op): op for op in module.body.operations if "sym_name" in op.operation.attributes}
    with module.context, ir.Location.unknown():
        parsed = ir.Module.parse(text)  # owns the functions until they are moved
        for op in list(parsed.body.operations):
            old = known.get(_symbol(op))
            if old is not None and not len(op.regions[0].blocks):
                continue
            if old is not None:
                old.operation.erase()
            op.operation.detach_from_parent()
            module.body.append(op)


def _symbol(op: Any) -> str:
    return ir.StringAttr(op.operation.attributes["sym_name"]).value


def addresses(engine: Any) -> tuple[int, int, int]:
    """Of the entry, of the words `hlo_threads` and of the pointer `hlo_interrupt`, in an ExecutionEngine of a module
    that `add_runtime` has changed."""
    found = (ctypes.c_uint64 * 3)()
    argument = ctypes.c_void_p(ctypes.addressof(found))
    packed = (ctypes.c_void_p * 1)(ctypes.addressof(argument))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.raw_lookup("store_addresses"))(ctypes.addressof(packed))
    return found[0], found[1], found[2]


ENGINES: dict[str, Callable[[ir.Module, str, str], Code]] = {"llvm": _llvm, "mlir": _mlir}
