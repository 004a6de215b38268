"""Chains of reductions over a row and what is computed between and after them (softmax, norms), as one launch: threads
do all of them for their row before they take the next.

    softmax: maximum of the row, exponentials, their sum, quotients
    after:   one gpu.func; each thread has every n-th of a row's elements, or 16 bytes of them; what is costly and needed twice stays in shared memory, where
             the thread that has written an element reads it again; reductions by all threads of a row

A long row has a block of threads, short ones share a block: one thread for four elements. Where results are contiguous
along the rows' number (a softmax over other than the last dimension), adjacent lanes have adjacent rows. Few long rows
are one launch for each level of reductions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hlo.lowering.gpu.grid import THREADS, Launch, counted
from hlo.lowering.gpu.region.partial_results import combiners_of
from hlo.lowering.gpu.region.reduction_code import Reduction
from hlo.lowering.gpu.region.sharing import Shape
from hlo.lowering.gpu.region.walk import extent, largest_read, sizes_of, walks_of
from hlo.lowering.gpu.threads import WARP
from hlo.lowering.linalg.iteration import with_last
from hlo.lowering.memory.storage import element_bytes, stored_element
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.plan import power_of_two_above

SHARED_BYTES = 40 * 1024
"""Of rows in shared memory; with what reductions have of it below the 48 KiB that every kernel may have."""

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


def row_launch(nest: Nest) -> Launch:
    """The launch of a chain."""
    stage, walks = nest.stage, walks_of(nest)
    inner = largest_read(walks, stage.parallel)
    is_column = inner is not None and inner in stage.parallel
    row = with_last(stage.reduction, inner)
    width = 1 if is_column else walks.width(inner, *(one for one in walks.stores if one.inner in stage.reduction))
    length = extent(row)
    threads = min(THREADS // ACROSS if is_column else THREADS, power_of_two_above(-(-length // max(ELEMENTS, width))))
    together = max(WARP // threads, min(THREADS // threads, power_of_two_above(extent(stage.parallel))), 1)
    room, kept = SHARED_BYTES // together, []
    for value in stage.kept:
        size = length * element_bytes(stored_element(value.type.element_type))
        if size <= room:
            room -= size
            kept.append(value)
    rows, combiners = with_last(stage.parallel, inner), combiners_of(stage.generics)
    count, steps = extent(rows), length // width
    shape = Shape(rows, row, count, steps, width, inner, is_column, threads, together, 1, steps)
    own = f", {counted(len(kept), 'row')} in shared memory" if kept else ""
    who = "a block of threads" if together == 1 else counted(threads, "thread")
    what = f"{counted(len(combiners), 'reduction')} and {counted(len(stage.stores), 'result')}"
    decision = f"{what} on rows of {count}x{sizes_of(stage.reduction)}, {who} each{own}"
    return Reduction(nest, combiners, shape, stage.levels, kept).launch(decision)
