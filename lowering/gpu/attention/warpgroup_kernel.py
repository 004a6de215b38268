"""Attention by warpgroups: blocks that stay; TMA, wgmma, specialised warps (sm_90a).

    warpgroup 0:  for each of the block's tiles: queries; for each step: its keys, then the values of the step before
    the others:   for each of the block's tiles, for each step: start scores = queries x keys; start sums += weights x values with
                  the weights of the step before; when the scores are there, their softmax, while the sums are computed

Scores, weights and sums stay in registers. Shah et al., "FlashAttention-3" (2024)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import Source
from hlo.lowering.gpu.attention.combiners import Row, is_near
from hlo.lowering.gpu.attention.consumer import Consumer
from hlo.lowering.gpu.attention.plan import REGISTERS, WarpgroupPlan
from hlo.lowering.gpu.attention.thread_rows import SymbolValues, TileCoordinates
from hlo.lowering.gpu.hopper import (
    WARPGROUP,
    Barriers,
    BoxRing,
    Multiplier,
    Specialised,
    inputs_of,
    is_odd,
    narrowed,
    widened,
)
from hlo.lowering.gpu.launches import Values
from hlo.lowering.gpu.threads import WARP, dynamic_shared_memory, each, equals, identity, is_any, shared_array, where
from hlo.lowering.linalg.loops import add, for_loop, index, mul, position_values, sub, within
from hlo.lowering.numbers import i32


class WarpgroupKernel(Specialised):
    """The code of a block. `values`: memory, by the tensors that the attention's ops use; `maps`: tensor maps of queries, keys and
    values."""

    def __init__(self, plan: WarpgroupPlan, values: Values, maps: Sequence[ir.Value]):
        self.plan, self.values = plan, values
        self._allocate_shared(maps)
        super().__init__(identity("gpu.thread_id"))
        self.coordinates = TileCoordinates(plan.values, plan.attention.parts, plan.cut.queries, plan.cut.keys)

    def _allocate_shared(self, maps: Sequence[ir.Value]) -> None:
        """Shared memory and barriers of each part."""
        plan, consumers = self.plan, self.plan.cut.consumers
        memory = dynamic_shared_memory()
        stages = plan.stages
        barriers = Barriers.create(2 + 4 * stages + 1 + consumers)
        q, k, v = self.inputs = inputs_of(list(zip(plan.inputs, (plan.q, plan.k, plan.v))), maps, self.values)
        self.q = BoxRing([q], 1, barriers, 0, memory)
        self.k = BoxRing([k], stages, barriers, 2, memory, plan.q.bytes)
        self.v = BoxRing([v], stages, barriers, 2 + 2 * stages, memory, plan.q.bytes + stages * plan.k.bytes)
        self.rest = Rest.create(plan, barriers, 2 + 4 * stages)
        self.order = Order(barriers, 3 + 4 * stages, consumers)

    def emit(self, result: ir.Value) -> None:
        self.run(
            self._init_barriers,
            [one.descriptor for one in self.inputs],
            REGISTERS[self.plan.cut.consumers],
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
        with each(start, arith.select(some, add(end, one), end), one) as step:
            with where(arith.cmpi(arith.CmpIPredicate.ult, step, end)):
                self._fill(self.k, tile, step, batch)
            with where(arith.cmpi(arith.CmpIPredicate.ugt, step, start)):
                self._fill(self.v, tile, sub(step, one), batch)

    def _fill(self, ring: BoxRing, tile: Tile, step: ir.Value, batch: dict[int, ir.Value]) -> None:
        first = mul(widened(step), self.plan.cut.keys)
        named = (
            ("outer", first, batch, self.plan.symbols) if ring is self.k else ("k", first, batch, {d: d for d in batch})
        )
        ring.fill(add(tile.done, step), [_coordinates(*named)])


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


# How a block goes through its tiles: which tiles it takes, which consumer starts its matmuls next, and whether a tile needs the keys that its
# mask hides.
#
# Tiles come one after the other, the longest first, so that all blocks end at about the same time: those with the same rows of a group
# of the batch follow each other, last rows first where they see most keys, and blocks take them in their own order and in the reverse
# one alternately. Numbers of steps and tiles have 32 bits, since threads keep many of them through all steps.


@dataclass(frozen=True)
class Tile:
    """`iteration`: its number among the block's. `batch`: a position; `row`: of the first query. Steps are counted through all tiles of
    a block: `done` before this one. `seen`: those whose keys it sees. Counts have 32 bits."""

    iteration: ir.Value
    batch: ir.Value
    row: ir.Value
    done: ir.Value
    seen: ir.Value


Work = Callable[[Tile], ir.Value]
"""Writes the code of a tile; gives the number of steps that it took."""


def for_each_tile(plan: WarpgroupPlan, work: Work) -> None:
    block, blocks = identity("gpu.block_id"), plan.grid.blocks
    reverse = sub(blocks - 1, block)

    def one_tile(iteration: ir.Value, done: ir.Value) -> list[ir.Value]:
        position = arith.select(is_odd(iteration), reverse, block)
        number = add(mul(widened(iteration), blocks), position)
        batch, row = _tile_at(plan, number)
        first = mul(row, plan.cut.queries)
        tile = Tile(iteration, batch, first, done, _seen(plan, first))
        return [add(done, work(tile))]

    for_loop(i32(0), narrowed(_iterations(plan, block, reverse)), one_tile, [i32(0)], i32(1))


def _iterations(plan: WarpgroupPlan, block: ir.Value, reverse: ir.Value) -> ir.Value:
    """How many tiles the block has: in the last iteration some blocks have none."""
    full, rest = divmod(prod(plan.tiles), plan.grid.blocks)
    if not rest:
        return index(full)
    has_one = within(reverse if full % 2 else block, rest)
    return arith.select(has_one, index(full + 1), index(full))


def _tile_at(plan: WarpgroupPlan, number: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The position in the batch and the number of the tile's rows."""
    batches, rows, _ = plan.tiles
    together = plan.together if plan.hidden else 1
    group, row, member = position_values(number, [batches // together, rows, together])
    return add(mul(group, together), member), sub(rows - 1, row) if plan.hidden else row


def _seen(plan: WarpgroupPlan, first: ir.Value) -> ir.Value:
    if plan.hidden is None:
        return i32(plan.steps)
    return narrowed(plan.hidden.range(first, plan.cut.queries)[1])


# Which consumer is next


@dataclass(frozen=True)
class Order:
    """`first`: the number of the first consumer's barrier; there is one for each of `consumers`."""

    barriers: Barriers
    first: int
    consumers: int

    def prepare(self) -> None:
        for one in range(self.consumers):
            self.barriers.init(index(self.first + one), 1)

    def wait(self, consumer: ir.Value, iteration: ir.Value) -> None:
        """Until the consumer before has started its products of this iteration; for the first one, the last one those of the iteration
        before."""
        is_leader = equals(consumer, 0)
        self.barriers.wait(add(consumer, self.first), arith.xori(is_odd(iteration), is_leader))

    def pass_on(self, consumer: ir.Value, is_first: ir.Value) -> None:
        """One thread tells the next consumer."""
        after = add(consumer, 1)
        is_last = equals(after, self.consumers)
        after = arith.select(is_last, index(0), after)
        with where(is_first):
            self.barriers.arrive(add(after, self.first))


# Keys that a mask hides


WARPS = WARPGROUP // WARP


@dataclass(frozen=True)
class Rest:
    """Whether a tile needs the keys that its mask hides. `decided`: the number of the barrier that ends a phase when all warps that multiply
    have told; `flags`: what they tell, by parity of the tile and warp."""

    plan: WarpgroupPlan
    barriers: Barriers
    decided: int
    flags: ir.Value | None

    @staticmethod
    def create(plan: WarpgroupPlan, barriers: Barriers, decided: int) -> Rest:
        shape, kind = [2, plan.cut.consumers * WARPS], ir.IntegerType.get_signless(32)
        return Rest(plan, barriers, decided, shared_array(shape, kind) if plan.is_sometimes_all else None)

    def prepare(self) -> None:
        self.barriers.init(index(self.decided), self.plan.cut.consumers * WARPS)

    def tell(self, tile: Tile, rows: Sequence[Row], consumer: Multiplier) -> None:
        """Whether a row of this warp needs them."""
        assert self.plan.hidden is not None
        mine = is_near(rows, self.plan.hidden.far)
        with where(equals(consumer.lane, 0)):
            memref.store(mine, self.flags, [_parity(tile), add(mul(consumer.number, WARPS), consumer.warp)])
            self.barriers.arrive(index(self.decided))

    def steps(self, tile: Tile) -> ir.Value:
        """How many a tile takes, when all have told."""
        self.barriers.wait(index(self.decided), is_odd(tile.iteration))
        warps = range(self.plan.cut.consumers * WARPS)
        some = is_any([memref.load(self.flags, [_parity(tile), index(warp)]) for warp in warps])
        return arith.select(some, i32(self.plan.steps), tile.seen)


def _parity(tile: Tile) -> ir.Value:
    return widened(arith.andi(tile.iteration, i32(1)))
