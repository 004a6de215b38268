"""The code of several launches as one of a single block: each is written out for its threads, a barrier behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.finding import values_from_outside
from hlo.lowering.gpu.block_reduction import add_shared
from hlo.lowering.gpu.control_flow import each, identity, index_constant
from hlo.lowering.gpu.device_functions import add_launch, gpu_function
from hlo.lowering.gpu.element import Values, aligned
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.gpu.small_launches import (
    COPIED_BYTES,
    FREE,
    THREADS,
    Shape,
    Small,
    arguments_of,
    attributions,
    kernel_of,
)
from hlo.lowering.memory.loops_emitter import cloned
from hlo.lowering.memory.storage import byte_size, element_bytes

REGISTERS = 1 << 16
"""Of a multiprocessor."""


@dataclass(frozen=True)
class Joined:
    """What one block does in place of `count` launches and copies, or of a loop with so many in a turn."""

    count: int
    threads: int
    is_loop: bool

    @property
    def grid(self) -> Grid:
        return Grid(1, self.threads)

    @property
    def registers(self) -> int:
        """Of a thread: there is one block, for which ptxas need not spare any."""
        return min(255, REGISTERS // self.threads)

    @property
    def decision(self) -> str:
        return f"{'a loop with ' if self.is_loop else ''}{self.count} small launches as one"


def write_joined(ops: Sequence[ir.Operation], name: str, small: Small, device: ir.Block) -> ir.Operation:
    """A gpu.func of this name at the end of `device` that does what the host does in `ops`; its launch stands in front of the
    last of them."""
    last, steps, outside = ops[-1], small.steps(ops), _outside(ops)
    plan = Joined(len(steps), _threads(steps, small), last.name == "scf.while")
    parameters = [v for v in outside if not _is_computed(v)]
    with last.location:
        function = gpu_function(device, name, [v.type for v in parameters], plan, registers=plan.registers)
        block = function.regions[0].blocks[0]
        code = _Code(function, small, plan.threads, dict(zip(parameters, block.arguments)))
        with ir.InsertionPoint(block):
            code.thread = identity("gpu.thread_id")
            for value in outside:
                if value not in code.values:
                    code.copy(value.owner.operation)
            code.ops(ops)
            ir.Operation.create("gpu.return")
        add_launch(plan.grid, name, parameters, [], last)
    return function


def _threads(steps: Sequence[ir.Operation], small: Small) -> int:
    """Of the block: those of launches whose threads wait for each other, else as many as the largest one has use for."""
    shapes = [s for s in (small.shape(op) for op in steps if op.name == "gpu.launch_func") if s is not None]
    waiting = [s.threads for s in shapes if s.waits]
    copies = [byte_size(op.operands[0].type) // COPIED_BYTES for op in steps if op.name == "memref.copy"]
    most = max([s.blocks * s.threads for s in shapes] + copies, default=1)
    return waiting[0] if waiting else min(THREADS, -(-max(1, most) // 32) * 32)


def _outside(ops: Sequence[ir.Operation]) -> list[ir.Value]:
    """Values that the ops use and do not define, each behind those that it is made from."""
    return values_from_outside(
        ops, lambda op: arguments_of(op) if op.name == "gpu.launch_func" else list(op.operands), _is_computed
    )


def _is_computed(value: ir.Value) -> bool:
    """Whether it can be computed anew anywhere: no parameter of the host function, no allocation."""
    return not isinstance(value.owner, ir.Block) and value.owner.name.startswith(FREE)


class _Code:
    """Writes ops of the host at the insertion point. `values`: what they use, as the gpu.func has it."""

    def __init__(self, function: ir.Operation, small: Small, threads: int, values: Values):
        self.function, self.small, self.threads, self.values = function, small, threads, values
        self.thread: ir.Value | None = None

    def ops(self, ops: Sequence[ir.Operation]) -> None:
        for op in ops:
            writer = WRITERS.get(op.name)
            if writer is not None:
                writer(self, op)
            elif not op.name.endswith((".yield", ".condition", ".return")):
                self.copy(op)

    def copy(self, op: ir.Operation) -> None:
        cloned(op, self.values)

    def call(self, op: ir.Operation) -> None:
        block = self.small.callee(op).regions[0].blocks[0]
        inner = {a: self.values[v] for a, v in zip(block.arguments, op.operands, strict=True)}
        outer, self.values = self.values, inner
        self.ops([one.operation for one in block.operations])
        self.values = outer

    def loop(self, op: ir.Operation) -> None:
        """All threads have read the condition before one of them can change it."""
        made = scf.WhileOp([], [])
        before, after = (region.blocks.append() for region in (made.before, made.after))
        old_before, old_after = (region.blocks[0] for region in op.regions)
        with ir.InsertionPoint(before):
            self.ops([one.operation for one in old_before.operations])
            _barrier()
            *_, end = old_before.operations
            scf.ConditionOp(self.values[end.operands[0]], [])
        with ir.InsertionPoint(after):
            self.ops([one.operation for one in old_after.operations])
            scf.YieldOp([])

    def branch(self, op: ir.Operation) -> None:
        _barrier()
        bodies = [list(region.blocks) for region in op.regions]
        made = scf.IfOp(self.values[op.operands[0]], has_else=bool(bodies[1]))
        for blocks, region in zip(bodies, made.regions):
            if blocks:
                with ir.InsertionPoint(region.blocks[0]):
                    self.ops([one.operation for one in blocks[0].operations])
                    scf.YieldOp([])

    def launch(self, op: ir.Operation) -> None:
        kernel, shape = self.small.kernels[kernel_of(op)], self.small.shape(op)
        assert shape is not None, "it is small"
        body = kernel.regions[0].blocks[0]
        shared = attributions(kernel)
        values = dict(zip(body.arguments, [self.values[v] for v in arguments_of(op)]))
        values.update({v: add_shared(self.function, v.type) for v in shared})
        if shape.waits:
            _write(body, values, (self.thread, index_constant(0), self.thread))
        else:
            self._by_position(shape.blocks * shape.threads, lambda at: _write(body, values, _places(at, shape)))
        _barrier()

    def _by_position(self, count: int, write: Callable[[ir.Value], None]) -> None:
        """Threads of a launch of so many, by those that there are."""
        if count == self.threads:
            write(self.thread)
            return
        with each(self.thread, count, self.threads) as item:
            write(item)

    def memory_copy(self, op: ir.Operation) -> None:
        """Sixteen bytes a thread at once, if there are so many."""
        source, target = (_flat(self.values[v]) for v in op.operands)
        size, kind = source.type.shape[0], source.type.element_type
        width = 1 if isinstance(kind, ir.ComplexType) else max(1, COPIED_BYTES // element_bytes(kind))
        while size % width:
            width //= 2

        def write(at: ir.Value) -> None:
            first = arith.muli(at, index_constant(width))
            if width == 1:
                memref.store(memref.load(source, [first]), target, [first])
                return
            several = ir.VectorType.get([width], kind)
            loaded = aligned(vector.LoadOp(several, source, [first]), several).results[0]
            aligned(vector.StoreOp(loaded, target, [first]), several)

        self._by_position(size // width, write)
        _barrier()


WRITERS: dict[str, Callable[[_Code, ir.Operation], None]] = {
    "func.call": _Code.call,
    "scf.while": _Code.loop,
    "scf.if": _Code.branch,
    "gpu.launch_func": _Code.launch,
    "memref.copy": _Code.memory_copy,
}


def _barrier() -> None:
    ir.Operation.create("gpu.barrier")


def _flat(value: ir.Value) -> ir.Value:
    kind = ir.MemRefType(value.type)
    size = 1
    for extent in kind.shape:
        size *= extent
    flat = ir.MemRefType.get([size], kind.element_type)
    if not kind.rank:
        return memref.expand_shape(flat, value, [], [], [1])
    return memref.collapse_shape(flat, value, [list(range(kind.rank))]) if kind.rank > 1 else value


def _places(position: ir.Value, shape: Shape) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The thread in its block, the block, the thread among all."""
    if shape.blocks == 1:
        return position, index_constant(0), position
    size = index_constant(shape.threads)
    return arith.remui(position, size), arith.divui(position, size), position


PLACES = ("gpu.thread_id", "gpu.block_id", "gpu.global_id")


def _write(body: ir.Block, values: Values, places: tuple[ir.Value | None, ...]) -> None:
    """A copy of a gpu.func's code for a thread at these places."""
    known = dict(values)
    for one in body.operations:
        op = one.operation
        if op.name in PLACES:
            known[op.results[0]] = places[PLACES.index(op.name)]
        elif op.name != "gpu.return":
            cloned(op, known)
