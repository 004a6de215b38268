"""A warpgroup that multiplies: which threads it has, and where its results are."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.contraction.warpgroup_sides import CONSUMERS, ROWS, WARPGROUP
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import named_barrier


@dataclass
class Consumer:
    """`group`: of the block's warpgroups, counted from 0, of which the first one copies; `member`: the thread in it; `rank`: of the
    block in its cluster; `memory`: all of the block's, `behind` which bytes the warpgroups have `room` bytes each for results."""

    group: ir.Value
    member: ir.Value
    rank: ir.Value
    memory: ir.Value
    behind: int
    room: int

    def __post_init__(self) -> None:
        self.number = arith.subi(self.group, index_constant(1))
        self.is_first = arith.cmpi(arith.CmpIPredicate.eq, self.member, index_constant(0))
        warp, self.lane = (f(self.member, index_constant(32)) for f in (arith.divui, arith.remui))
        self.warp_row = arith.muli(warp, index_constant(ROWS // 4))
        mine = arith.muli(self.number, index_constant(self.room))
        self.offset = arith.addi(mine, index_constant(self.behind))
        block = arith.muli(self.rank, index_constant(CONSUMERS * ROWS))
        self.first_row = arith.addi(block, arith.muli(self.number, index_constant(ROWS)))

    def barrier(self) -> None:
        """Its threads wait for each other."""
        named_barrier(arith.index_cast(ir.IntegerType.get_signless(32), self.group), WARPGROUP)
