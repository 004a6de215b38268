"""Keys that a tile's queries do not see, and that count all the same: where the maximum of a row is as low as a mask's value.

When the keys that it sees are done, each consumer tells whether it has such a row; all read what the others told: the producer
brings the rest if any one has, and the consumers that have none let it pass. Flags are of odd and even tiles: those of a tile are
written again two tiles later, when all have read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, memref, scf

from hlo.lowering.gpu.attention.online_softmax import Row, is_near
from hlo.lowering.gpu.attention.warpgroups.counts import count, is_odd, widened
from hlo.lowering.gpu.attention.warpgroups.plan import WarpgroupPlan
from hlo.lowering.gpu.attention.warpgroups.schedule import Tile
from hlo.lowering.gpu.block_reduction import shared_array_of
from hlo.lowering.gpu.contraction.warpgroup_sides import WARPGROUP
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import Barriers, named_barrier

WARP, WARPS = 32, 4


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
        arrays = [shared_array_of([2, count], kind) for count in (consumers * WARPS, consumers)]
        return Rest(plan, barriers, decided, *arrays)

    def prepare(self) -> None:
        self.barriers.init(index_constant(self.decided), self.plan.cut.consumers)

    def tell(self, tile: Tile, rows: Sequence[Row], consumer: ir.Value, member: ir.Value) -> ir.Value:
        """Whether this consumer needs the rest: its threads agree and one tells the others."""
        assert self.plan.visible is not None
        parity, zero = _parity(tile), index_constant(0)
        warp, lane = (f(member, index_constant(WARP)) for f in (arith.divui, arith.remui))
        first = arith.muli(consumer, index_constant(WARPS))
        mine = is_near(rows, self.plan.visible.far)
        with ir.InsertionPoint(scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, lane, zero)).then_block):
            memref.store(mine, self.warps, [parity, arith.addi(first, warp)])
            scf.YieldOp([])
        number = arith.index_cast(mine.type, arith.addi(consumer, index_constant(1)))
        named_barrier(number, WARPGROUP)
        found = self._any(self.warps, parity, [arith.addi(first, index_constant(n)) for n in range(WARPS)])
        with ir.InsertionPoint(scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, member, zero)).then_block):
            memref.store(arith.extui(mine.type, found), self.flags, [parity, consumer])
            self.barriers.arrive(index_constant(self.decided))
            scf.YieldOp([])
        return found

    def steps(self, tile: Tile) -> ir.Value:
        """How many a tile takes, when all have told."""
        self.barriers.wait(index_constant(self.decided), is_odd(tile.turn))
        some = self._any(self.flags, _parity(tile), [index_constant(n) for n in range(self.plan.cut.consumers)])
        return arith.select(some, count(self.plan.steps), tile.seen)

    def _any(self, flags: ir.Value, parity: ir.Value, places: Sequence[ir.Value]) -> ir.Value:
        one, *others = [memref.load(flags, [parity, place]) for place in places]
        for other in others:
            one = arith.ori(one, other)
        return arith.cmpi(arith.CmpIPredicate.ne, one, arith.constant(one.type, 0))


def _parity(tile: Tile) -> ir.Value:
    return widened(arith.andi(tile.turn, count(1)))
