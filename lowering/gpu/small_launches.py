"""Which launches are small: one block of threads does them in about the time that launching them takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.lowering.finding import ops_within
from hlo.lowering.gpu.element import has_identity_layout
from hlo.lowering.memory.storage import byte_size

MOST_TURNS = 8
"""Blocks' worth of elements (each of 512 threads) that a block does one after the other, in a loop."""

SHORT_TURNS = 2
"""The same outside of loops, where a launch has no condition to be set."""

THREADS = 512
"""Most of a joined launch: more would leave a thread fewer than 128 registers."""

COPIED_BYTES = 16
"""By a thread at once."""

MOST_SHARED = 32 << 10
"""Bytes of static shared memory of a joined launch."""

MOST_LAUNCHES = 48
"""In one: their code is written out."""

MOST_ARGUMENTS = 500
"""Of one: with more, PTX for older drivers has no room for them."""

FREE = ("arith.", "memref.view")
"""Host ops without effects."""

ENDS = ("scf.yield", "scf.condition", "func.return")

PLAIN = ("arith.", "math.", "complex.", "memref.", "vector.", "scf.", "affine.")
THREAD_OPS = ("gpu.thread_id", "gpu.block_id", "gpu.global_id", "gpu.barrier", "gpu.shuffle", "gpu.return")
"""What a joined launch may consist of."""

LOOPS = ("scf.for", "scf.while")


@dataclass(frozen=True)
class Shape:
    """Of a launch: its size, whether its threads wait for each other, bytes of static shared memory; `is_flat`: whether a
    thread does an element and nothing else."""

    blocks: int
    threads: int
    waits: bool
    shared: int
    is_flat: bool


class Small:
    """What is small of a program with host `functions` and GPU functions in `device`."""

    def __init__(self, functions: dict[str, Any], device: ir.Block):
        self.functions = functions
        self.kernels = {
            ir.StringAttr(op.attributes["sym_name"]).value: op.operation
            for op in device.operations
            if op.operation.name == "gpu.func"
        }
        self.shapes: dict[str, Shape | None] = {}

    def callee(self, call: ir.Operation) -> Any:
        return self.functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value]

    def is_code(self, call: ir.Operation) -> bool:
        return not self.callee(call).is_external

    def is_free(self, op: ir.Operation) -> bool:
        return op.name.startswith(FREE) or op.name in ENDS

    def shape(self, launch: ir.Operation) -> Shape | None:
        """Of what can be part of another launch."""
        if "hlo.tensor_maps" in launch.attributes or ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"])[10]:
            return None
        name = kernel_of(launch)
        if name not in self.shapes:
            self.shapes[name] = _shape(self.kernels[name])
        return self.shapes[name]

    def is_short(self, op: ir.Operation, turns: int = SHORT_TURNS) -> bool:
        """A launch or a copy that a block does in so many turns."""
        if op.name == "memref.copy":
            plain = all(has_identity_layout(v.type) for v in op.operands)
            return plain and byte_size(op.operands[0].type) <= turns * THREADS * COPIED_BYTES
        shape = self.shape(op) if op.name == "gpu.launch_func" else None
        if shape is None:
            return False
        return shape.blocks == 1 or (shape.is_flat and shape.blocks * shape.threads <= turns * THREADS)

    def go_together(self, ops: Sequence[ir.Operation]) -> bool:
        """Whether one block has the threads and the memory for all of these."""
        shapes = [s for s in (self.shape(op) for op in ops if op.name == "gpu.launch_func") if s is not None]
        waiting = {s.threads for s in shapes if s.waits}
        if len(waiting) > 1 or sum(s.shared for s in shapes) > MOST_SHARED or len(ops) > MOST_LAUNCHES:
            return False
        arguments = {v for op in ops for v in (arguments_of(op) if op.name == "gpu.launch_func" else op.operands)}
        return len(arguments) <= MOST_ARGUMENTS

    def is_loop(self, loop: ir.Operation) -> bool:
        """Whether all that a loop does is small."""
        found = self._steps(loop)
        if found is None or not any(op.name == "gpu.launch_func" for op in found):
            return False
        return all(self.is_short(op, MOST_TURNS) for op in found) and self.go_together(found)

    def steps(self, ops: Sequence[ir.Operation]) -> list[ir.Operation]:
        """Launches and copies within these ops."""
        return [step for op in ops for step in self._steps(op) or ()]

    def _steps(self, op: ir.Operation) -> list[ir.Operation] | None:
        """Launches and copies within an op of the host; None if there is something else."""
        if op.name in ("gpu.launch_func", "memref.copy"):
            return [op]
        if op.name == "func.call":
            return self._within(self.callee(op)) if self.is_code(op) else None
        if op.name in ("scf.while", "scf.if"):
            return self._within(op) if not len(op.results) and (op.name == "scf.if" or not len(op.operands)) else None
        return [] if self.is_free(op) or (op.name == "memref.load" and len(op.operands) == 1) else None

    def _within(self, op: Any) -> list[ir.Operation] | None:
        found = [self._steps(inner.operation) for r in op.regions for block in r.blocks for inner in block.operations]
        return None if any(one is None for one in found) else [step for one in found for step in one or ()]


def _shape(kernel: ir.Operation) -> Shape | None:
    ops = [op for one in kernel.regions[0].blocks[0].operations for op in ops_within(one)]
    names = [op.name for op in ops]
    deepest = max((_depth(op) for op in ops if op.name in LOOPS), default=0)
    if (
        not all(name.startswith(PLAIN) or name in THREAD_OPS for name in names)
        or "known_cluster_size" in kernel.attributes
    ):
        return None
    blocks, threads = (ir.DenseI32ArrayAttr(kernel.attributes[f"known_{n}_size"])[0] for n in ("grid", "block"))
    shared = sum(byte_size(v.type) for v in attributions(kernel))
    waits = "gpu.barrier" in names or shared > 0
    return Shape(blocks, threads, waits, shared, not waits and deepest <= 1)


def _depth(op: ir.Operation) -> int:
    """Loops within loops, with this one, up to the function."""
    depth = 0
    while op.name != "gpu.func":
        depth += op.name in LOOPS
        op = op.parent.operation
    return depth


def attributions(kernel: ir.Operation) -> list[ir.Value]:
    """Static shared memory of a gpu.func: its last arguments."""
    count = ir.IntegerAttr(kernel.attributes["workgroup_attributions"]).value
    arguments = list(kernel.regions[0].blocks[0].arguments)
    return arguments[len(arguments) - count :]


def kernel_of(launch: ir.Operation) -> str:
    """The name of the gpu.func."""
    return str(ir.SymbolRefAttr(launch.attributes["kernel"]).value[1])


def arguments_of(launch: ir.Operation) -> list[ir.Value]:
    """What a launch without dynamic shared memory passes."""
    sizes = list(ir.DenseI32ArrayAttr(launch.attributes["operandSegmentSizes"]))
    first = sum(sizes[:11])
    return list(launch.operands)[first : first + sizes[11]]
