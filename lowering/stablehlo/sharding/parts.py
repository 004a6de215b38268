"""Parts of tensors: from one sharding to another, and what makes the part of an op right: masks over the padding of
uneven parts, starts that count once, indices into a part."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.dialect.attributes import I64Matrix
from hlo.dialect.stablehlo import GatherOp
from hlo.lowering.stablehlo.sharding.axes import Axes, AxisTable, Spec
from hlo.lowering.stablehlo.sharding.emitter import Emitter, array, integer
from hlo.lowering.stablehlo.sharding.graph import Node, Tensor
from hlo.lowering.stablehlo.sharding.resharding import Step, permutation, plan_reshard


class Parts:
    def __init__(self, table: AxisTable, emitter: Emitter, poison: bool = False):
        self.table, self.emitter, self.poison = table, emitter, poison

    def reshard(self, x: ir.Value, tensor: Tensor, source: Spec, target: Spec) -> ir.Value:
        if 0 in tensor.shape and source != target:  # there is nothing to send
            return self.emitter.one("reshape", [x], self.table.local_shape(tensor.shape, target), tensor.element)
        for step in plan_reshard(self.table, tensor.shape, source, target):
            x = self._step(x, tensor, step, source)
            source = step.spec
        return x

    def _step(self, x: ir.Value, tensor: Tensor, step: Step, source: Spec) -> ir.Value:
        emit, element, d = self.emitter, tensor.element, step.dimension
        local = self.table.local_shape(tensor.shape, step.spec)
        if step.kind == "slice":
            return self._own_part(x, tensor, d, step.axes, local[d])
        if step.kind == "all_gather":
            return self._gathered(x, tensor, step, source, local)
        if step.kind == "all_to_all":
            count = integer(self.table.size(step.axes))
            places = {"split_dimension": integer(step.to), "concat_dimension": integer(d), "split_count": count}
            return emit.collective("all_to_all", x, local, element, axes=step.axes, **places)
        pairs = permutation(self.table, source, step.spec)
        attribute = emit.parsed(f"dense<{[list(p) for p in pairs]}> : tensor<{len(pairs)}x2xi64>")
        return emit.collective("collective_permute", x, local, element, source_target_pairs=attribute)

    def _gathered(self, x: ir.Value, tensor: Tensor, step: Step, source: Spec, local: tuple[int, ...]) -> ir.Value:
        """The parts side by side, without what pads the last of them."""
        emit, d = self.emitter, step.dimension
        before = self.table.local_shape(tensor.shape, source)
        full = (*local[:d], before[d] * self.table.size(step.axes), *local[d + 1 :])
        x = emit.collective("all_gather", x, full, tensor.element, axes=step.axes, all_gather_dim=integer(d))
        if full == local:
            return x
        zeros, ones = [0] * len(local), [1] * len(local)
        limits = {"start_indices": array(zeros), "limit_indices": array(local), "strides": array(ones)}
        return emit.one("slice", [x], local, tensor.element, **limits)

    def _own_part(self, x: ir.Value, tensor: Tensor, d: int, axes: Axes, size: int) -> ir.Value:
        emit, element = self.emitter, tensor.element
        shape = tuple(ir.RankedTensorType(x.type).shape)
        total = size * self.table.size(axes)
        if total != shape[d]:
            x = self._padded(x, shape, element, d, total)
        starts = [emit.zero] * len(shape)
        starts[d] = emit.per_process([i * size for i in self.table.index(axes)])
        part = (*shape[:d], size, *shape[d + 1 :])
        return emit.one("dynamic_slice", [x, *starts], part, element, slice_sizes=array(part))

    def placed(self, x: ir.Value, tensor: Tensor, d: int, axes: Axes, size: int, start: int) -> ir.Value:
        """This process's part, of `size`, of a longer dimension in which x, whole, begins at `start`."""
        shape = tuple(ir.RankedTensorType(x.type).shape)
        x = self._padded(x, shape, tensor.element, d, size * self.table.size(axes), start)
        return self._own_part(x, tensor, d, axes, size)

    def merged(self, pieces: Sequence[tuple[int, ir.Value]], element: str, d: int, axes: Axes) -> ir.Value:
        """Parts of one shape, each of which counts from a place of dimension d on, in their order."""
        emit, shape = self.emitter, tuple(ir.RankedTensorType(pieces[0][1].type).shape)
        index = emit.one("iota", [], shape, "i32", iota_dimension=integer(d))
        index = emit.one("add", [index, emit.offset(shape, "i32", axes, shape[d])], shape, "i32")
        merged = pieces[0][1]
        for start, piece in pieces[1:]:
            flags = self._compare(index, emit.constant(str(start), shape, "i32"), shape, "GE")
            merged = emit.one("select", [flags, piece, merged], shape, element)
        return merged

    def _padded(
        self, x: ir.Value, shape: tuple[int, ...], element: str, d: int, total: int, start: int = 0
    ) -> ir.Value:
        emit = self.emitter
        if 0 in shape:
            return emit.one("reshape", [x], (*shape[:d], total, *shape[d + 1 :]), element)
        low, high = [0] * len(shape), [0] * len(shape)
        low[d], high[d] = start, total - start - shape[d]
        zeros = array([0] * len(shape))
        amounts = {"edge_padding_low": array(low), "edge_padding_high": array(high), "interior_padding": zeros}
        quantized = element.startswith("!")
        value = emit.first_element(x, element) if quantized else self._padding(element)
        return emit.one("pad", [x, value], (*shape[:d], total, *shape[d + 1 :]), element, **amounts)

    def _padding(self, element: str) -> ir.Value:
        return self.emitter.constant(padding_text(element, self.poison), (), element)

    # Operands

    def masked(self, x: ir.Value, element: str, d: int, axes: Axes, size: int, kind: str) -> ir.Value:
        """The neutral element of a reduction in the place of what pads the last parts of dimension d of `size`."""
        emit = self.emitter
        shape = tuple(ir.RankedTensorType(x.type).shape)
        index = emit.one("iota", [], shape, "i32", iota_dimension=integer(d))
        index = emit.one("add", [index, emit.offset(shape, "i32", axes, shape[d])], shape, "i32")
        inside = self._compare(index, emit.constant(str(size), shape, "i32"), shape, "LT")
        return emit.one("select", [inside, x, emit.neutral(kind, shape, element)], shape, element)

    def first_only(self, x: ir.Value, element: str, axes: Axes, kind: str) -> ir.Value:
        """The neutral element everywhere but on the first process along some axes."""
        emit = self.emitter
        shape = tuple(ir.RankedTensorType(x.type).shape)
        first = emit.per_process([int(i == 0) for i in self.table.index(axes)])
        first = emit.one("convert", [first], (), "i1")
        return emit.one("select", [first, x, emit.neutral(kind, shape, element)], shape, element)

    def _compare(self, a: ir.Value, b: ir.Value, shape: Sequence[int], direction: str) -> ir.Value:
        return self.emitter.one("compare", [a, b], shape, "i1", comparison_direction=ir.StringAttr.get(direction))

    def mirrored(self, x: ir.Value, element: str, cuts: Sequence[Axes]) -> ir.Value:
        """The part at the other end along each of some axes."""
        sources = list(range(self.table.count))
        for axes in cuts:
            other = {p: q for group in self.table.groups(axes) for p, q in zip(group, reversed(group))}
            sources = [other[p] for p in sources]
        pairs = I64Matrix.encode([[source, p] for p, source in enumerate(sources)])
        shape = tuple(ir.RankedTensorType(x.type).shape)
        return self.emitter.collective("collective_permute", x, shape, element, source_target_pairs=pairs)

    # Lookups

    def local_indices(self, node: Node, index: ir.Value, axes: Axes, size: int) -> tuple[ir.Value, ir.Value | None]:
        """Start indices into this process's `size` rows, and (gather) which of them are rows it has.

        A scatter ignores indices outside. A gather clamps them, as it does those outside of the whole operand, which
        have to be clamped before."""
        emit, element = self.emitter, node.operands[1].element
        shape = tuple(ir.RankedTensorType(index.type).shape)
        if not isinstance(node.op, GatherOp):
            wide = self._signed(index, shape, element)
            return self._less(wide, shape, axes, size), None
        wide = self._signed(index, shape, element)
        last = size * self.table.size(axes) - 1
        bounds = [emit.constant(str(n), (), "i64") for n in (0, last)]
        wide = emit.one("clamp", [bounds[0], wide, bounds[1]], shape, "i64")
        local = self._less(wide, shape, axes, size)
        flags = [
            self._compare(local, emit.constant(str(bound), shape, "i64"), shape, direction)
            for bound, direction in ((0, "GE"), (size, "LT"))
        ]
        return local, emit.one("and", flags, shape, "i1")

    def _signed(self, index: ir.Value, shape: Sequence[int], element: str) -> ir.Value:
        """In i64, which holds every index that is inside of a tensor, and negative ones. Larger ui64 are outside."""
        emit = self.emitter
        if element == "ui64":
            index = emit.one("minimum", [index, emit.constant(str(2**62), shape, "ui64")], shape, "ui64")
        return index if element == "i64" else emit.one("convert", [index], shape, "i64")

    def _less(self, index: ir.Value, shape: Sequence[int], axes: Axes, size: int) -> ir.Value:
        return self.emitter.one("subtract", [index, self.emitter.offset(shape, "i64", axes, size)], shape, "i64")

    def only_inside(self, node: Node, x: ir.Value, inside: ir.Value) -> ir.Value:
        """A gather's result, zeros where the row is another process's."""
        emit, element = self.emitter, node.results[0].element
        n = node.op.dimension_numbers
        rows = tuple(ir.RankedTensorType(inside.type).shape)
        if n.index_vector_dim < len(rows):  # of size 1
            rows = (*rows[: n.index_vector_dim], *rows[n.index_vector_dim + 1 :])
            inside = emit.one("reshape", [inside], rows, "i1")
        shape = tuple(ir.RankedTensorType(x.type).shape)
        to = array([d for d in range(len(shape)) if d not in n.offset_dims])
        flags = emit.one("broadcast_in_dim", [inside], shape, "i1", broadcast_dimensions=to)
        return emit.one("select", [flags, x, emit.neutral("add", shape, element)], shape, element)


_NAN = {"f16": "0x7E00", "bf16": "0x7FC0", "f32": "0x7FC00000", "f64": "0x7FF8000000000000"}


def padding_text(element: str, poison: bool) -> str:
    """What pads uneven parts: zeros; `poison` puts NaN (or 7) there, for tests: no result may depend on it."""
    if element == "i1":
        return "true" if poison else "false"
    if element.startswith("complex"):
        inner = _NAN.get(element[len("complex<") : -1], "0.0") if poison else "0.0"
        return f"({inner}, {inner})"
    if element.lstrip("u").startswith("i"):
        return "1" if poison else "0"
    return _NAN.get(element, "0.0") if poison else "0.0"
