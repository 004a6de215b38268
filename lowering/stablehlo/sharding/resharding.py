"""From one sharding of a tensor to another, and from partial results to whole ones: the steps, and what they move.

Slices come first, since they make the rest smaller; then one collective_permute, if the parts have the right shapes
already; else axes move from dimension to dimension by all_to_all; what is left is gathered."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec
from hlo.lowering.stablehlo.sharding.propagation import common_prefix


@dataclass(frozen=True)
class Step:
    """`kind`: slice, all_gather (along `dimension`), all_to_all (from `dimension` to `to`), collective_permute,
    reduce_scatter (along `dimension`) or all_reduce. `spec`: the sharding that it leaves."""

    kind: str
    axes: Axes
    spec: Spec
    dimension: int = 0
    to: int = 0


def plan_reshard(table: AxisTable, shape: tuple[int, ...], source: Spec, target: Spec) -> tuple[Step, ...]:
    """The steps from one sharding to another; remembered in the table."""
    key = "reshard", shape, source, target
    known = table.plans
    if key not in known:
        known[key] = _Plan(table, shape, source, target).steps()
    return known[key]


class _Plan:
    def __init__(self, table: AxisTable, shape: tuple[int, ...], source: Spec, target: Spec):
        self.table, self.shape, self.target = table, shape, target
        self.source, self.spec = source, list(source)
        self.found: list[Step] = []

    def steps(self) -> tuple[Step, ...]:
        if not self._permutable():
            self._gather_uneven()
        while tuple(self.spec) != self.target:
            self._slice()
            if tuple(self.spec) == self.target:
                break
            if self._permutable():
                self._add("collective_permute", (), dict(enumerate(self.target)))
                break
            if not self._exchange():
                self._gather()
        return tuple(self.found)

    def _add(self, kind: str, axes: Axes, changes: dict[int, Axes], dimension: int = 0, to: int = 0) -> None:
        for d, left in changes.items():
            self.spec[d] = left
        self.found.append(Step(kind, axes, tuple(self.spec), dimension, to))

    def _permutable(self) -> bool:
        """Whether all that differs is which process has which part."""
        size = self.table.size
        return tuple(self.spec) != self.target and all(size(a) == size(b) for a, b in zip(self.spec, self.target))

    def _gather_uneven(self) -> None:
        """Uneven parts have other borders at another number of parts: the way leads by the whole dimension."""
        size = self.table.size
        for d, n in enumerate(self.shape):
            axes = self.spec[d]
            if axes and axes != self.target[d] and (n % size(axes) or n % size(self.target[d])):
                self._add("all_gather", axes, {d: ()}, d)

    def _slice(self) -> None:
        used = {a for axes in self.spec for a in axes}
        for d, axes in enumerate(self.target):
            have = self.spec[d]
            if axes[: len(have)] != have:
                continue
            more = axes[len(have) :]
            run = more[: next((k for k, a in enumerate(more) if a in used), len(more))]
            if run and (run == more or self.shape[d] % self.table.size(axes) == 0):
                self._add("slice", run, {d: have + run}, d)
                used.update(run)

    def _exchange(self) -> bool:
        for d, axes in enumerate(self.spec):
            for keep in range(common_prefix(axes, self.target[d]), len(axes)):
                run = axes[keep:]
                for e, to in enumerate(self.target):
                    have = self.spec[e]
                    fits = to[: len(have) + len(run)] == have + run and self.shape[e] % self.table.size(to) == 0
                    if e != d and fits:
                        self._add("all_to_all", run, {d: axes[:keep], e: have + run}, d, e)
                        return True
        return False

    def _gather(self) -> None:
        wrong = [d for d, axes in enumerate(self.spec) if self.target[d][: len(axes)] != axes]
        d = max(wrong, key=lambda d: self.table.size(self.spec[d]))
        keep = common_prefix(self.spec[d], self.target[d])
        self._add("all_gather", self.spec[d][keep:], {d: self.spec[d][:keep]}, d)


def plan_combine(
    table: AxisTable, shape: Sequence[int], spec: Spec, partial: Axes, wanted: Spec
) -> tuple[tuple[Step, ...], Spec]:
    """Partial results along axes to results: scattered along those that `wanted` has next, reduced along all others."""
    found = list(spec)
    rest, steps = list(partial), []
    for d, axes in enumerate(wanted):
        have = found[d]
        if axes[: len(have)] != have:
            continue
        more = axes[len(have) :]
        run = more[: next((k for k, a in enumerate(more) if a not in rest), len(more))]
        if run and shape[d] % table.size(have + run) == 0:
            found[d] = have + run
            rest = [a for a in rest if a not in run]
            steps.append(Step("reduce_scatter", run, tuple(found), d))
    if rest:
        steps.append(Step("all_reduce", tuple(rest), tuple(found)))
    return tuple(steps), tuple(found)


def cost(table: AxisTable, shape: tuple[int, ...], item: int, steps: Sequence[Step], source: Spec) -> float:
    """The bytes that a process receives in some steps, in rings."""
    total, before = 0.0, source
    for step in steps:
        n = prod(table.local_shape(shape, step.spec)) * item
        parts = table.size(step.axes)
        if step.kind in ("all_gather", "all_to_all"):
            total += n * (1 - 1 / parts)
        elif step.kind == "collective_permute":
            total += n
        elif step.kind == "all_reduce":
            total += 2 * n * (1 - 1 / parts)
        elif step.kind == "reduce_scatter":
            total += prod(table.local_shape(shape, before)) * item * (1 - 1 / parts)
        before = step.spec
    return total


def permutation(table: AxisTable, source: Spec, target: Spec) -> list[tuple[int, int]]:
    """Pairs of processes: each part goes from those that hold it to as many that need it; who holds what it needs
    keeps it."""
    have = list(zip(*(table.index(axes) for axes in source)))
    need = list(zip(*(table.index(axes) for axes in target)))
    kept = {d for d in range(len(have)) if have[d] == need[d]}
    pairs = [(d, d) for d in kept]
    for part in dict.fromkeys(need):
        sources = [d for d, s in enumerate(have) if s == part and d not in kept]
        targets = [d for d, s in enumerate(need) if s == part and d not in kept]
        pairs += list(zip(sources, targets))
    return sorted(pairs)
