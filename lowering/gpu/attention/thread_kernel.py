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

from mlir import ir
from mlir.dialects import arith, math

from hlo.lowering.gpu.attention.online_softmax import Row, add_scores, scaled
from hlo.lowering.gpu.attention.plan import MOST_REGISTERS, Cut, Plan
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.attention.steps import Steps
from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.contraction.pipeline import end_of_group, wait_for_groups
from hlo.lowering.gpu.contraction.shared_tiles import SharedTile, Side, dynamic_shared_memory, side_of
from hlo.lowering.gpu.contraction.simt import GROUP, TURNED, Part, multiply
from hlo.lowering.gpu.contraction.tensor_cores import ENOUGH_BLOCKS
from hlo.lowering.gpu.control_flow import index_constant, is_below, where, zero_of
from hlo.lowering.gpu.element import Values, store_several
from hlo.lowering.gpu.grid import Grid
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
    """Exact attention with its cut. `w`: the weights of a step in shared memory."""

    cut: ThreadCut

    @staticmethod
    def of(attention: Attention) -> ThreadPlan:
        """The largest cut of which there are enough blocks."""
        p = attention.scores
        kind, size = str(p.element_type(2)), max(p.k, attention.values.n)
        cuts = next(found for (name, most), found in CUTS.items() if name == kind and size <= most)
        enough = (cut for cut in cuts if p.batches * -(-p.m // cut.queries) >= ENOUGH_BLOCKS)
        return ThreadPlan(attention, next(enough, cuts[-1]))

    @property
    def unit(self) -> str:
        return "multiply-adds of single threads"

    @property
    def registers(self) -> int:
        """All: two blocks share a multiprocessor then, which is as many as shared memory holds of the largest."""
        return MOST_REGISTERS

    def _padded(self, size: int) -> int:
        return -(-size // LINE) * LINE

    @property
    def q(self) -> Side:
        p = self.attention.scores
        return side_of(p, p.left, self.cut.queries, self._padded(p.k), ())

    @property
    def k(self) -> Side:
        """A thread's keys are neighbours, as those of biases and masks are that it reads."""
        p = self.attention.scores
        found = side_of(p, p.right, self.cut.keys, self._padded(p.k), TURNED)
        return replace(found, neighbours=min(GROUP, found.chunk, self.cut.keys // ACROSS))

    @property
    def v(self) -> Side:
        p = self.attention.values
        return side_of(p, p.right, self.width, self.cut.keys, TURNED)

    @property
    def w(self) -> Side:
        p = self.attention.values
        size = element_bytes(p.element_type(p.left))
        return Side(p.left, p.rows, p.m, self.cut.queries, self.cut.keys, size, True, False)

    @property
    def grid(self) -> Grid:
        batch, rows, _ = self.tiles
        return Grid(batch * rows, self.threads, sum(side.bytes for side in (self.q, self.k, self.v, self.w)))


class ExactRow(Row):
    """Of the threads beside each other in a warp."""

    lanes = ACROSS

    @staticmethod
    def exponential(x: ir.Value) -> ir.Value:
        return math.exp(x)


class ThreadKernel(Steps):
    """The code of a block of threads."""

    row = ExactRow

    def __init__(self, plan: ThreadPlan, values: Values):
        super().__init__(plan, values)
        self.memory, self.kind = dynamic_shared_memory(), self.values.sum_type
        offset = 0

        def tile(side: Side, is_of_values: bool) -> SharedTile:
            nonlocal offset
            found = SharedTile(side, self.values if is_of_values else self.scores, self.memory, 1, offset)
            offset += side.bytes
            return found

        self.q, self.k = tile(plan.q, False), tile(plan.k, False)
        self.v, self.w = tile(plan.v, True), tile(plan.w, True)
        down, across = (f(self.scores.thread, index_constant(ACROSS)) for f in (arith.divui, arith.remui))
        self.left, self.weights = (Part(one, down, plan.cut.down) for one in (self.q, self.w))
        self.keys, self.columns = (Part(one, across, ACROSS) for one in (self.k, self.v))

        self.count = len(self.left.places) * len(self.columns.places)

    def _numbers(self) -> list[ir.Value]:
        return [arith.addi(self.values.first_row, place) for place in self.left.places]

    def _copy(self, step: ir.Value) -> None:
        self.k.first = arith.muli(step, index_constant(self.plan.cut.keys))
        self.k.copy(index_constant(0), index_constant(0), self.plan.threads)
        end_of_group()

    # One step

    def _step(self, step: ir.Value, rows: list[Row], sums: list[ir.Value]) -> tuple[list[Row], list[ir.Value]]:
        none, first = index_constant(0), arith.muli(step, index_constant(self.plan.cut.keys))
        self._wait()
        self.v.copy(none, first, self.plan.threads)
        end_of_group()
        scores = self._computed(self._scores(), first)
        after, factors, weights = add_scores(rows, scores, _places(scores, self.keys))
        self._store(weights)
        self._wait()
        self._copy_next(step)
        start = scaled(sums, _places(sums, self.columns), factors)
        return after, multiply(self.values, self.weights, self.columns, none, self.plan.cut.keys, start)

    def _wait(self) -> None:
        """For all copies, and for what the other threads read and write."""
        wait_for_groups(0)
        ir.Operation.create("gpu.barrier")

    def _copy_next(self, step: ir.Value) -> None:
        following = arith.addi(step, index_constant(1))
        with where(is_below(following, self.plan.steps)):
            self._copy(following)

    def _scores(self) -> list[ir.Value]:
        """Products of queries and keys, row by row."""
        start = [zero_of(self.kind)] * (len(self.left.places) * len(self.keys.places))
        extent = -(-self.attention.scores.k // GROUP) * GROUP
        return multiply(self.scores, self.left, self.keys, index_constant(0), extent, start)

    def _computed(self, products: Sequence[ir.Value], first: ir.Value) -> list[ir.Value]:
        """What the program makes of the products; -inf beyond the last key."""
        groups = [arith.addi(first, place) for place in self.keys.groups]
        places = _places(products, self.keys)
        scored, lowest = {self.attention.dot: products}, arith.constant(self.kind, float("-inf"))
        return self.rows.computed(self.attention.expression, scored, places, groups, self.keys.lanes, lowest)

    def _store(self, weights: Sequence[ir.Value]) -> None:
        """To shared memory, neighbouring keys at once."""
        lanes, chunk = self.keys.lanes, index_constant(self.w.side.chunk)
        places = [(row, group) for row in self.weights.places for group in self.keys.groups]
        for number, (row, group) in enumerate(places):
            place = arith.addi(self.w.swizzled(row, arith.divui(group, chunk)), arith.remui(group, chunk))
            together = weights[number * lanes : (number + 1) * lanes]
            store_several(self.w.memory, [index_constant(0), row, place], together)

    def _finish(self, inverses: Sequence[ir.Value], sums: Sequence[ir.Value], result: ir.Value) -> None:
        lanes, places = self.columns.lanes, _places(sums, self.columns)
        self.rows.write(result, self.columns.groups[0], lanes, ACROSS * lanes, sums, places, inverses)


def _places(values: Sequence[ir.Value], columns: Part) -> list[tuple[int, int]]:
    """Row and column of each of a thread's values, row by row."""
    return [divmod(number, len(columns.places)) for number in range(len(values))]
