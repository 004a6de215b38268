"""A reduction as one launch, or as two: all threads of the card read 16 bytes at once, adjacent lanes adjacent elements.

Before:  linalg.generic {sum over d0} ins(%x : tensor<4096x768xf32>) outs(fill with 0)
After:   gpu.func: each thread sums its share of 4 neighbouring columns in registers; the threads of a warp that share
         results are added by shuffles, the warps of a block in shared memory; the first of them writes 0 + the sum

`shape_of` says which threads take what. Parts of a reduction go to a workspace, which a second launch combines in their
order: the result is the same in every run. Several reductions over the same loops are done at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mlir import ir

from hlo.lowering.gpu.grid import THREADS, Launch, counted
from hlo.lowering.gpu.region.partial_results import combiners_of, kinds_of
from hlo.lowering.gpu.region.reduction_code import Reduction, place_of_part
from hlo.lowering.gpu.region.sharing import Shape
from hlo.lowering.gpu.region.walk import Walk, Walks, extent, largest_read, sizes_of, walks_of
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import Dim, with_last
from hlo.lowering.memory.storage import stored_element
from hlo.lowering.vector.region.nest import Nest
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


def shape_of(parallel: Sequence[Dim], reduction: Sequence[Dim], walks: Walks, order: str, target: Target) -> Shape:
    """`order`: how partial results are combined, a combiner's `kind`; elements that are added one after the other have
    one thread a result."""
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
    parallel, reduction = with_last(parallel, inner), with_last(reduction, inner if order == "op" else None)
    threads = lanes * warps
    unroll = _unroll(sum(one.inner is inner for one in walks.reads), width, -(-length // threads))
    return Shape(
        parallel, reduction, results, steps, width, inner, is_column, threads, THREADS // threads, parts, length, unroll
    )


def _unroll(streams: int, width: int, iterations: int) -> int:
    """Steps of a thread whose loads are under way together: a divisor of its iterations if there is one that is not
    much less. `streams`: inputs that are loaded in each."""
    most = max(1, min(MOST_LOADS // max(1, streams), UNROLLED // width, iterations))
    return next((n for n in range(most, most // 2, -1) if iterations % n == 0), most)


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


# The launches of a nest whose results are reductions


def reduction_launches(nest: Nest, target: Target, allocate: Callable[[int, ir.Type], ir.Value]) -> list[Launch]:
    """Those of a nest whose results are reductions, and what is computed from them at the same index. `allocate`: an
    array of the code function, of a number of elements of a type."""
    stage, combiners = nest.stage, combiners_of(nest.stage.generics)
    orders = {c.kind for c in combiners}
    order = "sequential" if "sequential" in orders else "monoid" if "monoid" in orders else "op"
    shape = shape_of(stage.parallel, stage.reduction, walks_of(nest), order, target)
    whole, elements = Reduction(nest, combiners, shape), f"{sizes_of(stage.reduction) or '1'} elements"
    if shape.parts == 1:
        return [whole.launch(_decision(shape, elements, stage.parallel))]
    kinds = [stored_element(kind) for c in combiners for kind in kinds_of(c)]
    total = extent(stage.parallel)
    workspace = tuple(allocate(shape.parts * total, kind) for kind in kinds)
    part = Dim(shape.parts)
    position = place_of_part(part, shape.parallel)
    inner = position.contiguous_loop([part, *shape.parallel])
    walk = [Walk(None, position, position, kind, total * shape.parts, inner) for kind in kinds]
    last = shape_of(shape.parallel, [part], Walks(walk, (), frozenset()), order, target)
    last = replace(last, parts=1, length=last.steps)
    return [
        replace(whole, workspace=workspace).launch(_decision(shape, elements, stage.parallel)),
        Reduction(nest, combiners, last, workspace=workspace, is_last=True).launch(
            _decision(last, f"{last.steps} parts", stage.parallel)
        ),
    ]


def _decision(shape: Shape, reduced: str, parallel: Sequence[Dim]) -> str:
    """In words, for remarks. `reduced`: what is."""
    results = sizes_of(parallel)
    neighbours = f", {shape.width} neighbours at once" if shape.width > 1 else ""
    of = f"{shape.width} neighbouring results" if shape.states > 1 else f"a result{neighbours}"
    parts = f", in {shape.parts} parts" if shape.parts > 1 else ""
    to = f"each of {results}" if results else "one"
    return f"{reduced} to {to}: {counted(shape.threads, 'thread')} for {of}{parts}"
