"""Results that lie side by side in memory: a vector for each of them is computed, and all are interleaved in registers.

Before (16 rows of 3 elements, lanes along the rows): 3 vectors, each scattered to every third element.
After:                                                3 vectors, interleaved by shuffles, stored to 48 elements in a row.

Adjacent are the indices along short innermost loops, which are written out, and arrays that are joined along a short last dimension."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import prod

from mlir import ir

from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target
from hlo.lowering.vector.region.accesses import Accesses
from hlo.lowering.vector.region.graph import Stage, Store, written_out

MOST_INTERLEAVED, MOST_ROW_BYTES = 32, 64
"""Elements of the innermost loops together, and their bytes, up to which these are written out: where rows are longer,
vectors along them are about as full, and the vectors of a whole row would not stay in registers (bench: outer products
and transposes of rows of 5 to 64 elements)."""
MOST_IN_RUN, MOST_READ, MOST_PICKED = 16, 64, 512
"""Iterations of the reduced loops of a run that are written out, vectors that its rows may fill, and times that a vector is picked from:
more take longer to compile than they save."""
FULL, FEW_LANES = 0.75, 8
"""Of a vector along the inner loop, above which that is as fast; but of few lanes, where more than one instruction joins two elements. (AMD EPYC,
Zen 5, one thread, 220 shapes of nine reductions of rows of 2 to 15 elements: 1.1 to 20 times as fast up to there, 0.6 to 1.2 above.)"""
MOST_OF_NARROW = 8
"""Iterations of the reduced loops where vectors have more than 16 lanes, which are picked one after the other."""


def short_loops(stage: Stage, lanes: Dim) -> list[Dim]:
    """The loops inside of `lanes`, if all of them can be written out: a row of what they store follows the other. Else none."""
    inner = stage.dims[stage.dims.index(lanes) + 1 :]
    count = prod(d.size for d in inner)
    if stage.generics or not 1 < count <= MOST_INTERLEAVED:
        return []
    if any(count * element_bytes(s.type.element_type) > MOST_ROW_BYTES for s in stage.stores):
        return []
    return inner if all(s.position.coefficient(lanes) == count for s in stage.stores) else []


def side_by_side(stores: Sequence[Store], lanes: Dim | None) -> list[list[Store]]:
    """The stores in groups: those of one result that fill it together from one lane to the next, in the order of memory;
    any other is a group by itself."""
    groups: list[list[Store]] = []
    for _, own in groupby(sorted(stores, key=lambda s: s.to), key=lambda s: s.to):
        group = sorted(own, key=lambda s: s.position.const)
        first = group[0].position
        together = first.coefficient(lanes) == len(group) and all(
            store.position == first + n for n, store in enumerate(group)
        )
        groups += [group] if together else [[store] for store in group]
    return groups


def stored_together(lanes: Dim, stage: Stage, target: Target) -> int:
    """How many vectors along `lanes` are interleaved: 1 where a store leaves elements to others, or where a row of
    small floats, which are computed as f32, has more vectors than there are registers (on an EPYC, Zen 3, rows of 20
    elements of bf16 take 0.14 to 0.35 of the time without; of i16 1.2)."""
    inner = short_loops(stage, lanes)
    small = any(isinstance(e := s.type.element_type, ir.FloatType) and element_bytes(e) < 4 for s in stage.stores)
    if small and prod(d.size for d in inner) > target.registers:
        return 1
    stores = written_out(stage, inner).stores
    groups = [] if stage.generics else side_by_side(stores, lanes)
    return min(map(len, groups), default=1)


# Reductions (runs.py)


def run_loops(stage: Stage, lanes: Dim) -> list[Dim]:
    """The loops inside `lanes` that results fill memory along, one row behind the other, where a reduction is short enough to be written
    out. Else none."""
    if not stage.generics or stage.levels or lanes in stage.reduction:
        return []
    inner = stage.parallel[stage.parallel.index(lanes) + 1 :]
    if len(inner) != 1 or not 1 < prod(d.size for d in stage.reduction) <= MOST_IN_RUN:
        return []
    fills = lambda position: position.coefficient(inner[0]) == 1 and position.coefficient(lanes) == inner[0].size
    return inner if all(fills(store.position) for store in stage.stores) else []


def run_of(stage: Stage, accesses: Accesses, lanes: Dim, width: int, target: Target) -> list[Dim]:
    """The same, if all that `width` rows read is picked from vectors that stay in registers, by one instruction for two of them."""
    inner = run_loops(stage, lanes)
    has_others = accesses.bounds or accesses.look_ups or accesses.rolls or accesses.scalar_only
    if not inner or not target.permutes or has_others or accesses.pinned & {lanes, *inner}:
        return []
    if any(isinstance(e, ir.ComplexType) for e in accesses.elements):
        return []
    if any(element_bytes(a.element) == 1 for a in accesses.accesses) and not target.permutes_bytes:
        return []
    vectors = sum(abs(a.position.coefficient(lanes)) for a in accesses.accesses if not a.is_store)
    return inner if vectors <= MOST_READ else []


def is_run_profitable(stage: Stage, cost: int, lanes: Dim, width: int) -> bool:
    """Whether picking lanes is faster than vectors along the inner loop, most of whose lanes are empty. `cost`: of the body."""
    (inner,), count = run_loops(stage, lanes), prod(d.size for d in stage.reduction)
    is_empty = inner.size <= FULL * width or (inner.size < width <= FEW_LANES and cost > 1)
    is_little = count * (count + 1) * inner.size <= MOST_PICKED and (width <= 16 or count <= MOST_OF_NARROW)
    return is_empty and is_little and lanes.size >= width
