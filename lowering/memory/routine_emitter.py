"""The code of a routine (`linalg/routine_calls.py`) in the LLVM dialect, from its name.

Before:  hlo_routine_sort_i32
After:   llvm.func @hlo_routine_sort_i32(%numbers: !llvm.ptr, %words: !llvm.ptr, %room: !llvm.ptr) {...}
         llvm.func @(what it calls)(...)"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from mlir import ir
from mlir.dialects import bufferization, func, memref

from hlo.dialect import contexts
from hlo.lowering.finding import ops_within
from hlo.lowering.linalg.loops import index
from hlo.lowering.linalg.routine_calls import ANY, array_of
from hlo.lowering.llvm.math.large_angles import is_of_angles, module_of_angles
from hlo.lowering.memory.loops_emitter import separate_empty_tensors, to_memory
from hlo.lowering.target import target

if TYPE_CHECKING:
    from hlo.lowering.linalg.routine_table import Routine

T = TypeVar("T")

OF_PROGRAMS = ("inline-code", "parallelise-parts", "add-entry")
"""Passes of the phase `llvm` that look at how a program calls its kernels."""
BYTES = 1 << 14
"""About what a routine leaves behind in a context."""


@functools.cache
def routine_text(name: str, processor: str) -> str:
    """A module in the LLVM dialect."""
    return of_routines([name], processor, str)


def of_routines(names: Sequence[str], processor: str, made_of: Callable[[ir.Module], T]) -> T:
    """What is made of a module in the LLVM dialect, which is gone then, with the code of a routine, or of several
    (`runtime/code/routines.py`: those whose functions call no other)."""
    from hlo import pipelines

    borrowed = contexts.borrow()
    with borrowed.context, ir.Location.name(names[0]):
        module = _module(names, processor)
        *_, phase = pipelines.cpu(processor)
        phase.passes = [p for p in phase.passes if p not in OF_PROGRAMS]
        pipelines.run(module, [phase])
        made = made_of(module)
    del module
    contexts.give_back(borrowed, BYTES * len(names))
    return made


def _module(names: Sequence[str], processor: str) -> ir.Module:
    """The code, before the phase `llvm`, by the table of the names' kind: others are not imported."""
    if is_of_angles(names[0]):
        return module_of_angles(names)
    from hlo.lowering.linalg.routine_table import routine_named
    from hlo.lowering.vector.contraction.routines import function_named

    functions = [f for f in map(function_named, names) if f is not None]
    if functions:
        return ir.Module.parse("".join(f.text(visibility="") for f in functions))
    return _on_memory(routine_named(names[0], target(processor)))


def _on_memory(routine: Routine) -> ir.Module:
    module = ir.Module.create()
    numbers = ir.MemRefType.get([routine.numbers], ir.IndexType.get())
    kinds = [numbers, *map(array_of, (*routine.reads, *routine.writes))]
    with ir.InsertionPoint(module.body):
        code = func.FuncOp(routine.name, (kinds, []))
    entry = code.add_entry_block()
    with ir.InsertionPoint(entry):
        _body(routine, list(entry.arguments))
        func.ReturnOp([])
    separate_empty_tensors(module)
    to_memory(module, code)
    _on_stack(code)
    return module


def _body(routine: Routine, arguments: Sequence[ir.Value]) -> None:
    given, *arrays = arguments
    numbers = [memref.load(given, [index(n)]) for n in range(routine.numbers)]
    first = len(routine.reads)
    tensors = [_tensor(a, writable=n >= first) for n, a in enumerate(arrays)]
    made = routine.build(numbers, tensors[:first], tensors[first:])
    for value, array in zip(made, arrays[first:], strict=True):
        bufferization.materialize_in_destination(None, value, array, restrict=True, writable=True)


def _tensor(array: ir.Value, writable: bool) -> ir.Value:
    kind = ir.RankedTensorType.get([ANY], ir.MemRefType(array.type).element_type)
    return bufferization.to_tensor(kind, array, restrict=True, writable=writable)


def _on_stack(code: Any) -> None:
    """Temporaries, which are small: what grows with a line is the caller's."""
    for op in ops_within(code.operation, lambda op: op.name in ("memref.alloc", "memref.dealloc")):
        if op.name == "memref.alloc":
            with op.location, ir.InsertionPoint.at_block_begin(code.entry_block):
                op.results[0].replace_all_uses_with(memref.alloca(op.results[0].type, [], [], alignment=64))
        op.erase()
