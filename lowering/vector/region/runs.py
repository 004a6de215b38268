"""Reductions along a short dimension, of rows that are short too: the lanes of a vector are results that follow each other in memory, of
several rows. What they join is picked from the vectors that the rows fill.

Before (sums along the 4 of 292315 x 4 x 3, lanes along the 3):  for rows: for k: a vector of 3 lanes; 3 lanes are stored
After:                                                           for rows by 16: 12 vectors are read; for k, written out: 3 vectors are
                                                                 picked and added; 48 results are stored"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hlo.lowering.linalg.iteration import Affine, Dim


class Run(Dim):
    """Lanes that go through loops as through one; positions are those of the loops. A tile begins where the inner loops do."""

    def __init__(self, loops: Sequence[Dim]):
        super().__init__(prod(d.size for d in loops))
        self.outer, *self.inner = loops
        self.row = prod(d.size for d in self.inner)

    def coefficient(self, affine: Affine) -> int:
        """0 where all lanes have the same position; else that of one of the loops."""
        return next((c for d in (self.outer, *self.inner) if (c := affine.coefficient(d))), 0)

    def offsets(self, affine: Affine, first: int, count: int) -> list[int]:
        """How far the positions of so many lanes, from lane `first` of the tile on, are from where the tile begins."""
        found = []
        for lane in range(first, first + count):
            at, offset = lane, 0
            for dim in reversed(self.inner):
                at, index = divmod(at, dim.size)
                offset += index * affine.coefficient(dim)
            found.append(offset + at * affine.coefficient(self.outer))
        return found
