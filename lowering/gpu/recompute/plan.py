"""How a recomputed product is cut: a block of threads has some rows, and goes through the depth in steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hlo.lowering.gpu.attention.causal_mask import Hidden, hidden_of
from hlo.lowering.gpu.attention.expressions import Product
from hlo.lowering.gpu.attention.plan import STAGES, Cut, Rows
from hlo.lowering.gpu.attention.recognise import dimensions_of
from hlo.lowering.gpu.contraction.problem import innermost
from hlo.lowering.gpu.contraction.shared_tiles import Side, side_of
from hlo.lowering.gpu.contraction.tensor_cores import ENOUGH_BLOCKS
from hlo.lowering.gpu.grid import Grid
from hlo.lowering.gpu.recompute.recognise import Recomputed

MOST_SHARED = 99 * 1024
"""Bytes a block may have on all cards from sm_80 on."""

CUTS = {
    64: (Cut(8, 1, 64), Cut(4, 1, 64)),
    128: (Cut(8, 1, 32), Cut(4, 1, 32)),
    256: (Cut(4, 1, 16), Cut(2, 1, 16)),
}
"""By elements of the factors' depth or of the result's rows, at most so many: what registers hold without spills. The last one
always fits; others are taken if they fit and leave enough blocks."""


@dataclass(frozen=True)
class Tiles:
    """Inputs as they lie in shared memory, with where they begin. `last`: the right input of the last contraction, and whether
    it is the right tile of a factor too; None for a reduction."""

    lefts: dict[Product, tuple[Side, int]]
    rights: dict[Product, tuple[Side, int]]
    last: tuple[Side, int, bool] | None
    bytes: int


@dataclass(frozen=True)
class RecomputedPlan(Rows):
    """A recomputed product (or reduction) with its cut."""

    attention: Recomputed
    cut: Cut

    @staticmethod
    def of(found: Recomputed) -> RecomputedPlan:
        widest = max(found.values.n, *(p.k for p in found.factors.values()))
        plans = [RecomputedPlan(found, cut) for cut in next(cuts for size, cuts in CUTS.items() if widest <= size)]
        return next((p for p in plans if p._suits), plans[-1])

    @property
    def _suits(self) -> bool:
        batch, rows, _ = self.tiles
        return self.grid.shared_bytes <= MOST_SHARED and batch * rows >= ENOUGH_BLOCKS

    @property
    def decision(self) -> str:
        """In words, for remarks."""
        p, factors = self.attention.values, self.attention.factors
        what = f"products with {p.n} columns" if self.attention.fold is None else "reductions"
        size = f"{p.batches} x {p.m} rows of {p.k} elements"
        again = " and ".join(f"products of {one.k}" for one in factors.values())
        seen = ", those that a mask hides left out" if self.hidden else ""
        return (
            f"{what} of {size} that are computed again from {again}{seen}; {self.cut.queries} rows a block, by mma.sync"
        )

    @cached_property
    def hidden(self) -> Hidden | None:
        """The steps that need not be taken."""
        return hidden_of(self.attention, self.cut.keys)

    @property
    def width(self) -> int:
        """Columns of the result, padded; none for a reduction."""
        return self._padded(self.attention.values.n) if self.attention.fold is None else 0

    @property
    def inputs(self) -> Tiles:
        cut, place = self.cut, 0
        lefts, rights = {}, {}
        for product, p in self.attention.factors.items():
            lefts[product] = (side_of(p, p.left, cut.queries, self._padded(p.k)), place)
            place += lefts[product][0].bytes
        for product, p in self.attention.factors.items():
            rights[product] = (side_of(p, p.right, cut.keys, self._padded(p.k)), place)
            place += STAGES * rights[product][0].bytes
        if self.attention.fold is not None:
            return Tiles(lefts, rights, None, place)
        p = self.attention.values
        own = side_of(p, p.right, self.width, cut.keys)
        shared = next((at for one, (side, at) in rights.items() if self._is_same(one, side, own)), None)
        if shared is not None:
            return Tiles(lefts, rights, (own, shared, True), place)
        return Tiles(lefts, rights, (own, place, False), place + STAGES * own.bytes)

    def _is_same(self, shared: Product, side: Side, own: Side) -> bool:
        """Whether a factor's right tile is that of the result's right input: the same elements in the same places."""
        p, last = self.attention.factors[shared], self.attention.values
        if p.op.operands[p.right] != last.op.operands[last.right]:
            return False
        one, other = p.nest.maps[p.right], last.nest.maps[last.right]
        symbols = dict(zip(dimensions_of(p.nest.maps[2]), shared.places))
        places = [HEAD if d in p.depth else symbols.get(d) for d in dimensions_of(one)]
        wanted = [HEAD if d in last.columns else d if last.nest.sizes[d] != 1 else None for d in dimensions_of(other)]
        along = innermost(one) == p.depth[-1] and innermost(other) == last.columns[-1] and len(last.columns) == 1
        is_chunked = side.is_chunked and own.is_chunked
        return along and is_chunked and places == wanted and side.shape == own.shape

    @property
    def grid(self) -> Grid:
        batch, rows, _ = self.tiles
        return Grid(batch * rows, self.threads, self.inputs.bytes)


HEAD = -1
"""The place along a head: depth of a factor, column of the result."""
