"""How the threads of a card share a reduction: along what they read, how many share a result, in how many parts.

columns   8x512x768 over 0, 1: lanes of a warp lie along the results, 16 bytes each; the block's 8 warps take turns at
          what is reduced
rows      4096x768 over 1: lanes lie along what is reduced; a part of a warp, a warp or a block for a result
parts     where that gives too few blocks, each does a part of the reduction, and a second launch folds the parts"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlir import ir

from hlo.lowering.gpu.block_reduction import WARP
from hlo.lowering.gpu.element import Element, width_along
from hlo.lowering.gpu.grid import THREADS
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.vector.target import Target

WARPS = THREADS // WARP

BLOCKS = 4
"""For each multiprocessor, of 256 threads that each wait for several loads: they keep the memory busy."""

PART_BYTES = 32 * 1024
"""Least bytes that a block reads for a part: eight loads of 16 bytes a thread. Less does not pay for a second launch."""

LONG = 16
"""Loads of a lane from which a block for a result is better than a warp."""

SHORT = 4
"""Loads for a result up to which a thread of its own does them, if there are results for the whole card."""

UNROLLED = 32
"""Most elements of a thread that are folded in one turn of its loop; their loads are under way together."""

MOST_LOADS = 8


@dataclass(frozen=True)
class Shape:
    """`results` and `steps`: how many results and how much of the reduction there is, either in vectors of `width` neighbours:
    of `inner`, which is a dimension of the results if `is_column`. `lanes` of a warp and `warps` of a block share a result;
    each of `parts` parts of the reduction has `length` steps. `streams`: inputs that are read along `inner`."""

    results: int
    steps: int
    width: int
    inner: int | None
    is_column: bool
    lanes: int
    warps: int
    parts: int
    length: int
    streams: int

    @property
    def sharing(self) -> int:
        """Threads that share a result."""
        return self.lanes * self.warps

    @property
    def tile(self) -> int:
        """Results of a block (vectors of them in columns)."""
        return THREADS // self.sharing

    @property
    def tiles(self) -> int:
        return -(-self.results // self.tile)

    @property
    def states(self) -> int:
        """That a thread has: neighbouring results."""
        return self.width if self.is_column else 1

    @property
    def turns(self) -> int:
        """Loads of a thread, at most."""
        return -(-self.length // self.sharing)

    @property
    def unroll(self) -> int:
        """Steps of a thread whose loads are under way together: a divisor of its turns if there is one that is not much less."""
        most = max(1, min(MOST_LOADS // max(1, self.streams), UNROLLED // self.width, self.turns))
        return next((n for n in range(most, most // 2, -1) if self.turns % n == 0), most)

    @property
    def is_even(self) -> bool:
        """Every thread has as many steps as the others, a multiple of those that are taken together."""
        whole = self.length % self.sharing == 0 and self.turns % self.unroll == 0
        return whole and self.parts * self.length == self.steps


def shape_of(element: Element, in_order: bool, target: Target) -> Shape:
    """The shape of a reduction on memory."""
    enough = BLOCKS * target.multiprocessors
    nest = element.nest
    inner = _inner(element)
    is_column = inner is None or inner in nest.parallel
    is_last = inner is not None and inner == (nest.parallel if is_column else nest.reduction)[-1]
    width = width_along(element, inner) if inner is not None and (is_last or not in_order) else 1
    results = nest.extent(nest.parallel) // (width if is_column else 1)
    steps = nest.extent(nest.reduction) // (1 if is_column else width)
    lanes, warps = (_columns if is_column else _rows)(results, steps, enough)
    tiles = -(-results // (THREADS // (lanes * warps)))
    parts = _parts(tiles, steps, lanes * warps, _bytes(element), enough)
    length = -(-steps // parts)
    if parts > 1:
        length = -(-length // (lanes * warps)) * lanes * warps
        parts = -(-steps // length)
    streams = sum(element.along(n) == inner for n in range(nest.inputs))
    return Shape(results, steps, width, inner, is_column, lanes, warps, parts, length, streams)


def _inner(element: Element) -> int | None:
    """The dimension along which the largest input lies in memory; where it lies along none (windows), that of the results along
    which another input does."""
    nest = element.nest
    sizes = {}
    for number in range(nest.inputs):
        value = element.operands[number]
        if isinstance(value.type, ir.MemRefType) and element.is_read(number):
            sizes[number] = prod(ir.MemRefType(value.type).shape)
    first, *others = [element.along(n) for n in sorted(sizes, key=lambda n: -sizes[n])] or [None]
    return first if first is not None else next((d for d in others if d in nest.parallel), None)


def _columns(results: int, steps: int, enough: int) -> tuple[int, int]:
    """Lanes and warps that share a result. `enough`: blocks that fill the card."""
    lanes = 1
    while lanes * 2 * results <= WARP and lanes * 2 <= steps:
        lanes *= 2
    few = -(-results * lanes // THREADS) < enough
    return lanes, WARPS if few and steps >= 2 * WARPS * lanes else 1


def _rows(results: int, steps: int, enough: int) -> tuple[int, int]:
    if steps <= SHORT and results >= THREADS * enough:
        return 1, 1
    lanes = 1
    while lanes < min(WARP, steps):
        lanes *= 2
    few = -(-results // WARPS) < enough // 2 and steps >= THREADS
    return lanes, WARPS if few or steps >= LONG * WARP else 1


def _parts(tiles: int, steps: int, sharing: int, read: int, enough: int) -> int:
    if not tiles:
        return 1
    return max(1, min(enough // tiles, read // (tiles * PART_BYTES), steps // (2 * sharing)))


def _bytes(element: Element) -> int:
    """That are read; at least one for each element, as those that are computed take time too."""
    nest = element.nest
    read = [v for n, v in enumerate(element.operands[: nest.inputs]) if element.is_read(n)]
    memory = [ir.MemRefType(v.type) for v in read if isinstance(v.type, ir.MemRefType)]
    return max(prod(nest.sizes), sum(prod(m.shape) * element_bytes(m.element_type) for m in memory))
