"""A region kernel's loop nests, read off its ops: what schedules are chosen from, checked against, and emitted for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set
from dataclasses import replace
from itertools import product
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.iteration import Affine, Dim, are_one
from hlo.lowering.vector.region.accesses import Accesses, stage_accesses
from hlo.lowering.vector.region.chain import HEAVY, chain_stage, is_chain, reductions_in
from hlo.lowering.vector.region.combine import Combiner, combiner_of
from hlo.lowering.vector.region.graph import (
    Stage,
    are_separate,
    have_equal_loops,
    is_any_order,
    joined,
    read_stages,
    returned_values,
)
from hlo.lowering.vector.region.padding import Bound
from hlo.lowering.vector.region.plan import Plan


@dataclass(frozen=True)
class Nest:
    """A stage with its loops joined; `index`: the positions in the loops as they were written."""

    stage: Stage
    accesses: Accesses
    combiners: list[Combiner]
    index: tuple[Affine, ...]


def read_nests(kernel: Any, heavy: int = HEAVY) -> list[Nest]:
    """The nests of a kernel function, in the order they run. Results that are stored as they are can be read by later
    ones. `heavy`: instructions from which on a value that several sweeps over a row need is kept."""
    returned = returned_values(kernel)
    in_memory: Set[ir.Value] = set(kernel.regions[0].blocks[0].arguments)
    before = in_memory
    reductions = reductions_in(kernel)
    stages: list[tuple[Stage, Accesses]] = []
    for stage in [chain_stage(reductions, returned, heavy)] if is_chain(reductions) else read_stages(kernel):
        accesses = stage_accesses(stage, in_memory)
        both = _merged(*stages[-1], stage, accesses, before) if stages else None
        if both:
            stages[-1] = both
        else:
            stages.append((stage, accesses))
            before = in_memory
        in_memory = in_memory | {store.value for store in stage.stores if store.value == returned[store.to]}
    return [nest_of(stage, accesses) for stage, accesses in stages]


def nest_of(stage: Stage, accesses: Accesses) -> Nest:
    """The nest of a stage, whose loops are joined."""
    index = tuple(map(Affine.of, stage.dims))
    _join_dims(stage, accesses)
    return Nest(stage, accesses, [combiner_of(op) for op in stage.generics], index)


# Maps that compute the same values become one, in which these are computed once:
#
# Before:  r[0] = sin(x) + 1;  r[1] = sin(x) + 2              as jnp.stack writes them
# After:   s = sin(x);  r[0] = s + 1;  r[1] = s + 2


def _merged(
    a: Stage, of_a: Accesses, b: Stage, of_b: Accesses, in_memory: Collection[ir.Value]
) -> tuple[Stage, Accesses] | None:
    """One map for two, if they compute values at the same indices that are not in memory before them, and store to separate ones."""
    if not of_a.bodies & of_b.bodies or a.generics or b.generics or not all(d.size for d in a.dims):
        return None
    if not have_equal_loops(a, b) or not is_any_order(a, b, are_separate):
        return None
    both = joined(a, b)
    accesses = stage_accesses(both, in_memory)
    return (both, accesses) if accesses.cost < of_a.cost + of_b.cost else None


def _join_dims(stage: Stage, accesses: Accesses) -> None:
    """Drops dimensions of size 1, and joins neighbours that every access walks through as one."""
    joined: list[Dim] = []
    for dim in stage.dims:
        if joined and _joinable(joined[-1], dim, stage, accesses):
            dim.size *= joined.pop().size
        if dim.size != 1:
            joined.append(dim)
    stage.dims = joined
    stage.reduction = [d for d in stage.reduction if d in joined]


def _joinable(outer: Dim, inner: Dim, stage: Stage, accesses: Accesses) -> bool:
    if {outer, inner} & accesses.pinned or (outer in stage.reduction) != (inner in stage.reduction):
        return False
    return are_one(outer, inner, (access.position for access in accesses.accesses))


# Phases, in which loops are cut: iteration r + p * j of a loop of p phases is iteration j of phase r. What a phase reads of an array dilated
# by p is then an element of it in all of its iterations, or in none.


def phases(nest: Nest, plan: Plan) -> Iterator[tuple[Nest, Plan]]:
    """The nests that compute what a nest does, and their plans."""
    if not plan.phases:
        yield nest, plan
        return
    for firsts in product(*(range(count) for count in plan.phases.values())):
        loops = {d: Dim(-(-(d.size - first) // count)) for (d, count), first in zip(plan.phases.items(), firsts)}
        if all(own.size for own in loops.values()):
            yield _phase(nest, plan, loops, firsts)


def _phase(nest: Nest, plan: Plan, loops: dict[Dim, Dim], firsts: tuple[int, ...]) -> tuple[Nest, Plan]:
    """`loops`: those of the phase, by those that are cut; `firsts`: their first iterations."""
    stage = nest.stage
    moved = {d: Affine.of(loops[d]) * count + first for (d, count), first in zip(plan.phases.items(), firsts)}
    stores = [store.moved(moved) for store in stage.stores]
    bounds = [Bound(b.position.substituted(moved), b.step, b.count) for b in nest.accesses.bounds]
    index = tuple(one.substituted(moved) for one in nest.index)
    own = replace(stage, dims=[loops.get(d, d) for d in stage.dims], stores=stores)
    lanes, stepped = (loops.get(d, d) if d is not None else None for d in (plan.lanes, plan.stepped))
    peeled = frozenset(loops.get(d, d) for d in plan.peeled)
    phase = replace(nest, stage=own, accesses=replace(nest.accesses, bounds=bounds), index=index)
    return phase, replace(plan, lanes=lanes, stepped=stepped, peeled=peeled)
