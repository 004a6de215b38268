"""Parallelises a loop of a "loops" kernel's code: the outermost one, where the kernel promises that its iterations are
independent (`hlo.independent`: their number), or the only one that runs along columns (`column_loops.py`), in which case each
thread goes through the loops around it.

Before:  func.func private @k.code(%x, %y) { %s = memref.alloc()   scf.for %i = 0 to 256 { ... %s ... } }
After:   func.func private @k.code(%x, %y) { %s = memref.alloc()   call @k.code.part(%x, %y, %s, 2) }
         func.func private @k.code.part(%x, %y, %s, %t) { %own = memref.view %s   scf.for %i = %t * 128 to ... }

Each thread has its own part of every temporary. Which thread runs an iteration changes nothing in what it computes."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.finding import integer_of, made_by, ops_within
from hlo.lowering.functions import add_arguments
from hlo.lowering.linalg.loops import index
from hlo.lowering.memory.column_loops import Columns, find_columns
from hlo.lowering.memory.groups import aligned
from hlo.lowering.memory.parallelise_parts import call_parts
from hlo.lowering.memory.storage import byte_size

SMALLEST = 64 << 10
"""Bytes of arguments below which threads are not profitable."""

CACHE_LINE = 64
"""Bytes of a cache line: threads that write parts of the same ones wait for each other."""

ADDRESSES = frozenset(("memref.extract_aligned_pointer_as_index", "arith.index_cast", "llvm.inttoptr"))
"""How addresses of arrays that calls of routines take are computed."""

OUTSIDE = (
    frozenset(f"memref.{name}" for name in ("alloc", "alloca", "dealloc", "load", "get_global", "reinterpret_cast"))
    | {"arith.constant", "vector.step"}
    | ADDRESSES
)
"""What may stand outside of the loop: each thread repeats it."""


PURE = ("arith", "math")
"""Dialects whose ops may stand around a loop along columns, in addition to loads and other loops and branches."""


def parallelise_loop(code: Any, kernel: Any, threads: int) -> None:
    """Rewrites the code function of a kernel; leaves it as it is when it has another form or little work."""
    if threads < 2 or sum(byte_size(a.type) for a in code.arguments) < SMALLEST:
        return
    loop = _independent_loop(code, kernel)
    if loop is None:
        columns = _only_columns(code)
        if columns is None:
            return
        loop = columns.loop
    along = [c for c in find_columns(code.operation, CACHE_LINE) if c.loop.operation == loop.operation]
    unit = along[0].lanes if along else 1
    trips = integer_of(loop.operation.operands[1])
    assert trips is not None
    parts = min(threads, -(-trips // unit))
    allocs = [op for op in code.entry_block.operations if op.operation.name == "memref.alloc"]
    chunk = -(-trips // parts // unit) * unit
    part = _part(code, allocs, _loops(code).index(loop.operation), (trips, chunk, parts))
    for op in reversed(list(code.entry_block.operations)[:-1]):
        op.operation.erase()
    with ir.InsertionPoint(code.entry_block.operations[len(code.entry_block.operations) - 1]):
        _call(code, part, parts)


def _independent_loop(code: Any, kernel: Any) -> Any:
    """The one loop of the code, if it has the promised number of iterations and nothing else writes."""
    if "hlo.independent" not in kernel.attributes:
        return None
    loops = []
    for op in list(code.entry_block.operations)[:-1]:
        if op.operation.name == "scf.for":
            loops.append(op)
        elif op.operation.name not in OUTSIDE:
            return None
    if len(loops) != 1 or len(loops[0].results):
        return None
    bounds = [integer_of(v) for v in loops[0].operands]
    return loops[0] if bounds == [0, ir.IntegerAttr(kernel.attributes["hlo.independent"]).value, 1] else None


def _only_columns(code: Any) -> Columns | None:
    """The one loop along columns, if nothing is written outside of it, what is written is read inside of it only, and there
    are enough iterations, with those of the loops around it, for more than one thread, of rows in an order known beforehand."""
    found = list(find_columns(code.operation, CACHE_LINE))
    if len(found) != 1:
        return None
    columns = found[0]
    bounds = [integer_of(v) for v in columns.loop.operation.operands]
    if bounds[0] != 0 or bounds[1] is None or bounds[1] <= columns.lanes or not _only_reads(code.operation, columns):
        return None
    if any(_is_read_from_memory(i) for i in columns.indices):
        return None
    return columns if _iterations(columns.loop.operation, code.operation) * columns.widest >= SMALLEST else None


def _is_read_from_memory(index: ir.Value) -> bool:
    """Whether a row's number comes from memory: rows at random lie side by side in the caches of all threads that write parts of
    them, and each waits for the others there."""
    op = made_by(index)
    return op is not None and (op.name == "memref.load" or any(map(_is_read_from_memory, op.operands)))


def _only_reads(root: ir.Operation, columns: Columns) -> bool:
    """Whether the ops around the loop read nothing that it writes, and write nothing."""

    def allowed(op: ir.Operation) -> bool:
        if op == columns.loop.operation or op.name.partition(".")[0] in PURE or op.name in ("scf.yield", "func.return"):
            return True
        if op.name == "memref.load":
            return op.operands[0] not in columns.stores
        return op.name in ("scf.for", "scf.if") and not len(op.results) and _only_reads(op, columns)

    return all(allowed(op.operation) for region in root.regions for block in region.blocks for op in block.operations)


def _iterations(loop: ir.Operation, root: ir.Operation) -> int:
    """Of a loop and those around it; one whose number is not known counts once."""
    total = 1
    while loop != root:
        if loop.name == "scf.for":
            total *= integer_of(loop.operands[1]) or 1
        loop = loop.parent.operation
    return total


def _loops(function: Any) -> list[ir.Operation]:
    """In order."""
    return ops_within(function, lambda op: op.name == "scf.for")


def _own_bytes(type: ir.Type) -> int:
    """One thread's part of a temporary: whole cache lines."""
    return aligned(byte_size(type))


def _part(code: Any, allocs: list[Any], which: int, division: tuple[int, int, int]) -> Any:
    """A copy of the code, of the iterations of one thread, with its temporaries and its number as arguments. `which` loop is parallelised;
    `division`: its iterations, those of a part, the number of parts."""
    (trips, iterations, parts), number = division, ir.IndexType.get()
    buffers = [ir.MemRefType.get([parts * _own_bytes(op.result.type)], ir.IntegerType.get_signless(8)) for op in allocs]
    with ir.InsertionPoint(code):
        part = code.operation.clone().opview
    part.attributes["sym_name"] = ir.StringAttr.get(f"{code.name.value}.part")
    block, added = part.entry_block, add_arguments(part, [*buffers, number])
    for op in [op for op in block.operations if op.operation.name == "memref.dealloc"]:
        op.operation.erase()
    copies = [op for op in block.operations if op.operation.name == "memref.alloc"]
    for copy, buffer in zip(copies, added):
        with ir.InsertionPoint(copy):
            start = arith.muli(added[-1], index(_own_bytes(copy.result.type)))
            copy.result.replace_all_uses_with(memref.view(copy.result.type, buffer, start, []))
        copy.operation.erase()
    loop = _loops(part)[which]
    with ir.InsertionPoint(loop):
        start = arith.minsi(arith.muli(added[-1], index(iterations)), index(trips))
        loop.operands[0] = start
        loop.operands[1] = arith.minsi(arith.addi(start, index(iterations)), index(trips))
    return part


def _call(code: Any, part: Any, parts: int) -> None:
    given = len(code.arguments)
    buffers = [memref.alloc(a.type, [], [], alignment=64) for a in list(part.arguments)[given:-1]]
    call_parts(part, [*code.arguments, *buffers], parts)
