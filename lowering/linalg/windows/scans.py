"""reduce_window where it is a running reduction along one dimension, as a "loops" kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from mlir import ir
from mlir.dialects import arith, tensor

from hlo.dialect.stablehlo import ReduceWindowOp
from hlo.dialect.types import element_type, is_bool
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.constants import counts_along
from hlo.lowering.linalg.loops import (
    Index,
    Lines,
    add,
    element,
    first_trips,
    for_loop,
    index,
    load,
    minimum,
    mul,
    nest,
    shape,
    store,
    sub,
)
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.windows.parallel_scan import ParallelScan
from hlo.lowering.stablehlo.constants import known_scalar

Values = list[ir.Value]


@dataclass(frozen=True)
class Scan:
    """A reduce_window that is a running reduction along one dimension, from its start or from its end."""

    dimension: int
    reverse: bool


def scan_of(op: ReduceWindowOp, extents: Sequence[int]) -> Scan | None:
    """The scan that a reduce_window is, if it is one: each window is a whole prefix or suffix of a row. As windows
    it would cost n^2."""
    wide = [d for d, size in enumerate(op.window_dimensions) if size > 1]
    moves = (*op.window_strides, *op.window_dilations, *op.base_dilations)
    if len(wide) != 1 or any(step != 1 for step in moves):
        return None
    dimension, n = wide[0], extents[wide[0]]
    padded_elsewhere = any(any(ends) for d, ends in enumerate(op.padding) if d != dimension)
    if padded_elsewhere or op.window_dimensions[dimension] != n or not _start_may_repeat(op):
        return None
    directions = {(n - 1, 0): Scan(dimension, reverse=False), (0, n - 1): Scan(dimension, reverse=True)}
    return directions.get(tuple(op.padding[dimension]))


IDEMPOTENT = frozenset(f"stablehlo.{name}" for name in ("and", "maximum", "minimum", "or"))
NEUTRAL = {"stablehlo.add": 0, "stablehlo.multiply": 1, "stablehlo.xor": 0}


def _start_may_repeat(op: ReduceWindowOp) -> bool:
    """Whether it makes no difference how often the initial values are met: the padding of a window is made of them, and a scan meets them
    once. What is more than an op on two elements is taken to form a monoid with its start, as the specification asks for."""
    block = op.body.blocks[0]
    arguments, count = list(block.arguments), len(op.results)
    returned = list(block.operations[-1].operands)
    pairs = zip(returned, arguments, arguments[count:], op.init_values)
    return all(_meets_often(made, (a, b), known_scalar(start)) for made, a, b, start in pairs)


def _meets_often(made: ir.Value, pair: tuple[ir.Value, ir.Value], start: np.ndarray | None) -> bool:
    op = made.owner
    if isinstance(op, ir.Block) or set(op.operands) != set(pair):
        return True
    is_logical = is_bool(element_type(made.type)) and op.name != "stablehlo.xor"  # sums are or, products and
    if op.name in IDEMPOTENT or is_logical:
        return True
    return op.name in NEUTRAL and start is not None and bool(start == NEUTRAL[op.name])


ROWS_AT_ONCE = 4
"""So many rows are scanned side by side, their running values in registers: alone, one addition would wait for the
one before it."""


def lower_scan(op: ReduceWindowOp, lowering: Lowering, scan: Scan) -> Values:
    """A "loops" kernel: each element is the one before it combined with the input's."""
    types, extents = [lowering.type(r.type) for r in op.results], shape(lowering.type(op.results[0].type))
    initial, count = [lowering[v] for v in op.init_values], len(types)
    counts = [not lowering.many_threads and counts_along(v, scan.dimension) for v in op.inputs]
    inputs = [lowering[v] for v, is_count in zip(op.inputs, counts) if not is_count]

    def combine(previous: Sequence[ir.Value], new: Sequence[ir.Value]) -> Values:
        return list(scalar_block(lowering, op.body.blocks[0], [*previous, *new]))

    kind = _RowScan if _is_contiguous(extents, scan.dimension) else _SliceScan
    counters = tuple(element(t) if is_count else None for t, is_count in zip(types, counts))
    scanning = kind(tuple(extents), scan, combine, counters)
    emit = ParallelScan(Lines(tuple(extents), scan.dimension), scan.reverse, combine).emit

    def build(results: Values, read: Values) -> Values:
        parts = results, read[:-count], read[-count:]
        return emit(*parts) if lowering.many_threads else scanning.emit(*parts)

    empties = [tensor.empty(shape(t), element(t)) for t in types]
    independent = 1 if lowering.many_threads else first_trips(scanning.outer)
    return lowering.outline("scan", empties, [*inputs, *initial], build, independent)


def _is_contiguous(extents: Sequence[int], dimension: int) -> bool:
    """Whether the elements of a row are adjacent."""
    return prod(extents[dimension + 1 :]) == 1


@dataclass(frozen=True)
class _SliceScan:
    """Dimensions behind the scanned one are the inner loops, so that memory is walked in order; what comes before an
    element is read again from the result."""

    extents: tuple[int, ...]
    scan: Scan
    combine: Callable[[Sequence[ir.Value], Sequence[ir.Value]], Values]
    counters: tuple[ir.Type | None, ...]
    """For each input whose elements are their indices along the scanned dimension its element type: the loop's index is
    what would be read."""

    @property
    def outer(self) -> list[int]:
        return list(self.extents[: self.scan.dimension])

    def read(self, sources: Sequence[ir.Value], position: Sequence[Index]) -> Values:
        """The inputs' elements at a position. `sources`: those that are read."""
        found, number = iter(load(sources, position)), position[self.scan.dimension]
        return [next(found) if kind is None else arith.index_cast(kind, index(number)) for kind in self.counters]

    def at(self, before: Sequence[Index], step: Index, after: Sequence[Index]) -> list[Index]:
        last = self.extents[self.scan.dimension] - 1
        return [*before, sub(last, step) if self.scan.reverse else step, *after]

    def emit(self, results: Sequence[ir.Value], sources: Sequence[ir.Value], starts: Sequence[ir.Value]) -> Values:
        inner = self.extents[self.scan.dimension + 1 :]

        def write(previous: Values, position: list[Index], results: Sequence[ir.Value]) -> Values:
            return store(self.combine(previous, self.read(sources, position)), results, position)

        def row(before: list[Index], *results: ir.Value) -> Values:
            def first(after: list[Index], *results: ir.Value) -> Values:
                return write(load(starts, []), self.at(before, 0, after), results)

            def step(k: Index, *results: ir.Value) -> Values:
                def one(after: list[Index], *results: ir.Value) -> Values:
                    previous = load(results, self.at(before, sub(k, 1), after))
                    return write(previous, self.at(before, k, after), results)

                return nest(inner, one, results)

            length = self.extents[self.scan.dimension]
            return for_loop(1, length, step, nest(inner, first, results))

        return nest(self.outer, row, results)


class _RowScan(_SliceScan):
    """Contiguous rows, several side by side, or one. The last group of rows begins earlier where rows are left over."""

    @property
    def lane(self) -> int | None:
        """The dimension whose rows are side by side."""
        return max((d for d in range(self.scan.dimension) if self.extents[d] > 1), default=None)

    @property
    def rows(self) -> int:
        return 1 if self.lane is None else min(ROWS_AT_ONCE, self.extents[self.lane])

    @property
    def outer(self) -> list[int]:
        return [-(-n // self.rows) if d == self.lane else n for d, n in enumerate(super().outer)]

    def emit(self, results: Sequence[ir.Value], sources: Sequence[ir.Value], starts: Sequence[ir.Value]) -> Values:
        count, after = len(starts), [0] * (len(self.extents) - self.scan.dimension - 1)

        def group(before: list[Index], *results: ir.Value) -> Values:
            def step(k: Index, *state: ir.Value) -> Values:
                running, results = list(state[: self.rows * count]), list(state[self.rows * count :])
                for row in range(self.rows):
                    own = slice(row * count, (row + 1) * count)
                    position = self.at(self._row(before, row), k, after)
                    running[own] = self.combine(running[own], self.read(sources, position))
                    results = store(running[own], results, position)
                return [*running, *results]

            start = load(starts, []) * self.rows
            return for_loop(0, self.extents[self.scan.dimension], step, [*start, *results])[self.rows * count :]

        return nest(self.outer, group, results)

    def _row(self, group: Sequence[Index], number: int) -> list[Index]:
        """The indices in front of the scanned dimension of one row of a group."""
        if self.lane is None:
            return list(group)
        first = minimum(mul(group[self.lane], self.rows), self.extents[self.lane] - self.rows)
        return [*group[: self.lane], add(first, number), *group[self.lane + 1 :]]
