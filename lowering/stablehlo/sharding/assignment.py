"""Which axes an op's factors are given: of the assignments that its operands and results suggest, alone and merged, the
one that costs least: the bytes that it moves, and the elements that each process computes; of equals the one with the
most parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec
from hlo.lowering.stablehlo.sharding.halo import halo_cost
from hlo.lowering.stablehlo.sharding.resharding import cost, plan_combine, plan_reshard
from hlo.lowering.stablehlo.sharding.rules.rule import Assignment, Rule

WORK_PER_BYTE = 8
"""So many elements (of a contraction: multiplications) take as long as it takes to move a byte. Without this term, large
matmuls were computed by several processes each, wherever that saved a byte."""


@dataclass(frozen=True)
class Offer:
    """A tensor of the op: its item's bytes, the shardings in which it is there (operands) or wanted (results)."""

    item: int
    specs: tuple[Spec, ...]


class Chooser:
    def __init__(self, table: AxisTable, rule: Rule, operands: Sequence[Offer], results: Sequence[Offer]):
        self.table, self.rule = table, rule
        self.operands, self.results = operands, results
        self.wanted = [o.specs[0] for o in (*operands, *results)]

    def choose(self) -> Assignment:
        best: Assignment = {}
        best_key: tuple[float, int] | None = None
        seen: list[Assignment] = []
        for suggestions in self._orders():
            assignment = self._legal(suggestions)
            if assignment in seen:
                continue
            seen.append(assignment)
            key = self._cost(assignment), -self.table.size(tuple(a for axes in assignment.values() for a in axes))
            if best_key is None or key < best_key:
                best, best_key = assignment, key
        return best

    def _orders(self) -> Iterator[list[Assignment]]:
        """Suggestions in several orders; the first of them are served first."""
        table, rule = self.table, self.rule
        projections = [rule.projection(table, n, spec) for n, spec in enumerate(self.wanted)]
        projections += [rule.projection(table, n, s) for n, o in enumerate(self.operands) for s in o.specs[1:]]
        for moved in self._moved():
            yield [moved, *projections]
        for p in projections:
            yield [p, *projections]
            yield [p]
        yield projections[::-1]
        yield []

    def _moved(self) -> Iterator[Assignment]:
        """Axes of a dimension that is needed whole or read in windows, moved to another one."""
        for spec, dims in zip(self.wanted, self.rule.tensors):
            for axes, factors in zip(spec, dims):
                if axes and (not factors or factors[0] in self.rule.windowed):
                    for other in dims:
                        if (
                            len(other) == 1
                            and other != factors
                            and self.rule.sizes[other[0]] % self.table.size(axes) == 0
                        ):
                            yield {other[0]: axes}

    def _legal(self, suggestions: Sequence[Assignment]) -> Assignment:
        """Suggestions merged, first come first served: an axis cuts one factor only."""
        chosen: Assignment = {}
        used: set[str] = set()
        for suggestion in suggestions:
            for f, axes in suggestion.items():
                have = chosen.get(f, ())
                if axes[: len(have)] != have:
                    continue
                for a in axes[len(have) :]:
                    parts = self.table.size((*chosen.get(f, ()), a))
                    exact = f in self.rule.exact and self.rule.sizes[f] % parts
                    if a in used or exact or (f in self.rule.windowed and parts > self.rule.sizes[f]):
                        break
                    chosen[f] = (*chosen.get(f, ()), a)
                    used.add(a)
        return self._settled(chosen)

    def _settled(self, chosen: Assignment) -> Assignment:
        """A minor factor is cut only where all factors before it are cut to the end, in every tensor."""
        compound = [factors for dims in self.rule.tensors for factors in dims if len(factors) > 1]
        settled = False
        while not settled:
            settled = True
            for factors in compound:
                full = True
                for f in factors:
                    if not full and chosen.pop(f, ()):
                        settled = False
                    full = full and self.table.size(chosen.get(f, ())) == self.rule.sizes[f]
        return chosen

    def _cost(self, assignment: Assignment) -> float:
        table, rule = self.table, self.rule
        total = self._work(assignment) / WORK_PER_BYTE
        for offer, dims, shape in zip(self.operands, rule.operands, rule.shapes):
            needed = rule.spec(table, dims, assignment)
            if needed not in offer.specs:
                total += min(reshard_cost(table, shape, offer.item, s, needed) for s in offer.specs)
        total += self._halo_bytes(assignment)
        partial = partial_axes(rule, assignment)
        for offer, dims, shape in zip(self.results, rule.results, rule.shapes[len(rule.operands) :]):
            spec, wanted = rule.spec(table, dims, assignment), offer.specs[0]
            steps, after = plan_combine(table, shape, spec, partial, wanted)
            total += cost(table, shape, offer.item, steps, spec)
            total += reshard_cost(table, shape, offer.item, after, wanted)
        return total

    def _halo_bytes(self, assignment: Assignment) -> float:
        """The bytes of halos from neighbours, and those of parts that are exchanged."""
        table, rule = self.table, self.rule
        total = 0.0
        if any(assignment.get(f) for f in rule.mirrored):
            local = table.local_shape(rule.shapes[0], rule.spec(table, rule.operands[0], assignment))
            total += float(prod(local) * self.operands[0].item)
        for n, d, axes, made, window in rule.reads(assignment):
            local = table.local_shape(rule.shapes[n], rule.spec(table, rule.operands[n], assignment))
            slice_bytes = prod(local) // max(local[d], 1) * self.operands[n].item
            total += halo_cost(table, axes, rule.shapes[n][d], made, window, slice_bytes)
        return total

    def _work(self, assignment: Assignment) -> float:
        """The elements of the space that the op's factors span, on one process."""
        work = 1.0
        for f, size in enumerate(self.rule.sizes):
            work *= -(-size // self.table.size(assignment.get(f, ())))
        return work


def partial_axes(rule: Rule, assignment: Assignment) -> Axes:
    """The axes along which each process has a part of what is summed."""
    return tuple(a for f in rule.reductions for a in assignment.get(f, ()))


def reshard_cost(table: AxisTable, shape: tuple[int, ...], item: int, source: Spec, target: Spec) -> float:
    if source == target:
        return 0.0
    return cost(table, shape, item, plan_reshard(table, shape, source, target), source)
