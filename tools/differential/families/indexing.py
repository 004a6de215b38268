"""Ops whose indices are computed values: dynamic slices, gathers, scatters. Indices inside, at and past the edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.builder.value import Value
from hlo.dialect.attributes import GatherDimensionNumbers, ScatterDimensionNumbers
from hlo.dialect.elements import DTYPES
from hlo.tools.differential.draft import Draft, element_of, sizes_of
from hlo.tools.differential.elements import COMPUTED, INDICES, UNSIGNED, WIDTHS
from hlo.tools.differential.families.regions import combine
from hlo.tools.differential.table import generates


def positions(draft: Draft, shape: tuple[int, ...], size: int, name: str) -> Value:
    """Indices of a dimension of this size: most inside, some outside, some as far out as the type allows."""
    generator = np.random.default_rng(draft.source.integer(0, 2**32 - 1))
    bits, low = WIDTHS[name], 0
    if name not in UNSIGNED:
        bits, low = bits - 1, -(2 ** (bits - 1))
    outside = draft.source.chance(35)
    drawn = generator.integers(-2, size + 2, shape) if outside else generator.integers(0, max(size, 1), shape)
    values = np.asarray(drawn, object)
    if draft.source.chance(8):
        values = np.where(
            generator.integers(0, 3, shape) == 0, generator.choice(np.array([low, 2**bits - 1], object), shape), values
        )
    kept = np.clip(values, low, 2**bits - 1)
    return draft.given(np.asarray(kept).astype(np.uint64 if low == 0 else np.int64).astype(DTYPES[name]), name)


def starts(draft: Draft, operand: Value, window: list[int]) -> list[Value]:
    """A scalar a dimension, all of one type."""
    name = draft.element(INDICES)
    return [positions(draft, (), n - w + 1, name) for n, w in zip(sizes_of(operand), window)]


@generates("dynamic_slice", weight=30)
def dynamic_slice(draft: Draft, name: str) -> Any:
    operand = draft.any()
    window = [draft.source.integer(0 if draft.source.chance(5) else min(1, n), n) for n in sizes_of(operand)]
    return draft.op(name, operand, starts(draft, operand, window), window)


@generates("dynamic_update_slice", weight=30)
def dynamic_update_slice(draft: Draft, name: str) -> Any:
    operand = draft.any()
    window = [draft.source.integer(0 if draft.source.chance(5) else min(1, n), n) for n in sizes_of(operand)]
    return draft.op(name, operand, draft.typed(window, element_of(operand)), starts(draft, operand, window))


class Plan:
    """Dimension numbers that gather and scatter have in common, for an operand and a number of indices.

    Operand dimensions are batching (one slice an index, of size 1), collapsed, or part of the window."""

    def __init__(self, draft: Draft, operand: Value):
        source, rank = draft.source, operand.rank
        roles = [source.weighted({"window": 50, "collapsed": 35, "batching": 15}) for _ in range(rank)]
        roles = ["window" if sizes_of(operand)[d] == 0 and r != "window" else r for d, r in enumerate(roles)]
        self.collapsed = tuple(d for d in range(rank) if roles[d] == "collapsed")
        self.batching = tuple(d for d in range(rank) if roles[d] == "batching")
        self.window = [d for d in range(rank) if roles[d] == "window"]
        mapped = [d for d in range(rank) if d not in self.batching and (d in self.collapsed or source.chance(50))]
        self.index_map = tuple(mapped[i] for i in source.permutation(len(mapped)))
        self.slice_sizes = [
            source.integer(min(1, n), n) if d in self.window else 1 for d, n in enumerate(sizes_of(operand))
        ]
        self._indices(draft, operand)

    def _indices(self, draft: Draft, operand: Value) -> None:
        """The shape of the indices: batching dimensions among others, and the index vector anywhere, or nowhere."""
        source = draft.source
        free = [source.pick([2, 3, 1, 5, 0]) for _ in range(source.weighted({1: 50, 0: 20, 2: 30}))]
        dimensions = source.permutation(len(free) + len(self.batching))
        sizes = dict(zip(dimensions, [sizes_of(operand)[d] for d in self.batching] + free))
        batch = [sizes[i] for i in range(len(dimensions))]
        order = dimensions[: len(self.batching)]
        implicit = len(self.index_map) == 1 and source.chance(40)
        self.vector = len(batch) if implicit else source.integer(0, len(batch))
        self.indices_batching = tuple(p if implicit or p < self.vector else p + 1 for p in order)
        self.batch = batch
        self.shape = tuple(batch if implicit else [*batch[: self.vector], len(self.index_map), *batch[self.vector :]])

    def indices(self, draft: Draft, operand: Value) -> Value:
        name = draft.element(INDICES)
        largest = max((sizes_of(operand)[d] - self.slice_sizes[d] + 1 for d in self.index_map), default=1)
        return positions(draft, self.shape, largest, name)

    def offset_dims(self, draft: Draft) -> tuple[int, ...]:
        return tuple(draft.source.subset(len(self.batch) + len(self.window), len(self.window)))


@generates("gather", weight=40)
def gather(draft: Draft, name: str) -> Any:
    operand = draft.any(largest=300)
    plan = Plan(draft, operand)
    numbers = GatherDimensionNumbers(
        plan.offset_dims(draft), plan.collapsed, plan.batching, plan.indices_batching, plan.index_map, plan.vector
    )
    return draft.op(name, operand, plan.indices(draft, operand), numbers, plan.slice_sizes)


@generates("dynamic_gather")
def dynamic_gather(draft: Draft, name: str) -> Any:
    operand = draft.any(largest=300)
    plan = Plan(draft, operand)
    offsets = plan.offset_dims(draft)
    numbers = GatherDimensionNumbers(
        offsets, plan.collapsed, plan.batching, plan.indices_batching, plan.index_map, plan.vector
    )
    sizes = draft.builder.constant(np.array(plan.slice_sizes, np.int64), "i64")
    shape = _result_shape(plan, offsets)
    return draft.op(
        name, operand, plan.indices(draft, operand), sizes, numbers, result_type=(shape, element_of(operand))
    )


def _result_shape(plan: Plan, offsets: tuple[int, ...]) -> list[int]:
    window, batch = iter([plan.slice_sizes[d] for d in plan.window]), iter(plan.batch)
    return [next(window if d in offsets else batch) for d in range(len(plan.window) + len(plan.batch))]


@generates("scatter", weight=40)
def scatter(draft: Draft, name: str) -> Any:
    """One or two inputs; updates that meet are combined by an operation whose order does not matter."""
    operand = draft.any(COMPUTED, largest=120)
    plan = Plan(draft, operand)
    offsets = plan.offset_dims(draft)
    inputs = [
        operand,
        *(
            draft.typed(sizes_of(operand), draft.element(COMPUTED))
            for _ in range(draft.source.weighted({0: 80, 1: 20}))
        ),
    ]
    updates = [draft.typed(_result_shape(plan, offsets), element_of(i)) for i in inputs]
    indices = plan.indices(draft, operand)
    numbers = ScatterDimensionNumbers(
        offsets, plan.collapsed, plan.batching, plan.indices_batching, plan.index_map, plan.vector
    )
    bodies = [combine(draft, element_of(i))[0] for i in inputs]

    def body(*scalars: Value) -> list[Value]:
        return [f(a, b) for f, a, b in zip(bodies, scalars[: len(bodies)], scalars[len(bodies) :])]

    return draft.op(name, inputs, indices, updates, body, numbers)


@generates("torch_index_select")
def torch_index_select(draft: Draft, name: str) -> Any:
    operand = draft.any(ranks=(1, 2, 3), largest=300)
    dim = draft.source.integer(0, operand.rank - 1)
    if sizes_of(operand)[dim] == 0:  # nothing to select
        return draft.op("reverse", operand, [dim])
    batch = draft.source.integer(0, dim)
    shape = (
        *sizes_of(operand)[:batch],
        *(draft.source.pick([2, 1, 3, 0]) for _ in range(draft.source.pick([1, 0, 2]))),
    )
    index = positions(draft, shape, sizes_of(operand)[dim] or 1, draft.element(("i32", "i64")))
    return draft.op(name, operand, index, dim, batch)
