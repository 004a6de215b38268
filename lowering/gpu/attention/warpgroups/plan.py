"""How attention is cut for warpgroups: which problems, how many queries and keys, what is where in shared memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Element, Index, reachable
from hlo.lowering.gpu.attention.attention import Attention
from hlo.lowering.gpu.attention.plan import INSTRUCTION_K, Rows
from hlo.lowering.gpu.contraction.box_operands import ROWS, BoxOperand, whole_operand
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.gpu.hopper_ops import WARPGROUP
from hlo.lowering.gpu.tensor_maps import TensorMap
from hlo.lowering.vector.contraction.problem import whole
from hlo.lowering.vector.target import Target

LEAST_BUSY = 0.48
"""The part of the multiprocessors that must have a tile: with fewer, smaller tiles by mma.sync."""

MOST_STAGES = 4
STATIC_BYTES = 1 << 10
"""Of shared memory, for barriers and flags."""

COLUMNS = 8
"""Multiples of which an instruction has."""


@dataclass(frozen=True)
class Cut:
    """`consumers` warpgroups with 64 queries each; `keys` in a step."""

    consumers: int
    keys: int

    @property
    def queries(self) -> int:
        return self.consumers * ROWS


CUTS = {64: (Cut(3, 128), Cut(2, 128)), 128: (Cut(2, 128),), 256: (Cut(2, 64),)}
"""By elements of a head, at most so many: what the registers of 64 x keys scores and 64 x elements sums leave room for."""

MASKED = {64: (Cut(2, 128),), 128: (Cut(2, 128),), 256: (Cut(2, 64),)}
"""Where scores depend on their coordinates or read memory."""

LOADED = {64: (Cut(2, 64),), 128: (Cut(2, 64),), 256: (Cut(2, 32),)}
"""Where they do both."""

REGISTERS = {3: (32, 160), 2: (40, 232)}
"""By consumers, of a thread of the producer and of a consumer: together those of a multiprocessor."""


class NotByWarpgroupsError(Exception):
    """Why attention stays with mma.sync."""


@dataclass(frozen=True)
class WarpgroupPlan(Rows):
    """`scores`, `values`: both contractions, one dimension the rows, all else that queries have is batch. `symbols`: of the
    dimensions of the first one. `q`, `k`, `v`: the inputs in shared memory."""

    target: Target
    attention: Attention
    scores: Problem
    values: Problem
    symbols: Mapping[int, int]
    cut: Cut
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
        return WarpgroupPlan(target, attention, scores, values, symbols, cut, q, k, v)

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
    widest = next(n for n in CUTS if max(attention.scores.k, values.n) <= n)
    counts = {cut: values.batches * -(-values.m // cut.queries) for cut in _table(attention)[widest]}
    enough = ceil(LEAST_BUSY * target.multiprocessors)
    cuts = [cut for cut, count in counts.items() if count >= enough]
    if not cuts:
        raise NotByWarpgroupsError(f"less than {enough} tiles of {min(c.queries for c in counts)} queries")
    return min(cuts, key=lambda cut: -(-counts[cut] // target.multiprocessors) * cut.queries)


def _table(attention: Attention) -> Mapping[int, tuple[Cut, ...]]:
    """By what the registers must hold besides scores, weights and sums."""
    nodes = reachable(attention.expression)
    reads, is_masked = (any(isinstance(one, kind) for one in nodes) for kind in (Element, Index))
    if reads and is_masked:
        return LOADED
    return MASKED if reads or is_masked else CUTS
