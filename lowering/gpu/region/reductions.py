"""A reduction as one launch, or as two: all threads of the card read 16 bytes at once, adjacent lanes adjacent elements.

Before:  linalg.generic {sum over d0} ins(%x : tensor<4096x768xf32>) outs(fill with 0)
After:   gpu.func: each thread sums its share of 4 neighbouring columns in registers; the threads of a warp that share
         results are added by shuffles, the warps of a block in shared memory; the first of them writes 0 + the sum

`shape_of` says which threads take what. Parts of a reduction go to a workspace, which a second launch combines in their order: the result is the
same in every run. Several reductions over the same loops are done at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hlo.lowering.gpu.grid import MOST_BLOCKS, THREADS, Grid
from hlo.lowering.gpu.region.walk import Walk, Walks, extent, largest_read, with_last
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.vector.target import Target

# How the threads of a card share a reduction: along what they read, how many share a result, in how many parts.
#
# columns   8x512x768 over 0, 1: lanes of a warp lie along the results, 16 bytes each; the block's 8 warps divide what is reduced
# rows      4096x768 over 1: lanes lie along what is reduced; a part of a warp, a warp or a block for a result
# parts     where that gives too few blocks, each does a part of the reduction, and a second launch combines the parts


WARPS = THREADS // WARP

BLOCKS = 4
"""For each multiprocessor, of 256 threads that each wait for several loads: they keep the memory busy."""

PART_BYTES = 32 * 1024
"""Least bytes that a block reads for a part: eight loads of 16 bytes a thread. Less does not pay for a second launch."""

LONG = 16
"""Loads of a lane from which a block for a result is better than a warp."""

SHORT = 4
"""Loads for a result up to which a thread of its own does them, if there are results for the whole card."""

UNROLLED = 32
"""Most elements of a thread that are combined in one iteration of its loop; their loads are under way together."""

MOST_LOADS = 8


@dataclass(frozen=True)
class Shape:
    """`parallel` and `reduction`: the loops. `results` and `steps`: how many results and how much of the reduction there is, either in vectors of
    `width` neighbours: of `inner`, which is a loop of the results if `is_column`. `lanes` of a warp and `warps` of a block share a result; each of
    `parts` parts of the reduction has `length` steps. `streams`: inputs that are read along `inner`."""

    parallel: tuple[Dim, ...]
    reduction: tuple[Dim, ...]
    results: int
    steps: int
    width: int
    inner: Dim | None
    is_column: bool
    lanes: int
    warps: int
    parts: int
    length: int
    streams: int

    @property
    def sharing(self) -> int:
        """Threads that share a result."""
        return self.lanes * self.warps

    @property
    def tile(self) -> int:
        """Results of a block (vectors of them in columns)."""
        return THREADS // self.sharing

    @property
    def tiles(self) -> int:
        return -(-self.results // self.tile)

    @property
    def states(self) -> int:
        """That a thread has: neighbouring results."""
        return self.width if self.is_column else 1

    @property
    def iterations(self) -> int:
        """Loads of a thread, at most."""
        return -(-self.length // self.sharing)

    @property
    def unroll(self) -> int:
        """Steps of a thread whose loads are under way together: a divisor of its iterations if there is one that is not much less."""
        most = max(1, min(MOST_LOADS // max(1, self.streams), UNROLLED // self.width, self.iterations))
        return next((n for n in range(most, most // 2, -1) if self.iterations % n == 0), most)

    @property
    def is_even(self) -> bool:
        """Every thread has as many steps as the others, a multiple of those that are taken together."""
        whole = self.length % self.sharing == 0 and self.iterations % self.unroll == 0
        return whole and self.parts * self.length == self.steps

    @property
    def grid(self) -> Grid:
        return Grid(max(1, min(self.tiles * self.parts, MOST_BLOCKS)), THREADS)


def shape_of(parallel: Sequence[Dim], reduction: Sequence[Dim], walks: Walks, order: str, target: Target) -> Shape:
    """`order`: how partial results are combined, a combiner's `kind`; elements that are added one after the other have one thread a result."""
    inner = largest_read(walks, parallel)
    is_column = inner is None or inner in parallel
    own = parallel if is_column else reduction
    is_last = inner is not None and inner is own[-1]
    width = walks.width(inner) if is_last or order == "op" else 1
    results = extent(parallel) // (width if is_column else 1)
    steps = extent(reduction) // (1 if is_column else width)
    lanes, warps, parts = 1, 1, 1
    if order != "sequential":
        enough = BLOCKS * target.multiprocessors
        lanes, warps = (_columns if is_column else _rows)(results, steps, enough)
        tiles = -(-results // (THREADS // (lanes * warps)))
        parts = _parts(tiles, steps, lanes * warps, _bytes(walks.reads, [*parallel, *reduction]), enough)
    length = -(-steps // parts)
    if parts > 1:
        length = -(-length // (lanes * warps)) * lanes * warps
        parts = -(-steps // length)
    loops = [with_last(dims, inner if order == "op" or dims is parallel else None) for dims in (parallel, reduction)]
    streams = sum(one.inner is inner for one in walks.reads)
    return Shape(
        tuple(loops[0]), tuple(loops[1]), results, steps, width, inner, is_column, lanes, warps, parts, length, streams
    )


def _columns(results: int, steps: int, enough: int) -> tuple[int, int]:
    """Lanes and warps that share a result. `enough`: blocks that fill the card."""
    lanes = 1
    while lanes * 2 * results <= WARP and lanes * 2 <= steps:
        lanes *= 2
    few = -(-results * lanes // THREADS) < enough
    return lanes, WARPS if few and steps >= 2 * WARPS * lanes else 1


def _rows(results: int, steps: int, enough: int) -> tuple[int, int]:
    if steps <= SHORT and results >= THREADS * enough:
        return 1, 1
    lanes = 1
    while lanes < min(WARP, steps):
        lanes *= 2
    few = -(-results // WARPS) < enough // 2 and steps >= THREADS
    return lanes, WARPS if few or steps >= LONG * WARP else 1


def _parts(tiles: int, steps: int, sharing: int, read: int, enough: int) -> int:
    if not tiles:
        return 1
    return max(1, min(enough // tiles, read // (tiles * PART_BYTES), steps // (2 * sharing)))


def _bytes(reads: Sequence[Walk], dims: Sequence[Dim]) -> int:
    """That are read; at least one for each element, as those that are computed take time too."""
    return max(extent(dims), sum(one.bytes for one in {one.value: one for one in reads}.values()))
