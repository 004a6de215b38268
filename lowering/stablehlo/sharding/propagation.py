"""Shardings for all tensors of a function from those that the program gives: a fixed point over edges.

An edge is where shardings meet: an op with its rule, or tensors that one sharding must fit (what a loop carries,
what a branch returns, a constraint). A step takes, for each factor, the longest list of axes that no tensor of the edge
speaks against, and gives it to those that have less. Conflicts are resolved in Shardy's order: first the user's
priorities; then ops that only pass elements on before all others (LEVELS). The larger tensor wins, then the first."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec, Wish
from hlo.lowering.stablehlo.sharding.graph import Tensor
from hlo.lowering.stablehlo.sharding.rules.rule import PASS_THROUGH, REPETITION, Assignment, Dims, Rule, finish

State = tuple[Spec, tuple[bool, ...], frozenset[str]]
"""The axes of a tensor, which of its dimensions take no more, and axes that it must not have."""


@dataclass(eq=False)
class Edge:
    """`targets`: the tensors that may be changed (None: all)."""

    tensors: list[Tensor]
    rule: Rule
    targets: frozenset[int] | None = None

    def __post_init__(self) -> None:
        first: dict[Tensor, int] = {}
        self.state_positions = tuple([first.setdefault(t, k) for k, t in enumerate(self.tensors)])
        """For each position the first one with the same tensor, which holds the tensor's state."""


@dataclass(frozen=True)
class Level:
    """What shardings pass through: ops of all kinds, or those that only move elements; contracted factors; from the
    operand of a repetition (a bias, say) to its result."""

    ops: bool = True
    contracted: bool = True
    repeated: bool = True


LEVELS = (Level(False, False, False), Level(True, False, False), Level(True, True, False), Level())
"""In this order, so that batches and features of large tensors are spread before those of what is added to each row."""


def identity(shape: Sequence[int], count: int) -> Rule:
    """The rule of tensors that are cut in one way."""
    rule = Rule()
    dims = rule.factors(shape)
    rule.operands = [dims] * count
    return finish(rule, [tuple(shape)] * count, PASS_THROUGH)


def boundary(table: AxisTable, shape: Sequence[int], manual: Spec) -> Rule:
    """The rule of a tensor and of its part along manual axes: the other axes are the same inside and outside."""
    rule = Rule()
    outside, inside = [], []
    for n, axes in zip(shape, manual):
        parts = table.size(axes)
        part = rule.factor(n // parts)
        outside.append((*rule.factor(parts), *part) if parts > 1 else part)
        inside.append(part)
        if parts > 1:
            rule.exact.update(outside[-1])
    rule.operands = [tuple(outside), tuple(inside)]
    return finish(rule, [tuple(shape), table.local_shape(shape, manual)], PASS_THROUGH)


class Propagation:
    """`wishes`: what the program asks of tensors. Results of `run`: `spec(tensor)`."""

    def __init__(self, table: AxisTable, wishes: dict[Tensor, Wish]):
        self.table, self.wishes = table, wishes
        self.edges: list[Edge] = []
        self.banned: dict[Tensor, frozenset[str]] = {}
        """Manual axes, which tensors inside of a manual computation must not have."""
        self._identities: dict[tuple[tuple[int, ...], int], Rule] = {}

    def spec(self, tensor: Tensor) -> Spec:
        return tensor.state[0] if tensor.state else tensor.whole

    def same(self, tensors: list[Tensor], targets: frozenset[int] | None = None) -> None:
        """Tensors that one sharding must fit."""
        shape = tensors[0].shape
        if not shape:
            return
        key = shape, len(tensors)
        if key not in self._identities:
            self._identities[key] = identity(*key)
        self.edge(tensors, self._identities[key], targets)

    def edge(self, tensors: list[Tensor], rule: Rule, targets: frozenset[int] | None = None) -> None:
        edge = Edge(tensors, rule, targets)
        self.edges.append(edge)
        for tensor in dict.fromkeys(tensors):
            tensor.edges.append(edge)

    def wanted(self, tensor: Tensor, wish: Wish) -> Tensor:
        """A tensor that stands for a read of this one with a given sharding."""
        stand_in = tensor.stand_in()
        self.wishes[stand_in] = wish
        self.same([tensor, stand_in])
        return stand_in

    def run(self) -> None:
        tensors = [*dict.fromkeys([t for e in self.edges for t in e.tensors] + list(self.wishes))]
        for tensor in tensors:
            tensor.state = tensor.whole, (False,) * len(tensor.shape), self.banned.get(tensor, frozenset())
        for priority in sorted({p for w in self.wishes.values() for p in w.priority} | {0}):
            for tensor, wish in self.wishes.items():
                tensor.state = _with_wish(tensor.state, wish, priority)
            for level in LEVELS:
                self._settle(level)

    def _settle(self, level: Level) -> None:
        """Steps until nothing changes."""
        waiting = deque(e for e in self.edges if level.ops or e.rule.order == PASS_THROUGH)
        queued = set(waiting)
        while waiting:
            edge = waiting.popleft()
            queued.discard(edge)
            states = tuple([t.state for t in edge.tensors])
            key = states, level, edge.targets, edge.state_positions
            cache = edge.rule.cache
            if key not in cache:
                cache[key] = _Step(self.table, edge, states, level).run()
            for number, state in cache[key]:
                tensor = edge.tensors[number]
                tensor.state = state
                for other in tensor.edges:
                    if other not in queued and (level.ops or other.rule.order == PASS_THROUGH):
                        queued.add(other)
                        waiting.append(other)


def _with_wish(state: State, wish: Wish, priority: int) -> State:
    spec = tuple(w if p == priority else s for s, w, p in zip(state[0], wish.spec, wish.priority))
    closed = tuple(not is_open or p > priority for is_open, p in zip(wish.is_open, wish.priority))
    return spec, closed, state[2] | wish.replicated


class _Step:
    """One edge with the states of its tensors; `run` gives those that change."""

    def __init__(self, table: AxisTable, edge: Edge, states: tuple[State, ...], level: Level):
        self.table, self.rule, self.level = table, edge.rule, level
        self.targets = edge.targets
        if edge.rule.order == REPETITION and not level.repeated:
            self.targets = frozenset(range(len(edge.rule.operands)))
        self.states = list(states)
        self.dims: list[Dims] = edge.rule.tensors
        self.bytes = [t.bytes for t in edge.tensors]
        self.state_position = edge.state_positions

    def run(self) -> tuple[tuple[int, State], ...]:
        before = list(self.states)
        if not any(any(s[0]) for s in before):
            return ()
        for f in self._order():
            have = [t for t, dims in enumerate(self.dims) if any(f in factors for factors in dims)]
            axes = self._best(f, have)
            if axes:
                for t in have:
                    if self.targets is None or t in self.targets:
                        self._extend(t, f, axes)
        return tuple((t, s) for t, s in enumerate(self.states) if self.state_position[t] == t and s != before[t])

    def _held(self, t: int) -> Assignment:
        return self.rule.projection(self.table, t, self.states[self.state_position[t]][0])

    def _order(self) -> list[int]:
        """Factors of large tensors first."""
        held = [self._held(t) for t in range(len(self.dims))]

        def weight(f: int) -> int:
            return max((size for size, h in zip(self.bytes, held) if h.get(f)), default=-1)

        found = {f for h in held for f in h} - self.rule.far
        if not self.level.contracted:
            found -= self.rule.reductions.keys()
        return sorted(found, key=lambda f: (-weight(f), f))

    def _best(self, f: int, have: list[int]) -> Axes:
        """The axes that a factor is to have: the longest list that all lists are a beginning of, or that of the largest
        tensor."""
        held = [self._held(t) for t in range(len(self.dims))]
        found = sorted((t for t in have if held[t].get(f)), key=lambda t: (-self.bytes[t], t))
        best: Axes = ()
        for t in found:
            other = held[t][f]
            if other[: len(best)] == best:
                best = other
        return best

    def _extend(self, t: int, f: int, axes: Axes) -> None:
        """Gives one tensor as many of a factor's axes as it can take."""
        spec, closed, banned = self.states[self.state_position[t]]
        held = self._held(t)
        have = held.get(f, ())
        d = next(d for d, factors in enumerate(self.dims[t]) if f in factors)
        factors = self.dims[t][d]
        if closed[d] or axes[: len(have)] != have or sum((held.get(g, ()) for g in factors), ()) != spec[d]:
            return
        size, sizes = self.table.size, self.rule.sizes
        if any(size(held.get(g, ())) != sizes[g] for g in factors[: factors.index(f)]):
            return
        if any(held.get(g) for g in factors[factors.index(f) + 1 :]):
            return
        used = {a for dim in spec for a in dim} | banned
        added = have
        for a in axes[len(have) :]:
            parts = size((*added, a))
            exact = f in self.rule.exact or len(factors) > 1
            if a in used or parts > sizes[f] or (exact and sizes[f] % parts):
                break
            added += (a,)
        if added != have:
            dim = sum((added if g == f else held.get(g, ()) for g in factors), ())
            self.states[self.state_position[t]] = (*spec[:d], dim, *spec[d + 1 :]), closed, banned


def common_prefix(a: Sequence[str], b: Sequence[str]) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
