"""Attention by ordinary instructions, of f32 and f64, exact as the program has it: products are fused multiply-adds of single threads,
exponentials those of any op.

    copy the block's queries and the first keys
    for each step: wait for its keys; barrier; start to copy its values
                   scores = queries x keys; what the program does with them; softmax of what has come so far
                   the weights to shared memory; wait for the values; barrier; start to copy the next keys
                   sums = factor * sums + weights x values
    sums / total to the result

Keys come while values are multiplied, and the other way round: either has one place in shared memory. A warp is 4 x 8 threads: each
has some rows (queries) and every eighth group of neighbouring keys, then of columns (elements of the result). 8 x 8 sums of a thread
take 16 loads of 16 bytes for 256 multiply-adds, which is what shared memory can give. All of a block's shared memory is less than
99 KiB, which every card from sm_80 on has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from mlir import ir
from mlir.dialects import arith, math

from hlo.lowering.gpu.attention.attention import Attention
from hlo.lowering.gpu.attention.combiners import Row
from hlo.lowering.gpu.attention.expressions import Product
from hlo.lowering.gpu.attention.plan import MOST_REGISTERS, Cut, Plan
from hlo.lowering.gpu.attention.tile_kernel import TileKernel
from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.contraction.pipeline import end_of_group, wait_for_groups
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, Side, side_of
from hlo.lowering.gpu.contraction.simt import GROUP, TURNED, Part, multiply
from hlo.lowering.gpu.control_flow import where
from hlo.lowering.gpu.element import Values, store_several
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.linalg.loops import index, within, zero
from hlo.lowering.memory.storage import element_bytes

ACROSS = 8
"""Threads of a warp that have the same rows."""

LINE = 32
"""Elements along a head are padded to a multiple: eight chunks of 16 bytes, and eight threads' columns."""


@dataclass(frozen=True)
class ThreadCut(Cut):
    """`tiles`: rows of a thread."""

    @property
    def down(self) -> int:
        """Threads that have different rows."""
        return self.warps * WARP // ACROSS

    @property
    def queries(self) -> int:
        return self.down * self.tiles


CUTS = {
    ("f32", 64): (ThreadCut(4, 8, 64), ThreadCut(4, 4, 64), ThreadCut(4, 2, 64)),
    ("f32", 128): (ThreadCut(4, 6, 32), ThreadCut(4, 4, 32), ThreadCut(4, 2, 32)),
    ("f32", 160): (ThreadCut(2, 4, 16), ThreadCut(4, 2, 16)),
    ("f32", 256): (ThreadCut(4, 2, 16),),
    ("f64", 64): (ThreadCut(4, 4, 32), ThreadCut(4, 2, 32)),
    ("f64", 128): (ThreadCut(4, 2, 16),),
}
"""By type and elements of a head, at most so many: what registers hold without spills, largest first."""


@dataclass(frozen=True)
class ThreadPlan(Plan):
    """Exact attention with its cut. `weights`: of a step in shared memory, behind the inputs."""

    cut: ThreadCut
    stages = 1

    @staticmethod
    def of(found: Attention) -> ThreadPlan:
        """The largest cut of which there are enough blocks."""
        p = found.scores
        kind, size = str(p.element_type(2)), max(p.k, found.last.n)
        cuts = next(some for (name, most), some in CUTS.items() if name == kind and size <= most)
        plans = [ThreadPlan(found, cut) for cut in cuts]
        return next((plan for plan in plans if plan.suits), plans[-1])

    @property
    def unit(self) -> str:
        return "multiply-adds of single threads"

    @property
    def registers(self) -> int:
        """All: two blocks share a multiprocessor then, which is as many as shared memory holds of the largest."""
        return MOST_REGISTERS

    def _padded(self, size: int) -> int:
        return -(-size // LINE) * LINE

    def left_side(self, p: Problem) -> Side:
        return side_of(p, p.left, self.cut.queries, self._padded(p.k), ())

    def right_side(self, p: Problem) -> Side:
        """A thread's keys are neighbours, as those of biases and masks are that it reads."""
        found = side_of(p, p.right, self.cut.keys, self._padded(p.k), TURNED)
        return replace(found, neighbours=min(GROUP, found.chunk, self.cut.keys // ACROSS))

    def last_side(self) -> Side:
        return side_of(self.last, self.last.right, self.width, self.cut.keys, TURNED)

    @property
    def weights(self) -> Side:
        p = self.last
        return Side(
            p.left, p.rows, p.m, self.cut.queries, self.cut.keys, element_bytes(p.element_type(p.left)), True, False
        )

    @property
    def grid(self) -> Grid:
        return Grid(prod(self.tiles), self.threads, self.inputs.bytes + self.weights.bytes)


class ExactRow(Row):
    """Of the threads beside each other in a warp."""

    lanes = ACROSS

    @staticmethod
    def exponential(x: ir.Value) -> ir.Value:
        return math.exp(x)


class ThreadKernel(TileKernel):
    """The code of a block of threads."""

    row = ExactRow

    def __init__(self, plan: ThreadPlan, values: Values):
        super().__init__(plan, values)
        self.weights = SharedTile(plan.weights, self.block, self.memory, 1, plan.inputs.bytes)
        down, across = (f(self.block.thread, index(ACROSS)) for f in (arith.divui, arith.remui))
        dot = self.attention.dot
        self.left_part, self.weights_part = (Part(one, down, plan.cut.down) for one in (self.lefts[dot], self.weights))
        self.keys, self.columns = (Part(one, across, ACROSS) for one in (self.rights[dot], self.right))
        self.count = len(self.left_part.places) * len(self.columns.places)
        self.neighbours = self.keys.lanes

    def _numbers(self) -> list[ir.Value]:
        return [arith.addi(self.block.first_row, place) for place in self.left_part.places]

    # One step

    def _products(self, number: ir.Value) -> dict[Product, list[ir.Value]]:
        none = index(0)
        self._wait()
        self.right.copy(none, self.first_key(number), self.plan.threads)
        end_of_group()
        dot = self.attention.dot
        start = [zero(self.block.sum_type)] * (len(self.left_part.places) * len(self.keys.places))
        extent = -(-self.attention.scores.k // GROUP) * GROUP
        return {dot: multiply(self.lefts[dot].block, self.left_part, self.keys, none, extent, start)}

    def _groups(self, first: ir.Value) -> list[ir.Value]:
        return [arith.addi(first, place) for place in self.keys.groups]

    def add_products(self, number: ir.Value, elements: Sequence[ir.Value], sums: list[ir.Value]) -> list[ir.Value]:
        self._store(elements)
        self._wait()
        following = arith.addi(number, index(1))
        with where(within(following, self.most)):
            self._copy(following)
        return multiply(self.block, self.weights_part, self.columns, index(0), self.plan.cut.keys, sums)

    def _wait(self) -> None:
        """For all copies, and for what the other threads read and write."""
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")

    def _store(self, weights: Sequence[ir.Value]) -> None:
        """To shared memory, neighbouring keys at once."""
        lanes, chunk = self.keys.lanes, index(self.weights.side.chunk)
        places = [(row, group) for row in self.weights_part.places for group in self.keys.groups]
        for number, (row, group) in enumerate(places):
            place = arith.addi(self.weights.swizzled(row, arith.divui(group, chunk)), arith.remui(group, chunk))
            together = weights[number * lanes : (number + 1) * lanes]
            store_several(self.weights.memory, [index(0), row, place], together)

    def write(self, sums: Sequence[ir.Value], result: ir.Value, factors: Sequence[ir.Value] = ()) -> None:
        lanes, places = self.columns.lanes, self.sum_places(len(sums))
        self.rows.write(result, self.columns.groups[0], lanes, ACROSS * lanes, sums, places, factors)

    def element_places(self, count: int) -> list[tuple[int, int]]:
        """Row by row."""
        return [divmod(number, len(self.keys.places)) for number in range(count)]

    def sum_places(self, count: int) -> list[tuple[int, int]]:
        return [divmod(number, len(self.columns.places)) for number in range(count)]
