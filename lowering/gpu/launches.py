"""Splits a kernel's code into launches: a linalg op over many elements is one with a thread an element; what stands
between such ops is done by one thread.

Before:  func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { linalg.generic ...; scf.for ... }
After:   func.func private @k.code(%a, %r) { gpu.launch_func @gpu::@k_0 ...; gpu.launch_func @gpu::@k_1 ... }"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.grid import Grid, one_thread
from hlo.lowering.gpu.parallel import emit_parallel, grid_of

GPU_MODULE = "gpu"

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
)
"""Ops without effects: every launch that uses their results computes them anew."""


@dataclass
class Launch:
    """Ops that one gpu.func does, and its threads."""

    grid: Grid
    ops: list[ir.Operation] = field(default_factory=list)


def split_into_launches(code: Any, device: ir.Block, name: str) -> None:
    """Moves the body of `code` into gpu.funcs `name_0`, `name_1`, ... in `device`; launches of them take its place."""
    entry = code.regions[0].blocks[0]
    launches = _launches(entry)
    with code.location:
        old = list(entry.operations)
        for number, launch in enumerate(launches):
            _emit(launch, device, f"{name}_{number}", old[-1].operation)
        for op in reversed(old[:-1]):
            op.operation.erase()


def _launches(entry: ir.Block) -> list[Launch]:
    """Whole-kernel serial where a value computed by one part's effects is used by another."""
    parts: list[Launch] = []
    body = [op.operation for op in list(entry.operations)[:-1]]
    written = _written(body)
    for op in body:
        if _is_free(op, written) or op.name == "memref.dealloc":
            continue
        grid = grid_of(op)
        if grid is not None:
            parts.append(Launch(grid, [op]))
        elif parts and parts[-1].grid.serial:
            parts[-1].ops.append(op)
        else:
            parts.append(Launch(one_thread(), [op]))
    return parts if _independent(parts, written) else [Launch(one_thread(), [op for p in parts for op in p.ops])]


def _is_free(op: ir.Operation, written: set[ir.Value]) -> bool:
    if op.name == "memref.load":
        return op.operands[0] not in written and isinstance(op.operands[0].owner, ir.Block)
    return op.name.startswith(FREE) and not len(op.regions)


def _written(body: list[ir.Operation]) -> set[ir.Value]:
    """Parameters that something other than a load uses; a load from the rest gives the same value at any time."""
    found: set[ir.Value] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name != "memref.load":
            inputs = _read_only(op)
            found.update(v for v in op.operands if v not in inputs)
        return ir.WalkResult.ADVANCE

    for op in body:
        op.walk(visit)
    return found


def _read_only(op: ir.Operation) -> list[ir.Value]:
    """The inputs of a linalg op that are not its outputs."""
    if op.name != "linalg.generic":
        return []
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    operands = list(op.operands)
    return [v for v in operands[:inputs] if v not in operands[inputs:]]


def _independent(parts: list[Launch], written: set[ir.Value]) -> bool:
    """No part uses a value that another part's ops define."""
    home = {op: number for number, part in enumerate(parts) for op in part.ops}
    for op, number in home.items():
        for result in op.results:
            for use in result.uses:
                user = use.owner.operation
                while user.block != op.block:
                    user = user.parent.operation
                if home.get(user, -1) != number:
                    return False
    return True


def gpu_module(module: ir.Module) -> ir.Operation:
    """An empty `gpu.module @gpu` at the end of a module: the code of one program that runs on the device."""
    with ir.InsertionPoint(module.body):
        made = ir.Operation.create("gpu.module", attributes={"sym_name": ir.StringAttr.get(GPU_MODULE)}, regions=1)
        made.regions[0].blocks.append()
    return made


def _emit(launch: Launch, device: ir.Block, name: str, before: ir.Operation) -> None:
    outside = _needed(launch.ops)
    parameters = [v for v in outside if isinstance(v.owner, ir.Block)]
    free = [v.owner.operation for v in outside if not isinstance(v.owner, ir.Block)]
    function = _gpu_function(device, name, [v.type for v in parameters], launch.grid)
    block = function.regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = dict(zip(parameters, block.arguments))
    with ir.InsertionPoint(block):
        for op in _in_order(free, before.block):
            values.update(zip(op.results, _copied(op, values).results))
        if launch.grid.serial:
            for op in launch.ops:
                values.update(zip(op.results, _copied(op, values).results))
        else:
            emit_parallel(launch.ops[0], values, launch.grid)
        ir.Operation.create("gpu.return")
    _launch(launch.grid, name, parameters, before)


def _needed(ops: list[ir.Operation]) -> list[ir.Value]:
    """Values from outside that the ops use, with what those are computed from; each once, parameters too."""
    found: dict[ir.Value, None] = {}
    inside = set(ops)

    def add(value: ir.Value) -> None:
        if value in found:
            return
        if not isinstance(value.owner, ir.Block):
            for operand in value.owner.operands:
                add(operand)
        found[value] = None

    def visit(op: ir.Operation) -> ir.WalkResult:
        for operand in op.operands:
            if _is_outside(operand, inside, ops[0].block):
                add(operand)
        return ir.WalkResult.ADVANCE

    for op in ops:
        op.walk(visit)
    return list(found)


def _is_outside(value: ir.Value, inside: set[ir.Operation], block: ir.Block) -> bool:
    if isinstance(value.owner, ir.Block):
        return value.owner == block
    owner = value.owner.operation
    return owner.block == block and owner not in inside


def _in_order(ops: list[ir.Operation], block: ir.Block) -> list[ir.Operation]:
    wanted = set(ops)
    return [op.operation for op in block.operations if op.operation in wanted]


def _copied(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> ir.Operation:
    copy = op.clone()
    remap(copy, values)
    return copy


def remap(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
    """Operands, also of nested ops, that are old values become the new ones."""
    for position, operand in enumerate(op.operands):
        if operand in values:
            op.operands[position] = values[operand]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                remap(inner.operation, values)


def _gpu_function(device: ir.Block, name: str, types: list[ir.Type], grid: Grid) -> ir.Operation:
    kind = ir.FunctionType.get(types, [])
    threads = ir.DenseI32ArrayAttr.get([grid.threads, 1, 1])
    attributes = {
        "sym_name": ir.StringAttr.get(name),
        "function_type": ir.TypeAttr.get(kind),
        "gpu.kernel": ir.UnitAttr.get(),
        "known_block_size": threads,
        "known_grid_size": ir.DenseI32ArrayAttr.get([grid.blocks, 1, 1]),
    }
    with ir.InsertionPoint(device):
        function = ir.Operation.create("gpu.func", attributes=attributes, regions=1)
    function.regions[0].blocks.append(*types)
    return function


def _launch(grid: Grid, name: str, arguments: list[ir.Value], before: ir.Operation) -> None:
    index = ir.IndexType.get()
    with ir.InsertionPoint(before):
        one, blocks, threads = (arith.constant(index, n) for n in (1, grid.blocks, grid.threads))
        ir.Operation.create(
            "gpu.launch_func",
            operands=[blocks, one, one, threads, one, one, *arguments],
            attributes={
                "kernel": ir.SymbolRefAttr.get([GPU_MODULE, name]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, len(arguments), 0]),
            },
        )
