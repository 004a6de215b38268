"""scf: threads that leave a loop or a branch wait for the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hlo.runtime.gpu.model.branches import Branches
from hlo.runtime.gpu.model.code import Block, Op
from hlo.runtime.gpu.model.machine import Machine, Step
from hlo.runtime.gpu.model.products_under_way import WARPGROUP, Sums, started_of
from hlo.runtime.gpu.model.program import Program, decodes
from hlo.runtime.gpu.model.types import Memref

WAIT = "nvgpu.mbarrier.try_wait.parity"


@decodes("scf.for")
def _for(program: Program, op: Op) -> Step:
    start, stop, step, *initial = program.numbers(op.operands)
    block = op.regions[0]
    variable, *carried = program.numbers(block.arguments)
    body = program.block(block)
    yielded = program.numbers(block.operations[-1].operands)
    results = program.numbers(op.results)

    def run(m: Machine) -> None:
        position, last, by = (m.values[n] for n in (start, stop, step))
        state = [m.values[n] for n in initial]
        mask = m.mask & (position < last)
        while mask.any():
            m.values[variable] = position
            m.values.update(zip(carried, state))
            m.under(mask, body)
            state = [_merge(mask, m.values[n], old) for n, old in zip(yielded, state)]
            position = position + by
            mask = mask & (position < last)
        m.values.update(zip(results, state))

    return run


def _merge(mask: np.ndarray, new: Any, old: Any) -> Any:
    """The new value for threads of the mask; memrefs are the same for all threads; a structure is a list."""
    if isinstance(new, list):
        found = [_merge(mask, one, other) for one, other in zip(new, old)]
        return Sums(found, [*started_of(new), *started_of(old)])
    return new if isinstance(new, Memref) or mask.all() else np.where(mask, new, old)


@decodes("scf.while")
def _while(program: Program, op: Op) -> Step:
    initial = program.numbers(op.operands)
    before, after = op.regions
    first, second = program.numbers(before.arguments), program.numbers(after.arguments)
    head, body = program.block(before), program.block(after)
    condition, *forwarded = program.numbers(before.operations[-1].operands)
    yielded = program.numbers(after.operations[-1].operands)
    results = program.numbers(op.results)

    def run(m: Machine) -> None:
        mask, state = m.mask, [m.values[n] for n in initial]
        final: list[Any] | None = None
        while mask.any():
            m.values.update(zip(first, state))
            m.under(mask, head)
            passed = [m.values[n] for n in forwarded]
            final = passed if final is None else [_merge(mask, new, old) for new, old in zip(passed, final)]
            mask = mask & m.values[condition]
            if not mask.any():
                break
            m.values.update(zip(second, passed))
            m.under(mask, body)
            state = [_merge(mask, m.values[n], old) for n, old in zip(yielded, state)]
        m.values.update(zip(results, final or [m.values[n] for n in initial]))

    return run


def _waits(block: Block) -> bool:
    """Whether a block has a barrier that threads of another branch may end."""
    return any(op.name == WAIT or any(map(_waits, op.regions)) for op in block.operations)


FEW_BLOCKS = 4
"""Each goes its own way. More of them go in step: one that takes another way than the others may then seem to hang."""


def _side_by_side(m: Machine, chosen: np.ndarray, bodies: Sequence[Sequence[Step]]) -> None:
    """A branch for each warpgroup of a block."""
    block, inside = np.divmod(m.thread, m.threads)
    few = m.size // m.threads <= FEW_BLOCKS
    part = (block * m.threads if few else 0) + inside // WARPGROUP
    branches = [
        (mask & (part == number), body)
        for mask, body in zip((m.mask & chosen, m.mask & ~chosen), bodies)
        for number in np.unique(part[mask])
    ]
    Branches(m, branches).run()


@decodes("scf.if")
def _if(program: Program, op: Op) -> Step:
    condition, results = program.number(op.operands[0]), program.numbers(op.results)
    blocks = op.regions
    bodies = [program.block(b) for b in blocks]
    yielded = [program.numbers(b.operations[-1].operands) if b.operations else [] for b in blocks]
    if not results and all(map(_waits, blocks)):
        return lambda m: _side_by_side(m, m.values[condition], bodies)

    def run(m: Machine) -> None:
        chosen = m.values[condition]
        found: list[list[Any]] = []
        for mask, body, values in zip((m.mask & chosen, m.mask & ~chosen), bodies, yielded):
            if mask.any():
                m.under(mask, body)
            found.append([m.values.get(n) if mask.any() else None for n in values])
        for target, yes, no in zip(results, *found):
            m.values[target] = no if yes is None else yes if no is None else _merge(chosen, yes, no)

    return run
