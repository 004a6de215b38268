"""Sorting of parts of rows by a block of threads each, in memory that the block shares: a launch for what would be several
passes over all memory.

A part is copied into scratch; runs of a few elements, a thread a run; then passes that merge neighbouring runs, a thread as many
results, back and forth between two scratch rows. Stable, as all sorts here are."""

from __future__ import annotations

from collections.abc import Callable

from mlir import ir
from mlir.dialects import arith, tensor

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.loops import Index, add, block_nest, element, index, minimum, mul, shared_loop, sub
from hlo.lowering.linalg.sorting.comparisons.merge_paths import merged_part
from hlo.lowering.linalg.sorting.comparisons.merging import RUN, Before, Values, load, sort_run, store
from hlo.lowering.memory.storage import element_bytes

THREADS = 256
"""Of a block: those that block loops have (lowering/gpu/grid.py)."""

LONGEST, BYTES = THREADS * RUN, 64 << 10
"""Elements of a part, and bytes of both scratch rows, at most."""

SHORTEST_RUN = 4

Place = Callable[[list[Index], Index], list[Index]]
"""Where in the operands element k of a part is; the part by its place among parts."""


def chunk_of(operands: Values, length: int) -> int:
    """Elements of a part of rows of this length: a power of two, or all of the row."""
    size = 2 * sum(element_bytes(element(v)) for v in operands)
    most = LONGEST
    while most * size > BYTES:
        most //= 2
    return min(most, 1 << (length - 1).bit_length())


@dataclass(frozen=True)
class Chunks:
    """Parts of `chunk` elements, of which the last of a row may be shorter: `size_of` tells how many there are in one."""

    chunk: int
    size_of: Callable[[list[Index]], Index]
    before: Before

    @property
    def run(self) -> int:
        return max(SHORTEST_RUN, self.chunk // THREADS)

    @property
    def widths(self) -> list[int]:
        """Of runs, pass by pass."""
        return (
            [self.run << n for n in range((self.chunk // self.run).bit_length() - 1)] if self.chunk > self.run else []
        )

    def sort(self, extents: list[int], operands: Values, at: Place, kept: int | None = None) -> Values:
        """Sorts every part of `operands` in place; `kept`: only so many first elements of it. `extents`: of places of parts."""
        count = len(operands)
        scratch = [tensor.empty([self.chunk], element(v)) for _ in range(2) for v in operands]

        def part(place: list[Index], *state: ir.Value) -> Values:
            arrays, first, second = (list(state[n * count : (n + 1) * count]) for n in range(3))
            size = self.size_of(place)
            first = shared_loop(0, size, lambda k, *row: store(load(arrays, at(place, k)), row, [k]), first)
            rows, number = self._sorted([first, second], size)
            stop = size if kept is None else min(kept, self.chunk)
            put = lambda k, *into: store(load(rows[number], [k]), into, at(place, k))
            return [*shared_loop(0, stop, put, arrays), *rows[0], *rows[1]]

        return block_nest(extents, part, [*operands, *scratch])[:count]

    def _sorted(self, rows: list[Values], size: Index) -> tuple[list[Values], int]:
        """Both scratch rows, and the number of the one that is sorted."""
        runs = size // self.run if isinstance(size, int) and size % self.run == 0 else _quotient(size, self.run)

        def run(number: Index, *row: ir.Value) -> Values:
            start = mul(number, self.run)
            return sort_run(row, (start, minimum(add(start, self.run), size)), self.before)

        rows, at = [shared_loop(0, runs, run, rows[0]), rows[1]], 0
        for width in self.widths:

            def part(number: Index, *target: ir.Value, source: Values = rows[at], width: int = width) -> Values:
                return merged_part(source, list(target), (0, size), number, width, self.run, self.before)

            at = 1 - at
            rows[at] = shared_loop(0, runs, part, rows[at])
        return rows, at


def _quotient(size: Index, run: int) -> ir.Value:
    """Rounded up."""
    return arith.divui(index(add(size, run - 1)), index(run))


def parts_of(length: int, chunk: int) -> Callable[[list[Index]], Index]:
    """Sizes of parts by their place, which is [row, number]."""
    if length % chunk == 0:
        return lambda place: chunk
    return lambda place: minimum(chunk, sub(length, mul(place[1], chunk)))
