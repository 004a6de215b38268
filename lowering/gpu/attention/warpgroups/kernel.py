"""Attention by warpgroups: blocks that stay; TMA, wgmma, specialised warps (sm_90a).

    warpgroup 0:  for each of the block's tiles: queries; for each step: its keys, then the values of the step before
    the others:   for each of the block's tiles, for each step: start scores = queries x keys; start sums += weights x values with
                  the weights of the step before; when the scores are there, their softmax, while the sums are computed

Scores, weights and sums stay in registers. Shah et al., "FlashAttention-3" (2024)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.attention.thread_rows import SymbolValues, TileCoordinates
from hlo.lowering.gpu.attention.warpgroups.consumer import Consumer
from hlo.lowering.gpu.attention.warpgroups.pipeline import Order, Rest, Tile, for_each_tile
from hlo.lowering.gpu.attention.warpgroups.plan import REGISTERS, WarpgroupPlan
from hlo.lowering.gpu.contraction.box_ring import BoxRing, Input, widened
from hlo.lowering.gpu.contraction.shared_tiles import dynamic_shared_memory
from hlo.lowering.gpu.control_flow import each, identity, where
from hlo.lowering.gpu.device_functions import starts_of
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.hopper_ops import Barriers, Specialised, descriptor_of, i32
from hlo.lowering.gpu.tensor_maps import Source
from hlo.lowering.linalg.loops import index


class WarpgroupKernel(Specialised):
    """The code of a block. `values`: memory, by the tensors that the attention's ops use; `maps`: tensor maps of queries, keys and
    values."""

    def __init__(self, plan: WarpgroupPlan, values: Values, maps: Sequence[ir.Value]):
        self.plan, self.values = plan, values
        self.descriptors = [descriptor_of(pointer, one) for pointer, (_, one) in zip(maps, plan.maps, strict=True)]
        self._allocate_shared()
        super().__init__(identity("gpu.thread_id"))
        self.coordinates = TileCoordinates(plan.values, plan.attention.parts, plan.cut.queries, plan.cut.keys)

    def _allocate_shared(self) -> None:
        """Shared memory and barriers of each part."""
        plan, consumers = self.plan, self.plan.cut.consumers
        memory = dynamic_shared_memory()
        stages = plan.stages
        barriers = Barriers.create(2 + 4 * stages + 1 + consumers)
        starts = (starts_of(value, self.values) for value in plan.inputs)
        q, k, v = (Input(*one) for one in zip((plan.q, plan.k, plan.v), self.descriptors, starts))
        self.q = BoxRing([q], 1, barriers, 0, memory)
        self.k = BoxRing([k], stages, barriers, 2, memory, plan.q.bytes)
        self.v = BoxRing([v], stages, barriers, 2 + 2 * stages, memory, plan.q.bytes + stages * plan.k.bytes)
        self.rest = Rest.create(plan, barriers, 2 + 4 * stages)
        self.order = Order(barriers, 3 + 4 * stages, consumers)

    def emit(self, result: ir.Value) -> None:
        consumers = self.plan.cut.consumers
        self.prepare(self._init_barriers, self.descriptors)
        ir.Operation.create("gpu.barrier")
        self.specialise(
            REGISTERS[consumers],
            lambda: for_each_tile(self.plan, self._produce),
            lambda: for_each_tile(self.plan, Consumer(self, result).emit),
        )

    def _init_barriers(self) -> None:
        for ring in (self.q, self.k, self.v):
            ring.prepare(self.plan.cut.consumers)
        self.rest.prepare()
        self.order.prepare()

    # The producer

    def _produce(self, tile: Tile) -> ir.Value:
        batch = self.coordinates.along(self.plan.values.batch, tile.batch)
        self.q.fill(tile.iteration, [_coordinates("outer", tile.row, batch, self.plan.symbols)])
        self._steps(tile, i32(0), tile.seen, batch)
        if not self.plan.is_sometimes_all:
            return tile.seen
        steps = self.rest.steps(tile)
        self._steps(tile, tile.seen, steps, batch)
        return steps

    def _steps(self, tile: Tile, start: ir.Value, end: ir.Value, batch: dict[int, ir.Value]) -> None:
        """In each iteration the keys of a step, and the values of the one before."""
        one = i32(1)
        some = arith.cmpi(arith.CmpIPredicate.ult, start, end)
        with each(start, arith.select(some, arith.addi(end, one), end), one) as step:
            with where(arith.cmpi(arith.CmpIPredicate.ult, step, end)):
                self._fill(self.k, tile, step, batch)
            with where(arith.cmpi(arith.CmpIPredicate.ugt, step, start)):
                self._fill(self.v, tile, arith.subi(step, one), batch)

    def _fill(self, ring: BoxRing, tile: Tile, step: ir.Value, batch: dict[int, ir.Value]) -> None:
        first = arith.muli(widened(step), index(self.plan.cut.keys))
        named = (
            ("outer", first, batch, self.plan.symbols)
            if ring is self.k
            else ("depth", first, batch, {d: d for d in batch})
        )
        ring.fill(arith.addi(tile.done, step), [_coordinates(*named)])


def _coordinates(
    name: str, first: ir.Value, batch: SymbolValues, symbols: Mapping[int, int]
) -> Callable[[Source], ir.Value]:
    """Where a box begins, by source: `first` along `name`. `symbols`: of the contraction's dimensions; those without
    one have size 1."""

    def coordinate(source: Source) -> ir.Value:
        if isinstance(source, tuple):
            return first if source[0] == name else index(0)
        return batch[symbols[source]] if source in symbols else index(0)

    return coordinate
