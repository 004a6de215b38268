"""Splits the code of a kernel of loops into launches: a loop whose iterations are independent is one of many threads;
what stands between such loops is done by one thread.

Before:  func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { scf.for ... {hlo.parallel}; scf.for ... }
After:   func.func private @k.code(%a, %r) { gpu.launch_func @gpu::@k_0 ...; gpu.launch_func @gpu::@k_1 ... }"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.copying import cloned
from hlo.lowering.finding import ancestor_in, ops_within, values_from_outside
from hlo.lowering.gpu.device_functions import Launches
from hlo.lowering.gpu.grid import Launch, Values
from hlo.lowering.gpu.loop_launches import divided_loop, serial_ops
from hlo.lowering.memory.loops_emitter import bufferize, bufferized, first_op, rename_globals
from hlo.lowering.memory.scratch import take_scratch

FREE = (
    "arith.",
    "math.",
    "complex.",
    "affine.apply",
    "memref.subview",
    "memref.view",
    "memref.cast",
    "memref.reinterpret_cast",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.get_global",
    "builtin.unrealized_conversion_cast",
)
"""Ops without effects: every launch that uses their results computes them anew."""


TO_MEMORY = "canonicalize,cse,func.func(buffer-hoisting,buffer-loop-hoisting),canonicalize,cse"


def loops_code(kernel: Any, name: str) -> ir.Module:
    """A module with the function `name` on memrefs (the kernel's arguments, then its results that are not tied, then a workspace), and its
    gpu.module @gpu."""
    with kernel.location:
        scratch = bufferized(kernel, name, TO_MEMORY)
        rename_globals(scratch, name)
        code = first_op(scratch)
        launches = Launches(scratch, code, kernel.name.value)
        move_ops([op for op in scratch.body.operations if op.operation.name == "memref.global"], launches.device)
        known = "hlo.independent" in kernel.attributes
        independent = ir.IntegerAttr(kernel.attributes["hlo.independent"]).value if known else 1
        split_into_launches(code, launches, independent)
        take_scratch(kernel, code)
        bufferize(scratch, kernel, "builtin.module(gpu.module(gpu.func(convert-linalg-to-loops)))")
    return scratch


def move_ops(ops: list[Any], to: ir.Block) -> None:
    """To the end of a block."""
    for op in ops:
        op.operation.detach_from_parent()
        to.append(op)


def split_into_launches(code: Any, launches: Launches, independent: int = 1) -> None:
    """Moves the body of `code` into gpu.funcs; launches of them take its place. Allocations stay in `code`. `independent`: iterations of
    the outermost loop that do not depend on each other."""
    entry = code.regions[0].blocks[0]
    with code.location:
        found = _launches(entry, independent)
        old = [op.operation for op in entry.operations]
        for launch in found:
            _emit(launch, launches, old)
        for op in reversed(old[:-1]):
            if op.name != "memref.alloc" or not any(op.results[0].uses):
                op.erase()


def _launches(entry: ir.Block, independent: int) -> list[Launch]:
    """One launch for each loop that is divided; everything by one thread where launches would need each other's values."""
    found: list[Launch] = []
    body = [op.operation for op in list(entry.operations)[:-1]]
    written = _written(body)
    serial: list[ir.Operation] = []
    for op in body:
        if _is_free(op, written) or op.name in ("memref.dealloc", "memref.alloc"):
            continue
        loop = divided_loop(op, independent)
        if loop is None:
            serial.append(op)
            continue
        found += [*([serial_ops(serial)] if serial else []), loop.launch()]
        serial = []
    found += [serial_ops(serial)] if serial else []
    if _independent(found):
        return found
    return [serial_ops([op for op in body if op.name not in ("memref.dealloc", "memref.alloc")])]


def _is_free(op: ir.Operation, written: set[ir.Value]) -> bool:
    if op.name == "memref.load":
        return op.operands[0] not in written and isinstance(op.operands[0].owner, ir.Block)
    return op.name.startswith(FREE) and not len(op.regions)


def _written(body: list[ir.Operation]) -> set[ir.Value]:
    """Parameters that something other than a load, or than a linalg op as an input alone, uses; a load from the rest
    gives the same value at any time."""
    found: set[ir.Value] = set()
    for op in [one for outer in body for one in ops_within(outer, lambda inner: inner.name != "memref.load")]:
        operands = list(op.operands)
        inputs = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0] if op.name == "linalg.generic" else 0
        found.update(operands[inputs:])
    return found


def _independent(launches: list[Launch]) -> bool:
    """No launch uses a value that another one's ops define."""
    home = {op: number for number, launch in enumerate(launches) for op in launch.ops}
    return all(
        home.get(ancestor_in(use.owner.operation, op.block), -1) == number
        for op, number in home.items()
        for result in op.results
        for use in result.uses
    )


def _emit(launch: Launch, launches: Launches, ops: Sequence[ir.Operation]) -> None:
    """`ops`: of the code; of those without effects the launch computes what its own use of them."""
    outside = values_from_outside(launch.ops, lambda v: not _is_memory(v))
    free = {v.owner.operation for v in outside if not _is_memory(v)}
    memory = [*launches.entry.arguments, *(op.results[0] for op in ops if op.name == "memref.alloc")]

    def write(here: Values, _: Sequence[ir.Value]) -> None:
        for op in ops:
            if op in free:
                cloned(op, here)
        launch.emit(here)

    with launch.ops[-1].location:
        launches.add(launch, memory, write)


def _is_memory(value: ir.Value) -> bool:
    """A parameter of the code, or a temporary that it allocates: an argument of launches."""
    return isinstance(value.owner, ir.Block) or value.owner.name == "memref.alloc"
