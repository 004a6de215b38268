"""Which loops of a "loops" kernel's code run along the columns of all that they read and write, their iterations independent of one
another: `column_vectors.py` runs them in vectors, `parallelise_loop.py` divides them among threads.

    scf.for %c = 0 to 40 { %x = memref.load %a[%i, %c]   ...   memref.store %y, %r[%i, %c] }

%c must be the last index of every element that is written, and of every one that is read of what is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import integer_of
from hlo.lowering.memory.storage import element_bytes

UNSAFE = ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")
"""Lanes of a branch that is not taken must not run them."""

NESTED = ("scf.for", "scf.if")

FLOATS = (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type)

EVERY_LANE = 8
"""Bits: masked loads and stores have lanes of all types."""


@dataclass
class Columns:
    """What is known of a loop that can be run in vectors. `lanes`: iterations at once. `iterations`: of a loop without loops inside, where
    both bounds are known. `widest`: bytes of the widest element that is read or written. `varying`: values that differ from iteration
    to iteration. `stores`: memory that is written. `indices`: the other indices of what is written."""

    loop: Any
    lanes: int
    iterations: range | None
    widest: int
    varying: set[ir.Value]
    stores: set[ir.Value]
    indices: set[ir.Value]


def find_columns(
    root: ir.Operation, vector_bytes: int, vectors: int = 1, masked_bits: int = EVERY_LANE
) -> Iterator[Columns]:
    """The outermost loops inside an op that can be run in vectors of so many bytes. With loops inside, they take
    several at once, so that the sums of these, which wait for themselves, are independent. Loops that need masks have
    no narrower lanes than `masked_bits`."""
    for region in root.regions:
        for block in region.blocks:
            for op in block.operations:
                is_loop = op.operation.name == "scf.for"
                found = _match(op.operation.opview, vector_bytes, vectors, masked_bits) if is_loop else None
                if found is not None:
                    yield found
                elif op.operation.name in NESTED:
                    yield from find_columns(op.operation, vector_bytes, vectors, masked_bits)


def _match(loop: Any, vector_bytes: int, vectors: int, masked_bits: int) -> Columns | None:
    """The analysis of one loop; None where it cannot be run in vectors, or has too few iterations."""
    step = integer_of(loop.operation.operands[2])
    if len(loop.results) or step != 1:
        return None
    analysis = _Analysis(loop.induction_variable)
    if not analysis.block(loop.body, False) or not analysis.widest or not analysis.stores:
        return None
    lanes = vector_bytes // analysis.widest
    first, last = (integer_of(v) for v in loop.operation.operands[:2])
    iterations = None if first is None or last is None else range(first, last)
    if iterations is not None and len(iterations) < (lanes if analysis.has_loops else 2):
        return None
    if analysis.has_loops:
        lanes *= vectors if iterations is None or len(iterations) >= lanes * vectors else 1
        iterations = None
    if (iterations is None or analysis.has_masks) and 8 * analysis.narrowest < masked_bits:
        return None
    return Columns(loop, lanes, iterations, analysis.widest, analysis.varying, analysis.stores, analysis.indices)


class _Analysis:
    """A walk through a loop's body in order."""

    def __init__(self, column: ir.Value):
        self.column = column
        self.varying: set[ir.Value] = {column}
        self.read_elsewhere: set[ir.Value] = set()
        """Memory of which an iteration reads other elements than those at its own index."""
        self.stores: set[ir.Value] = set()
        self.indices: set[ir.Value] = set()
        self.widest, self.narrowest = 0, 8
        self.has_loops = self.has_masks = False

    def block(self, block: ir.Block, masked: bool) -> bool:
        """Whether all of it can be run in vectors. `masked`: inside a branch that some lanes do not take."""
        return all(self._op(op.operation, masked) for op in block.operations) and self._owns_what_it_writes()

    def _owns_what_it_writes(self) -> bool:
        return not self.stores & self.read_elsewhere

    def _op(self, op: ir.Operation, masked: bool) -> bool:
        dialect, _, name = op.name.partition(".")
        if dialect in ("arith", "math"):
            return self._elementwise(op, name, masked)
        rules = {"memref.load": self._load, "memref.store": self._store, "scf.for": self._for, "scf.if": self._if}
        if op.name == "scf.yield":
            return True
        return op.name in rules and rules[op.name](op, masked)

    def _elementwise(self, op: ir.Operation, name: str, masked: bool) -> bool:
        operands = list(op.operands)
        varies = any(v in self.varying for v in operands)
        if name in UNSAFE and (varies or masked):
            return False
        if varies:
            self.varying.update(op.results)
        return self.column not in operands and len(op.results) == 1

    def _load(self, op: ir.Operation, masked: bool) -> bool:
        memory, *indices = op.operands
        along = bool(indices) and indices[-1] == self.column
        if not along:
            self.read_elsewhere.add(memory)
            return not masked and not any(i in self.varying for i in indices)
        if not _is_plain(memory):
            return False
        self.varying.add(op.results[0])
        return self.column not in indices[:-1] and self._element(memory)

    def _store(self, op: ir.Operation, masked: bool) -> bool:
        value, memory, *indices = op.operands
        self.stores.add(memory)
        self.indices.update(indices[:-1])
        own = bool(indices) and indices[-1] == self.column and self.column not in indices[:-1]
        return own and value != self.column and _is_plain(memory) and self._element(memory)

    def _element(self, memory: ir.Value) -> bool:
        size = element_bytes(ir.MemRefType(memory.type).element_type)
        self.widest, self.narrowest = max(self.widest, size), min(self.narrowest, size)
        return True

    def _for(self, op: ir.Operation, masked: bool) -> bool:
        """Carried values are taken as varying."""
        if any(v in self.varying for v in list(op.operands)[:3]) or self.column in op.operands:
            return False
        self.has_loops, loop = True, op.opview
        carried = [*loop.inner_iter_args, *op.results]
        self.varying.update(carried)
        return all(_is_scalar(v.type) for v in carried) and self.block(loop.body, masked)

    def _if(self, op: ir.Operation, masked: bool) -> bool:
        masked = masked or op.operands[0] in self.varying
        self.has_masks = self.has_masks or masked
        self.varying.update(op.results)
        blocks = [b for region in op.regions for b in region.blocks]
        return all(_is_scalar(r.type) for r in op.results) and all(self.block(b, masked) for b in blocks)


def _is_scalar(kind: ir.Type) -> bool:
    return isinstance(kind, (ir.IntegerType, ir.IndexType, *FLOATS))


def _is_plain(memory: ir.Value) -> bool:
    """Row-major memory of numbers that vectors hold as they are; booleans are bytes there."""
    kind = ir.MemRefType(memory.type)
    numbers = isinstance(kind.element_type, FLOATS) or (
        isinstance(kind.element_type, ir.IntegerType) and kind.element_type.width in (8, 16, 32, 64)
    )
    return numbers and kind.has_static_shape and kind.layout.__class__ is not ir.StridedLayoutAttr
