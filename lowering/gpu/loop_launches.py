"""Kernels of loops as launches: a loop whose iterations are independent is one of many threads; what stands between such loops is done by
one thread, in order.

Before:  func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) { scf.for ... {hlo.parallel}; scf.for ... }
After:   func.func private @k.code(%a, %r) { gpu.launch_func @gpu::@k_0 ...; gpu.launch_func @gpu::@k_1 ... }

hlo.parallel      a thread for an iteration: passes of a sort, updates of a scatter
hlo.independent   the same with temporaries of its own: sorts of many rows, factorisations of many matrices; so is the outermost loop of a
                  kernel that says how many of its iterations are (`hlo.independent`)
hlo.blocks        a block of threads for an iteration, whose threads divide the parallel loops in it: a factorisation, whose columns
                  come one after the other while the elements of one can be computed at once

Before:  %s = memref.alloc() : memref<64xf32>   scf.for %i = 0 to 256 { ... %s ... }
After:   %own = memref.alloc() : memref<65536xi8>
         %t = gpu.global_id x
         %s = memref.view %own[%t * 256]   scf.for %i = %t to 256 step 256 { ... %s ... }
and
Before:  scf.for %b = 0 to 8 { scf.for %j = 0 to 64 { scf.for %i = %j to 64 {...} {hlo.parallel} } } {hlo.blocks}
After:   scf.for %b = block_id to 8 step 8 { scf.for %j = 0 to 64 {
           scf.for %i = %j + thread_id to 64 step 256 {...}
           gpu.barrier } }

All threads of a block go through the outer loops; memory is written in the parallel ones only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from mlir import ir
from mlir.dialects import arith, gpu, linalg, memref

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned
from hlo.lowering.finding import ancestor_in, integer_of, made_by, ops_within, values_from_outside
from hlo.lowering.gpu.launches import (
    MOST_BLOCKS,
    THREADS,
    Grid,
    Launch,
    Launches,
    Values,
    counted,
    grid_for,
    most_threads,
    move_ops,
)
from hlo.lowering.gpu.threads import dynamic_shared_memory, identity, shared_view
from hlo.lowering.linalg.loops import ATOMIC, BLOCKS, INDEPENDENT, PARALLEL, index, within
from hlo.lowering.memory.loops_emitter import bufferize, bufferized, first_op, rename_globals
from hlo.lowering.memory.scratch import take_scratch
from hlo.lowering.memory.storage import byte_size

ALIGNMENT = 128
"""Bytes that a thread's temporary begins at a multiple of."""

MOST_BYTES = 64 << 20
"""Of temporaries in global memory: fewer threads (or blocks) run more iterations each where they would need more."""

MOST_SHARED = 72 << 10
"""Bytes of shared memory of a block: three blocks fit into a multiprocessor of an H200, two into one of an A100."""


def serial_ops(ops: Sequence[ir.Operation]) -> Launch:
    """A launch of one thread that does what the ops say."""

    def emit(values: Values) -> None:
        values = dict(values)
        for op in ops:
            open_copies(cloned(op, values))

    return Launch(Grid(1, 1), f"one thread, {counted(len(ops), 'op')} in order", emit, ops)


@dataclass(frozen=True)
class DividedLoop:
    """A loop whose `trips` iterations are divided among `workers`: threads, or blocks (`by_blocks`). One block without
    `hlo.blocks` does all iterations. `temporaries`: the memory of all workers, by the allocation that it replaces;
    `hidden`: allocations that are in shared memory."""

    op: ir.Operation
    trips: int
    workers: int
    by_blocks: bool
    temporaries: dict[ir.Value, ir.Value] = field(default_factory=dict)
    hidden: Sequence[ir.Value] = ()

    def launch(self) -> Launch:
        if self.by_blocks:
            grid = Grid(self.workers, THREADS, _bytes_of(self.hidden))
            decision = "a loop by the threads of a block" if self.workers == 1 else "a loop, one block per iteration"
        else:
            grid, decision = grid_for(self.workers), f"one thread per iteration of a loop: {self.trips} iterations"
        return Launch(grid, decision, self.emit, [self.op])

    def emit(self, values: Values) -> None:
        values = dict(values)
        if self.by_blocks:
            thread, worker = identity("gpu.thread_id"), identity("gpu.block_id")
            first = number = worker
        else:  # threads beyond the last have no first iteration
            thread = identity("gpu.global_id")
            number = arith.remui(thread, index(self.workers))
        self._allocate(values, number)
        copy = cloned(self.op, values)
        if not self.by_blocks or BLOCKS in copy.attributes:
            with ir.InsertionPoint(copy):
                if not self.by_blocks:
                    first = arith.select(within(thread, self.workers), thread, index(self.trips))
                copy.operands[0], copy.operands[2] = first, index(self.workers)
        if ATOMIC in copy.attributes:
            make_atomic(copy)
        for name in (PARALLEL, INDEPENDENT, ATOMIC, BLOCKS):
            if name in copy.attributes:
                del copy.attributes[name]
        for inner in parallel_loops(copy) if self.by_blocks else ():
            _divide(inner, thread)
        open_copies(copy)

    def _allocate(self, values: Values, number: ir.Value) -> None:
        """Puts the worker's part of the memory of all, or shared memory, instead of each allocation."""
        for old, new in self.temporaries.items():
            offset = arith.muli(number, index(_bytes_of([old])))
            values[old] = memref.view(old.type, values[new], offset, [])
        if not self.hidden:
            return
        memory, begin = dynamic_shared_memory(), 0
        for value in self.hidden:
            kind = ir.MemRefType(value.type)
            shared = shared_view(memory, kind.shape, kind.element_type, begin)
            values[value] = memref.memory_space_cast(kind, shared)
            begin += _bytes_of([value])


def divided_loop(op: ir.Operation, independent: int) -> DividedLoop | None:
    """A loop that holds parallel ones, that is marked, or that has `independent` iterations; None for other ops. Temporaries
    of all workers are allocated next to the old ones."""
    if op.name != "scf.for" or len(op.results):
        return None
    start, trips, step = (integer_of(v) for v in op.operands)
    if PARALLEL not in op.attributes and parallel_loops(op):
        if BLOCKS not in op.attributes:
            return DividedLoop(op, 1, 1, by_blocks=True)
        own = own_temporaries(op, PARALLEL)
        if trips is not None and own is not None:
            if own and _bytes_of(own) <= MOST_SHARED and not any(_is_boolean(v) for v in own):
                return DividedLoop(op, trips, max(1, min(trips, MOST_BLOCKS)), by_blocks=True, hidden=own)
            return _with_temporaries(op, trips, MOST_BLOCKS, True, own)
    is_marked = any(name in op.attributes for name in (PARALLEL, INDEPENDENT))
    if (start, step) != (0, 1) or trips is None or trips < 2 or not (is_marked or trips == independent):
        return None
    own = [] if PARALLEL in op.attributes else own_temporaries(op)
    return _with_temporaries(op, trips, most_threads(), False, own) if own is not None else None


def _with_temporaries(op: ir.Operation, trips: int, most: int, by_blocks: bool, own: list[ir.Value]) -> DividedLoop:
    size = _bytes_of(own)
    workers = max(1, min(trips, most, MOST_BYTES // size if size else trips))
    temporaries = {}
    for value in own:
        kind = ir.MemRefType.get([workers * _bytes_of([value])], ir.IntegerType.get_signless(8))
        with ir.InsertionPoint(value.owner):
            temporaries[value] = memref.alloc(kind, [], [])
    return DividedLoop(op, trips, workers, by_blocks, temporaries)


def own_temporaries(loop: ir.Operation, joint: str = "") -> list[ir.Value] | None:
    """Allocations that the loop uses and nothing else does; None if other ops use one of them, too. Not so with loops that have the
    attribute `joint`: what those write or read is memory for all."""
    found = [
        v
        for v in dict.fromkeys(operands_within(loop))
        if (op := made_by(v, "memref.alloc")) is not None and op.block == loop.block
    ]
    others = {
        v: [ancestor_in(use.owner.operation, loop.block) for use in v.uses if use.owner.name != "memref.dealloc"]
        for v in found
    }
    shared = {v for v, ops in others.items() if any(op != loop for op in ops)}
    if any(not any(op != loop and joint in op.attributes for op in others[v]) for v in shared):
        return None
    return [v for v in found if v not in shared]


def operands_within(op: ir.Operation) -> list[ir.Value]:
    """Operands, also of nested ops."""
    return [v for inner in ops_within(op) for v in inner.operands]


def _bytes_of(allocations: Sequence[ir.Value]) -> int:
    """Each from an aligned address on."""
    return sum(-(-byte_size(v.type) // ALIGNMENT) * ALIGNMENT for v in allocations)


def _is_boolean(value: ir.Value) -> bool:
    return ir.MemRefType(value.type).element_type == ir.IntegerType.get_signless(1)


def open_copies(op: ir.Operation) -> None:
    """memref.copy becomes linalg.copy, which becomes loops: one thread copies element by element."""
    for inner in ops_within(op, lambda inner: inner.name == "memref.copy"):
        with inner.location, ir.InsertionPoint(inner):
            linalg.copy(inner.operands[0], outs=[inner.operands[1]])
        inner.erase()


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
        gpu.barrier()


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
        raise CompileError(diagnostic(store, "an update that has no atomic instruction"))
    loads = [v for v in combiner.operands if _loads(v, [target, *indices])]
    if len(loads) != 1:
        raise CompileError(diagnostic(store, "an update of something else than the element that was read"))
    (other,) = [v for v in combiner.operands if v not in loads]
    with store.location, ir.InsertionPoint(store):
        memref.AtomicRMWOp(ATOMIC_KINDS[combiner.name], other, target, indices)
    load = loads[0].owner.operation
    for op in (store, combiner, load):
        op.erase()


def _loads(value: ir.Value, indices: list[ir.Value]) -> bool:
    op = made_by(value, "memref.load")
    return op is not None and list(op.operands) == indices


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
