"""The loops that a schedule walks: those of the problem, or what they become where B is packed from a table of places; and where the walk along
the contracted dimensions is cut in blocks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from hlo.lowering.vector.contraction.problem import Dim, Problem, count


@functools.lru_cache(1 << 8)
def gathered(p: Problem) -> Problem:
    """The loops where B is packed by panels from any places: neighbouring loops of n are one where C is one walk along them, neighbouring
    contracted ones where A is. Their strides in B are 0; `table_dims` has what they were.

    A 3x3 convolution of images of 28 x 28, features first: n = (28, 28), of which windows overlap, is one loop of 784."""
    inner = table_dims(p)[0]
    lane = Dim(count(inner), 0, 0, inner[-1].c)
    contracted = tuple(replace(d, b=0) for d in _merged(p.contracted, lambda d: d.a))
    return replace(p, lanes=(*p.lanes[: len(p.lanes) - len(inner)], lane), contracted=contracted)


def table_dims(p: Problem) -> tuple[tuple[Dim, ...], tuple[Dim, ...]]:
    """The loops of n that are one where C is written, and the contracted ones: B's places along them are in tables."""
    first = len(p.lanes) - 1
    while first and p.lanes[first - 1].c == p.lanes[first].c * p.lanes[first].size:
        first -= 1
    return p.lanes[first:], p.contracted


def _merged(dims: Sequence[Dim], stride: Callable[[Dim], int]) -> list[Dim]:
    out: list[Dim] = []
    for dim in dims:
        if out and stride(out[-1]) == stride(dim) * dim.size:
            out[-1] = replace(dim, size=out[-1].size * dim.size)
        else:
            out.append(dim)
    return out


@dataclass(frozen=True)
class Cut:
    """Blocks of `count` iterations of contracted loop `level`, with all iterations of the loops inside it."""

    level: int
    count: int


def cut_of(sizes: Sequence[int], block: int) -> Cut | None:
    """Where contracted loops (outermost first) are cut for blocks of so many iterations together. None: that is no whole number of
    iterations of one loop with all those inside it."""
    for level in reversed(range(len(sizes))):
        inside = prod(sizes[level + 1 :])
        if block <= sizes[level] * inside:
            return None if block % inside or not block else Cut(level, block // inside)
    return None


def even_block(sizes: Sequence[int], most: int, unit: int = 1) -> int:
    """Iterations of blocks of about equal size, none much larger than `most`, that can be cut; 0: all of them. `unit`: blocks of the innermost loop
    are multiples of it."""
    if prod(sizes) <= most:
        return 0
    for level in reversed(range(len(sizes))):
        inside = prod(sizes[level + 1 :])
        if sizes[level] * inside <= most:
            continue
        unit = unit if level == len(sizes) - 1 else 1
        fit = max(most // inside // unit, 1) * unit
        parts = -(-sizes[level] // fit)
        even = -(-sizes[level] // parts)
        block = min(-(-even // unit) * unit, sizes[level]) * inside
        return 0 if block == prod(sizes) else block
    return 0
