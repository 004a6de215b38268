"""How the threads of a card share the iterations of a loop nest: maps, reductions, and rows of which several things are reduced.

maps      a thread has the adjacent results that one access stores
columns   8x512x768 over 0, 1: lanes of a warp lie along the results, 16 bytes each; the block's 8 warps divide what is reduced
rows      4096x768 over 1: lanes lie along what is reduced; a part of a warp, a warp or a block for a result
parts     where that gives too few blocks, each does a part of the reduction, and a second launch combines the parts
chains    softmax: a long row has a block of threads, short ones share a block, with one thread for four elements; adjacent lanes have
          adjacent rows where results are contiguous along their number (a softmax over other than the last dimension)"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.launches import MOST_BLOCKS, THREADS, Grid, grid_for
from hlo.lowering.gpu.threads import ACCESS_BYTES, WARP, common_width
from hlo.lowering.linalg.iteration import Affine, Dim, with_last
from hlo.lowering.memory.storage import element_bytes, stored_element
from hlo.lowering.target import Target
from hlo.lowering.vector.region.graph import Stage
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import power_of_two_above


@dataclass(frozen=True)
class Walk:
    """One array's accesses. `value`: the tensor that is read; None for a result. `position`: over the loops that are left of those that were
    joined; `whole`: over all, as the evaluator sees it. `size`: elements of the array. `inner`: the loop whose iterations are adjacent."""

    value: ir.Value | None
    position: Affine
    whole: Affine
    kind: ir.Type
    size: int
    inner: Dim | None

    @property
    def is_complex(self) -> bool:
        """Vectors have no such elements."""
        return isinstance(self.kind, ir.ComplexType)

    @property
    def bytes(self) -> int:
        return self.size * element_bytes(self.kind)


@dataclass(frozen=True)
class Walks:
    """Those of a nest. `single`: the loops along which elements are computed one by one."""

    reads: Sequence[Walk]
    stores: Sequence[Walk]
    single: frozenset[Dim]

    @property
    def along(self) -> Dim | None:
        """The loop along which all results lie; None if they lie along several, or none."""
        first, *others = [one.inner for one in self.stores]
        return first if all(one is first for one in others) else None

    def bytes(self, dims: Sequence[Dim]) -> int:
        """That are read; at least one for each element, as those that are computed take time too."""
        return max(extent(dims), sum(one.bytes for one in {one.value: one for one in self.reads}.values()))

    def width(self, inner: Dim | None, *more: Walk, most: int = ACCESS_BYTES, sizes: Sequence[int] = ()) -> int:
        """How many adjacent iterations of a loop one access of at most `most` bytes has in what is read along it, and in `more`."""
        used = [*(one for one in self.reads if one.inner is inner and not one.is_complex), *more]
        if inner is None or inner in self.single or any(one.inner is not inner or one.is_complex for one in more):
            return 1
        rows = [one.position.multiple(inner) for one in used]
        return common_width([one.kind for one in used], [inner.size, *sizes, *rows], most)


def walks_of(nest: Nest) -> Walks:
    """Those of a nest whose loops are joined."""
    accesses = nest.accesses
    walks = [_walk(one, nest.stage.dims) for one in accesses.accesses]
    bounded = {d for bound in accesses.bounds for d, _ in bound.position.terms}
    loops = nest.stage.dims if accesses.scalar_only and _has_regions(nest) else ()
    return Walks(
        [walk for walk in walks if walk.value is not None],
        [walk for walk in walks if walk.value is None],
        frozenset([*bounded, *loops]),
    )


def _walk(access: object, dims: Sequence[Dim]) -> Walk:
    whole, value, element = access.position, access.value, access.element  # type: ignore[attr-defined]
    position = Affine(tuple((d, c) for d, c in whole.terms if d in dims or d.value is not None), whole.const)
    size = prod(value.type.shape) if value is not None else 0
    return Walk(value, position, whole, stored_element(element), size, position.contiguous_loop(dims))


def _has_regions(nest: Nest) -> bool:
    """Whether a body has an op with regions that is copied for single elements."""
    bodies = (op.regions[0].blocks[0].operations for op in nest.accesses.bodies)
    return any(len(op.regions) and op.operation.name != "scf.if" for body in bodies for op in body)


def largest_read(walks: Walks, results: Sequence[Dim]) -> Dim | None:
    """The loop along which the largest array that is read lies in memory; where it lies along none (windows), that of the `results` along
    which another one does."""
    first, *others = [one.inner for one in sorted(walks.reads, key=lambda one: -one.size)] or [None]
    return first if first is not None else next((d for d in others if d in results), None)


def extent(dims: Sequence[Dim]) -> int:
    return prod(d.size for d in dims)


def sizes_of(dims: Sequence[Dim]) -> str:
    """ "8x4", for remarks."""
    return "x".join(str(d.size) for d in dims)


@dataclass(frozen=True)
class Shape:
    """`parallel` and `reduction`: the loops, of which one access has `width` iterations of `inner`: adjacent results if `is_column`,
    else adjacent elements of one. So many `threads` share a result, and a block has so many results `together`: adjacent lanes have
    adjacent ones if `is_column`. A thread takes `unroll` steps of its part of the reduction at once, of which there are about `parts`."""

    parallel: tuple[Dim, ...]
    reduction: tuple[Dim, ...]
    width: int
    inner: Dim | None
    is_column: bool
    threads: int
    together: int
    parts: int = 1
    unroll: int = 1

    @property
    def states(self) -> int:
        """That a thread has: neighbouring results."""
        return self.width if self.is_column else 1

    @property
    def results(self) -> int:
        """In vectors of neighbours, if a thread has several."""
        return extent(self.parallel) // self.states

    @property
    def steps(self) -> int:
        """Of the reduction, each of so many neighbours as an access has."""
        return extent(self.reduction) // (1 if self.is_column else self.width)

    @property
    def length(self) -> int:
        """Steps of a part."""
        return part_length(self.steps, self.parts, self.threads)

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


def part_length(steps: int, parts: int, threads: int) -> int:
    """Steps of each of some parts, which so many threads share evenly."""
    length = -(-steps // parts)
    return length if parts == 1 else -(-length // threads) * threads


def map_shape(stage: Stage, walks: Walks) -> Shape:
    """A thread for 16 bytes of adjacent results, if all that is stored lies along one loop."""
    along = walks.along
    width = walks.width(along, *walks.stores)
    together = grid_for(extent(stage.dims) // width).threads
    return Shape(with_last(stage.dims, along), (), width, along, True, 1, together)


# Reductions

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


def reduction_shape(
    parallel: Sequence[Dim], reduction: Sequence[Dim], walks: Walks, order: str, target: Target
) -> Shape:
    """`order`: how partial results are combined, a combiner's `kind`; elements that are added one after the other have
    one thread a result."""
    inner = largest_read(walks, parallel)
    is_column = inner is None or inner in parallel
    own = parallel if is_column else reduction
    is_last = inner is not None and inner is own[-1]
    width = walks.width(inner) if is_last or order == "op" else 1
    results = extent(parallel) // (width if is_column else 1)
    steps = extent(reduction) // (1 if is_column else width)
    threads = parts = 1
    if order != "sequential":
        enough = BLOCKS * target.multiprocessors
        threads = (_columns if is_column else _rows)(results, steps, enough)
        tiles = -(-results // (THREADS // threads))
        parts = _parts(tiles, steps, threads, walks.bytes([*parallel, *reduction]), enough)
    length = part_length(steps, parts, threads)
    unroll = _unroll(sum(one.inner is inner for one in walks.reads), width, -(-length // threads))
    loops = with_last(parallel, inner), with_last(reduction, inner if order == "op" else None)
    parts = -(-steps // length) if parts > 1 else 1
    return Shape(*loops, width, inner, is_column, threads, THREADS // threads, parts, unroll)


def _unroll(streams: int, width: int, iterations: int) -> int:
    """Steps of a thread whose loads are under way together: a divisor of its iterations if there is one that is not
    much less. `streams`: inputs that are loaded in each."""
    most = max(1, min(MOST_LOADS // max(1, streams), UNROLLED // width, iterations))
    return next((n for n in range(most, most // 2, -1) if iterations % n == 0), most)


def _columns(results: int, steps: int, enough: int) -> int:
    """Threads that share a result. `enough`: blocks that fill the card."""
    lanes = 1
    while lanes * 2 * results <= WARP and lanes * 2 <= steps:
        lanes *= 2
    few = -(-results * lanes // THREADS) < enough
    return lanes * WARPS if few and steps >= 2 * WARPS * lanes else lanes


def _rows(results: int, steps: int, enough: int) -> int:
    if steps <= SHORT and results >= THREADS * enough:
        return 1
    lanes = min(WARP, power_of_two_above(steps))
    few = -(-results // WARPS) < enough // 2 and steps >= THREADS
    return lanes * WARPS if few or steps >= LONG * WARP else lanes


def _parts(tiles: int, steps: int, sharing: int, read: int, enough: int) -> int:
    if not tiles:
        return 1
    return max(1, min(enough // tiles, read // (tiles * PART_BYTES), steps // (2 * sharing)))


# Chains of reductions over a row

ELEMENTS = 4
"""Of a row for each of its threads, as long as a block has enough."""

LEAST_ROWS = 64
"""Rows from which blocks fill a card; fewer only if the rows are short."""

LONG_ROW = 8192

ACROSS = WARP
"""Rows that adjacent lanes have."""


def are_rows(rows: Sequence[int], row: Sequence[int]) -> bool:
    """Whether one launch is profitable, by the sizes of the loops."""
    return prod(rows) >= LEAST_ROWS or prod(row) <= LONG_ROW


def row_shape(stage: Stage, walks: Walks) -> Shape:
    """Of a chain: threads do all of it for their row before they take the next."""
    inner = largest_read(walks, stage.parallel)
    is_column = inner is not None and inner in stage.parallel
    width = 1 if is_column else walks.width(inner, *(one for one in walks.stores if one.inner in stage.reduction))
    most = THREADS // ACROSS if is_column else THREADS
    threads = min(most, power_of_two_above(-(-extent(stage.reduction) // max(ELEMENTS, width))))
    together = max(WARP // threads, min(THREADS // threads, power_of_two_above(extent(stage.parallel))), 1)
    loops = with_last(stage.parallel, inner), with_last(stage.reduction, inner)
    return Shape(*loops, width, inner, is_column, threads, together)
