"""How a block that stays goes through its tiles: which tiles it takes, which consumer starts products next, and whether a tile needs
the keys that its mask hides.

Tiles come one after the other, the longest first, so that all blocks end at about the same time: those with the same rows of a group
of the batch follow each other, last rows first where they see most keys, and blocks take them in their own order and in the reverse
one alternately. Numbers of steps and tiles have 32 bits, since threads keep many of them through all steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.attention.combiners import Row, is_near
from hlo.lowering.gpu.attention.warpgroups.plan import WarpgroupPlan
from hlo.lowering.gpu.block_reduction import WARP, is_any, shared_array
from hlo.lowering.gpu.contraction.box_ring import is_odd, widened
from hlo.lowering.gpu.control_flow import equals, identity, where
from hlo.lowering.gpu.element import delinearized
from hlo.lowering.gpu.hopper_ops import WARPGROUP, Barriers, i32, named_barrier
from hlo.lowering.linalg.loops import for_loop, index, within


def narrowed(index: ir.Value) -> ir.Value:
    return arith.index_cast(ir.IntegerType.get_signless(32), index)


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
    reverse = arith.subi(index(blocks - 1), block)

    def one_tile(iteration: ir.Value, done: ir.Value) -> list[ir.Value]:
        position = arith.select(is_odd(iteration), reverse, block)
        number = arith.addi(arith.muli(widened(iteration), index(blocks)), position)
        batch, row = _coordinates(plan, number)
        first = arith.muli(row, index(plan.cut.queries))
        tile = Tile(iteration, batch, first, done, _seen(plan, first))
        return [arith.addi(done, work(tile))]

    for_loop(i32(0), narrowed(_iterations(plan, block, reverse)), one_tile, [i32(0)], i32(1))


def _iterations(plan: WarpgroupPlan, block: ir.Value, reverse: ir.Value) -> ir.Value:
    """How many tiles the block has: in the last iteration some blocks have none."""
    full, rest = divmod(prod(plan.tiles), plan.grid.blocks)
    if not rest:
        return index(full)
    has_one = within(reverse if full % 2 else block, rest)
    return arith.select(has_one, index(full + 1), index(full))


def _coordinates(plan: WarpgroupPlan, number: ir.Value) -> tuple[ir.Value, ir.Value]:
    """The position in the batch and the number of the tile's rows."""
    batches, rows, _ = plan.tiles
    if plan.hidden is None:
        batch, row = delinearized(number, [batches, rows])
        return batch, row
    group, row, member = delinearized(number, [batches // plan.together, rows, plan.together])
    batch = arith.addi(arith.muli(group, index(plan.together)), member)
    return batch, arith.subi(index(rows - 1), row)


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
        self.barriers.wait(arith.addi(consumer, index(self.first)), arith.xori(is_odd(iteration), is_leader))

    def pass_on(self, consumer: ir.Value, is_first: ir.Value) -> None:
        """One thread tells the next consumer."""
        after = arith.addi(consumer, index(1))
        is_last = equals(after, self.consumers)
        after = arith.select(is_last, index(0), after)
        with where(is_first):
            self.barriers.arrive(arith.addi(after, index(self.first)))


# Keys that a mask hides


WARPS = WARPGROUP // WARP


@dataclass(frozen=True)
class Rest:
    """`decided`: the number of the barrier that ends a phase when all consumers have told. `warps`, `flags`: [parity of the tile,
    warp or consumer]."""

    plan: WarpgroupPlan
    barriers: Barriers
    decided: int
    warps: ir.Value | None
    flags: ir.Value | None

    @staticmethod
    def create(plan: WarpgroupPlan, barriers: Barriers, decided: int) -> Rest:
        if not plan.is_sometimes_all:
            return Rest(plan, barriers, decided, None, None)
        kind, consumers = ir.IntegerType.get_signless(32), plan.cut.consumers
        arrays = [shared_array([2, count], kind) for count in (consumers * WARPS, consumers)]
        return Rest(plan, barriers, decided, *arrays)

    def prepare(self) -> None:
        self.barriers.init(index(self.decided), self.plan.cut.consumers)

    def tell(self, tile: Tile, rows: Sequence[Row], consumer: ir.Value, member: ir.Value) -> ir.Value:
        """Whether this consumer needs the rest: its threads agree and one tells the others."""
        assert self.plan.hidden is not None
        parity, zero = _parity(tile), index(0)
        warp, lane = (f(member, index(WARP)) for f in (arith.divui, arith.remui))
        first = arith.muli(consumer, index(WARPS))
        mine = is_near(rows, self.plan.hidden.far)
        with where(arith.cmpi(arith.CmpIPredicate.eq, lane, zero)):
            memref.store(mine, self.warps, [parity, arith.addi(first, warp)])
        number = arith.index_cast(mine.type, arith.addi(consumer, index(1)))
        named_barrier(number, WARPGROUP)
        found = self._any(self.warps, parity, [arith.addi(first, index(n)) for n in range(WARPS)])
        with where(arith.cmpi(arith.CmpIPredicate.eq, member, zero)):
            memref.store(arith.extui(mine.type, found), self.flags, [parity, consumer])
            self.barriers.arrive(index(self.decided))
        return found

    def steps(self, tile: Tile) -> ir.Value:
        """How many a tile takes, when all have told."""
        self.barriers.wait(index(self.decided), is_odd(tile.iteration))
        some = self._any(self.flags, _parity(tile), [index(n) for n in range(self.plan.cut.consumers)])
        return arith.select(some, i32(self.plan.steps), tile.seen)

    def _any(self, flags: ir.Value, parity: ir.Value, slots: Sequence[ir.Value]) -> ir.Value:
        return is_any([memref.load(flags, [parity, position]) for position in slots])


def _parity(tile: Tile) -> ir.Value:
    return widened(arith.andi(tile.iteration, i32(1)))
