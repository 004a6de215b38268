"""How an input of a contraction lies in memory: its dimensions there, each with the index that the contraction reads it at.

    (n, h, w, o, kh, kw, c) -> (n, 2 * h + kh, 2 * w + kw, c)    four axes; the second one's terms are 2 * h and kh

Axes of one element are left out. Neighbouring axes whose indices are dimensions of one part of the problem count as one: their
dimensions are a run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import view_of
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.linalg.loops import Index, mul, position_values, positions
from hlo.lowering.linalg.structured import linear_form
from hlo.lowering.memory.storage import element_bytes


@dataclass(frozen=True)
class Axis:
    """`size` elements at distances of `stride` bytes; the index is the sum of `terms` (a dimension of the contraction, its factor) and
    `offset`. `is_cut`: what is behind the axis is wanted too (it is 0), or not all of it is."""

    size: int
    stride: int
    terms: tuple[tuple[int, int], ...]
    offset: int = 0
    is_cut: bool = False

    @property
    def alone(self) -> int | None:
        """The dimension that is the index."""
        if self.offset or self.is_cut or len(self.terms) != 1 or self.terms[0][1] != 1:
            return None
        return self.terms[0][0]

    def factor(self, dimension: int) -> int:
        return dict(self.terms).get(dimension, 0)


def axes_of(p: Problem, number: int) -> tuple[Axis, ...] | None:
    """Outermost first. None where the array has no strides that are known, or an index is no sum of dimensions, each in one axis."""
    one, view = p.nest.maps[number], view_of(p.op.operands[number])
    if view is None:
        return None
    low = view.low or (0,) * len(view.shape)
    is_estimate = len(p.nest.sizes) > one.n_dims  # of a part of a dimension, which the array still has as a whole
    found: list[Axis] = []
    element = stride = element_bytes(p.element_type(number))
    for size, step, before, expression in reversed(list(zip(view.shape, view.strides, low, one.results))):
        linear = linear_form(expression, one.n_dims)
        if linear is None:
            return None
        *factors, offset = linear
        stride = step * element if view.is_part else stride
        terms = tuple((d, factor) for d, factor in enumerate(factors) if p.nest.sizes[d] != 1 and factor)
        axis = Axis(size, stride, terms, offset - before)
        extent = p.nest.sizes[axis.alone] if is_estimate and axis.alone is not None else size
        is_cut = axis.alone is not None and extent != p.nest.sizes[axis.alone]
        if terms or extent != 1 or axis.offset:
            found.insert(0, replace(axis, size=extent, is_cut=is_cut))
        stride *= extent
    seen = [d for axis in found for d, _ in axis.terms]
    return tuple(found) if len(set(seen)) == len(seen) else None


def runs(axes: Sequence[Axis], dimensions: Collection[int]) -> list[tuple[int, ...]]:
    """The given dimensions that the axes have, those together that are neighbours in memory; outermost first."""
    found: list[tuple[int, ...]] = []
    before: Axis | None = None
    for axis in axes:
        alone = axis.alone if axis.alone in dimensions else None
        if alone is not None and before is not None and before.stride == axis.stride * axis.size:
            found[-1] = (*found[-1], alone)
        else:
            found += [(d,) for d, _ in axis.terms if d in dimensions]
        before = axis if alone is not None else None
    return found


def common_runs(left: Sequence[Axis], right: Sequence[Axis], dimensions: Collection[int]) -> list[tuple[int, ...]]:
    """The same for dimensions that both inputs have: neighbours in both. In the order of the left one."""
    joined = {pair for run in runs(right, dimensions) for pair in pairwise(run)}
    found: list[tuple[int, ...]] = []
    for run in runs(left, dimensions):
        found.append(run[:1])
        for pair in pairwise(run):
            if pair in joined:
                found[-1] = (*found[-1], pair[1])
            else:
                found.append(pair[1:])
    return found


# How many of its rows, columns or elements of k a problem has in a tile (or a stage), and which: a box.
#
# Rows of a convolution are images, image rows and pixels: a tile of 128 of them may be 2 images of 4 image rows of 16 pixels. The parts of a
# span are dimensions, or runs of them that count as one; tiles are numbered row-major, and so are the positions in a tile.


@dataclass(frozen=True)
class Part:
    """`extent`: of its dimensions together; `box`: how many of them a tile has."""

    dimensions: tuple[int, ...]
    extent: int
    box: int

    @property
    def tiles(self) -> int:
        return -(-self.extent // self.box)


@dataclass(frozen=True)
class Span:
    """Outermost part first. `room`: positions of a tile; those behind the box hold nothing."""

    parts: tuple[Part, ...]
    room: int

    @property
    def tiles(self) -> int:
        return prod(part.tiles for part in self.parts)

    @property
    def count(self) -> int:
        """Positions of the box."""
        return prod(part.box for part in self.parts)

    @property
    def extent(self) -> int:
        return prod(part.extent for part in self.parts)

    def begin(self, tile: ir.Value) -> list[ir.Value]:
        """Where a tile begins, by part."""
        numbers = position_values(tile, [part.tiles for part in self.parts])
        return [mul(number, part.box) for number, part in zip(numbers, self.parts)]

    def indices(self, offset: Index) -> list[Index]:
        """Where a position of a tile is in its box, by part."""
        return positions(offset, [part.box for part in self.parts])

    def width(self, inner: int, most: int) -> int:
        """How many neighbours along a dimension are neighbours in a tile too, of `most`."""
        if len(self.parts) == 1:
            return most
        last = self.parts[-1]
        if last.dimensions[-1] != inner:
            return 1
        return next(n for n in range(most, 0, -1) if most % n == 0 and last.box % n == 0)


def whole(dimensions: Sequence[int], extent: int, count: int) -> Span:
    """Dimensions that count as one."""
    return Span((Part(tuple(dimensions), extent, count),), count)


@lru_cache(maxsize=256)
def boxes_for(extents: tuple[int, ...], most: tuple[int, ...], room: int, unit: int = 1) -> tuple[int, ...] | None:
    """The box of at most `room` positions that covers these extents with the fewest tiles, then the longest one along the
    innermost of them. `most`: along each; `unit`: the innermost one is a multiple of it. None if there is no such box."""
    if len(extents) == 1:
        return (min(room, most[0]),)
    found = [
        (tiles, tuple(-n for n in reversed(box)), box)
        for tiles, box in _boxes(tuple(reversed(extents)), tuple(reversed(most)), room, unit)
    ]
    return min(found)[2] if found else None


def _boxes(extents: tuple[int, ...], most: tuple[int, ...], room: int, unit: int) -> list[tuple[int, tuple[int, ...]]]:
    """Counts of tiles with their boxes, outermost first, of extents innermost first: for each count of tiles along a dimension
    the shortest box."""
    if not extents:
        return [(1, ())]
    size, found = extents[0], []
    counts = (
        {-(-size // n) for n in range(1, min(size, room, most[0]) + 1)} if unit == 1 else range(1, size // unit + 2)
    )
    for count in counts:
        least = -(-size // count)
        box = -(-least // unit) * unit
        if box <= min(room, most[0]):
            rest = _boxes(extents[1:], most[1:], room // box, 1)
            found += [(-(-size // box) * tiles, (*outer, box)) for tiles, outer in rest]
    return found
