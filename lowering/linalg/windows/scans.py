"""reduce_window where it is a running reduction along one dimension, as a "loops" kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import ReduceWindowOp
from hlo.dialect.types import element_type, is_bool
from hlo.lowering.linalg.lines import Lines
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    first_trips,
    for_loop,
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
    inputs, initial = [lowering[v] for v in op.inputs], [lowering[v] for v in op.init_values]
    types, count, extents = [lowering.type(r.type) for r in op.results], len(inputs), shape(inputs[0])

    def combine(previous: Sequence[ir.Value], new: Sequence[ir.Value]) -> Values:
        return list(scalar_block(lowering, op.body.blocks[0], [*previous, *new]))

    kind = _RowScan if _rows(extents, scan.dimension) else _SliceScan
    scanning = kind(tuple(extents), scan, combine)
    emit = ParallelScan(Lines(tuple(extents), scan.dimension), scan.reverse, combine).emit

    def build(*arguments: ir.Value) -> Values:
        parts = (list(arguments[i * count : (i + 1) * count]) for i in range(3))
        return emit(*parts) if lowering.many_threads else scanning.emit(*parts)

    empties = [tensor.empty(shape(t), element(t)) for t in types]
    return lowering.outline(
        "scan",
        [*empties, *inputs, *initial],
        types,
        build,
        tied={i: i for i in range(count)},
        independent=1 if lowering.many_threads else first_trips(scanning.outer),
    )


def _rows(extents: Sequence[int], dimension: int) -> int | None:
    """The dimension whose rows are adjacent, where what is scanned is contiguous and there are several rows."""
    if prod(extents[dimension + 1 :]) != 1:
        return None
    wide = [d for d in range(dimension) if extents[d] > 1]
    return wide[-1] + 1 if wide else None


@dataclass(frozen=True)
class _SliceScan:
    """Dimensions behind the scanned one are the inner loops, so that memory is walked in order; what comes before an
    element is read again from the result."""

    extents: tuple[int, ...]
    scan: Scan
    combine: Callable[[Sequence[ir.Value], Sequence[ir.Value]], Values]

    @property
    def outer(self) -> list[int]:
        return list(self.extents[: self.scan.dimension])

    def at(self, before: Sequence[Index], step: Index, after: Sequence[Index]) -> list[Index]:
        last = self.extents[self.scan.dimension] - 1
        return [*before, sub(last, step) if self.scan.reverse else step, *after]

    def emit(self, results: Sequence[ir.Value], sources: Sequence[ir.Value], starts: Sequence[ir.Value]) -> Values:
        inner = self.extents[self.scan.dimension + 1 :]

        def write(previous: Values, position: list[Index], results: Sequence[ir.Value]) -> Values:
            return store(self.combine(previous, load(sources, position)), results, position)

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
    """Contiguous rows, several side by side. The last group of rows begins earlier where rows are left over."""

    @property
    def lane(self) -> int:
        found = _rows(self.extents, self.scan.dimension)
        assert found
        return found - 1

    @property
    def rows(self) -> int:
        return min(ROWS_AT_ONCE, self.extents[self.lane])

    @property
    def outer(self) -> list[int]:
        groups = -(-self.extents[self.lane] // self.rows)
        return [groups if d == self.lane else n for d, n in enumerate(super().outer)]

    def emit(self, results: Sequence[ir.Value], sources: Sequence[ir.Value], starts: Sequence[ir.Value]) -> Values:
        rows, count, after = self.rows, len(sources), [0] * (len(self.extents) - self.scan.dimension - 1)

        def group(before: list[Index], *results: ir.Value) -> Values:
            first = minimum(mul(before[self.lane], rows), self.extents[self.lane] - rows)

            def step(k: Index, *state: ir.Value) -> Values:
                running, results = list(state[: rows * count]), list(state[rows * count :])
                for row in range(rows):
                    own = slice(row * count, (row + 1) * count)
                    indices = [*before[: self.lane], add(first, row), *before[self.lane + 1 :]]
                    position = self.at(indices, k, after)
                    running[own] = self.combine(running[own], load(sources, position))
                    results = store(running[own], results, position)
                return [*running, *results]

            start = load(starts, []) * rows
            return for_loop(0, self.extents[self.scan.dimension], step, [*start, *results])[rows * count :]

        return nest(self.outer, group, results)
