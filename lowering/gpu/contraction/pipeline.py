"""What tiles have in common: `Tile` is how a block of threads multiplies, `PipelinedTile` one whose inputs threads copy to shared
memory some steps before they are multiplied, in a multistage pipeline.

    start to copy steps 0 .. stages - 2
    for each step: wait for its copies; barrier; start to copy the step stages - 1 later; multiply
    wait for all; barrier: shared memory is free"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.contraction.block import Block
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, Side, side_of
from hlo.lowering.gpu.contraction.spans import Span, whole
from hlo.lowering.gpu.control_flow import Index, i32_attribute, where
from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.linalg.loops import for_loop, index, within

STAGES = 4
"""As long as shared memory holds them."""

Multiply = Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
"""Of a stage and the sums so far: the sums with the stage's products."""


@dataclass(frozen=True)
class Ring:
    """`steps` along the depth, each of `step` elements, copied to one of `stages` by `threads` threads."""

    left: SharedTile
    right: SharedTile
    steps: int
    step: int
    stages: int
    threads: int

    def run(self, start: list[ir.Value], multiply: Multiply) -> list[ir.Value]:
        """The sums of a thread, and all shared memory free again."""
        for ahead in range(self.stages - 1):
            if ahead < self.steps:
                self._copy(index(ahead), index(ahead * self.step))
            end_of_group()

        def one_step(step: ir.Value, *sums: ir.Value) -> list[ir.Value]:
            wait_for_groups(self.stages - 2)
            ir.Operation.create("gpu.barrier")
            self._copy_ahead(step)
            return multiply(arith.remui(step, index(self.stages)), list(sums))

        sums = for_loop(0, self.steps, one_step, start)
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")
        return sums

    def _copy_ahead(self, step: ir.Value) -> None:
        later = arith.addi(step, index(self.stages - 1))
        with where(within(later, self.steps)):
            self._copy(arith.remui(later, index(self.stages)), arith.muli(later, index(self.step)))
        end_of_group()

    def _copy(self, stage: ir.Value, depth: ir.Value) -> None:
        for tile in (self.left, self.right):
            tile.copy(stage, depth, self.threads)


class Tile:
    """How a block of threads multiplies: `m` x `n` results by `threads` threads."""

    m: int
    n: int

    @property
    def threads(self) -> int:
        raise NotImplementedError

    @property
    def unit(self) -> str:
        """What multiplies, in words."""
        raise NotImplementedError

    def spans(self, problem: Problem) -> tuple[Span, Span]:
        """What a tile has of the rows and of the columns."""
        return whole(problem.rows, problem.m, self.m), whole(problem.columns, problem.n, self.n)

    def tiles(self, problem: Problem) -> tuple[int, int, int]:
        """How many there are: of the batch, the rows, the columns."""
        rows, columns = self.spans(problem)
        return problem.batches, rows.tiles, columns.tiles

    def depth_of(self, problem: Problem) -> int:
        """Elements along the depth that are multiplied, with those that are padding."""
        return problem.k

    def blocks(self, tiles: int) -> int:
        """How many have work."""
        return tiles

    def rate(self, width: int) -> float:
        """About how many operations a second one multiprocessor does on elements of so many bytes."""
        return 0.3e12

    def shared_bytes(self, problem: Problem) -> int:
        """Of dynamic shared memory."""
        raise NotImplementedError

    def maps(self, problem: Problem) -> list[tuple[ir.Value, TensorMap]]:
        """Memory that is read or written by tensor maps."""
        return []

    def emit(self, block: Block) -> None:
        """The code of one block of threads."""
        raise NotImplementedError


class PipelinedTile(Tile):
    """One whose inputs threads copy some steps ahead. `turns`: sizes of elements that may lie along rows or columns."""

    turns: tuple[int, ...] = (2,)

    def depth_step(self, problem: Problem) -> int:
        """Elements along the depth of a stage."""
        raise NotImplementedError

    def sides(self, problem: Problem) -> tuple[Side, Side]:
        step = self.depth_step(problem)
        left, right = ((problem.left, self.m), (problem.right, self.n))
        return side_of(problem, *left, step, self.turns), side_of(problem, *right, step, self.turns)

    def stages(self, problem: Problem) -> int:
        return STAGES

    def stage_bytes(self, problem: Problem) -> int:
        return sum(side.bytes for side in self.sides(problem))

    def pipeline(self, block: Block, memory: ir.Value) -> Ring:
        (left, right), stages = self.sides(block.problem), self.stages(block.problem)
        a = SharedTile(left, block, memory, stages, 0)
        b = SharedTile(right, block, memory, stages, stages * left.bytes)
        return Ring(a, b, -(-block.problem.k // left.depth), left.depth, stages, self.threads)


def next_stage(step: ir.Value, steps: Index, stages: int, copy: Callable[[ir.Value], None]) -> ir.Value:
    """Waits for the copies of a step and starts those of the next one, if there is one; the stage that the step is in."""
    wait_for_groups(0)
    ir.Operation.create("gpu.barrier")
    following = arith.addi(step, index(1))
    with where(within(following, steps)):
        copy(following)
    return arith.remui(step, index(stages))


def end_of_group() -> None:
    """Of the copies that this thread has started since the last one."""
    ir.Operation.create("nvvm.cp.async.commit.group")


def wait_for_groups(most: int) -> None:
    """Until at most so many groups of this thread's copies are under way."""
    ir.Operation.create("nvvm.cp.async.wait.group", attributes={"n": i32_attribute(most)})
