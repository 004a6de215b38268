"""A nest whose loops are cut in phases, as the nests of the phases.

Iteration r + p * j of a loop of p phases is iteration j of phase r: what a phase reads of an array dilated by p is then an element of it in
all of its iterations, or in none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from hlo.lowering.vector.region.graph import Store
from hlo.lowering.vector.region.index import Affine, Dim
from hlo.lowering.vector.region.nest import Nest
from hlo.lowering.vector.region.padding import Bound
from hlo.lowering.vector.region.plan import Plan


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
    stores = [Store(s.value, s.to, s.type, tuple(one.substituted(moved) for one in s.index)) for s in stage.stores]
    bounds = [Bound(b.position.substituted(moved), b.step, b.count) for b in nest.accesses.bounds]
    index = tuple(one.substituted(moved) for one in nest.index)
    own = replace(stage, dims=[loops.get(d, d) for d in stage.dims], stores=stores)
    lanes, stepped = (loops.get(d, d) if d is not None else None for d in (plan.lanes, plan.stepped))
    peeled = frozenset(loops.get(d, d) for d in plan.peeled)
    phase = replace(nest, stage=own, accesses=replace(nest.accesses, bounds=bounds), index=index)
    return phase, replace(plan, lanes=lanes, stepped=stepped, peeled=peeled)
