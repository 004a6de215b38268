"""The schedule of a region kernel as an attribute: `{stages = [{loops = [4096, 1024], vectorize = "d1", vector = 16, ...}]}`, a part for
each of its nests. Loops are named by their positions in `loops`."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.environment import MOST_THREADS
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.schedule import (
    ScheduleError,
    attribute_of,
    between,
    one_of,
    read_as,
    read_parts,
    said_of,
    schedule_of,
    spelled,
    vector_widths,
)
from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.memory.placement import works_in_place
from hlo.lowering.target import Target
from hlo.lowering.vector.region.interleaving import run_of, short_loops
from hlo.lowering.vector.region.nest import Nest, read_nests
from hlo.lowering.vector.region.padding import dilated_loops
from hlo.lowering.vector.region.plan import (
    MOST_ITERATIONS,
    SHORT,
    Plan,
    is_written_out,
    make_plan,
    may_run_in_lanes,
    peelable,
    phases_of,
    squares_of,
    stepped_loop,
    widest_vector,
)
from hlo.lowering.vector.region.unrolling import MOST_UNROLLED

NONE, ALL = "none", "all"


@dataclass(frozen=True)
class StageSchedule:
    """How a nest runs; docs/kernels.md tells what each field does."""

    loops: tuple[int, ...]
    vectorize: str
    vector: int
    unroll_loop: str
    unroll: int
    interleave: int
    threads: int
    phases: tuple[int, ...]
    peel: tuple[int, ...]


def schedule_region(kernel: Any, target: Target) -> ir.Attribute:
    """What `hlo.schedule` is to be of a region kernel."""
    in_place = works_in_place(kernel)
    return attribute_of({"stages": [_chosen(nest, target, in_place) for nest in read_nests(kernel)]})


def _chosen(nest: Nest, target: Target, in_place: bool) -> StageSchedule:
    plan, dims = make_plan(nest.stage, nest.accesses, nest.combiners, target, in_place), nest.stage.dims
    vectorize, unrolled = (NONE if d is None else _name(dims, d) for d in (plan.lanes, plan.stepped))
    sizes = tuple(d.size for d in dims)
    return StageSchedule(
        sizes,
        vectorize,
        max(plan.width, 1),
        ALL if plan.all_unrolled else unrolled,
        prod(sizes) if plan.all_unrolled else plan.steps,
        prod(d.size for d in plan.interleaved),
        max(plan.parts, 1),
        tuple(plan.phases.get(d, 1) for d in dims),
        tuple(int(d in plan.peeled) for d in dims),
    )


def _name(dims: list[Dim], dim: Dim) -> str:
    return f"d{next(n for n, d in enumerate(dims) if d is dim)}"


def scheduled_region(kernel: Any, target: Target) -> list[tuple[Nest, Plan]]:
    """The nests of a kernel and the plans that its schedule has for them, checked. Raises ScheduleError."""
    nests = read_nests(kernel)
    parts = read_parts("stages", schedule_of(kernel), len(nests))
    return [(nest, _read(nest, part, f"stages[{n}]", target)) for n, (nest, part) in enumerate(zip(nests, parts))]


def _read(nest: Nest, part: ir.Attribute, where: str, target: Target) -> Plan:
    with said_of(where):
        found = read_as(StageSchedule, part)
        _check(nest, found, target)
    loops = {f"d{n}": d for n, d in enumerate(nest.stage.dims)}
    lanes, stepped = loops.get(found.vectorize), loops.get(found.unroll_loop)
    dims = nest.stage.dims
    phases = {d: n for d, n in zip(dims, found.phases) if n > 1}
    peeled = frozenset(d for d, peel in zip(dims, found.peel) if peel)
    inner = tuple(_inner_loops(nest, found, lanes, target)) if lanes is not None and found.interleave > 1 else ()
    if found.unroll_loop == ALL:
        return Plan(None, 0, 1, None, found.threads, all_unrolled=True)
    return Plan(lanes, found.vector if lanes else 0, found.unroll, stepped, found.threads, phases, peeled, inner)


def _check(nest: Nest, found: StageSchedule, target: Target) -> None:
    """Raises ScheduleError for the first field that this nest and processor do not allow."""
    stage, dims = nest.stage, nest.stage.dims
    sizes = tuple(d.size for d in dims)
    if found.loops != sizes:
        raise ScheduleError("loops", list(found.loops), str(list(sizes)))
    widest = widest_vector(nest.accesses, target)
    in_vectors = widest > 1 and not nest.accesses.scalar_only and prod(sizes) > 0
    fit = [d for d in dims if in_vectors and may_run_in_lanes(d, stage, nest.accesses, nest.combiners, target)]
    one_of("vectorize", found.vectorize, [NONE, *(_name(dims, d) for d in fit)])
    lanes = next((d for d in fit if _name(dims, d) == found.vectorize), None)
    one_of("vector", found.vector, [1] if lanes is None else vector_widths(widest))
    inner = 1 if lanes is None else prod(d.size for d in _inner_loops(nest, found, lanes, target))
    one_of("interleave", found.interleave, sorted({1, inner}))
    if lanes is None:
        small = is_written_out(stage, nest.accesses) and 0 < prod(sizes) <= MOST_ITERATIONS
        one_of("unroll_loop", found.unroll_loop, [NONE, ALL] if small else [NONE])
        count = prod(sizes) if found.unroll_loop == ALL else 1
        between("unroll", found.unroll, count, count)
    else:
        _check_unrolling(nest, found, lanes, target)
    one_row = stage.levels and not stage.parallel
    between("threads", found.threads, 1, 1 if one_row else MOST_THREADS)
    _check_padding(nest, found, lanes)


def _inner_loops(nest: Nest, found: StageSchedule, lanes: Dim, target: Target) -> list[Dim]:
    """Those inside the lanes' that may be written out."""
    if nest.stage.generics:
        return run_of(nest.stage, nest.accesses, lanes, found.vector, target)
    return short_loops(nest.stage, lanes)


def _check_padding(nest: Nest, found: StageSchedule, lanes: Dim | None) -> None:
    """Phases and peeled loops: only those that reads of padded arrays have; a loop in vectors over a dilated array has its phases."""
    stage, dims = nest.stage, nest.stage.dims
    useful = phases_of(stage, nest.accesses)
    whole = tuple(useful.get(d, 1) for d in dims)
    ones = tuple(1 for _ in dims)
    needed = lanes is not None and lanes in dilated_loops(nest.accesses.bounds)
    one_of("phases", list(found.phases), [list(whole)] if needed or whole == ones else [list(whole), list(ones)])
    fit = [] if stage.levels else peelable(stage, nest.accesses)
    if len(found.peel) != len(dims):
        raise ScheduleError("peel", list(found.peel), f"{len(dims)} numbers")
    for n, (dim, peel) in enumerate(zip(dims, found.peel)):
        between(f"peel[{n}]", peel, 0, int(dim in fit))


def _check_unrolling(nest: Nest, found: StageSchedule, lanes: Dim, target: Target) -> None:
    """Vectors that follow each other, or a tile along another loop: a square that is transposed, a short reduction (as
    a whole, or in such squares)."""
    dims = nest.stage.dims
    if nest.stage.levels and lanes not in nest.stage.reduction:
        (along,) = nest.stage.reduction
        one_of("unroll_loop", found.unroll_loop, [_name(dims, along)])
        between("unroll", found.unroll, 1, min(MOST_UNROLLED, along.size))
        return
    other = (
        None if nest.stage.levels or found.interleave > 1 else stepped_loop(lanes, nest.stage, nest.accesses, target)
    )
    reduced = bool(nest.stage.generics)
    if other is not None and reduced and (nest.stage.reduction != [other] or lanes in nest.stage.reduction):
        other = None
    one_of("unroll_loop", found.unroll_loop, [found.vectorize, *([] if other is None else [_name(dims, other)])])
    if found.unroll_loop == found.vectorize:
        between("unroll", found.unroll, 1, max(1, min(MOST_UNROLLED, -(-lanes.size // found.vector))))
    elif other is not None and reduced and other.size <= SHORT:
        between("unroll", found.unroll, other.size, other.size, f" ({found.unroll_loop} as a whole)")
    else:
        least, _ = squares_of(nest.accesses, target)
        one_of("vector", found.vector, [w for w in (2, 4, 8, 16) if least <= w <= found.vector])
        between("unroll", found.unroll, found.vector, found.vector, f" (squares of {spelled(found.vector)})")
