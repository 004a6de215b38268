"""The end of attention: a tile of sums in shared memory, what the program makes of them, and the result."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith, memref, scf, vector

from hlo.lowering.gpu.attention.evaluate import Evaluator
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.contraction.block import Block, all_of
from hlo.lowering.gpu.element import ACCESS_BYTES, aligned, delinearized, index_constant
from hlo.lowering.memory.storage import element_bytes


class Finish:
    """`batch`: by symbol where the block is. `result`: the memory that is written."""

    def __init__(self, plan: Plan, block: Block, batch: Mapping[int, ir.Value], evaluator: Evaluator, result: ir.Value):
        self.plan, self.block, self.batch = plan, block, dict(batch)
        self.evaluator, self.result = evaluator.inner(), result

    @property
    def width(self) -> int:
        """Neighbours along a head that a thread takes: 16 bytes, if they are neighbours in the result."""
        attention = self.plan.attention
        p = attention.values
        if attention.places[-1] != p.columns[-1]:
            return 1
        width = ACCESS_BYTES // element_bytes(ir.MemRefType(self.result.type).element_type)
        while p.nest.sizes[p.columns[-1]] % width:
            width //= 2
        return width

    def emit(self, memory: ir.Value) -> None:
        """All threads take neighbours in turns."""
        tile, width, p = self.plan.result, self.width, self.plan.attention.values
        view = tile.view(memory)
        count = p.n // width
        loop = scf.ForOp(self.block.thread, index_constant(tile.m * count), index_constant(self.plan.threads))
        with ir.InsertionPoint(loop.body):
            row, column = delinearized(loop.induction_variable, [tile.m, count])
            column = arith.muli(column, index_constant(width))
            place = arith.addi(self.block.first_row, row)
            if p.m % tile.m:
                branch = scf.IfOp(all_of([arith.cmpi(arith.CmpIPredicate.ult, place, index_constant(p.m))]))
                with ir.InsertionPoint(branch.then_block):
                    self._store(view, row, column, place)
                    scf.YieldOp([])
            else:
                self._store(view, row, column, place)
            scf.YieldOp([])

    def _store(self, view: ir.Value, row: ir.Value, column: ir.Value, place: ir.Value) -> None:
        attention, width = self.plan.attention, self.width
        p = attention.values
        at = dict(self.batch)
        for dimensions, position in ((p.rows, place), (p.columns, column)):
            at.update(zip(dimensions, delinearized(position, [p.nest.sizes[d] for d in dimensions])))
        found = []
        for lane in range(width):
            inner = {p.columns[-1]: arith.addi(at[p.columns[-1]], index_constant(lane))} if lane else {}
            value = memref.load(view, [row, arith.addi(column, index_constant(lane)) if lane else column])
            found.append(self.evaluator.value(attention.result, {**at, **inner}, {attention.sum: value}))
        indices = [index_constant(0) if s is None else at[s] for s in attention.places]
        if width == 1:
            memref.store(found[0], self.result, indices)
            return
        kind = ir.VectorType.get([width], found[0].type)
        aligned(vector.StoreOp(vector.from_elements(kind, found), self.result, indices), kind)
