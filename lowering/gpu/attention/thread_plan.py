"""How exact attention is cut: of f32 and f64, whose products are fused multiply-adds of single threads.

A warp is 4 x 8 threads: each has some rows (queries) and every eighth group of neighbouring keys, then of columns (elements of
the result). 8 x 8 sums of a thread take 16 loads of 16 bytes for 256 multiply-adds, which is what shared memory can give.
All of a block's shared memory is less than 99 KiB, which every card from sm_80 on has."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hlo.lowering.gpu.attention.plan import MOST_REGISTERS, Cut, Plan
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.result_tile import ResultTile
from hlo.lowering.gpu.contraction.shared_tiles import Side, side_of
from hlo.lowering.gpu.contraction.simt import GROUP, TURNED
from hlo.lowering.gpu.contraction.tensor_cores import ENOUGH_BLOCKS, WARP
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
    def result(self) -> ResultTile:
        return ResultTile(self.cut.queries, self.width, self.attention.values.element_type(2))

    @property
    def grid(self) -> Grid:
        batch, rows, _ = self.tiles
        tiles = sum(side.bytes for side in (self.q, self.k, self.v, self.w))
        return Grid(batch * rows, self.threads, max(tiles, self.result.bytes))
