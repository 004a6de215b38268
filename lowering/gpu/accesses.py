"""Iteration spaces of linalg ops, and how their operands are accessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, pairwise
from math import gcd, prod
from typing import Any

from mlir import ir
from mlir.dialects import memref

from hlo.lowering.finding import made_by, ops_within
from hlo.lowering.linalg.iteration import (
    Affine,
    Dim,
    are_one,
    joined_dimensions,
    kept_dimensions,
    linear_index,
    position_at,
)
from hlo.lowering.linalg.structured import index_loops, loop_sizes, maps_of, reduces
from hlo.lowering.memory.storage import row_major
from hlo.lowering.vector.region.padding import fill_of, is_dilated, is_padding


@dataclass(frozen=True)
class Nest:
    """Sizes of the dimensions, which of them are parallel, a map for each operand; `inputs`: how many are read only."""

    sizes: tuple[int, ...]
    parallel: tuple[int, ...]
    maps: tuple[ir.AffineMap, ...]
    inputs: int

    @cached_property
    def reduction(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.sizes)) if d not in self.parallel)

    @cached_property
    def loops(self) -> tuple[Dim, ...]:
        """What positions are affine in."""
        return tuple(map(Dim, self.sizes))

    def position(self, number: int, memory: ir.Value, before: Sequence[Affine] = ()) -> Affine | None:
        """Where in memory an iteration's element of an operand is; None where that is not known. `before`: indices in front of the map's."""
        view = view_of(memory) if isinstance(memory.type, ir.MemRefType) else None
        index = linear_index(self.maps[number], tuple(map(Affine.of, self.loops)))
        if view is None or index is None:
            return None
        is_row = len(index) == 1 and not before  # of all elements, see `joined`
        return position_at((*before, *index), (1,) if is_row and len(view.shape) > 1 else view.strides, view.first)

    def extent(self, dimensions: Sequence[int]) -> int:
        return prod(self.sizes[d] for d in dimensions)


NESTS = ("linalg.generic", "memref.copy")
"""Ops that have one. A copy is a nest without reductions whose maps are identities."""


def nest_of(op: ir.Operation) -> Nest:
    if op.name == "memref.copy":
        shape = tuple(ir.MemRefType(op.operands[0].type).shape)
        identity = ir.AffineMap.get_identity(len(shape))
        return Nest(shape, tuple(range(len(shape))), (identity, identity), 1)
    maps = tuple(maps_of(op))
    kinds = [str(kind) for kind in ir.ArrayAttr(op.attributes["iterator_types"])]
    parallel = tuple(d for d, kind in enumerate(kinds) if "parallel" in kind)
    inputs, _ = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])
    return Nest(tuple(loop_sizes(op)), parallel, maps, inputs)


def is_plain(one: ir.AffineMap) -> bool:
    """Whether a map's results are dimensions."""
    return all(isinstance(e, ir.AffineDimExpr) for e in one.results)


def dimensions_of(one: ir.AffineMap) -> tuple[int, ...]:
    """Of a plain map."""
    return tuple(e.position for e in one.results)


def is_zero(value: ir.Value) -> bool:
    """A constant 0, not -0, of an integer or float type."""
    op = made_by(value, "arith.constant")
    return op is not None and str(ir.Attribute(op.attributes["value"])).split(" ")[0] in ("0", "0.000000e+00")


def is_filled_with_zero(value: ir.Value) -> bool:
    """A tensor all of whose elements are 0."""
    op = made_by(value, "linalg.fill")
    return op is not None and is_zero(op.operands[0])


def is_elementwise(op: ir.Operation) -> bool:
    """Whether an op computes one array from elements of others at the same index."""
    return op.name == "linalg.generic" and len(op.results) == 1 and not reduces(op)


def uses_index(op: ir.Operation) -> bool:
    """Whether the op's body asks for an index of the iteration space."""
    return bool(ops_within(op, lambda inner: inner.name == "linalg.index"))


# Neighbouring loops as one, where every operand's memory is walked through as by one.
#
# Before:  sizes 8x512x768, maps (d0, d1, d2) and (d2); the first two are reduced
# After:   sizes 4096x768, maps (768 * d0 + d1) and (d1) of memory that is seen as one row
#
# Loops that run once are left out.


def joined(nest: Nest, operands: Sequence[ir.Value]) -> Nest:
    """With as few loops as possible. What has a memory of its own is indexed by its position there (`as_indexed`)."""
    own = {n for n, v in enumerate(operands) if isinstance(v.type, ir.MemRefType) and has_identity_layout(v.type)}
    positions = {n: one for n in own if (one := nest.position(n, operands[n])) is not None}
    others = [one for n, one in enumerate(nest.maps) if n not in positions]
    fixed = {loop for one in others for e in one.results for loop in index_loops(e)}
    groups: list[list[int]] = []
    for d in _running(nest):
        is_alike = (
            groups and not fixed & {d, groups[-1][-1]} and (groups[-1][-1] in nest.parallel) == (d in nest.parallel)
        )
        if is_alike and are_one(nest.loops[groups[-1][-1]], nest.loops[d], positions.values()):
            groups[-1].append(d)
        else:
            groups.append([d])
    if len(groups) == len(nest.sizes):
        return nest
    steps = {group[-1]: ir.AffineExpr.get_dim(n) for n, group in enumerate(groups)}
    zero = ir.AffineExpr.get_constant(0)
    renamed = ir.AffineMap.get(len(groups), 0, [steps.get(d, zero) for d in range(len(nest.sizes))])

    def row(number: int, one: ir.AffineMap) -> list[ir.AffineExpr]:
        if number not in positions or not one.results:
            return [e.compose(renamed) for e in one.results]
        position = positions[number]
        return [sum((e * position.coefficient(nest.loops[d]) for d, e in steps.items()), zero + position.const)]

    maps = tuple(ir.AffineMap.get(len(groups), 0, row(number, one)) for number, one in enumerate(nest.maps))
    parallel = tuple(n for n, group in enumerate(groups) if group[0] in nest.parallel)
    return Nest(tuple(nest.extent(group) for group in groups), parallel, maps, nest.inputs)


def _running(nest: Nest) -> list[int]:
    """The loops that run more than once; of reductions one at least."""
    found = [d for d, size in enumerate(nest.sizes) if size != 1]
    return found if not nest.reduction or set(found) & set(nest.reduction) else sorted([*found, nest.reduction[-1]])


def as_indexed(memory: ir.Value, one: ir.AffineMap) -> ir.Value:
    """An operand as a map indexes it: as one row if the map has one index for all dimensions."""
    if not isinstance(memory.type, ir.MemRefType) or len(ir.MemRefType(memory.type).shape) == len(one.results):
        return memory
    kind = ir.MemRefType(memory.type)
    row = ir.MemRefType.get([prod(kind.shape)], kind.element_type, None, kind.memory_space)
    return memref.collapse_shape(row, memory, [list(range(len(kind.shape)))])


# How a value sees memory: the array that it is a part of, and where its elements are in there.
#
#     %s = tensor.extract_slice %x[%i, 0, 8] [1, 4, 16] [1, 1, 1] : tensor<10x4x32xf32>     %c = tensor.collapse_shape %s [[0, 1], [2]]
#     view_of(%c) = View(%x, shape (4, 16), strides (32, 1), offset 8, starts (Start(%i, stride 128, size 10),))
#
# Slices and reshapes of tensors and of memrefs alike; a tensor that is put into zeros is seen with them around it, which are nowhere in memory.


UNIT = 16
"""Bytes that TMA and cp.async want addresses and strides to be multiples of."""


@dataclass(frozen=True)
class Start:
    """Where a part begins along a dimension of the array, at distances of `stride` elements, of which it has one of `size`: known when the
    program runs."""

    index: ir.Value
    stride: int
    size: int


@dataclass(frozen=True)
class View:
    """`source`: the array, row-major in memory. `shape`: of the part; `strides`, `offset`: in elements. `starts`: what is added to
    the offset. `low`: zeros in front of the part in each dimension, of a value that has zeros around it; none for others."""

    source: ir.Value
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    starts: tuple[Start, ...] = ()
    low: tuple[int, ...] = ()

    @property
    def is_part(self) -> bool:
        """Not all of the array, which has no copy of its own."""
        return prod(self.shape) != prod(ir.ShapedType(self.source.type).shape)

    @property
    def first(self) -> Affine:
        """The position of its first element."""
        starts = (Affine.of(Dim(start.size, start.index)) * start.stride for start in self.starts)
        return sum(starts, Affine((), self.offset))

    @property
    def row_multiple(self) -> int:
        """What the offsets of rows along the last dimension are multiples of, in elements."""
        steps = (stride for count, stride in zip(self.shape[:-1], self.strides) if count > 1)
        return gcd(self.offset, *steps, *(start.stride for start in self.starts))

    def is_aligned(self, element_bytes: int) -> bool:
        """Whether TMA and cp.async can read it: neighbours along the last dimension are neighbours in memory, and rows along it
        begin at multiples of 16 bytes."""
        return self.shape[-1] > 1 and self.strides[-1] == 1 and self.row_multiple * element_bytes % UNIT == 0


def view_of(value: ir.Value) -> View | None:
    """None for what has no strides that are known here."""
    op = value.owner
    rule = None if isinstance(op, ir.Block) else _padded if is_zero_padding(op) else RULES.get(op.name)
    if rule is None:
        return _whole(value)
    below = view_of(op.operands[0])
    return rule(op, below) if below is not None and (not below.low or rule is _expanded) else None


def _whole(value: ir.Value) -> View | None:
    if not isinstance(value.type, ir.RankedTensorType | ir.MemRefType) or not has_identity_layout(value.type):
        return None
    shape = tuple(ir.ShapedType(value.type).shape)
    return View(value, shape, tuple(row_major(shape)))


def has_identity_layout(kind: ir.Type) -> bool:
    """Of a memref; a tensor has it where it becomes one."""
    if isinstance(kind, ir.RankedTensorType):
        return True
    memory = ir.MemRefType(kind)
    return bool(memory.affine_map == ir.AffineMap.get_identity(len(memory.shape)))


def _sliced(op: Any, view: View) -> View | None:
    offsets, sizes, steps = (
        list(ir.DenseI64ArrayAttr(op.attributes[f"static_{name}"])) for name in ("offsets", "sizes", "strides")
    )
    dynamic = iter(list(op.operands)[1:])
    offset, starts = view.offset, list(view.starts)
    for first, size, stride, whole in zip(offsets, sizes, view.strides, view.shape):
        if first != ir.ShapedType.get_dynamic_stride_or_offset():
            offset += first * stride
        elif size == 1:
            starts.append(Start(next(dynamic), stride, whole))
        else:
            return None
    if any(n < 0 for n in (*sizes, *steps)):
        return None
    strides = [stride * step for stride, step in zip(view.strides, steps)]
    kept = kept_dimensions(sizes, list(ir.ShapedType(op.results[0].type).shape))
    shape, kept_strides = (tuple(compress(values, kept)) for values in (sizes, strides))
    return View(view.source, shape, kept_strides, offset, tuple(starts))


def is_zero_padding(op: Any) -> bool:
    """Whether an op's result is a whole tensor with zeros around it."""
    return is_padding(op) and not is_dilated(op) and is_zero(fill_of(op))


def _padded(op: Any, view: View) -> View:
    return replace(view, low=tuple(op.opview.static_offsets))


def _expanded(op: Any, view: View) -> View | None:
    """None where dimensions with zeros around them are split."""
    shape, before = list(ir.ShapedType(op.results[0].type).shape), ir.ShapedType(op.operands[0].type).shape
    strides, low = list(shape), [0] * len(shape)
    for number, (group, stride) in enumerate(zip(joined_dimensions(op), view.strides)):
        for position, d in enumerate(group):
            strides[d] = stride * prod(shape[inner] for inner in group[position + 1 :])
        if len(group) == 1 and view.low:
            shape[group[0]], low[group[0]] = view.shape[number], view.low[number]
        elif view.shape[number] != before[number]:
            return None
    return replace(view, shape=tuple(shape), strides=tuple(strides), low=tuple(low) if view.low else ())


def _collapsed(op: Any, view: View) -> View | None:
    """None where the dimensions that become one are not contiguous."""
    shape, strides = [], []
    for group in joined_dimensions(op):
        parts = [(view.shape[d], view.strides[d]) for d in group if view.shape[d] != 1]
        if any(stride != size * inner for (_, stride), (size, inner) in pairwise(parts)):
            return None
        shape.append(prod(size for size, _ in parts))
        strides.append(parts[-1][1] if parts else view.strides[group[-1]])
    return replace(view, shape=tuple(shape), strides=tuple(strides))


RULES: Mapping[str, Callable[[Any, View], View | None]] = {
    "tensor.extract_slice": _sliced,
    "memref.subview": _sliced,
    **dict.fromkeys(("tensor.expand_shape", "memref.expand_shape"), _expanded),
    **dict.fromkeys(("tensor.collapse_shape", "memref.collapse_shape"), _collapsed),
    "memref.cast": lambda _, view: view,
}
