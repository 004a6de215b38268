"""Elements at indices that other tensors hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.dialect.attributes import GatherDimensionNumbers
from hlo.torch.element_types import dtype_of
from hlo.torch.graph_builder import dimension_of
from hlo.torch.registry import rule


def take(b: Any, x: Value, indices: Value, along: int) -> Value:
    """Slices of x at indices along a dimension; the dimensions of `indices` stand where that one stood."""
    count = indices.rank
    offsets = (*range(along), *range(along + count, x.rank - 1 + count))
    numbers = GatherDimensionNumbers(
        offset_dims=offsets, collapsed_slice_dims=(along,), start_index_map=(along,), index_vector_dim=count
    )
    sizes = [1 if d == along else n for d, n in enumerate(x.shape)]
    if 0 in x.shape:
        wanted = [*x.shape[:along], *indices.shape, *x.shape[along + 1 :]]
        return b.full(wanted, 0, dtype_of(x))
    return b.op("gather", x, indices, numbers, sizes, False)


def from_the_end(b: Any, indices: Value, size: int) -> Value:
    """Indices of which negative ones count from the end, as i64."""
    wide = b.cast(indices, torch.int64)
    return b.select(b.lt(wide, 0), b.add(wide, size), wide)


@rule("index_select")
def index_select(b: Any, x: Value, dim: int, index: Value) -> Value:
    flat = b.reshape(index, [1]) if not index.rank else index
    if not x.rank:
        return x
    return take(b, x, flat, dimension_of(dim, x.rank))


@rule("embedding")
def embedding(b: Any, weight: Value, indices: Value, *_: Any) -> Value:
    return take(b, weight, indices, 0)


@rule("gather")
def gather(b: Any, x: Value, dim: int, index: Value, *, sparse_grad: bool = False) -> Value:
    """For each element of `index` the element of x at the same coordinates, but for one dimension, where `index` is the coordinate."""
    if not index.rank or not x.rank:
        return b.expand_to(b.flat(x)[0], index.shape) if 0 not in index.shape else b.full(index.shape, 0, dtype_of(x))
    if 0 in index.shape:
        return b.full(index.shape, 0, dtype_of(x))
    return take_at(b, x, index_vectors(b, index, dimension_of(dim, x.rank)))


def index_vectors(b: Any, index: Value, along: int) -> Value:
    """For each element of `index`, the coordinates that it means, along a new last dimension."""
    wide = b.cast(index, torch.int64)
    parts = [wide if d == along else b.positions(index.shape, d) for d in range(index.rank)]
    return b.concatenate(*(b.reshape(p, [*index.shape, 1]) for p in parts), dimension=index.rank)


def take_at(b: Any, x: Value, vectors: Value) -> Value:
    """The elements of x at coordinates along the last dimension of `vectors`."""
    whole = tuple(range(x.rank))
    numbers = GatherDimensionNumbers(
        offset_dims=(), collapsed_slice_dims=whole, start_index_map=whole, index_vector_dim=vectors.rank - 1
    )
    return b.op("gather", x, vectors, numbers, [1] * x.rank, False)


def _has_masks(_: Any, indices: Sequence[Any], *rest: Any, **named: Any) -> str | None:
    masks = [i for i in indices if i is not None and i.dtype in (torch.bool, torch.uint8)]
    return "a mask as index: the size of the result depends on its content" if masks else None


@rule("index.Tensor", "_unsafe_index.Tensor", limit=_has_masks)
def index(b: Any, x: Value, indices: Sequence[Value | None]) -> Value:
    """numpy's indexing by arrays: those dimensions come first unless the arrays stand side by side."""
    plan = IndexPlan(b, x, indices)
    if 0 in x.shape or 0 in plan.sizes:
        return b.full(plan.result_sizes, 0, dtype_of(x))
    numbers = GatherDimensionNumbers(
        offset_dims=tuple(plan.rest_dimensions),
        collapsed_slice_dims=tuple(plan.along),
        start_index_map=tuple(plan.along),
        index_vector_dim=len(plan.sizes),
    )
    sizes = [1 if d in plan.along else n for d, n in enumerate(x.shape)]
    return b.op("gather", x, plan.vectors(), numbers, sizes, False)


class IndexPlan:
    """Which dimensions of x are indexed (`along`), by arrays of the common shape `sizes`, and where both go in the result:
    `first` is the first dimension of those arrays there, `rest_dimensions` are those of x's other dimensions."""

    def __init__(self, b: Any, x: Value, indices: Sequence[Value | None]):
        self.b, self.x = b, x
        self.along = [d for d, i in enumerate(indices) if i is not None]
        self.arrays = b.together(*(from_the_end(b, i, x.shape[d]) for d, i in enumerate(indices) if i is not None))  # type: ignore[arg-type]
        self.sizes = list(self.arrays[0].shape) if self.arrays else []
        rest = [d for d in range(x.rank) if d not in self.along]
        is_together = self.along == list(range(self.along[0], self.along[-1] + 1)) if self.along else True
        self.first = self.along[0] if self.along and is_together else 0
        count = len(self.sizes)
        self.rest_dimensions = [n if n < self.first else n + count for n in range(len(rest))]
        others = [x.shape[d] for d in rest]
        self.result_sizes = [*others[: self.first], *self.sizes, *others[self.first :]]

    def vectors(self) -> Value:
        """The coordinates, along a new last dimension."""
        parts = [self.b.reshape(a, [*self.sizes, 1]) for a in self.arrays]
        return self.b.concatenate(*parts, dimension=len(self.sizes))


@rule("take")
def take_flat(b: Any, x: Value, indices: Value) -> Value:
    return take(b, b.flat(x), from_the_end(b, indices, math.prod(x.shape)), 0)  # type: ignore[arg-type]
