"""Windows over padded and dilated tensors, and reduce_window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from mlir import ir
from mlir.dialects import tensor

from hlo.dialect.stablehlo import ConvolutionOp, ReduceWindowOp
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.data_movement import padded
from hlo.lowering.linalg.loops import element, shape
from hlo.lowering.linalg.reduction import combined
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import fill, generic
from hlo.lowering.linalg.windows.scans import lower_scan, scan_of

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
    first: tuple[int, ...] = ()
    """Where in the padded input the first window begins; empty: at its begin."""

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
        position = outer * self.strides[dimension] + inner * self.dilations[dimension]
        return position + self.first[dimension] if self.first else position


@lowers(ReduceWindowOp)
def lower_reduce_window(op: ReduceWindowOp, lowering: Lowering) -> Values:
    window = Window.of_reduce_window(op)
    inputs = [lowering[v] for v in op.inputs]
    initial = [tensor.extract(lowering[v], []) for v in op.init_values]
    scan = scan_of(op, shape(inputs[0]))
    if scan is not None:
        return lower_scan(op, lowering, scan)
    low, high = zip(*window.padding, strict=True) if window.padding else ((), ())
    inputs = [padded(v, start, low, high, window.base_dilations) for v, start in zip(inputs, initial, strict=True)]
    types = [lowering.type(r.type) for r in op.results]
    results = [fill(start, t) for start, t in zip(initial, types, strict=True)]
    if not prod(shape(types[0])):
        return results
    return _reduce_windows(inputs, results, window, partial(combined, lowering, op.body.blocks[0]))


def _reduce_windows(inputs: Values, results: Values, window: Window, combine) -> Values:
    """A generic over (result, window). The loops over the window take their extents from an input that is never
    read: a tensor.empty of the window's shape, without its dimensions of size 1, which need no loop."""
    rank, count = len(window.sizes), len(inputs)
    wide = [d for d in range(rank) if window.sizes[d] > 1]
    offsets = {d: ir.AffineExpr.get_dim(rank + i) for i, d in enumerate(wide)}
    zero_offset = ir.AffineExpr.get_constant(0)
    outer = [ir.AffineExpr.get_dim(d) for d in range(rank)]
    loops = rank + len(wide)
    input_map = ir.AffineMap.get(
        loops, 0, [window.position(d, outer[d], offsets.get(d, zero_offset)) for d in range(rank)]
    )
    result_map = ir.AffineMap.get(loops, 0, outer)
    extents = [tensor.empty([window.sizes[d] for d in wide], element(inputs[0]))] if wide else []
    extent_maps = [ir.AffineMap.get(loops, 0, list(offsets.values()))] if wide else []

    def body(*scalars: ir.Value) -> Values:
        return combine(scalars[-count:], scalars[:count])

    iterators = ["parallel"] * rank + ["reduction"] * len(wide)
    maps = [*[input_map] * count, *extent_maps]
    return list(generic([*inputs, *extents], maps, results, [result_map] * count, iterators, body))
