"""Halo exchange: ops whose results at an index depend on a window of indices (slices, paddings, pooling, convolutions) run
on parts of that dimension when each process gets the edges of its neighbours' parts, its halo.

Element j of the result reads elements j * stride + low to j * stride + high of the operand. A process that has part i of
operand and result needs what lies between the first index that its first element reads and the last index that its last
one reads: its own part, `left` elements of those before it and `right` of those behind it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable

HOPS = 2
"""How many neighbours to each side send elements; beyond that the dimension is gathered."""


@dataclass(frozen=True)
class Window:
    stride: int = 1
    low: int = 0
    high: int = 0

    def is_near(self, n: int, m: int) -> bool:
        """Whether a dimension of n gives one of m whose parts mostly read the same parts: shardings pass through."""
        reach = max(abs(self.low), abs(self.high), abs(m * self.stride - n))
        return 8 * reach <= max(n, m * self.stride)


@dataclass(frozen=True)
class Halo:
    """`left`, `right`: elements that neighbours send. `before`, `after`: elements of padding that make every process's
    window fit. `starts`: where the window of each part begins then. `length`: of the window."""

    left: int
    right: int
    before: int
    after: int
    starts: tuple[int, ...]
    length: int


def halo_of(parts: int, n: int, m: int, window: Window) -> Halo:
    """What a dimension of n, cut into parts, needs to give one of m, cut into as many."""
    own, made = -(-n // parts), -(-m // parts)
    length = (made - 1) * window.stride + window.high - window.low + 1
    left = right = 0
    for i in range(parts):
        first, last = i * made, min((i + 1) * made, m) - 1
        if first > last:
            continue
        low = max(first * window.stride + window.low, 0)
        high = min(last * window.stride + window.high, n - 1)
        if low <= high:
            left = max(left, i * own - low)
            right = max(right, high + 1 - (i + 1) * own)
    starts = [i * made * window.stride + window.low - (i * own - left) for i in range(parts)]
    before = max(0, -min(starts))
    after = max(0, max(starts) + length - (left + own + right))
    return Halo(left, right, before, after, tuple(s + before for s in starts), length)


def hops(received: int, own: int) -> int:
    return -(-received // own)


def halo_cost(table: AxisTable, axes: Axes, n: int, m: int, window: Window, slice_bytes: int) -> float:
    """The bytes that a process receives; `slice_bytes`: of one index of the dimension. Infinite where parts of more than
    HOPS neighbours are needed."""
    parts = table.size(axes)
    halo, own = halo_of(parts, n, m, window), -(-n // parts)
    if max(hops(halo.left, own), hops(halo.right, own)) > HOPS:
        return inf
    return float((halo.left + halo.right) * slice_bytes)


def neighbours(table: AxisTable, axes: Axes, distance: int) -> list[list[int]]:
    """Pairs of processes: each sends to the one whose part is `distance` further."""
    pairs: list[list[int]] = []
    for group in table.groups(axes):
        pairs += [[a, group[k + distance]] for k, a in enumerate(group) if 0 <= k + distance < len(group)]
    return sorted(pairs)


def widths(received: int, own: int) -> Sequence[int]:
    """How many elements each neighbour sends, the nearest first."""
    return [min(own, received - k * own) for k in range(hops(received, own))]
