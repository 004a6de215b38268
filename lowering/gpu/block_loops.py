"""Loops within a block of threads: what a matrix's factorisation is made of, whose columns come one after the other while
the elements of one can be computed at once.

Before:  scf.for %b = 0 to 8 { scf.for %j = 0 to 64 { scf.for %i = %j to 64 {...} {hlo.parallel} } } {hlo.blocks}
After:   scf.for %b = block_id to 8 step 8 { scf.for %j = 0 to 64 {
           scf.for %i = %j + thread_id to 64 step 256 {...}
           gpu.barrier } }

All threads go through the outer loops; memory is written in the parallel ones only. What an iteration of the blocks' loop alone uses is
in shared memory, if there is room."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.finding import integer_of
from hlo.lowering.gpu.contraction.shared_tiles import dynamic_shared_memory
from hlo.lowering.gpu.control_flow import identity
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid, Launch
from hlo.lowering.gpu.loop_launches import (
    MOST_BYTES,
    allocated,
    copied,
    give_own,
    open_copies,
    own_bytes,
    own_temporaries,
)
from hlo.lowering.linalg.loops import BLOCKS, PARALLEL, index

MOST_SHARED = 72 << 10
"""Bytes of shared memory of a block: three blocks fit into a multiprocessor of an H200, two into one of an A100."""


@dataclass(frozen=True)
class BlockLoop(Launch):
    """A launch of a loop that holds parallel ones: one block per iteration of it (`blocks`), or one block for all iterations.
    `temporaries`: the memory of all blocks, by the allocation that it replaces. `hidden`: allocations that are in shared memory."""

    op: ir.Operation
    blocks: int
    temporaries: dict[ir.Value, ir.Value] = field(default_factory=dict)
    hidden: list[ir.Value] = field(default_factory=list)

    @property
    def grid(self) -> Grid:
        return Grid(self.blocks, THREADS, sum(map(own_bytes, self.hidden)))

    @property
    def decision(self) -> str:
        return "a loop by the threads of a block" if self.blocks == 1 else "a loop, one block per iteration"

    def emit(self, values: Values) -> None:
        thread = identity("gpu.thread_id")
        block, values = identity("gpu.block_id"), dict(values)
        give_own(values, self.temporaries, block)
        values.update(_in_shared_memory(self.hidden))
        copy = copied(self.op, values)
        if BLOCKS in copy.attributes:
            with ir.InsertionPoint(copy):
                copy.operands[0], copy.operands[2] = block, index(self.blocks)
            del copy.attributes[BLOCKS]
        for inner in parallel_loops(copy):
            _divide(inner, thread)
        open_copies(copy)


def block_loop(op: ir.Operation) -> BlockLoop | None:
    """The launch of a loop with parallel loops in it; None for other ops."""
    if op.name != "scf.for" or len(op.results) or PARALLEL in op.attributes or not parallel_loops(op):
        return None
    if BLOCKS not in op.attributes:
        return BlockLoop(op, 1)
    trips, own = integer_of(op.operands[1]), own_temporaries(op, PARALLEL)
    if trips is None or own is None:
        return None
    size = sum(map(own_bytes, own))
    if own and size <= MOST_SHARED and not any(_is_boolean(v) for v in own):
        return BlockLoop(op, max(1, min(trips, MOST_BLOCKS)), hidden=own)
    blocks = max(1, min(trips, MOST_BLOCKS, MOST_BYTES // size if size else trips))
    return BlockLoop(op, blocks, {value: allocated(value, blocks) for value in own})


def _is_boolean(value: ir.Value) -> bool:
    return ir.MemRefType(value.type).element_type == ir.IntegerType.get_signless(1)


def _in_shared_memory(allocations: list[ir.Value]) -> Values:
    """A buffer in dynamic shared memory for each allocation, as memory of any kind."""
    if not allocations:
        return {}
    found: Values = {}
    memory, offset = dynamic_shared_memory(), 0
    for value in allocations:
        kind = ir.MemRefType(value.type)
        shared = ir.MemRefType.get(kind.shape, kind.element_type, None, memory.type.memory_space)
        view = memref.view(shared, memory, index(offset), [])
        found[value] = memref.memory_space_cast(kind, view)
        offset += own_bytes(value)
    return found


def parallel_loops(op: ir.Operation) -> list[ir.Operation]:
    """The outermost ones in an op."""
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        if inner.name == "scf.for" and PARALLEL in inner.attributes:
            found.append(inner)
            return ir.WalkResult.SKIP
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _divide(loop: ir.Operation, thread: ir.Value) -> None:
    """The thread's iterations of a loop; then it waits for the other threads."""
    start, _, step = loop.operands
    with loop.location, ir.InsertionPoint(loop):
        first = arith.addi(start, arith.muli(thread, step))
        stride = arith.muli(step, index(THREADS))
    loop.operands[0], loop.operands[2] = first, stride
    del loop.attributes[PARALLEL]
    with loop.location, ir.InsertionPoint.after(loop):
        ir.Operation.create("gpu.barrier")
