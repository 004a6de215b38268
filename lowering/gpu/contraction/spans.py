"""How many of its rows, columns or elements of its depth a problem has in a tile (or a stage), and which: a box.

Rows of a convolution are images, image rows and pixels: a tile of 128 of them may be 2 images of 4 image rows of 16 pixels. The parts of a
span are dimensions, or runs of them that count as one; tiles are numbered row-major, and so are the positions in a tile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.gpu.element import delinearized
from hlo.lowering.linalg.loops import index


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
        numbers = delinearized(tile, [part.tiles for part in self.parts])
        return [arith.muli(number, index(part.box)) for number, part in zip(numbers, self.parts)]

    def places(self, offset: ir.Value) -> list[ir.Value]:
        """Where a position of a tile is in its box, by part."""
        return delinearized(offset, [part.box for part in self.parts])

    def offsets(self, place: int) -> list[int]:
        """The same at compile time."""
        found: list[int] = []
        for part in reversed(self.parts):
            place, inner = divmod(place, part.box)
            found.insert(0, inner)
        return found

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
