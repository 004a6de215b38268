"""How operands are accessed: the parts of arrays that they are, where their rows are in memory, and how the Tensor Memory Accelerator (TMA)
of sm_90 finds a box of them.

A tensor map describes an array in global memory by sizes and strides, innermost first; one instruction copies a box of it to shared
memory, swizzled, with zeros for what is outside. CUDA driver API, cuTensorMapEncodeTiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import compress, pairwise
from math import gcd, prod
from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Coordinates
from hlo.lowering.linalg.iteration import joined_dimensions, kept_dimensions
from hlo.lowering.memory.storage import row_major
from hlo.lowering.vector.contraction.emit import starts_from_zero
from hlo.lowering.vector.region.padding import is_dilated, is_padding

# How a value sees memory: the array that it is a part of, and where its elements are in there.
#
#     %s = tensor.extract_slice %x[%i, 0, 8] [1, 4, 16] [1, 1, 1] : tensor<10x4x32xf32>     %c = tensor.collapse_shape %s [[0, 1], [2]]
#     view_of(%c) = View(%x, shape (4, 16), strides (32, 1), offset 8, starts (Start(%i, stride 128, size 10),))
#
# A tensor that is put into zeros is seen with them around it, which are nowhere in memory.


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


def row_multiple(value: ir.Value, coordinates: Coordinates, symbol: int) -> int:
    """What the positions in memory of a tensor's rows along a symbol are multiples of, 0 if there is one row; 1 where
    elements that follow each other along the symbol are not contiguous."""
    view = view_of(value)
    is_row = coordinates[-1:] == (symbol,) and symbol not in coordinates[:-1]
    if view is None or not is_row or view.strides[-1] != 1 or isinstance(value.type.element_type, ir.ComplexType):
        return 1
    return view.row_multiple


def _whole(value: ir.Value) -> View | None:
    if not isinstance(value.type, ir.RankedTensorType):
        return None
    shape = tuple(value.type.shape)
    return View(value, shape, tuple(row_major(shape)))


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
    return is_padding(op) and not is_dilated(op) and starts_from_zero(op.operands[1])


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
    "tensor.expand_shape": _expanded,
    "tensor.collapse_shape": _collapsed,
}


MOST_DIMENSIONS = 5
ALIGNMENT = 16
"""Bytes: of all strides but the innermost."""

LONGEST_BOX, MOST_STEPS = 256, 8
"""Of a box along a dimension, with what it leaves out; every how many-th element it takes at most."""


STARTS = "starts"


Source = tuple[str, int] | int
"""Where the tile or stage is in "outer" (rows or columns) or "k", in a part of it; the index of a batch dimension; or where a part of an
array starts (STARTS, which of them)."""


@dataclass(frozen=True)
class Term:
    """A summand of a coordinate: `factor` times what `source` counts."""

    source: Source
    factor: int


@dataclass(frozen=True)
class TensorMap:
    """`sizes` and `box` in elements of `kind`, innermost first: bf16, f16, i8, or tf32, to which TMA rounds f32; `strides` in bytes,
    of all dimensions but the innermost. `order`: for each dimension the terms of its coordinate, and what is added to them.
    `steps`: every how many-th element the box has, where that is not every one. `offset`: where the array begins behind the address
    that the launch is given, in bytes."""

    kind: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    order: tuple[tuple[tuple[Term, ...], int], ...] = ()
    steps: tuple[int, ...] = ()
    offset: int = 0

    def attribute(self) -> ir.Attribute:
        """As the launch has it, for the plan."""
        names = ("sizes", "strides", "box", *(("steps",) if self.steps else ()))
        arrays = {name: ir.DenseI64ArrayAttr.get(list(getattr(self, name))) for name in names}
        return ir.DictAttr.get({"kind": ir.StringAttr.get(self.kind), **arrays})

    @property
    def stored(self) -> str:
        """The type of an element in memory."""
        return "f32" if self.kind == "tf32" else self.kind

    @property
    def size(self) -> int:
        """Of an element, in bytes."""
        return SIZES[self.kind]

    @property
    def bytes(self) -> int:
        """Of a box."""
        return prod(self.box) * self.size


def with_view(one: TensorMap, view: View) -> TensorMap | None:
    """The map of a part of an array: a dimension more for each start that is known when the program runs. None for too many."""
    count, size = len(view.starts), one.size
    if len(one.sizes) + count > MOST_DIMENSIONS:
        return None
    return replace(
        one,
        sizes=(*one.sizes, *(start.size for start in view.starts)),
        strides=(*one.strides, *(start.stride * size for start in view.starts)),
        box=(*one.box, *[1] * count),
        order=(*one.order, *((((Term((STARTS, n), 1),), 0)) for n in range(count))) if one.order else (),
        steps=(*one.steps, *[1] * count) if one.steps else (),
        offset=view.offset * size,
    )


SIZES = {"bf16": 2, "f16": 2, "i8": 1, "tf32": 4}
