"""The code of warpgroups of sm_90a: blocks that stay, TMA into a ring of stages, wgmma, specialised warps.

    warpgroup 0:      for each of the block's tiles, for each step: wait until the step's stage is empty; announce its bytes; TMA
                      both boxes
    warpgroups 1, 2:  for each of the block's tiles, for each step: wait until its stage is full; four wgmma; tell that the stage
                      before is empty; then the epilogue, while warpgroup 0 fills the ring with the next tile

Blocks of a cluster have a tile together, 128 rows each: each brings its rows, and its share of the columns for both; a stage is
empty when the consumers of both have told so.

Each consumer multiplies 64 rows of the tile. Steps are counted through all tiles of a block. mbarriers 0 .. stages - 1 are "full",
the next ones "empty". The tensor cores keep few bits of sums of f8: those of a stage are added to others by ordinary
instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, llvm, memref, scf

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.result_tile import Consumer, StagedResult
from hlo.lowering.gpu.contraction.shared_tiles import dynamic_shared_memory
from hlo.lowering.gpu.contraction.spans import Span
from hlo.lowering.gpu.contraction.stored_boxes import StoredBoxes
from hlo.lowering.gpu.contraction.warpgroup_sides import CONSUMERS, DEPTH_BYTES, LINE, ROWS, Side
from hlo.lowering.gpu.control_flow import each, equals, index_constant, is_below, where, zero_of
from hlo.lowering.gpu.device_functions import starts_of
from hlo.lowering.gpu.hopper_ops import (
    Barriers,
    Product,
    Specialised,
    box_type,
    cluster_barrier,
    descriptor_of,
    i64,
    load_box,
    matrix_descriptor,
    wait_for_products,
)
from hlo.lowering.gpu.nest import is_zero
from hlo.lowering.gpu.tensor_maps import STARTS, Term

REGISTERS = 40, 232
"""Of a thread that copies, and of one that multiplies."""

LEAD = 1
"""Steps that the first consumer is ahead of the second one. Each keeps a stage of the ring busy."""


@dataclass
class WarpgroupKernel(Specialised):
    """Tiles of 128 x `n` results."""

    n: int
    product: Product
    left: Side
    right: Side
    depth: Span
    stages: int
    result: StagedResult | StoredBoxes
    block: Block

    def __post_init__(self) -> None:
        self.stage_bytes = self.left.bytes + self.right.bytes
        self.steps = self.depth.tiles
        self.descriptors = [
            descriptor_of(pointer, side.box) for pointer, side in zip(self.block.maps, (self.left, self.right))
        ]
        self.memory = dynamic_shared_memory()
        self.barriers = Barriers.create(2 * self.stages)
        Specialised.__init__(self, self.block.thread)

    def emit(self) -> None:
        self.prepare(self._init_barriers, self.descriptors)
        if self.block.cluster > 1:
            cluster_barrier()
        else:
            ir.Operation.create("gpu.barrier")
        self.specialise(REGISTERS, lambda: self._for_each_tile(self._produce), self._multiply_tiles)
        if self.block.cluster > 1:
            cluster_barrier()  # others still arrive at barriers of this block

    def _init_barriers(self) -> None:
        for stage in range(self.stages):
            self.barriers.init(index_constant(stage), 1)
            self.barriers.init(index_constant(self.stages + stage), CONSUMERS * self.block.cluster)

    def _multiply_tiles(self) -> None:
        room = self.stages * self.stage_bytes
        self.consumer = Consumer(self.group, self.member, self.block.rank, self.memory, room, self.result.bytes)
        self._let_first_lead()
        self._for_each_tile(self._consume)
        self.result.finish(self.consumer)

    def _let_first_lead(self) -> None:
        """The second consumer begins a step later: then it multiplies while the first one writes its results, and the other way
        round."""
        if self.steps <= LEAD:
            return
        # no branch: behind one that only some warpgroups take, ptxas has each product wait for the one before
        stage = arith.muli(self.consumer.number, index_constant(LEAD))
        self.barriers.wait(stage, arith.constant(ir.IntegerType.get_signless(1), False))

    def _for_each_tile(self, work: Callable[[ir.Value], None]) -> None:
        """`work` is given how many steps the block has done before the tile."""

        def steps_after(done: ir.Value) -> ir.Value:
            work(done)
            return arith.addi(done, index_constant(self.steps))

        self.block.for_each_tile(index_constant(0), steps_after)

    # The producer

    def _produce(self, done: ir.Value) -> None:
        with each(0, self.steps) as item:
            stage, turn = self._stage(arith.addi(done, item))
            # before the first turn every stage is empty: waiting for the phase before the first returns at once
            self.barriers.wait(self._empty(stage), arith.xori(turn, _true()))
            self.barriers.expect(stage, self.left.loaded_bytes + self.right.loaded_bytes)
            depth = self.depth.begin(item)
            offset = arith.muli(stage, index_constant(self.stage_bytes))
            self._load(self.left, self.descriptors[0], self._rows(), depth, stage, offset)
            offset = arith.addi(offset, index_constant(self.left.bytes))
            if self.block.cluster > 1:
                self._load_share(self.right, self.descriptors[1], depth, stage, offset)
            else:
                self._load(self.right, self.descriptors[1], self.block.corner[1], depth, stage, offset)

    def _stage(self, step: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Where a step is, and the parity of its turn through the ring."""
        stages = index_constant(self.stages)
        turn = arith.remui(arith.divui(step, stages), index_constant(2))
        return arith.remui(step, stages), equals(turn, 1)

    def _empty(self, stage: ir.Value) -> ir.Value:
        return arith.addi(stage, index_constant(self.stages))

    def _load(
        self,
        side: Side,
        descriptor: ir.Value,
        corner: Sequence[ir.Value],
        depth: Sequence[ir.Value],
        stage: ir.Value,
        offset: ir.Value,
    ) -> None:
        kind = box_type(side.box)
        for number in range(side.boxes):
            place = arith.addi(offset, index_constant(number * side.box.bytes))
            view = memref.view(kind, self.memory, place, [])
            offsets = side.span.offsets(number * side.step)
            outer = [
                arith.addi(first, index_constant(inner)) if side.boxes > 1 else first
                for first, inner in zip(corner, offsets)
            ]
            coordinates = self._coordinates(side, outer, depth)
            load_box(descriptor, coordinates, self.barriers, stage, view)

    def _rows(self) -> list[ir.Value]:
        """Where those of the block begin, by part."""
        first = self.block.corner[0]
        if self.block.cluster == 1:
            return first
        return [arith.addi(first[0], arith.muli(self.block.rank, index_constant(CONSUMERS * ROWS)))]

    def _load_share(
        self, side: Side, descriptor: ir.Value, depth: Sequence[ir.Value], stage: ir.Value, offset: ir.Value
    ) -> None:
        """What the block brings of an input that all of its cluster have: for all of them."""
        count = side.boxes // self.block.cluster
        first = arith.muli(self.block.rank, index_constant(count))
        kind = box_type(side.box)
        for number in range(count):
            index = arith.addi(first, index_constant(number))
            place = arith.addi(offset, arith.muli(index, index_constant(side.box.bytes)))
            column = arith.addi(self.block.first_column, arith.muli(index, index_constant(side.box_count)))
            coordinates = self._coordinates(side, [column], depth)
            view = memref.view(kind, self.memory, place, [])
            load_box(descriptor, coordinates, self.barriers, stage, view, self.block.cluster)

    def _coordinates(self, side: Side, outer: Sequence[ir.Value], depth: Sequence[ir.Value]) -> list[ir.Value]:
        """Of a box. `outer`, `depth`: where it begins, by part."""
        starts = starts_of(self.block.problem.op.operands[side.number], self.block.values)
        parts = {"outer": outer, "depth": depth, STARTS: starts}
        return [self._coordinate(*one, parts) for one in side.box.order]

    def _coordinate(self, terms: Sequence[Term], offset: int, by_name: Mapping[str, Sequence[ir.Value]]) -> ir.Value:
        """Along one dimension of a map."""
        total = index_constant(offset) if offset or not terms else None
        for term in terms:
            place = self.block.element.place
            value = place[term.source] if isinstance(term.source, int) else by_name[term.source[0]][term.source[1]]
            value = value if term.factor == 1 else arith.muli(value, index_constant(term.factor))
            total = value if total is None else arith.addi(total, value)
        return total

    # The consumers

    def _consume(self, done: ir.Value) -> None:
        multiply = self._promoted_products if self.product.is_promoted else self._products
        sums = multiply(done, self.consumer.number)
        if self.block.start is not None and not is_zero(self.block.start):
            add = arith.addf if self.product.sums == "f32" else arith.addi
            sums = [add(self.block.start, one) for one in sums]
        self.result.take(self.consumer, self.block, sums)

    def _products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """A thread's sums: 2 x 8 rows, two neighbours in each eight columns. They begin with 0 by the first product itself: where
        registers are set, ptxas would have products wait."""
        stage, turn = self._stage(done)
        self.barriers.wait(stage, turn)
        first = self._multiply(stage, consumer, llvm.mlir_undef(self._sums_type), True)
        loop = scf.ForOp(index_constant(1), index_constant(self.steps), index_constant(1), [first])
        with ir.InsertionPoint(loop.body):
            step = arith.addi(done, loop.induction_variable)
            stage, turn = self._stage(step)
            self.barriers.wait(stage, turn)
            sums = self._multiply(stage, consumer, loop.inner_iter_args[0], False)
            wait_for_products(1)
            self._release(arith.subi(step, index_constant(1)))
            scf.YieldOp([sums])
        wait_for_products(0)
        self._release(arith.addi(done, index_constant(self.steps - 1)))
        return self._each(loop.results[0])

    def _promoted_products(self, done: ir.Value, consumer: ir.Value) -> list[ir.Value]:
        """The same; the sums of each stage begin with 0 and are added to the others."""
        undefined = llvm.mlir_undef(self._sums_type)
        starts = [zero_of(self.block.sum_type)] * (self.n // 2)
        loop = scf.ForOp(index_constant(0), index_constant(self.steps), index_constant(1), starts)
        with ir.InsertionPoint(loop.body):
            step = arith.addi(done, loop.induction_variable)
            stage, turn = self._stage(step)
            self.barriers.wait(stage, turn)
            sums = self._multiply(stage, consumer, undefined, True)
            wait_for_products(0)
            self._release(step)
            scf.YieldOp([arith.addf(old, new) for old, new in zip(loop.inner_iter_args, self._each(sums))])
        return list(loop.results)

    @property
    def _sums_type(self) -> ir.Type:
        return ir.Type.parse(f"!llvm.struct<({', '.join([self.product.sums] * (self.n // 2))})>")

    def _each(self, sums: ir.Value) -> list[ir.Value]:
        at, kind = ir.DenseI64ArrayAttr.get, self.block.sum_type
        return [llvm.extractvalue(kind, sums, at([n])) for n in range(self.n // 2)]

    def _multiply(self, stage: ir.Value, consumer: ir.Value, sums: ir.Value, is_from_zero: bool) -> ir.Value:
        offset = arith.muli(stage, index_constant(self.stage_bytes))
        rows = arith.muli(consumer, index_constant(ROWS * LINE))
        left = self._descriptor(self.left, arith.addi(offset, rows))
        right = self._descriptor(self.right, arith.addi(offset, index_constant(self.left.bytes)))
        transposed = (not self.left.is_along_depth, not self.right.is_along_depth)
        ir.Operation.create("nvvm.wgmma.fence.aligned")
        for part in range(LINE // DEPTH_BYTES):
            a = arith.addi(left, i64(part * self.left.advance))
            b = arith.addi(right, i64(part * self.right.advance))
            attributes = self.product.attributes(self.n, transposed, is_from_zero and part == 0)
            made = ir.Operation.create(
                "nvvm.wgmma.mma_async", results=[sums.type], operands=[sums, a, b], attributes=attributes
            )
            sums = made.results[0]
        ir.Operation.create("nvvm.wgmma.commit.group.sync.aligned")
        return sums

    def _descriptor(self, side: Side, offset: ir.Value) -> ir.Value:
        return matrix_descriptor(self.memory, offset, side.between_boxes)

    def _release(self, step: ir.Value) -> None:
        """The products of a step are done: its stage is empty. One thread of the consumer says so; in a cluster one for each
        block, since all of them fill it."""
        cluster = self.block.cluster
        tells = is_below(self.member, cluster)
        with where(tells if cluster > 1 else self.is_first):
            stage, _ = self._stage(step)
            if cluster > 1:
                self.barriers.arrive_in(self._empty(stage), self.member)
            else:
                self.barriers.arrive(self._empty(stage))


def _true() -> ir.Value:
    return arith.constant(ir.IntegerType.get_signless(1), True)
