"""Emits halo exchange: a process's part of a dimension with what its neighbours lend, cut to the window that it reads."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.attributes import I64Matrix
from hlo.lowering.stablehlo.sharding.axes import Axes
from hlo.lowering.stablehlo.sharding.emitter import Emitter, array, integer
from hlo.lowering.stablehlo.sharding.halo import Halo, Window, halo_of, neighbours, widths


class Windows:
    def __init__(self, emitter: Emitter):
        self.emitter, self.table = emitter, emitter.table

    def read(
        self, x: ir.Value, element: str, d: int, axes: Axes, n: int, m: int, window: Window, fill: ir.Value | None
    ) -> ir.Value:
        """What a process reads of dimension d, of n places in parts along `axes`, to make its part of m places: of the
        length that gives just that part. `fill`: a scalar that stands outside; None where nothing outside is read."""
        halo = halo_of(self.table.size(axes), n, m, window)
        own = _shape(x)[d]
        x = self._with_halo(x, element, d, axes, halo)
        if fill is not None:
            x = self._filled(x, element, d, axes, n, own, halo, fill)
        if halo.before or halo.after:
            x = self._padded(x, element, d, halo, fill)
        return self._cut(x, element, d, axes, halo)

    def _with_halo(self, x: ir.Value, element: str, d: int, axes: Axes, halo: Halo) -> ir.Value:
        own = _shape(x)[d]
        before = [self._lent(x, element, d, axes, k + 1, width) for k, width in enumerate(widths(halo.left, own))]
        behind = [self._lent(x, element, d, axes, -k - 1, width) for k, width in enumerate(widths(halo.right, own))]
        if not before and not behind:
            return x
        shape = (*_shape(x)[:d], halo.left + own + halo.right, *_shape(x)[d + 1 :])
        pieces = [*before[::-1], x, *behind]
        return self.emitter.one("concatenate", pieces, shape, element, dimension=integer(d))

    def _lent(self, x: ir.Value, element: str, d: int, axes: Axes, distance: int, width: int) -> ir.Value:
        """The edge of the part `distance` before (negative: behind) this process's."""
        shape = _shape(x)
        start = shape[d] - width if distance > 0 else 0
        piece = self._slice(x, element, d, start, width)
        pairs = I64Matrix.encode(neighbours(self.table, axes, distance))
        return self.emitter.collective("collective_permute", piece, _shape(piece), element, source_target_pairs=pairs)

    def _slice(self, x: ir.Value, element: str, d: int, start: int, width: int) -> ir.Value:
        shape = _shape(x)
        if width == shape[d]:
            return x
        starts, limits = [0] * len(shape), list(shape)
        starts[d], limits[d] = start, start + width
        part = (*shape[:d], width, *shape[d + 1 :])
        ends = {"start_indices": array(starts), "limit_indices": array(limits), "strides": array([1] * len(shape))}
        return self.emitter.one("slice", [x], part, element, **ends)

    def _filled(
        self, x: ir.Value, element: str, d: int, axes: Axes, n: int, own: int, halo: Halo, fill: ir.Value
    ) -> ir.Value:
        """`fill` in the place of what lies outside of the dimension."""
        emit, shape = self.emitter, _shape(x)
        first = emit.per_process([i * own - halo.left for i in self.table.index(axes)])
        first = emit.one("broadcast_in_dim", [first], shape, "i32", broadcast_dimensions=array([]))
        index = emit.one("iota", [], shape, "i32", iota_dimension=integer(d))
        index = emit.one("add", [index, first], shape, "i32")
        flags = []
        for bound, direction in ((0, "GE"), (n, "LT")):
            limit = emit.constant(str(bound), shape, "i32")
            named = {"comparison_direction": ir.StringAttr.get(direction)}
            flags.append(emit.one("compare", [index, limit], shape, "i1", **named))
        inside = emit.one("and", flags, shape, "i1")
        outside = emit.one("broadcast_in_dim", [fill], shape, element, broadcast_dimensions=array([]))
        return emit.one("select", [inside, x, outside], shape, element)

    def _padded(self, x: ir.Value, element: str, d: int, halo: Halo, fill: ir.Value | None) -> ir.Value:
        emit, shape = self.emitter, _shape(x)
        longer = (*shape[:d], shape[d] + halo.before + halo.after, *shape[d + 1 :])
        if 0 in shape:
            return emit.one("reshape", [x], longer, element)
        low, high, zeros = [0] * len(shape), [0] * len(shape), array([0] * len(shape))
        low[d], high[d] = halo.before, halo.after
        value = emit.first_element(x, element) if fill is None else fill
        amounts = {"edge_padding_low": array(low), "edge_padding_high": array(high), "interior_padding": zeros}
        return emit.one("pad", [x, value], longer, element, **amounts)

    def _cut(self, x: ir.Value, element: str, d: int, axes: Axes, halo: Halo) -> ir.Value:
        emit, shape = self.emitter, _shape(x)
        if len(set(halo.starts)) == 1:
            return self._slice(x, element, d, halo.starts[0], halo.length)
        starts = [emit.zero] * len(shape)
        starts[d] = emit.per_process([halo.starts[i] for i in self.table.index(axes)])
        part = (*shape[:d], halo.length, *shape[d + 1 :])
        return emit.one("dynamic_slice", [x, *starts], part, element, slice_sizes=array(part))


def _shape(x: ir.Value) -> tuple[int, ...]:
    return tuple(ir.RankedTensorType(x.type).shape)
