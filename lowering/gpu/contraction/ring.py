"""A ring of stages in shared memory: tiles of both inputs are copied some steps before they are multiplied.

start to copy steps 0 .. STAGES - 2
for each step: wait for its copies; barrier; start to copy the step STAGES - 1 later; multiply
wait for all; barrier: shared memory is free"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, scf

from hlo.lowering.gpu.contraction.shared_tiles import SharedTile
from hlo.lowering.gpu.element import index_constant

STAGES = 4

Multiply = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
"""Of a stage and the sums so far: the sums with the stage's products."""


@dataclass(frozen=True)
class Ring:
    """`steps` along the depth, each of `step` elements, copied by `threads` threads."""

    left: SharedTile
    right: SharedTile
    steps: int
    step: int
    threads: int

    def run(self, start: list[ir.Value], multiply: Multiply) -> list[ir.Value]:
        """The sums of a thread, and all shared memory free again."""
        for ahead in range(STAGES - 1):
            if ahead < self.steps:
                self._copy(index_constant(ahead), index_constant(ahead * self.step))
            end_of_group()
        loop = scf.ForOp(index_constant(0), index_constant(self.steps), index_constant(1), start)
        with ir.InsertionPoint(loop.body):
            step = loop.induction_variable
            wait_for_groups(STAGES - 2)
            ir.Operation.create("gpu.barrier")
            self._copy_ahead(step)
            stage = arith.remui(step, index_constant(STAGES))
            scf.YieldOp(multiply(stage, list(loop.inner_iter_args)))
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        return list(loop.results)

    def _copy_ahead(self, step: ir.Value) -> None:
        later = arith.addi(step, index_constant(STAGES - 1))
        branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ult, later, index_constant(self.steps)))
        with ir.InsertionPoint(branch.then_block):
            self._copy(arith.remui(later, index_constant(STAGES)), arith.muli(later, index_constant(self.step)))
            scf.YieldOp([])
        end_of_group()

    def _copy(self, stage: ir.Value, depth: ir.Value) -> None:
        for tile in (self.left, self.right):
            tile.copy(stage, depth, self.threads)


def end_of_group() -> None:
    """Of the copies that this thread has started since the last one."""
    ir.Operation.create("nvvm.cp.async.commit.group")


def wait_for_groups(most: int) -> None:
    """Until at most so many groups of this thread's copies are under way."""
    number = {"n": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), most)}
    ir.Operation.create("nvvm.cp.async.wait.group", attributes=number)
