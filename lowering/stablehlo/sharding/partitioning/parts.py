"""Parts of tensors: from one sharding to another, and what makes the part of an op right: masks over the padding of
uneven parts, starts that count once, halos from neighbours (halo.py), indices into a part."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.dialect.stablehlo import GatherOp
from hlo.dialect.types import is_bool, is_complex, is_float, is_quantized, tensor
from hlo.lowering.stablehlo.arithmetic import (
    Number,
    Tensor,
    broadcast,
    constant,
    convert,
    create,
    joined,
    leading,
    minimum,
    part_along,
    reshaped,
    select,
)
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Halo, Window, halo_of, neighbours, widths
from hlo.lowering.stablehlo.sharding.partitioning.emitter import Emitter
from hlo.lowering.stablehlo.sharding.resharding import Step, permutation, plan_reshard

Sizes = tuple[int, ...]
"""Of a whole tensor."""


class Parts:
    def __init__(self, table: AxisTable, emitter: Emitter, poison: bool):
        self.table, self.emitter, self.poison = table, emitter, poison

    def reshard(self, x: Tensor, sizes: Sizes, source: Spec, target: Spec) -> Tensor:
        if 0 in sizes and source != target:  # there is nothing to send
            return reshaped(x, self.table.local_shape(sizes, target))
        return self.moved(x, sizes, plan_reshard(self.table, sizes, source, target), source)

    def moved(self, x: Tensor, sizes: Sizes, steps: Sequence[Step], source: Spec, reducer: str | None = None) -> Tensor:
        """`reducer`: combines partial results."""
        for step in steps:
            x = self._step(x, sizes, step, source, reducer)
            source = step.spec
        return x

    def _step(self, x: Tensor, sizes: Sizes, step: Step, source: Spec, reducer: str | None) -> Tensor:
        emit, d, local = self.emitter, step.dimension, self.table.local_shape(sizes, step.spec)
        if step.kind == "slice":
            return self.own_part(x, d, step.axes, local[d])
        if step.kind == "all_gather":  # the parts side by side, without what pads the last of them
            full = (*local[:d], x.shape[d] * self.table.size(step.axes), *local[d + 1 :])
            return leading(emit.collective("all_gather", x, full, axes=step.axes, all_gather_dim=I64.encode(d)), local)
        if step.kind == "all_to_all":
            count = I64.encode(self.table.size(step.axes))
            attributes = {
                "split_dimension": I64.encode(step.to),
                "concat_dimension": I64.encode(d),
                "split_count": count,
            }
            return emit.collective("all_to_all", x, local, axes=step.axes, **attributes)
        if step.kind == "collective_permute":
            return emit.permuted(x, permutation(self.table, source, step.spec))
        more = {"scatter_dimension": I64.encode(d)} if step.kind == "reduce_scatter" else {}
        return emit.collective(step.kind, x, local, reducer, axes=step.axes, **more)

    def own_part(self, x: Tensor, d: int, axes: Axes, size: int, start: int = 0) -> Tensor:
        """This process's part, of `size`, of a dimension in which x, whole, begins at `start`."""
        rest = size * self.table.size(axes) - start - x.shape[d]
        if start or rest:
            padding = None if is_quantized(x.element) else constant(tensor([], x.element), self._padding(x.element))
            x = self.emitter.padded(x, d, start, rest, padding)
        return self.emitter.part(x, d, self.emitter.starts(axes, size), size)

    def _padding(self, element: ir.Type) -> Number:
        """What pads uneven parts: zeros; `poison` puts NaN (or 1) there, for tests: no result may depend on it."""
        if not self.poison or is_bool(element) or not (is_float(element) or is_complex(element)):
            return int(self.poison)
        return 0 if is_float(element) and ir.FloatType(element).width < 16 else float("nan")

    def merged(self, pieces: Sequence[tuple[int, Tensor]], d: int, axes: Axes) -> Tensor:
        """Parts of one shape, each of which counts from an index of dimension d on, in their order."""
        (_, merged), *others = pieces
        index = self._positions(merged, d, axes)
        for start, piece in others:
            merged = select(index >= start, piece, merged)
        return merged

    def _positions(self, x: Tensor, d: int, axes: Axes) -> Tensor:
        return self.emitter.positions(x, d, self.emitter.starts(axes, x.shape[d]))

    # Operands

    def masked(self, x: Tensor, d: int, axes: Axes, size: int, kind: str) -> Tensor:
        """The neutral element of a reduction instead of what pads the last parts of dimension d of `size`."""
        return select(self._positions(x, d, axes) < size, x, self.emitter.neutral(kind, x.type))

    def first_only(self, x: Tensor, axes: Axes, kind: str) -> Tensor:
        """The neutral element everywhere but on the first process along some axes."""
        first = self.emitter.per_process([int(i == 0) for i in self.table.index(axes)])
        return select(convert(first, ir.IntegerType.get_signless(1)), x, self.emitter.neutral(kind, x.type))

    def mirrored(self, x: Tensor, cuts: Sequence[Axes]) -> Tensor:
        """The part at the other end along each of some axes."""
        sources = list(range(self.table.count))
        for axes in cuts:
            other = {p: q for group in self.table.groups(axes) for p, q in zip(group, reversed(group))}
            sources = [other[p] for p in sources]
        return self.emitter.permuted(x, [[source, p] for p, source in enumerate(sources)])

    # Halo exchange

    def window(self, x: Tensor, d: int, axes: Axes, n: int, m: int, window: Window, fill: Tensor | None) -> Tensor:
        """What a process reads of dimension d, of n indices in parts along `axes`, to make its part of m indices: of the
        length that gives just that part. `fill`: a scalar that stands outside; None where nothing outside is read."""
        halo = halo_of(self.table.size(axes), n, m, window)
        own = x.shape[d]
        x = self._with_halo(x, d, axes, halo)
        if fill is not None:
            x = self._filled(x, d, [start - halo.left for start in self.emitter.starts(axes, own)], n, fill)
        if halo.before or halo.after:
            x = self.emitter.padded(x, d, halo.before, halo.after, fill)
        if len(set(halo.starts)) == 1:
            return part_along(x, d, halo.starts[0], halo.length)
        return self.emitter.part(x, d, [halo.starts[i] for i in self.table.index(axes)], halo.length)

    def _with_halo(self, x: Tensor, d: int, axes: Axes, halo: Halo) -> Tensor:
        own = x.shape[d]
        before = [self._edge_of_neighbour(x, d, axes, k + 1, width) for k, width in enumerate(widths(halo.left, own))]
        behind = [self._edge_of_neighbour(x, d, axes, -k - 1, width) for k, width in enumerate(widths(halo.right, own))]
        return joined([*before[::-1], x, *behind], d) if before or behind else x

    def _edge_of_neighbour(self, x: Tensor, d: int, axes: Axes, distance: int, width: int) -> Tensor:
        """The edge of the part `distance` before (negative: behind) this process's."""
        piece = part_along(x, d, x.shape[d] - width if distance > 0 else 0, width)
        return self.emitter.permuted(piece, neighbours(self.table, axes, distance))

    def _filled(self, x: Tensor, d: int, starts: list[int], n: int, fill: Tensor) -> Tensor:
        """`fill` instead of what lies outside of the dimension."""
        index = self.emitter.positions(x, d, starts)
        return select((index >= 0) & (index < n), x, broadcast(fill, x.shape))

    # Lookups

    def local_indices(self, node: Node, index: Tensor, axes: Axes, size: int) -> tuple[Tensor, Tensor | None]:
        """Start indices into this process's `size` rows, and (gather) which of them are rows it has.

        A scatter ignores indices outside. A gather clamps them, as it does those outside of the whole operand, which
        have to be clamped before."""
        wide = _signed(index)
        if not isinstance(node.op, GatherOp):
            return wide - self.emitter.offset(wide.type, axes, size), None
        scalar, last = tensor([], wide.element), size * self.table.size(axes) - 1
        bounds = [constant(scalar, n) for n in (0, last)]
        wide = Tensor(create("clamp", [wide.type], [bounds[0], wide, bounds[1]]).results[0])
        local = wide - self.emitter.offset(wide.type, axes, size)
        return local, (local >= 0) & (local < size)

    def only_inside(self, node: Node, x: Tensor, inside: Tensor) -> Tensor:
        """A gather's result, zeros where the row is another process's."""
        n, rows = node.op.dimension_numbers, inside.shape
        if n.index_vector_dim < len(rows):  # of size 1
            inside = reshaped(inside, [*rows[: n.index_vector_dim], *rows[n.index_vector_dim + 1 :]])
        flags = broadcast(inside, x.shape, [d for d in range(len(x.shape)) if d not in n.offset_dims])
        return select(flags, x, self.emitter.neutral("add", x.type))


def _signed(index: Tensor) -> Tensor:
    """In i64, which holds every index that is inside of a tensor, and negative ones. Larger ui64 are outside."""
    if index.element == ir.IntegerType.get_unsigned(64):
        index = minimum(index, 2**62)
    return convert(index, ir.IntegerType.get_signless(64))
