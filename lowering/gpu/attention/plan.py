"""How attention is cut: a block of threads has some rows (queries; of a gradient perhaps keys), and goes through k in steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Apply, Element, Product, reachable
from hlo.lowering.gpu.attention.attention import Attention
from hlo.lowering.gpu.attention.causal_mask import Hidden, hidden_steps
from hlo.lowering.gpu.contraction.pipeline import CHUNK, OperandLayout, operand_layout
from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.contraction.tensor_cores import LEAST_BUSY, M
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.structured import dimensions_of
from hlo.lowering.vector.target import Target

STAGES = 2
"""Of keys and values: one is multiplied while the next one comes."""

BYTES = 2
"""Of an element that mma.sync multiplies."""

INSTRUCTION_K = 16
"""Elements along k of an instruction."""

ROW_ELEMENTS = 64
"""Elements of a row of shared memory: a multiple of this, or less and a power of two."""

MOST_KEPT = {True: 128, False: 64}
"""Elements of a row of a factor that stay in registers, forward and backward; longer ones are read from shared memory in each step."""

FEW = 2
"""Ops of a score: a factor and a conversion."""

MOST_REGISTERS = 255
"""Of a thread."""


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

BACKWARD = {
    64: (Cut(8, 1, 64), Cut(4, 1, 64)),
    128: (Cut(8, 1, 32), Cut(4, 1, 32)),
    256: (Cut(4, 1, 16), Cut(2, 1, 16)),
}
"""By elements of the factors' k or of the result's rows, at most so many: what registers hold without spills."""


class Rows:
    """A plan by which a block of threads has some rows of the last op, and goes through its k in steps."""

    attention: Attention
    cut: Any

    @property
    def last(self) -> Problem:
        """The last op."""
        return self.attention.last

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

    @property
    def decision(self) -> str:
        """In words, for remarks."""
        p, found = self.last, self.attention
        if found.softmax is None:
            what = f"products with {p.n} columns" if found.fold is None else "reductions"
            again = " and ".join(f"products of {one.k}" for one in found.factors.values())
            seen = ", those that a mask hides left out" if self.hidden else ""
            return (
                f"{what} of {p.batches} x {p.m} rows of {p.k} elements that are rematerialised from {again}{seen}; "
                f"{self.cut.queries} rows a block, by {self.unit}"
            )
        scores = found.scores
        size = f"{scores.batches} x {scores.m} queries and {scores.n} keys of {scores.k}, values of {p.n}"
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
        """The steps that need not be taken, as a mask hides their keys."""
        return hidden_steps(self.attention, self.last, self.cut.keys)


Placed = tuple[OperandLayout, int]
"""An input as it lies in shared memory, and where it begins there."""


@dataclass(frozen=True)
class Tiles:
    """`lefts`, `rights`: inputs of the factors. `last`: the right input of the last op, which may be the tile of a factor; None for a reduction."""

    lefts: dict[Product, Placed]
    rights: dict[Product, Placed]
    last: Placed | None
    bytes: int

    @property
    def has_own_last(self) -> bool:
        """Whether the right input of the last op is a tile of its own."""
        return self.last is not None and all(self.last[1] != at for _, at in self.rights.values())


@dataclass(frozen=True)
class Plan(Rows):
    """Attention with its cut, by mma.sync. `reason`: why it is not done by warpgroups on a card that has them."""

    attention: Attention
    cut: Cut
    target: Target
    reason: str = ""

    @staticmethod
    def of(found: Attention, target: Target) -> Plan:
        """The largest cut that fits and leaves enough blocks, or the smallest."""
        plans = [Plan(found, cut, target) for cut in _cuts(found)]
        return next((plan for plan in plans if plan.suits), plans[-1])

    @property
    def suits(self) -> bool:
        fits = self.grid.shared_bytes <= self.target.shared_bytes
        return fits and prod(self.tiles) >= LEAST_BUSY * self.target.multiprocessors

    @property
    def unit(self) -> str:
        return "mma.sync" + (f" (not wgmma: {self.reason})" if self.reason else "")

    @property
    def most_kept(self) -> int:
        """Elements of a row of a factor that stay in registers."""
        return MOST_KEPT[self.attention.softmax is not None]

    @property
    def registers(self) -> int | None:
        """A limit for each thread, where all blocks run at once with the most that it may have: ptxas would rather spill some than
        have fewer warps. None to leave it to ptxas."""
        blocks = -(-self.grid.blocks // self.target.multiprocessors)
        return MOST_REGISTERS if blocks * self.grid.threads * (MOST_REGISTERS + 1) <= self.target.registers else None

    @property
    def grid(self) -> Grid:
        return Grid(prod(self.tiles), self.threads, self.inputs.bytes)

    # Shared memory

    @property
    def width(self) -> int:
        """Elements of a row of the result, padded; none for a reduction."""
        return self._padded(self.last.n) if self.attention.fold is None else 0

    def _padded(self, size: int) -> int:
        """What rows of shared memory hold: swizzled, and in a step at least a chunk for each thread."""
        if size > ROW_ELEMENTS:
            return -(-size // ROW_ELEMENTS) * ROW_ELEMENTS
        return max(INSTRUCTION_K, self.threads * CHUNK // BYTES // self.cut.keys, 1 << (size - 1).bit_length())

    @cached_property
    def inputs(self) -> Tiles:
        offset, lefts, rights = 0, {}, {}
        for product, p in self.attention.factors.items():
            lefts[product] = (operand_layout(p, p.left, self.cut.queries, self._padded(p.k)), offset)
            offset += lefts[product][0].bytes
        for product, p in self.attention.factors.items():
            rights[product] = (operand_layout(p, p.right, self.cut.keys, self._padded(p.k)), offset)
            offset += STAGES * rights[product][0].bytes
        if self.attention.fold is not None:
            return Tiles(lefts, rights, None, offset)
        own = operand_layout(self.last, self.last.right, self.width, self.cut.keys)
        shared = next((at for one, (layout, at) in rights.items() if self._is_same(one, layout, own)), None)
        if shared is not None:
            return Tiles(lefts, rights, (own, shared), offset)
        return Tiles(lefts, rights, (own, offset), offset + STAGES * own.bytes)

    def _is_same(self, shared: Product, layout: OperandLayout, own: OperandLayout) -> bool:
        """Whether a factor's right tile is that of the result's right input: the same elements at the same coordinates."""
        p, last = self.attention.factors[shared], self.last
        if p.op.operands[p.right] != last.op.operands[last.right]:
            return False
        one, other = p.nest.maps[p.right], last.nest.maps[last.right]
        symbols = dict(zip(dimensions_of(p.nest.maps[2]), shared.coordinates))
        coordinates = [HEAD if d in p.k_dims else symbols.get(d) for d in dimensions_of(one)]
        wanted = [HEAD if d in last.columns else d if last.nest.sizes[d] != 1 else None for d in dimensions_of(other)]
        along = innermost(one) == p.k_dims[-1] and innermost(other) == last.columns[-1] and len(last.columns) == 1
        is_chunked = layout.is_chunked and own.is_chunked
        return along and is_chunked and coordinates == wanted and layout.shape == own.shape


HEAD = -1
"""The coordinate along a head: k of a factor, column of the result."""


def _cuts(found: Attention) -> Sequence[Cut]:
    """Largest first."""
    widest = max(found.last.n, *(p.k for p in found.factors.values()))
    size = next(size for size in SMALL if widest <= size)
    if found.softmax is None:
        return BACKWARD[size]
    large = (LOADED if _is_loaded(found, size) else LARGE)[size]
    if found.statistics and large.tiles > 1:  # what is stored in the end takes registers, too
        large = LOADED[size]
    return large, SMALL[size]


def _is_loaded(attention: Attention, widest: int) -> bool:
    p, parts = attention.scores, reachable(attention.expression)
    reads = any(isinstance(one, Element) for one in parts)
    computes = widest > MOST_KEPT[True] and sum(isinstance(one, Apply) for one in parts) > FEW
    return reads or computes or p.n % ROW_ELEMENTS != 0 or p.m % ROW_ELEMENTS != 0
