"""Attention by warpgroups: blocks that stay; TMA, wgmma, specialised warps (sm_90a).

    warpgroup 0:  for each of the block's tiles: queries; for each step: its keys, then the values of the step before
    the others:   for each of the block's tiles, for each step: start scores = queries x keys; start sums += weights x values with
                  the weights of the step before; when the scores are there, their softmax, while the sums are computed

Scores, weights and sums stay in registers. Shah et al., "FlashAttention-3" (2024)."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.attention.warpgroups.consumer import Consumer
from hlo.lowering.gpu.attention.warpgroups.counts import count, widened
from hlo.lowering.gpu.attention.warpgroups.order import Order
from hlo.lowering.gpu.attention.warpgroups.places import Places
from hlo.lowering.gpu.attention.warpgroups.plan import REGISTERS, WarpgroupPlan
from hlo.lowering.gpu.attention.warpgroups.rest import Rest
from hlo.lowering.gpu.attention.warpgroups.ring import Ring
from hlo.lowering.gpu.attention.warpgroups.schedule import Tile, for_each_tile
from hlo.lowering.gpu.contraction.block import identity
from hlo.lowering.gpu.contraction.shared_tiles import dynamic_shared_memory
from hlo.lowering.gpu.contraction.warpgroup_sides import WARPGROUP
from hlo.lowering.gpu.element import Values, index_constant
from hlo.lowering.gpu.hopper_ops import Barriers, descriptor_type, set_registers, uniform
from hlo.lowering.gpu.parts import starts_of


class WarpgroupKernel:
    """The code of a block. `values`: memory, by the tensors that the attention's ops use; `maps`: tensor maps of queries, keys and
    values."""

    def __init__(self, plan: WarpgroupPlan, values: Values, maps: Sequence[ir.Value]):
        self.plan, self.values = plan, values
        self.descriptors = [
            ir.Operation.create(
                "builtin.unrealized_conversion_cast", results=[descriptor_type(one)], operands=[pointer]
            ).results[0]
            for pointer, (_, one) in zip(maps, plan.maps, strict=True)
        ]
        self._share()
        thread = identity("gpu.thread_id")
        self.thread = thread
        self.group = uniform(arith.divui(thread, index_constant(WARPGROUP)))
        self.member = arith.remui(thread, index_constant(WARPGROUP))
        self.is_first = arith.cmpi(arith.CmpIPredicate.eq, self.member, index_constant(0))
        self.places = Places(plan)

    def _share(self) -> None:
        """Shared memory and barriers of each part."""
        plan, consumers = self.plan, self.plan.cut.consumers
        memory = dynamic_shared_memory()
        stages = plan.stages
        barriers = Barriers.create(2 + 4 * stages + 1 + consumers)
        q, k, v = (starts_of(value, self.values) for value in plan.inputs)
        self.q = Ring(plan.q, 1, barriers, 0, memory, 0, q)
        self.k = Ring(plan.k, stages, barriers, 2, memory, plan.q.bytes, k)
        self.v = Ring(plan.v, stages, barriers, 2 + 2 * stages, memory, plan.q.bytes + stages * plan.k.bytes, v)
        self.rest = Rest.create(plan, barriers, 2 + 4 * stages)
        self.order = Order(barriers, 3 + 4 * stages, consumers)

    def emit(self, result: ir.Value) -> None:
        self._start()
        producer, consumer = REGISTERS[self.plan.cut.consumers]
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, self.group, index_constant(0)), has_else=True)
        with ir.InsertionPoint(branch.then_block):
            set_registers("decrease", producer)
            one = scf.IfOp(self.is_first)
            with ir.InsertionPoint(one.then_block):
                for_each_tile(self.plan, self._produce)
                scf.YieldOp([])
            scf.YieldOp([])
        with ir.InsertionPoint(branch.else_block):
            set_registers("increase", consumer)
            for_each_tile(self.plan, Consumer(self, result).emit)
            scf.YieldOp([])

    def _start(self) -> None:
        """One thread makes the barriers ready."""
        first = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, self.thread, index_constant(0)))
        with ir.InsertionPoint(first.then_block):
            consumers = self.plan.cut.consumers
            for ring in (self.q, self.k, self.v):
                ring.prepare(consumers)
            self.rest.prepare()
            self.order.prepare()
            ir.Operation.create("nvvm.fence.mbarrier.init")
            for descriptor in self.descriptors:
                ir.Operation.create("nvgpu.tma.prefetch.descriptor", operands=[descriptor])
            scf.YieldOp([])
        ir.Operation.create("gpu.barrier")

    # The producer

    def _produce(self, tile: Tile) -> ir.Value:
        batch = self.places.batch(tile.batch)
        self.q.fill(tile.turn, self.descriptors[0], lambda part: self.places.of_scores(part, batch, tile.row))
        self._steps(tile, count(0), tile.seen, batch)
        if not self.plan.is_sometimes_all:
            return tile.seen
        steps = self.rest.steps(tile)
        self._steps(tile, tile.seen, steps, batch)
        return steps

    def _steps(self, tile: Tile, start: ir.Value, end: ir.Value, batch: dict[int, ir.Value]) -> None:
        """In each turn the keys of a step, and the values of the one before."""
        one = count(1)
        some = arith.cmpi(arith.CmpIPredicate.ult, start, end)
        loop = scf.ForOp(start, arith.select(some, arith.addi(end, one), end), one)
        with ir.InsertionPoint(loop.body):
            step = loop.induction_variable
            with ir.InsertionPoint(scf.IfOp(arith.cmpi(arith.CmpIPredicate.ult, step, end)).then_block):
                self._fill(self.k, tile, step, self.descriptors[1], batch)
                scf.YieldOp([])
            with ir.InsertionPoint(scf.IfOp(arith.cmpi(arith.CmpIPredicate.ugt, step, start)).then_block):
                self._fill(self.v, tile, arith.subi(step, one), self.descriptors[2], batch)
                scf.YieldOp([])
            scf.YieldOp([])

    def _fill(self, ring: Ring, tile: Tile, step: ir.Value, descriptor: ir.Value, batch: dict[int, ir.Value]) -> None:
        first = arith.muli(widened(step), index_constant(self.plan.cut.keys))
        of = self.places.of_keys if ring is self.k else self.places.of_values
        ring.fill(arith.addi(tile.done, step), descriptor, lambda part: of(part, batch, first))
