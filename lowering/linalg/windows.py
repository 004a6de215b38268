"""Windows over padded and dilated tensors, and reduce_window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import ConvolutionOp, ReduceWindowOp
from hlo.lowering.linalg.loops import (
    Index,
    add,
    element,
    extract,
    first_trips,
    for_loop,
    insert,
    minimum,
    mul,
    nest,
    shape,
    sub,
)
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalars import scalar_block
from hlo.lowering.linalg.structured import fill, generic

Values = list[ir.Value]


@dataclass(frozen=True)
class Window:
    """A window and how it moves: one entry a dimension in each field."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    base_dilations: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    """Low and high."""
    reversal: tuple[bool, ...]

    @staticmethod
    def of_convolution(op: ConvolutionOp, sizes: Sequence[int]) -> Window:
        moves = op.window_strides, op.rhs_dilation, op.lhs_dilation, op.padding, op.window_reversal
        return Window(tuple(sizes), *moves)

    @staticmethod
    def of_reduce_window(op: ReduceWindowOp) -> Window:
        sizes = op.window_dimensions
        moves = op.window_strides, op.window_dilations, op.base_dilations, op.padding
        return Window(sizes, *moves, (False,) * len(sizes))

    def position(self, dimension: int, outer: ir.AffineExpr, inner: ir.AffineExpr) -> ir.AffineExpr:
        """Where in the padded input element `inner` of window `outer` lies."""
        if self.reversal[dimension]:
            inner = ir.AffineExpr.get_constant(self.sizes[dimension] - 1) - inner
        return outer * self.strides[dimension] + inner * self.dilations[dimension]


def padded(
    value: ir.Value, padding_value: ir.Value, low: Sequence[int], high: Sequence[int], dilation: Sequence[int]
) -> ir.Value:
    """The value dilated (`dilation - 1` elements between neighbours), then padded at both ends, or cropped where
    padding is negative: a tensor.insert_slice of what stays into a fill. Returns the value itself when nothing is
    to do."""
    extents = shape(value)
    sizes = [
        max(lo + max((n - 1) * d + 1, 0) * (n > 0) + hi, 0)
        for n, lo, hi, d in zip(extents, low, high, dilation, strict=True)
    ]
    spread = any(d > 1 and n > 1 for n, d in zip(extents, dilation, strict=True))
    if sizes == extents and not any(low) and not spread:
        return value
    kept = [_kept(n, lo, size, d) for n, lo, size, d in zip(extents, low, sizes, dilation, strict=True)]
    result = fill(padding_value, ir.RankedTensorType.get(sizes, element(value)))
    counts = [count for _, count in kept]
    if not prod(counts):
        return result
    firsts = [first for first, _ in kept]
    ones = [1] * len(extents)
    if counts != extents:
        part = ir.RankedTensorType.get(counts, element(value))
        value = tensor.extract_slice(part, value, [], [], [], firsts, counts, ones)
    offsets = [lo + first * d for first, lo, d in zip(firsts, low, dilation, strict=True)]
    return tensor.insert_slice(value, result, [], [], [], offsets, counts, list(dilation))


def _kept(extent: int, low: int, size: int, dilation: int) -> tuple[int, int]:
    """First and number of the elements whose place, `low + i * dilation`, lies in [0, size)."""
    first = max(0, -(low // dilation)) if low < 0 else 0
    last = min(extent - 1, (size - 1 - low) // dilation)
    return first, max(0, last - first + 1)


@lowers(ReduceWindowOp)
def lower_reduce_window(op: ReduceWindowOp, lowering: Lowering) -> Values:
    window = Window.of_reduce_window(op)
    inputs = [lowering[v] for v in op.inputs]
    initial = [tensor.extract(lowering[v], []) for v in op.init_values]
    scan = _scan_of(window, shape(inputs[0]))
    if scan is not None:
        return _lower_scan(op, lowering, scan)
    low, high = zip(*window.padding, strict=True) if window.padding else ((), ())
    inputs = [padded(v, start, low, high, window.base_dilations) for v, start in zip(inputs, initial, strict=True)]
    types = [lowering.type(r.type) for r in op.results]
    results = [fill(start, t) for start, t in zip(initial, types, strict=True)]
    if not prod(shape(types[0])):
        return results
    return _reduce_windows(inputs, results, window, lambda values: scalar_block(lowering, op.body.blocks[0], values))


def _reduce_windows(inputs: Values, results: Values, window: Window, combine) -> Values:
    """A generic over (result, window). The loops over the window take their extents from an input that is never
    read: a tensor.empty of the window's shape, without its dimensions of size 1, which need no loop."""
    rank, count = len(window.sizes), len(inputs)
    wide = [d for d in range(rank) if window.sizes[d] > 1]
    place = {d: ir.AffineExpr.get_dim(rank + i) for i, d in enumerate(wide)}
    zero_offset = ir.AffineExpr.get_constant(0)
    outer = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    loops = rank + len(wide)
    input_map = ir.AffineMap.get(
        loops, 0, [window.position(d, outer[d], place.get(d, zero_offset)) for d in range(rank)]
    )
    result_map = ir.AffineMap.get(loops, 0, outer)
    extents = [tensor.empty([window.sizes[d] for d in wide], element(inputs[0]))] if wide else []
    extent_maps = [ir.AffineMap.get(loops, 0, list(place.values()))] if wide else []

    def body(*scalars: ir.Value) -> Values:
        return combine([*scalars[-count:], *scalars[:count]])

    iterators = ["parallel"] * rank + ["reduction"] * len(wide)
    maps = [*[input_map] * count, *extent_maps]
    return list(generic([*inputs, *extents], maps, results, [result_map] * count, iterators, body))


@dataclass(frozen=True)
class Scan:
    """A reduce_window that is a running reduction along one dimension, from its start or from its end."""

    dimension: int
    reverse: bool


def _scan_of(window: Window, extents: Sequence[int]) -> Scan | None:
    """The scan that a reduce_window is, if it is one: each window is a whole prefix or suffix of a line. As windows
    it would cost n^2."""
    wide = [d for d, size in enumerate(window.sizes) if size > 1]
    ones = (1,) * len(extents)
    if len(wide) != 1 or not window.strides == window.dilations == window.base_dilations == ones:
        return None
    dimension, n = wide[0], extents[wide[0]]
    padded_elsewhere = any(any(ends) for d, ends in enumerate(window.padding) if d != dimension)
    if padded_elsewhere or window.sizes[dimension] != n:
        return None
    directions = {(n - 1, 0): Scan(dimension, reverse=False), (0, n - 1): Scan(dimension, reverse=True)}
    return directions.get(window.padding[dimension])


ROWS_AT_ONCE = 4
"""So many lines are scanned side by side, their running values in registers: alone, one addition would wait for the
one before it."""


def _lower_scan(op: ReduceWindowOp, lowering: Lowering, scan: Scan) -> Values:
    """A "loops" kernel: each element is the one before it combined with the input's."""
    inputs, initial = [lowering[v] for v in op.inputs], [lowering[v] for v in op.init_values]
    types, count, extents = [lowering.type(r.type) for r in op.results], len(inputs), shape(inputs[0])

    def combine(previous: Sequence[ir.Value], new: Sequence[ir.Value]) -> Values:
        return list(scalar_block(lowering, op.body.blocks[0], [*previous, *new]))

    kind = _RowScan if _rows(extents, scan.dimension) else _LineScan
    scanning = kind(tuple(extents), scan, combine)

    def build(*arguments: ir.Value) -> Values:
        return scanning.emit(*(arguments[i * count : (i + 1) * count] for i in range(3)))

    empties = [tensor.empty(shape(t), element(t)) for t in types]
    return lowering.outline(
        "scan",
        [*empties, *inputs, *initial],
        types,
        build,
        tied={i: i for i in range(count)},
        independent=first_trips(scanning.outer),
    )


def _rows(extents: Sequence[int], dimension: int) -> int | None:
    """The dimension whose lines lie side by side, where what is scanned is contiguous and there are several lines."""
    if prod(extents[dimension + 1 :]) != 1:
        return None
    wide = [d for d in range(dimension) if extents[d] > 1]
    return wide[-1] + 1 if wide else None


@dataclass(frozen=True)
class _LineScan:
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
            new = self.combine(previous, [extract(v, position) for v in sources])
            return [insert(value, into, position) for value, into in zip(new, results, strict=True)]

        def line(before: list[Index], *results: ir.Value) -> Values:
            def first(after: list[Index], *results: ir.Value) -> Values:
                return write([extract(v, []) for v in starts], self.at(before, 0, after), results)

            def step(k: Index, *results: ir.Value) -> Values:
                def one(after: list[Index], *results: ir.Value) -> Values:
                    previous = [extract(v, self.at(before, sub(k, 1), after)) for v in results]
                    return write(previous, self.at(before, k, after), results)

                return nest(inner, one, results)

            length = self.extents[self.scan.dimension]
            return for_loop(1, length, step, nest(inner, first, results))

        return nest(self.outer, line, results)


class _RowScan(_LineScan):
    """Contiguous lines, several side by side. The last group of lines begins earlier where lines are left over."""

    @property
    def lane(self) -> int:
        found = _rows(self.extents, self.scan.dimension)
        assert found
        return found - 1

    @property
    def lines(self) -> int:
        return min(ROWS_AT_ONCE, self.extents[self.lane])

    @property
    def outer(self) -> list[int]:
        groups = -(-self.extents[self.lane] // self.lines)
        return [groups if d == self.lane else n for d, n in enumerate(super().outer)]

    def emit(self, results: Sequence[ir.Value], sources: Sequence[ir.Value], starts: Sequence[ir.Value]) -> Values:
        lines, count, after = self.lines, len(sources), [0] * (len(self.extents) - self.scan.dimension - 1)

        def group(before: list[Index], *results: ir.Value) -> Values:
            first = minimum(mul(before[self.lane], lines), self.extents[self.lane] - lines)

            def step(k: Index, *state: ir.Value) -> Values:
                running, results = list(state[: lines * count]), list(state[lines * count :])
                for line in range(lines):
                    own = slice(line * count, (line + 1) * count)
                    place = [*before[: self.lane], add(first, line), *before[self.lane + 1 :]]
                    position = self.at(place, k, after)
                    running[own] = self.combine(running[own], [extract(v, position) for v in sources])
                    results = [insert(v, into, position) for v, into in zip(running[own], results, strict=True)]
                return [*running, *results]

            start = [extract(v, []) for v in starts] * lines
            return for_loop(0, self.extents[self.scan.dimension], step, [*start, *results])[lines * count :]

        return nest(self.outer, group, results)
