"""Which ops of a block are computed together: `plan_block` gives the kernels of one block, each with its roots and the
ops between them and memory.

Roots over the same dimensions that have data in common are one kernel with several results; reductions over the same rows with
what is computed from them row by row (softmax) are one too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.fusable import Domain, body_cost
from hlo.lowering.kernels.roots import LARGEST, LONGEST, Roots
from hlo.lowering.linalg.structured import maps_of
from hlo.lowering.target import Target
from hlo.lowering.vector.region.graph import reads_windows

LONGEST_ROW, SHORT_ROW = 1 << 16, 1 << 12
"""Elements of a row up to which several reductions over it are one kernel; the second if there is only one row."""
SHORTEST_ROW, SHORTEST_IN_LANES, FEWEST_ROWS = 8, 4, 16
"""Elements of a row from which on they are; the second of so many rows on processors whose lanes can run along the rows
(region/short_rows.py)."""
MOST_ROOTS = 8


@dataclass(eq=False)
class Unit:
    """A kernel in the making: its roots in program order, and where it goes in the block. `results`: what others read.
    `parts`: the kernels it was joined from, for the case that they turn out not to fit."""

    roots: list[ir.Operation]
    position: int
    kind: str = "region"
    results: list[ir.Value] = field(default_factory=list)
    parts: list[Unit] = field(default_factory=list)
    domains: list[Domain | None] = field(default_factory=list)
    """Of each root."""


@dataclass(eq=False)
class BlockPlan:
    """`units` in program order; `inlined`: the first results of the ops that live only inside kernels (values, since
    an Operation's hash changes when its operands do)."""

    units: list[Unit] = field(default_factory=list)
    inlined: set[ir.Value] = field(default_factory=set)

    def inlines(self, op: ir.Operation) -> bool:
        return bool(len(op.results)) and op.results[0] in self.inlined


def plan_block(block: ir.Block, is_contraction: Callable[[ir.Operation], bool], target: Target) -> BlockPlan:
    """The kernels of a block; `is_contraction` tells the ops that have a generator of their own."""
    kept = Roots(block, is_contraction, target)
    kept.settle()
    units = [_unit(op, kept) for op in kept.ops if op in kept.roots]
    units = _joined(_joined(units, _joinable, _merged, kept), _chainable, _chained, kept)
    for unit in units:
        for one in (unit, *unit.parts):
            one.results = _results(one, kept)
    return BlockPlan(units, {op.results[0] for op in kept.inlined})


def _unit(op: ir.Operation, kept: Roots) -> Unit:
    kind = "contraction" if kept.is_contraction(op) else "region"
    return Unit([op], kept.position[op], kind, domains=[kept.domain(op)])


def _joined(
    units: list[Unit],
    may_join: Callable[[Unit, Unit, Roots], bool],
    join: Callable[[Unit, Unit], Unit],
    kept: Roots,
) -> list[Unit]:
    """With units joined to one of those before them, at the place of the last one."""
    found: list[Unit] = []
    for unit in units:
        partner = next((u for u in reversed(found[-8:]) if may_join(u, unit, kept)), None)
        if partner is not None:
            found.remove(partner)
            unit = join(partner, unit)
        found.append(unit)
    return found


def _merged(a: Unit, b: Unit) -> Unit:
    return replace(b, roots=a.roots + b.roots, domains=a.domains + b.domains)


def _chained(a: Unit, b: Unit) -> Unit:
    return replace(_merged(a, b), parts=[*(a.parts or [a]), b])


def _joinable(a: Unit, b: Unit, kept: Roots) -> bool:
    """Whether units over the same dimensions have data in common, and the order of the block lets them be one."""
    if a.kind != "region" or b.kind != "region" or len(a.roots) + len(b.roots) > 6:
        return False
    if a.domains[0] is None or a.domains[0] != b.domains[0]:
        return False
    if _are_too_long([*a.roots, *b.roots], kept) or not _has_common_data(a, b, kept):
        return False
    return all(_users_come_after(root, a, b, kept) for root in a.roots)


def _are_too_long(roots: list[ir.Operation], kept: Roots) -> bool:
    """Whether ops that need each other's results may be more than a kernel takes: roots of one kernel may follow each other."""
    return sum(kept.length[root] for root in roots) > LONGEST


def _results(unit: Unit, kept: Roots) -> list[ir.Value]:
    """What is read outside of the unit."""
    own = set(unit.roots)
    return [
        result
        for root in unit.roots
        for result in root.results
        if any(not kept.roots_of(use) <= own for use in result.uses)
    ]


def _chainable(a: Unit, b: Unit, kept: Roots) -> bool:
    """Whether reductions over the same rows and what is computed from them row by row (softmax) may be one."""
    if a.kind != "region" or b.kind != "region" or len(a.roots) + len(b.roots) > MOST_ROOTS:
        return False
    domains = {d for d in (*a.domains, *b.domains) if d is None or d.is_reduction}
    domain = domains.pop() if len(domains) == 1 else None
    if domain is None:
        return False
    roots = [*a.roots, *b.roots]
    if not _has_common_data(a, b, kept):
        return False
    if not (_are_pools(roots, domain, kept) or _are_rows(roots, domain, kept)):
        return False
    if sum(body_cost(op) for op in roots) > LARGEST or _are_too_long(roots, kept):
        return False
    return all(_users_come_after(root, a, b, kept, rows=True) for root in a.roots)


def _are_pools(roots: list[ir.Operation], domain: Domain, kept: Roots) -> bool:
    """Whether windows are reduced, and all else is computed from the results of that, element by element."""
    results = {r for op in roots if kept.is_reduction(op) for r in op.results}
    one_a_window = tuple(n for n, reduced in zip(domain.shape, domain.reduced) if not reduced)
    return any(reads_windows(op) for op in roots if kept.is_reduction(op)) and all(
        results.isdisjoint(kept.inputs(op))
        if kept.is_reduction(op)
        else tuple(op.results[0].type.shape) == one_a_window
        for op in roots
    )


def _are_rows(roots: list[ir.Operation], domain: Domain, kept: Roots) -> bool:
    """Whether all is computed row by row."""
    if not _is_row_domain(domain, kept.lanes_along_rows) or any(
        reads_windows(op) or _reads_columns(op, domain) for op in roots if kept.is_reduction(op)
    ):
        return False
    return all(kept.is_reduction(op) or _is_of_rows(op, domain, kept) for op in roots)


def _reads_columns(op: ir.Operation, domain: Domain) -> bool:
    """Whether what lies side by side in the largest operand of a reduction belongs to different rows, as in transposed products."""
    read = list(zip(op.opview.inputs, maps_of(op)))
    _, access = max(read, key=lambda one: prod(ir.ShapedType(one[0].type).shape))
    loops = [e.position for e in access.results if isinstance(e, ir.AffineDimExpr) and domain.shape[e.position] > 1]
    return any(domain.reduced[loop] for loop in loops) and not domain.reduced[loops[-1]]


def _is_row_domain(domain: Domain, lanes_along_rows: bool) -> bool:
    """Whether rows are contiguous, fit in cache and are not so short that lanes stay empty."""
    row = prod(n for n, r in zip(domain.shape, domain.reduced) if r)
    rows = prod(n for n, r in zip(domain.shape, domain.reduced) if not r)
    shortest = SHORTEST_IN_LANES if lanes_along_rows and rows >= FEWEST_ROWS else SHORTEST_ROW
    return domain.reduced[-1] and shortest <= row <= LONGEST_ROW and (rows > 1 or row <= SHORT_ROW)


def _is_of_rows(root: ir.Operation, domain: Domain, kept: Roots) -> bool:
    """Whether a root is computed row by row: all elements of rows, or one number a row, which is computed as a scalar and
    must not cost more than the row (vectors of such numbers are a kernel of their own then)."""
    shape = tuple(root.results[0].type.shape)
    if shape == domain.shape:
        return True
    sizes = list(zip(domain.shape, domain.reduced))
    one_a_row = tuple(n for n, reduced in sizes if not reduced), tuple(1 if reduced else n for n, reduced in sizes)
    return shape in one_a_row and kept.cost[root] <= prod(n for n, reduced in sizes if reduced)


def _users_come_after(root: ir.Operation, own: Unit, later: Unit, kept: Roots, rows: bool = False) -> bool:
    """Whether everything that reads `root` from memory runs after `later`, or is part of it (elementwise only, unless
    the two are computed by `rows`; never as a gather, which reads any element, nor as a roll: a kernel that does not compute
    its own results again may write them where its operands are)."""
    inside = {*own.roots, *later.roots}
    for result in root.results:
        for use in result.uses:
            if kept.needs_memory(use) and kept.roots_of(use) & inside:
                return False
            for reader in kept.roots_of(use):
                is_element = not (
                    kept.is_reduction(reader) or kept.is_reduction(root) or kept.is_repeated(root) or kept.is_moved(use)
                )
                if reader in inside and not rows and not is_element:
                    return False
                if reader is None or (kept.position.get(reader, -1) < later.position and reader not in inside):
                    return False
    return True


def _has_common_data(a: Unit, b: Unit, kept: Roots) -> bool:
    known = {v for root in a.roots for v in (*root.results, *kept.inputs(root))}
    return any(not known.isdisjoint(kept.inputs(root)) for root in b.roots)
