"""Splits a kernel's code into launches: a linalg op over many elements is one with a thread an element; what stands
between such ops is done by one thread.

Before:  func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { linalg.generic ...; scf.for ... }
After:   func.func private @k.code(%a, %r) { gpu.launch_func @gpu::@k_0 ...; gpu.launch_func @gpu::@k_1 ... }"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.lowering.copying import cloned
from hlo.lowering.finding import ancestor_in, ops_within, values_from_outside
from hlo.lowering.gpu.accesses import nest_of
from hlo.lowering.gpu.device_functions import add_launch, gpu_function
from hlo.lowering.gpu.element import Values, operands_within
from hlo.lowering.gpu.elementwise import elementwise_launch
from hlo.lowering.gpu.grid import Launch
from hlo.lowering.gpu.loop_launches import divided_loop, serial_ops
from hlo.lowering.gpu.reductions import in_parts, reduction
from hlo.lowering.gpu.rows import memory_of, row_group
from hlo.lowering.gpu.threads import add_shared
from hlo.lowering.vector.target import Target

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


def split_into_launches(code: Any, device: ir.Block, name: str, target: Target, independent: int = 1) -> None:
    """Moves the body of `code` into gpu.funcs `name_0`, `name_1`, ... in `device`; launches of them take its place.
    Allocations stay in `code`. `target`: what the code is for. `independent`: iterations of the outermost loop that do
    not depend on each other."""
    entry = code.regions[0].blocks[0]
    with code.location:
        launches = _launches(entry, target, independent)
        old = [op.operation for op in entry.operations]
        for number, launch in enumerate(launches):
            _emit(launch, device, f"{name}_{number}", old[-1])
        for op in reversed(old[:-1]):
            if op.name != "memref.alloc" or not any(op.results[0].uses):
                op.erase()


def _launches(entry: ir.Block, target: Target, independent: int) -> list[Launch]:
    """One launch an op where ops are parallel; everything by one thread where launches would need each other's values."""
    found: list[Launch] = []
    body = [op.operation for op in list(entry.operations)[:-1]]
    written = _written(body)
    work = [op for op in body if not _is_free(op, written) and op.name not in ("memref.dealloc", "memref.alloc")]
    work = _late_fills(work)
    serial: list[ir.Operation] = []
    while work:
        launches = _group(work, target) or _single(work, target, independent)
        if launches:
            found += [*([serial_ops(serial)] if serial else []), *launches]
            serial, work = [], work[len(launches[-1].ops) :]
        else:
            serial.append(work.pop(0))
    found += [serial_ops(serial)] if serial else []
    if _independent(found):
        return found
    return [serial_ops([op for op in body if op.name not in ("memref.dealloc", "memref.alloc")])]


def _late_fills(work: list[ir.Operation]) -> list[ir.Operation]:
    """Each op that fills an array with one value stands right in front of the first op that uses the array."""
    found = list(work)
    for op in reversed(work):
        nest = nest_of(op) if op.name == "linalg.generic" else None
        if nest is None or nest.reduction or any(isinstance(v.type, ir.MemRefType) for v in list(op.operands)[:-1]):
            continue
        array, start = memory_of(list(op.operands)[-1]), found.index(op)
        users = (n for n, later in enumerate(found) if n > start and _uses(later, array))
        found.insert(next(users, start + 1) - 1, found.pop(start))
    return found


def _uses(op: ir.Operation, array: ir.Value) -> bool:
    return any(memory_of(v) == array for v in operands_within(op) if isinstance(v.type, ir.MemRefType))


def _group(work: list[ir.Operation], target: Target) -> Sequence[Launch]:
    """The launches of the ops that `work` begins with, if those are rows or a reduction: the last launch has them all."""
    rows = row_group(work)
    reduced = reduction(work, target)
    if rows is not None and (reduced is None or len(rows.members) > 1 + len(reduced.fills)):
        return [rows.launch()]
    return in_parts(reduced, target) if reduced is not None else []


def _single(work: list[ir.Operation], target: Target, independent: int) -> Sequence[Launch]:
    """The launch of the first op, perhaps with others over the same elements."""
    elementwise = elementwise_launch(work, lambda rest: _group(list(rest), target))
    if elementwise is not None:
        return [elementwise]
    loop = divided_loop(work[0], independent)
    return [loop.launch()] if loop is not None else []


def _is_free(op: ir.Operation, written: set[ir.Value]) -> bool:
    if op.name == "memref.load":
        return op.operands[0] not in written and isinstance(op.operands[0].owner, ir.Block)
    return op.name.startswith(FREE) and not len(op.regions)


def _written(body: list[ir.Operation]) -> set[ir.Value]:
    """Parameters that something other than a load, or than a linalg op as an input alone, uses; a load from the rest gives the same value at any time."""
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


def _emit(launch: Launch, device: ir.Block, name: str, before: ir.Operation) -> None:
    used = lambda op: [v for v in op.operands if op not in launch.ops or v not in launch.skipped]
    # values from outside that the ops use, with what those are computed from; each once
    needed = values_from_outside(launch.ops, used, lambda v: not _is_memory(v))
    outside = [*needed, *launch.partials]
    inside = {*launch.hidden, *launch.shared}
    parameters = [launch.temporaries.get(v, v) for v in outside if _is_memory(v) and v not in inside]
    free = {v.owner.operation for v in outside if not _is_memory(v)}
    function = gpu_function(device, name, [v.type for v in parameters], launch)
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    values: Values = dict(zip(parameters, arguments))
    values.update({v: add_shared(function, kind) for v, kind in launch.shared.items()})
    with ir.InsertionPoint(block):
        for op in before.block.operations:
            if op.operation in free:
                cloned(op.operation, values)
        launch.emit(values)
        ir.Operation.create("gpu.return")
    with launch.ops[-1].location:
        add_launch(launch.grid, name, parameters, (), before)


def _is_memory(value: ir.Value) -> bool:
    """A parameter of the code, or a temporary that it allocates: an argument of launches."""
    return isinstance(value.owner, ir.Block) or value.owner.name == "memref.alloc"
