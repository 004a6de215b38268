"""Launches of what the program does one after the other: ops by one thread, in order; and loops whose iterations are independent, a
thread for an iteration. Such a loop is marked (`hlo.parallel`: passes of a sort, updates of a scatter; `hlo.independent`: sorts of many
lines, factorisations of many matrices), or is that of a kernel which says how many iterations are (`hlo.independent`).

Before:  %s = memref.alloc() : memref<64xf32>   scf.for %i = 0 to 256 { ... %s ... }
After:   %own = memref.alloc() : memref<65536xi8>
         %t = gpu.global_id x
         %s = memref.view %own[%t * 256]   scf.for %i = %t to 256 step 256 { ... %s ... }

Each thread has its own part of every temporary, but where the loop is parallel, which uses the same ones as other launches."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlir import ir
from mlir.dialects import arith, linalg, memref

from hlo.errors import CompileError
from hlo.lowering.copying import remap
from hlo.lowering.finding import ancestor_in, integer_of, made_by, ops_within
from hlo.lowering.gpu.element import Values, operands_within
from hlo.lowering.gpu.grid import Grid, Launch, counted, grid_for, most_threads
from hlo.lowering.gpu.parallel import global_thread
from hlo.lowering.linalg.loops import ATOMIC, INDEPENDENT, PARALLEL, index, within
from hlo.lowering.linalg.rules import located
from hlo.lowering.memory.storage import byte_size

# One thread


@dataclass(frozen=True)
class SerialOps(Launch):
    """A launch of one thread that does what the ops say."""

    work: list[ir.Operation]

    @property
    def ops(self) -> list[ir.Operation]:
        return self.work

    @property
    def grid(self) -> Grid:
        return Grid(1, 1)

    @property
    def decision(self) -> str:
        return f"one thread, {counted(len(self.ops), 'op')} in order"

    def emit(self, values: Values) -> None:
        values = dict(values)
        for op in self.ops:
            copy = copied(op, values)
            values.update(zip(op.results, copy.results))
            open_copies(copy)


def open_copies(op: ir.Operation) -> None:
    """memref.copy becomes linalg.copy, which becomes loops: one thread copies element by element."""
    found = ops_within(op, lambda inner: inner.name == "memref.copy")
    for inner in found:
        with inner.location, ir.InsertionPoint(inner):
            linalg.copy(inner.operands[0], outs=[inner.operands[1]])
        inner.erase()


def copied(op: ir.Operation, values: Values) -> ir.Operation:
    """A copy at the insertion point that uses the new values."""
    copy = op.clone()
    remap(copy, values)
    return copy


# A thread for an iteration


ALIGNMENT = 128
"""Bytes that a thread's temporary begins at a multiple of."""

MOST_BYTES = 64 << 20
"""Of all threads' temporaries: fewer threads run more iterations each where they would need more."""


@dataclass
class IndependentLoop(Launch):
    """A launch of a loop. `temporaries`: the memory of all threads, by the allocation that it replaces."""

    op: ir.Operation
    trips: int
    threads: int
    temporaries: dict[ir.Value, ir.Value] = field(default_factory=dict)

    @property
    def grid(self) -> Grid:
        return grid_for(self.threads)

    @property
    def decision(self) -> str:
        return f"one thread per iteration of a loop: {self.trips} iterations"

    def emit(self, values: Values) -> None:
        thread, values = global_thread(), dict(values)
        number = arith.remui(thread, index(self.threads))  # threads beyond the last one run no iteration
        give_own(values, self.temporaries, number)
        copy = copied(self.op, values)
        with ir.InsertionPoint(copy):  # threads beyond the last have no first iteration
            copy.operands[0] = arith.select(within(thread, self.threads), thread, index(self.trips))
            copy.operands[2] = index(self.threads)
        if ATOMIC in copy.attributes:
            make_atomic(copy)
        for name in (PARALLEL, INDEPENDENT, ATOMIC):
            if name in copy.attributes:
                del copy.attributes[name]
        open_copies(copy)


def give_own(values: Values, temporaries: dict[ir.Value, ir.Value], number: ir.Value) -> None:
    """Puts the part of this number of each memory of all instead of the allocation that it is for."""
    for old, new in temporaries.items():
        offset = arith.muli(number, index(own_bytes(old)))
        values[old] = memref.view(old.type, values[new], offset, [])


def independent_loop(op: ir.Operation, independent: int) -> IndependentLoop | None:
    """The launch of a loop that is marked, or that has `independent` iterations; None for other ops. Temporaries for all threads are made next to the old ones."""
    if op.name != "scf.for" or len(op.results):
        return None
    start, trips, step = (integer_of(v) for v in op.operands)
    is_marked = any(name in op.attributes for name in (PARALLEL, INDEPENDENT))
    if (start, step) != (0, 1) or trips is None or trips < 2 or not (is_marked or trips == independent):
        return None
    own = [] if PARALLEL in op.attributes else own_temporaries(op)
    if own is None:
        return None
    size = sum(map(own_bytes, own))
    threads = max(1, min(trips, most_threads(), MOST_BYTES // size if size else trips))
    return IndependentLoop(op, trips, threads, {value: allocated(value, threads) for value in own})


def own_temporaries(loop: ir.Operation, joint: str = "") -> list[ir.Value] | None:
    """Allocations that the loop uses and nothing else does; None if other ops use one of them, too. Not so with loops that have the
    attribute `joint`: what those write or read is memory for all."""
    found = list(dict.fromkeys(v for v in operands_within(loop) if _is_allocated_outside(v, loop)))
    others = {
        v: [ancestor_in(use.owner.operation, loop.block) for use in v.uses if use.owner.name != "memref.dealloc"]
        for v in found
    }
    shared = {v for v, ops in others.items() if any(op != loop for op in ops)}
    if any(not any(op != loop and joint in op.attributes for op in others[v]) for v in shared):
        return None
    return [v for v in found if v not in shared]


def _is_allocated_outside(value: ir.Value, loop: ir.Operation) -> bool:
    op = made_by(value, "memref.alloc")
    return op is not None and op.block == loop.block


def allocated(value: ir.Value, threads: int) -> ir.Value:
    kind = ir.MemRefType.get([threads * own_bytes(value)], ir.IntegerType.get_signless(8))
    with ir.InsertionPoint(value.owner):
        return memref.alloc(kind, [], [])


def own_bytes(value: ir.Value) -> int:
    return -(-byte_size(value.type) // ALIGNMENT) * ALIGNMENT


# Updates of elements that several threads may make at once, where their order does not matter (`hlo.atomic` of a loop).
#
# Before:  %0 = memref.load %r[%i]   %1 = arith.addi %0, %x   memref.store %1, %r[%i]
# After:   memref.atomic_rmw addi %x, %r[%i]


ATOMIC_KINDS = {
    "arith.addi": arith.AtomicRMWKind.addi,
    "arith.andi": arith.AtomicRMWKind.andi,
    "arith.maxsi": arith.AtomicRMWKind.maxs,
    "arith.maxui": arith.AtomicRMWKind.maxu,
    "arith.minsi": arith.AtomicRMWKind.mins,
    "arith.minui": arith.AtomicRMWKind.minu,
    "arith.ori": arith.AtomicRMWKind.ori,
}
"""By the op that combines."""


def make_atomic(loop: ir.Operation) -> None:
    """Every store in the loop becomes an atomic update. Raises CompileError for one that is none."""
    for store in ops_within(loop, lambda op: op.name == "memref.store"):
        _replace_store(store)


def _replace_store(store: ir.Operation) -> None:
    value, target, *indices = store.operands
    if _loads(value, [target, *indices]):  # of a neutral element: nothing changes
        store.erase()
        return
    combiner = made_by(value, *ATOMIC_KINDS)
    if combiner is None:
        raise CompileError(located(store, "an update that has no atomic instruction"))
    loads = [v for v in combiner.operands if _loads(v, [target, *indices])]
    if len(loads) != 1:
        raise CompileError(located(store, "an update of something else than the element that was read"))
    (other,) = [v for v in combiner.operands if v not in loads]
    with store.location, ir.InsertionPoint(store):
        memref.AtomicRMWOp(ATOMIC_KINDS[combiner.name], other, target, indices)
    load = loads[0].owner.operation
    for op in (store, combiner, load):
        op.erase()


def _loads(value: ir.Value, indices: list[ir.Value]) -> bool:
    op = made_by(value, "memref.load")
    return op is not None and list(op.operands) == indices
