"""How attention is cut: a block of threads has some rows (queries; of a gradient perhaps keys), and goes through k in steps. `TilePlan`: by
mma.sync; `WarpgroupPlan`: by wgmma, where the target has it, and TMA brings the inputs as they are in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil, prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Apply, Element, Index, Product, reachable
from hlo.lowering.gpu.accesses import TensorMap
from hlo.lowering.gpu.attention.causal_mask import Hidden, hidden_steps
from hlo.lowering.gpu.attention.recognise import Attention
from hlo.lowering.gpu.contraction.box_operands import BoxOperand, whole_operand
from hlo.lowering.gpu.contraction.pipeline import CHUNK, OperandLayout, operand_layout
from hlo.lowering.gpu.contraction.problem import Problem, innermost
from hlo.lowering.gpu.contraction.tensor_cores import LEAST_BUSY, M
from hlo.lowering.gpu.hopper import WARPGROUP
from hlo.lowering.gpu.launches import Grid
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.structured import dimensions_of
from hlo.lowering.target import Target
from hlo.lowering.vector.contraction.problem import whole

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
    """`warps` warps, each with `tiles` times 16 queries; `keys` in a step. Four of them are a warpgroup."""

    warps: int
    tiles: int
    keys: int

    @property
    def queries(self) -> int:
        return self.warps * self.tiles * M

    @property
    def consumers(self) -> int:
        """Warpgroups with 64 queries each."""
        return self.warps * WARP // WARPGROUP


Cuts = Mapping[int, tuple[Cut, ...]]
"""Largest first, by elements of a head (of a gradient: of the factors' k or of the result's rows), at most so many: what registers hold
without spills."""

LARGE: Cuts = {
    64: (Cut(4, 2, 64), Cut(4, 1, 64)),
    128: (Cut(8, 1, 64), Cut(4, 1, 32)),
    256: (Cut(4, 1, 32), Cut(4, 1, 16)),
}
LOADED: Cuts = {64: (Cut(8, 1, 64), Cut(4, 1, 64)), 128: (Cut(8, 1, 32), Cut(4, 1, 32)), 256: (Cut(4, 1, 16),)}
"""Where each score wants more: memory that is read for it, or a check that it is one; where heads of more than 128 elements take
all registers, anything but a factor."""

BACKWARD: Cuts = {
    64: (Cut(8, 1, 64), Cut(4, 1, 64)),
    128: (Cut(8, 1, 32), Cut(4, 1, 32)),
    256: (Cut(4, 1, 16), Cut(2, 1, 16)),
}

BY_WARPGROUPS: Cuts = {64: (Cut(12, 1, 128), Cut(8, 1, 128)), 128: (Cut(8, 1, 128),), 256: (Cut(8, 1, 64),)}
MASKED: Cuts = {64: (Cut(8, 1, 128),), 128: (Cut(8, 1, 128),), 256: (Cut(8, 1, 64),)}
"""Where scores depend on their coordinates or read memory."""

MASKED_AND_LOADED: Cuts = {64: (Cut(8, 1, 64),), 128: (Cut(8, 1, 64),), 256: (Cut(8, 1, 32),)}
"""Where they do both."""


def _cuts(tables: Cuts, found: Attention) -> Sequence[Cut]:
    """Those of the widest head, if it is as wide as a table has them."""
    widest = max(found.last.n, *(p.k for p in found.factors.values()))
    return next(cuts for size, cuts in tables.items() if widest <= size)


@dataclass(frozen=True)
class Plan:
    """By which a block of threads has some rows of the last op, and goes through its k in steps."""

    attention: Attention
    target: Target
    cut: Cut

    @property
    def last(self) -> Problem:
        """The last op."""
        return self.attention.last

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

    @property
    def registers(self) -> int | None:
        """The most that a thread has; None to leave it to ptxas."""
        return None

    @property
    def maps(self) -> list[tuple[ir.Value, TensorMap]]:
        """Inputs that are read by tensor maps."""
        return []

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
class TilePlan(Plan):
    """Attention with its cut, by mma.sync. `reason`: why it is not done by warpgroups on a card that has them."""

    reason: str = ""

    @staticmethod
    def of(found: Attention, target: Target, reason: str = "") -> TilePlan:
        """The largest cut that fits and leaves enough blocks, or the smallest."""
        plans = [TilePlan(found, target, cut, reason) for cut in _cuts(_table(found), found)]
        return next((plan for plan in plans if plan.suits), plans[-1])

    @property
    def suits(self) -> bool:
        fits = self.grid.shared_bytes <= self.target.shared_bytes
        return fits and prod(self.tiles) >= LEAST_BUSY * self.target.multiprocessors

    @property
    def threads(self) -> int:
        return self.cut.warps * WARP

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


def _table(found: Attention) -> Cuts:
    if found.softmax is None:
        return BACKWARD
    p, parts = found.scores, reachable(found.expression)
    reads = any(isinstance(one, Element) for one in parts)
    widest = max(found.last.n, p.k)
    computes = widest > MOST_KEPT[True] and sum(isinstance(one, Apply) for one in parts) > FEW
    is_ragged = p.n % ROW_ELEMENTS != 0 or p.m % ROW_ELEMENTS != 0
    stores = (
        bool(found.statistics) and _cuts(LARGE, found)[0].tiles > 1
    )  # what is stored in the end takes registers, too
    return LOADED if reads or computes or is_ragged or stores else LARGE


# By warpgroups

LEAST_BY_WARPGROUPS = 0.48
"""The part of the multiprocessors that must have a tile: with fewer, smaller tiles by mma.sync."""

MOST_STAGES = 4
STATIC_BYTES = 1 << 10
"""Of shared memory, for barriers and flags."""

COLUMNS = 8
"""Multiples of which an instruction has."""

REGISTERS = {3: (32, 160), 2: (40, 232)}
"""By consumers, of a thread of the producer and of a consumer: together those of a multiprocessor."""


class NotByWarpgroupsError(Exception):
    """Why attention stays with mma.sync."""


@dataclass(frozen=True)
class WarpgroupPlan(Plan):
    """`scores`, `values`: both contractions, one dimension the rows, all else that queries have is batch. `symbols`: of the
    dimensions of the first one. `q`, `k`, `v`: the inputs in shared memory."""

    scores: Problem
    values: Problem
    symbols: Mapping[int, int]
    q: BoxOperand
    k: BoxOperand
    v: BoxOperand

    @staticmethod
    def of(attention: Attention, target: Target) -> WarpgroupPlan:
        """Raises NotByWarpgroupsError."""
        scores, values, symbols = _by_one_dimension(attention)
        cut = _cut(attention, values, target)
        p = scores
        head, width = whole(p.k, INSTRUCTION_K), whole(values.n, COLUMNS)
        boxes = (
            whole_operand(p, p.left, cut.queries, head),
            whole_operand(p, p.right, cut.keys, head),
            whole_operand(values, values.right, width, cut.keys),
        )
        for name, one in zip(("queries", "keys", "values"), boxes):
            if one is None:
                raise NotByWarpgroupsError(f"TMA does not bring the {name} as they are in memory")
        q, k, v = (one for one in boxes if one is not None)
        return WarpgroupPlan(attention, target, cut, scores, values, symbols, q, k, v)

    @property
    def last(self) -> Problem:
        return self.values

    @property
    def part(self) -> str:
        return f"tiles of {self.cut.queries} queries"

    @property
    def unit(self) -> str:
        return f"wgmma: one warpgroup copies by TMA, {self.cut.consumers} multiply"

    @property
    def is_sometimes_all(self) -> bool:
        """Some tiles may need the keys that they do not see."""
        return self.hidden is not None and self.hidden.is_rest_perhaps_needed

    @property
    def width(self) -> int:
        """Columns of the second product's instructions."""
        return whole(self.values.n, COLUMNS)

    @property
    def together(self) -> int:
        """Of the batch, whose tiles are taken alternately, longest first: their keys and values take half of the L2 cache at most."""
        size = 2 * self.values.k * (self.scores.k + self.values.n)
        most = max(1, self.target.l2 // 2 // size)
        return max(n for n in range(1, self.values.batches + 1) if self.values.batches % n == 0 and n <= most)

    @property
    def stages(self) -> int:
        free = self.target.shared_bytes - STATIC_BYTES - self.q.bytes
        return min(MOST_STAGES, free // (self.k.bytes + self.v.bytes))

    @property
    def threads(self) -> int:
        return (1 + self.cut.consumers) * WARPGROUP

    @property
    def grid(self) -> Grid:
        """A block for each multiprocessor, which takes every so many-th tile."""
        size = self.q.bytes + self.stages * (self.k.bytes + self.v.bytes)
        return Grid(min(prod(self.tiles), self.target.multiprocessors), self.threads, size)

    @property
    def inputs(self) -> list[ir.Value]:
        """Queries, keys and values."""
        p, values = self.scores, self.values
        return [of.op.operands[one.number] for of, one in ((p, self.q), (p, self.k), (values, self.v))]

    @property
    def maps(self) -> list[tuple[ir.Value, TensorMap]]:
        return [(value, one.box) for value, one in zip(self.inputs, (self.q, self.k, self.v))]


def _by_one_dimension(attention: Attention) -> tuple[Problem, Problem, dict[int, int]]:
    """Both contractions with the longest of the dimensions of queries as their rows; symbols by the first one's dimensions."""
    scores, values = attention.scores, attention.last
    results = scores.nest.maps[2].results
    symbols = {e.position: s for e, s in zip(results, attention.dot.coordinates, strict=True) if s is not None}
    own = {symbol: d for d, symbol in symbols.items()}
    row = max(values.rows, key=lambda d: values.nest.sizes[d])
    batch = tuple(d for d in (*values.batch, *values.rows) if d != row)
    if row not in own:
        raise NotByWarpgroupsError("queries along no dimension of the first product")
    first = replace(scores, batch=tuple(own[d] for d in batch if d in own), rows=(own[row],))
    return first, replace(values, batch=batch, rows=(row,)), symbols


def _cut(attention: Attention, values: Problem, target: Target) -> Cut:
    """The one whose tiles take all multiprocessors the least time."""
    nodes = reachable(attention.expression)
    wants = [any(isinstance(one, kind) for one in nodes) for kind in (Element, Index)]
    table = MASKED_AND_LOADED if all(wants) else MASKED if any(wants) else BY_WARPGROUPS
    counts = {cut: values.batches * -(-values.m // cut.queries) for cut in _cuts(table, attention)}
    enough = ceil(LEAST_BY_WARPGROUPS * target.multiprocessors)
    cuts = [cut for cut, count in counts.items() if count >= enough]
    if not cuts:
        raise NotByWarpgroupsError(f"less than {enough} tiles of {min(c.queries for c in counts)} queries")
    return min(cuts, key=lambda cut: -(-counts[cut] // target.multiprocessors) * cut.queries)
