"""What a program has to do in one call: the work of its kernels (kernel_work.py), added up over their calls.

Read by JAX's `compiled.cost_analysis()`. As XLA counts: the body of a loop once, of a branch the most of each number
that a side has, and of what only the run decides (a sort, a custom call) the bytes alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mlir import ir

from hlo.lowering.finding import callee_of
from hlo.lowering.kernel_calls import functions_of
from hlo.lowering.memory.kernel_work import Work, work_of
from hlo.lowering.memory.storage import byte_size


def program_work(module: ir.Module, entry: str) -> Work:
    """Of a module whose kernels are functions on tensors, before emit-kernels."""
    functions = functions_of(module)
    return _of_blocks(functions[entry].regions[0].blocks, functions)


def _of_blocks(blocks: Iterable[Any], functions: Mapping[str, Any]) -> Work:
    return sum((_of_op(op, functions) for block in blocks for op in block.operations), Work())


def _of_op(op: Any, functions: Mapping[str, Any]) -> Work:
    if op.operation.name == "func.call":
        return _of_call(op, functions)
    regions = [_of_blocks(region.blocks, functions) for region in op.regions]
    if op.operation.name in ("scf.if", "scf.index_switch"):
        return Work(*(max(column) for column in zip(*(one.counts for one in regions))))
    return sum(regions, Work())


def _of_call(call: Any, functions: Mapping[str, Any]) -> Work:
    callee = functions[callee_of(call)]
    if "hlo.kernel" in callee.attributes:
        return work_of(callee, functions)
    if len(callee.regions[0].blocks):
        return _of_blocks(callee.regions[0].blocks, functions)
    return Work(0, 0, sum(map(byte_size, callee.type.inputs)), sum(map(byte_size, callee.type.results)))
