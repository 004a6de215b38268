"""How the threads of a card share reductions, or rows of which several things are reduced."""

from __future__ import annotations

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.grid import MOST_BLOCKS, Grid
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import Dim


@dataclass(frozen=True)
class Shape:
    """`parallel` and `reduction`: the loops. `results` and `steps`: how many results and how much of the reduction
    there is, either in vectors of `width` neighbours: of `inner`, which is a loop of the results if `is_column`. So
    many `threads` share a result, and a block has so many results `together`: adjacent lanes have adjacent ones if
    `is_column`, and otherwise adjacent elements of one. Each of `parts` parts of the reduction has `length` steps, of
    which a thread takes `unroll` at once."""

    parallel: tuple[Dim, ...]
    reduction: tuple[Dim, ...]
    results: int
    steps: int
    width: int
    inner: Dim | None
    is_column: bool
    threads: int
    together: int
    parts: int
    length: int
    unroll: int = 1

    @property
    def lanes(self) -> int:
        """Threads of one warp that share a result."""
        return min(self.threads, max(1, WARP // self.together) if self.is_column else WARP)

    @property
    def warps(self) -> int:
        """Groups of lanes that share a result."""
        return self.threads // self.lanes

    @property
    def tiles(self) -> int:
        return -(-self.results // self.together)

    @property
    def states(self) -> int:
        """That a thread has: neighbouring results."""
        return self.width if self.is_column else 1

    @property
    def iterations(self) -> int:
        """Steps of a thread, at most."""
        return -(-self.length // self.threads)

    @property
    def is_even(self) -> bool:
        """Every thread has as many steps as the others, a multiple of those that are taken together."""
        whole = self.length % self.threads == 0 and self.iterations % self.unroll == 0
        return whole and self.parts * self.length == self.steps

    @property
    def grid(self) -> Grid:
        return Grid(max(1, min(self.tiles * self.parts, MOST_BLOCKS)), self.threads * self.together)
