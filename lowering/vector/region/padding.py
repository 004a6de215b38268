"""Reads of padded arrays: a tensor.insert_slice into a fill, of which a kernel that reads it makes no copy.

An element of the padded array is the fill's value, or the source's element at `position / step` in every dimension, where that is a
whole number from 0 to `count - 1`. What is known of the loops often says which; where it does not, the read is tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, lcm
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.iteration import Affine, Dim, Index

Values = Callable[[Dim], range]
"""The values that a loop may have."""


@dataclass(frozen=True)
class Bound:
    """A dimension of a padded array's source: `position` counts from its first element, elements are at distances of `step`."""

    position: Affine
    step: int
    count: int
    is_whole: bool = False
    """The source is as long as the padded array: it is never left."""
    wraps: bool = False
    """Of a roll: outside of it, the read is elsewhere in the array."""

    @property
    def last(self) -> int:
        return (self.count - 1) * self.step

    @property
    def coordinate(self) -> Affine | None:
        """The position in the source; None where it is not a whole number for all values of the loops."""
        return self.position.divided(self.step)

    def holds_never(self, values: Values) -> bool:
        if self.is_whole:
            return False
        common = gcd(self.step, *(c for _, c in self.position.terms))
        low, high = self.position.interval(values)
        return high < 0 or low > self.last or self.position.const % common != 0

    def holds_always(self, values: Values) -> bool:
        low, high = self.position.interval(values)
        return self.is_whole or (self.coordinate is not None and low >= 0 and high <= self.last)

    def inside(self, dim: Dim, values: Values) -> range:
        """The values of a loop for which the position is within the source, whatever the other loops' values are."""
        factor = self.position.coefficient(dim)
        low, high = self.position.without(dim).interval(values)
        if factor < 0:
            low, high, factor = self.last - high, self.last - low, -factor
        first, end = max(0, -(low // factor)), (self.last - high) // factor + 1
        return range(first, max(first, min(dim.size, end)))


def begins_anywhere(dim: Dim, bounds: Sequence[Bound]) -> bool:
    """Whether no read along a loop may be one of padding."""
    return not any(bound.position.coefficient(dim) for bound in bounds)


def is_padding(op: Any) -> bool:
    """Whether an op's result is a padded array: a whole array that is inserted into a fill, at indices that are known."""
    if isinstance(op, ir.Block) or op.name != "tensor.insert_slice" or len(op.operands) != 2:
        return False
    source, into = op.operands
    return len(source.type.shape) == len(into.type.shape) and is_fill(into.owner)


def is_dilated(padding: Any) -> bool:
    """Whether there is something between the source's elements."""
    return any(step > 1 for step in padding.opview.static_strides)


def is_fill(op: Any) -> bool:
    return not isinstance(op, ir.Block) and op.name == "linalg.fill"


def fill_of(padding: Any) -> ir.Value:
    """The scalar around the source."""
    return padding.operands[1].owner.operands[0]


def bounds_of(padding: Any, index: Index) -> list[Bound]:
    """Of each dimension of the source, when the padded array is read at an index."""
    view, (source, into) = padding.opview, padding.operands
    moves = zip(index, view.static_offsets, view.static_strides, source.type.shape, into.type.shape, strict=True)
    return [
        Bound(one + -offset, step if count > 1 else 1, count, count == size) for one, offset, step, count, size in moves
    ]


def may_fail(bound: Bound) -> bool:
    """Whether some iteration reads outside of the source, or between its elements."""
    return not bound.holds_always(lambda dim: dim.values)


def periods(bounds: Sequence[Bound], reduction: Sequence[Dim]) -> dict[Dim, int]:
    """The number of phases by parallel loop such that, within a phase, each read hits elements of a dilated source in all iterations or in
    none; loops with one phase have no entry."""
    found: dict[Dim, int] = {}
    for bound in bounds:
        for dim, factor in bound.position.terms:
            if dim not in reduction and (period := bound.step // gcd(bound.step, factor)) > 1:
                found[dim] = lcm(found.get(dim, 1), period)
    return found


def dilated_loops(bounds: Sequence[Bound]) -> set[Dim]:
    """The loops that a coordinate has that is not whole for all of their values."""
    return {dim for bound in bounds if bound.coordinate is None for dim, _ in bound.position.terms}
