"""Whose turn it is to start products: while one consumer's are computed, another one has its softmax.

Without it the consumers would run in step, and the tensor cores would wait for all of them. Shah et al., "FlashAttention-3", 3.1."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.attention.warpgroups.counts import is_odd
from hlo.lowering.gpu.element import index_constant
from hlo.lowering.gpu.hopper_ops import Barriers


@dataclass(frozen=True)
class Order:
    """`first`: the number of the first consumer's barrier; there is one for each of `consumers`."""

    barriers: Barriers
    first: int
    consumers: int

    def prepare(self) -> None:
        for one in range(self.consumers):
            self.barriers.init(index_constant(self.first + one), 1)

    def wait(self, consumer: ir.Value, turn: ir.Value) -> None:
        """Until the consumer before has started its products of this turn; for the first one, the last one those of the turn
        before."""
        is_leader = arith.cmpi(arith.CmpIPredicate.eq, consumer, index_constant(0))
        self.barriers.wait(arith.addi(consumer, index_constant(self.first)), arith.xori(is_odd(turn), is_leader))

    def pass_on(self, consumer: ir.Value, is_first: ir.Value) -> None:
        """One thread tells the next consumer."""
        after = arith.addi(consumer, index_constant(1))
        is_last = arith.cmpi(arith.CmpIPredicate.eq, after, index_constant(self.consumers))
        after = arith.select(is_last, index_constant(0), after)
        branch = scf.IfOp(is_first)
        with ir.InsertionPoint(branch.then_block):
            self.barriers.arrive(arith.addi(after, index_constant(self.first)))
            scf.YieldOp([])
