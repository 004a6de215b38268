"""Vectors in the code of "loops" kernels: a loop along the last dimension of what it reads and writes takes many iterations at once.

Before:  scf.for %c = 0 to 40 { %x = memref.load %a[%i, %c]   %y = arith.addf %x, %s   memref.store %y, %r[%i, %c] }
After:   scf.for %c = 0 to 32 step 16 { %x = vector.load ...   %y = arith.addf : vector<16xf32>   vector.store ... }
         %x = vector.load %a[%i, 32] : vector<8xf32>   ...

Where the number of iterations is not known, or there are loops inside, the last ones are lanes of a masked vector.

The body may have loops of its own, with carried values, and branches: what depends on %c becomes a vector, a branch whose condition
does becomes a mask, and an element whose other indices depend on %c is gathered. Iterations have nothing to do with one another
(`column_loops.py`), so no result changes by a bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.copying import cloned, remade
from hlo.lowering.linalg.loops import index
from hlo.lowering.memory.column_loops import EVERY_LANE, Columns, find_columns
from hlo.lowering.memory.storage import row_major
from hlo.lowering.numbers import constant


def vectorize_columns(code: Any, vector_bytes: int, vectors: int, masked_bits: int) -> None:
    """Rewrites all loops of a function that allow it; with 0 bytes none. `masked_bits`: of the narrowest lanes that
    have masked loads and stores; where some have none, masked stores are slow, too (42 micro-operations on Zen 3)."""
    if not vector_bytes:
        return
    for columns in list(find_columns(code.operation, vector_bytes, vectors, masked_bits)):
        with columns.loop.location, ir.InsertionPoint(columns.loop):
            _write(columns, blends=masked_bits > EVERY_LANE)
        columns.loop.operation.erase()


def _write(columns: Columns, blends: bool) -> None:
    """The loop in vectors."""
    if columns.iterations is None:
        _write_masked_rest(columns, _write_loop(columns, blends), blends)
    else:
        _write_pieces(columns, columns.iterations, blends)


def _write_loop(columns: Columns, blends: bool) -> ir.Value:
    """The iterations that fill vectors; gives the first one that is left."""
    first, last, _ = columns.loop.operation.operands
    lanes = index(columns.lanes)
    main = arith.addi(first, arith.muli(arith.divui(arith.subi(last, first), lanes), lanes))
    new = scf.ForOp(first, main, lanes)
    with ir.InsertionPoint(new.body):
        _write_iterations(columns, new.induction_variable, None, blends)
        scf.YieldOp([])
    return main


def _write_masked_rest(columns: Columns, main: ir.Value, blends: bool) -> None:
    """The iterations that are left are lanes of one more."""
    last = columns.loop.operation.operands[1]
    rest = scf.IfOp(arith.cmpi(arith.CmpIPredicate.slt, main, last))
    with ir.InsertionPoint(rest.then_block):
        kind = ir.VectorType.get([columns.lanes], ir.IntegerType.get_signless(1))
        _write_iterations(columns, main, vector.create_mask(kind, [arith.subi(last, main)]), blends)
        scf.YieldOp([])


def _write_pieces(columns: Columns, iterations: range, blends: bool) -> None:
    """The iterations that are left fill shorter and shorter vectors: a load waits long for a masked store to the same address, and
    not at all for a whole one."""
    if len(iterations) >= columns.lanes:
        _write_loop(columns, blends)
    left = iterations[len(iterations) // columns.lanes * columns.lanes :]
    while left:
        lanes = 1 << (len(left).bit_length() - 1)
        _write_iterations(replace(columns, lanes=lanes), index(left.start), None, blends)
        left = left[lanes:]


def _write_iterations(columns: Columns, column: ir.Value, mask: ir.Value | None, blends: bool) -> None:
    """The body of a loop or a branch, from a column on."""
    writer = _Writer(columns, blends)
    writer.values[columns.loop.induction_variable] = column
    writer.block(columns.loop.body, mask)


class _Writer:
    """Writes a block in vectors. `values`: from old values to new ones, scalars where they do not vary. `blends`: a
    branch is left out where no lane takes it, and stores in it are of whole vectors, with the old elements of the other
    lanes."""

    def __init__(self, columns: Columns, blends: bool):
        self.blends, self.is_taken = blends, False
        self.columns, self.lanes = columns, columns.lanes
        self.column = columns.loop.induction_variable
        self.values: dict[ir.Value, ir.Value] = {}

    def block(self, block: ir.Block, mask: ir.Value | None) -> list[ir.Value]:
        """The values that its terminator gives, as vectors."""
        *operations, last = block.operations
        for op in operations:
            with op.location:
                self._op(op.operation, mask)
        return [self._vector(v) for v in last.operands]

    def _op(self, op: ir.Operation, mask: ir.Value | None) -> None:
        rules = {"memref.load": self._load, "memref.store": self._store, "scf.for": self._for, "scf.if": self._if}
        if op.name in rules and (op.name != "memref.load" or op.results[0] in self.columns.varying):
            rules[op.name](op, mask)
        elif op.results[0] in self.columns.varying:
            kinds = [self._kind(r.type) for r in op.results]
            new = remade(op, [self._vector(v) for v in op.operands], kinds)
            self.values.update(zip(op.results, new.results))
        else:
            cloned(op, self.values)

    def _kind(self, scalar: ir.Type) -> ir.VectorType:
        return ir.VectorType.get([self.lanes], scalar)

    def _scalar(self, value: ir.Value) -> ir.Value:
        return self.values.get(value, value)

    def _vector(self, value: ir.Value) -> ir.Value:
        new = self._scalar(value)
        return new if isinstance(new.type, ir.VectorType) else vector.broadcast(self._kind(new.type), new)

    def _load(self, op: ir.Operation, mask: ir.Value | None) -> None:
        memory, *indices = op.operands
        kind = self._kind(op.results[0].type)
        if self._is_spread(indices):
            flat, offsets = self._offsets(memory, indices)
            loaded = vector.gather(kind, flat, [index(0)], offsets, self._mask(mask), constant(kind, 0))
        elif mask is None or self.is_taken:
            loaded = vector.load(kind, memory, [self._scalar(i) for i in indices])
        else:
            loaded = vector.maskedload(kind, memory, [self._scalar(i) for i in indices], mask, constant(kind, 0))
        self.values[op.results[0]] = loaded

    def _store(self, op: ir.Operation, mask: ir.Value | None) -> None:
        value, memory, *indices = op.operands
        if self._is_spread(indices):
            flat, offsets = self._offsets(memory, indices)
            vector.scatter(None, flat, [index(0)], offsets, self._mask(mask), self._vector(value))
        elif mask is None:
            vector.store(self._vector(value), memory, [self._scalar(i) for i in indices])
        elif self.is_taken:
            at, new = [self._scalar(i) for i in indices], self._vector(value)
            vector.store(arith.select(mask, new, vector.load(new.type, memory, at)), memory, at)
        else:
            vector.maskedstore(memory, [self._scalar(i) for i in indices], mask, self._vector(value))

    def _is_spread(self, indices: list[ir.Value]) -> bool:
        return any(i in self.columns.varying for i in indices[:-1])

    def _mask(self, mask: ir.Value | None) -> ir.Value:
        boolean = ir.IntegerType.get_signless(1)
        return mask if mask is not None else self._vector(arith.constant(boolean, 1))

    def _offsets(self, memory: ir.Value, indices: list[ir.Value]) -> tuple[ir.Value, ir.Value]:
        """The memory as one dimension, and where each lane's element is in it."""
        shape = list(ir.MemRefType(memory.type).shape)
        total = vector.step(self._kind(ir.IndexType.get()))
        for position, stride in zip(indices, row_major(shape)):
            term = self._vector(position)
            total = arith.addi(total, term if stride == 1 else arith.muli(term, self._vector(index(stride))))
        size = shape[0] * row_major(shape)[0]
        kind = ir.MemRefType.get([size], ir.MemRefType(memory.type).element_type)
        return memref.reinterpret_cast(kind, memory, [], [], [], [0], [size], [1]), total

    def _for(self, op: ir.Operation, mask: ir.Value | None) -> None:
        loop = op.opview
        bounds = [self._scalar(v) for v in list(op.operands)[:3]]
        new = scf.ForOp(*bounds, [self._vector(v) for v in list(op.operands)[3:]])
        self.values[loop.induction_variable] = new.induction_variable
        self.values.update(zip(loop.inner_iter_args, new.inner_iter_args))
        with ir.InsertionPoint(new.body):
            scf.YieldOp(self.block(loop.body, mask))
        self.values.update(zip(op.results, new.results))

    def _if(self, op: ir.Operation, mask: ir.Value | None) -> None:
        if op.operands[0] in self.columns.varying:
            self._masked(op, mask)
            return
        kinds = [self._kind(r.type) for r in op.results]
        blocks = [list(region.blocks) for region in op.regions]
        new = scf.IfOp(self._scalar(op.operands[0]), kinds, has_else=bool(blocks[1]))
        for old, block in zip(blocks, (new.then_block, new.else_block if blocks[1] else None)):
            if old:
                with ir.InsertionPoint(block):
                    scf.YieldOp(self.block(old[0], mask))
        self.values.update(zip(op.results, new.results))

    def _masked(self, op: ir.Operation, mask: ir.Value | None) -> None:
        """Both branches, each with the lanes that take it."""
        if self.blends and not op.results and (mask is None or self.is_taken):
            self._where_taken(op, mask)
            return
        taken, before = self._vector(op.operands[0]), self.is_taken
        others = arith.xori(taken, self._mask(None))
        self.is_taken, given = False, []
        for lanes, region in zip((taken, others), op.regions):
            for block in region.blocks:
                given.append(self.block(block, lanes if mask is None else arith.andi(mask, lanes)))
        self.is_taken = before
        for result, *values in zip(op.results, *given):
            self.values[result] = arith.select(taken, *values)

    def _where_taken(self, op: ir.Operation, mask: ir.Value | None) -> None:
        """Both branches, each if a lane takes it: all lanes of what it reads and writes are inside of the memory then."""
        taken, before = self._vector(op.operands[0]), self.is_taken
        for lanes, region in zip((taken, arith.xori(taken, self._mask(None))), op.regions):
            for block in region.blocks:
                lanes = lanes if mask is None else arith.andi(mask, lanes)
                branch = scf.IfOp(vector.reduction(lanes.type.element_type, vector.CombiningKind.OR, lanes))
                self.is_taken = True
                with ir.InsertionPoint(branch.then_block):
                    self.block(block, lanes)
                    scf.YieldOp([])
                self.is_taken = before
