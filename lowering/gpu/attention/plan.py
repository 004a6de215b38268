"""How attention is cut: a block of threads has some queries, and goes through all keys in steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hlo.lowering.gpu.attention.causal_mask import Hidden, visible_keys
from hlo.lowering.gpu.attention.expressions import Apply, Element, reachable
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.contraction.shared_tiles import CHUNK, Side, side_of
from hlo.lowering.gpu.contraction.tensor_cores import ENOUGH_BLOCKS, M
from hlo.lowering.gpu.grid import MULTIPROCESSORS, Grid, Planned

STAGES = 2
"""Of keys and values: one is multiplied while the next one comes."""

BYTES = 2
"""Of an element that mma.sync multiplies."""

DEPTH = 16
"""Elements along the depth of an instruction."""

LINE = 64
"""Elements of a row of shared memory: a multiple of this, or less and a power of two."""

IN_REGISTERS = 256
"""Bytes of a query that stay in registers; longer ones are read from shared memory in each step."""


FEW = 2
"""Ops of a score: a factor and a conversion."""

REGISTERS, MOST_REGISTERS = 65536, 255
"""Of a multiprocessor, and of a thread at most."""


@dataclass(frozen=True)
class Cut:
    """`warps` warps, each with `tiles` times 16 queries; `keys` in a step."""

    warps: int
    tiles: int
    keys: int

    @property
    def queries(self) -> int:
        return self.warps * self.tiles * M


LARGE = {64: Cut(4, 2, 64), 128: Cut(8, 1, 64), 256: Cut(4, 1, 32)}
"""By elements of a head, at most so many: what registers hold without spills."""

LOADED = {64: Cut(8, 1, 64), 128: Cut(8, 1, 32), 256: Cut(4, 1, 16)}
"""Where each score wants more: memory that is read for it, or a check that it is one; where heads of more than 128 elements take
all registers, anything but a factor."""

SMALL = {64: Cut(4, 1, 64), 128: Cut(4, 1, 32), 256: Cut(4, 1, 16)}
"""Where there would be too few blocks."""


class Rows(Planned):
    """A plan by which a block of threads has some rows of the last contraction, and goes through its depth in steps."""

    attention: Any
    cut: Any

    @property
    def last(self) -> Problem:
        """The last contraction."""
        return self.attention.values

    @property
    def threads(self) -> int:
        return self.cut.warps * WARP

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Of the batch and the rows; there is one of the columns."""
        p = self.last
        return p.batches, -(-p.m // self.cut.queries), 1

    @property
    def steps(self) -> int:
        return -(-self.last.k // self.cut.keys)

    def _padded(self, size: int) -> int:
        """What rows of shared memory hold: swizzled, and in a step at least a chunk for each thread."""
        if size > LINE:
            return -(-size // LINE) * LINE
        return max(DEPTH, self.threads * CHUNK // BYTES // self.cut.keys, 1 << (size - 1).bit_length())

    @property
    def width(self) -> int:
        """Elements of a row of the result, padded."""
        return self._padded(self.attention.values.n)

    @property
    def registers(self) -> int | None:
        """A limit for each thread, where all blocks run at once with the most that it may have: ptxas would rather spill some than
        have fewer warps. None to leave it to ptxas."""
        blocks = -(-self.grid.blocks // MULTIPROCESSORS)
        return MOST_REGISTERS if blocks * self.grid.threads * (MOST_REGISTERS + 1) <= REGISTERS else None

    # Of attention

    @property
    def decision(self) -> str:
        """In words, for remarks."""
        p = self.attention.scores
        size = f"{p.batches} x {p.m} queries and {p.n} keys of {p.k}, values of {self.last.n}"
        seen = " that it sees" if self.hidden else ""
        return f"attention of {size}; {self.part}, {self.cut.keys} keys{seen} a step, by {self.unit}"

    @property
    def part(self) -> str:
        """What a block has, in words."""
        return f"{self.cut.queries} queries a block"

    @property
    def unit(self) -> str:
        """What multiplies, in words."""
        raise NotImplementedError

    @cached_property
    def hidden(self) -> Hidden | None:
        """The steps that need not be taken, as a mask hides their keys. Not where there are few."""
        return visible_keys(self.attention.expression, self.last, self.cut.keys) if self.steps > 1 else None


@dataclass(frozen=True)
class Plan(Rows):
    """Attention with its cut. `q`, `k`, `v`: the inputs as they lie in shared memory. `reason`: why it is not done by warpgroups
    on a card that has them."""

    attention: Attention
    cut: Cut
    reason: str = ""

    @staticmethod
    def of(attention: Attention) -> Plan:
        p = attention.scores
        widest = next(n for n in LARGE if max(p.k, attention.values.n) <= n)
        large = (LOADED if _is_loaded(attention, widest) else LARGE)[widest]
        if attention.statistics and large.tiles > 1:  # what is stored in the end takes registers, too
            large = LOADED[widest]
        enough = p.batches * -(-p.m // large.queries) >= ENOUGH_BLOCKS
        return Plan(attention, large if enough else SMALL[widest])

    @property
    def unit(self) -> str:
        return "mma.sync" + (f" (not wgmma: {self.reason})" if self.reason else "")

    @property
    def q(self) -> Side:
        p = self.attention.scores
        return side_of(p, p.left, self.cut.queries, self._padded(p.k))

    @property
    def k(self) -> Side:
        p = self.attention.scores
        return side_of(p, p.right, self.cut.keys, self._padded(p.k))

    @property
    def v(self) -> Side:
        p = self.attention.values
        return side_of(p, p.right, self.width, self.cut.keys)

    @property
    def grid(self) -> Grid:
        batch, rows, _ = self.tiles
        return Grid(batch * rows, self.threads, self.q.bytes + STAGES * (self.k.bytes + self.v.bytes))

    def blocks(self) -> tuple[Problem, Problem]:
        return self.attention.scores, self.attention.values


def _is_loaded(attention: Attention, widest: int) -> bool:
    p, parts = attention.scores, reachable(attention.expression)
    reads = any(isinstance(one, Element) for one in parts)
    computes = 2 * widest > IN_REGISTERS and sum(isinstance(one, Apply) for one in parts) > FEW
    return reads or computes or p.n % LINE != 0 or p.m % LINE != 0
