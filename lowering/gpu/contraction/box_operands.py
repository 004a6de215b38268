"""How the inputs of wgmma lie in shared memory: rows of 128 bytes, swizzled, which TMA brings.

These rows are along k or, if elements have two bytes, along the rows (columns) of the input: wgmma transposes no
others. Matrix descriptors: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout".

A tile's rows are a box of the input's dimensions, and so is a stage's part of k. Windows (2 * h + kh) are boxes too, which
begin where the sum says and take every second element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.accesses import (
    ALIGNMENT,
    LONGEST_BOX,
    MOST_DIMENSIONS,
    MOST_STEPS,
    Source,
    TensorMap,
    Term,
    view_of,
    with_view,
)
from hlo.lowering.gpu.contraction.axes import Axis, Part, Span, axes_of, boxes_for, common_runs, runs, whole
from hlo.lowering.gpu.contraction.problem import Problem
from hlo.lowering.memory.storage import element_bytes

CONSUMERS = 2
ROWS = 64
"""Of the result that a warpgroup has."""

ROW_BYTES = 128
"""Bytes along k of a stage."""

K_BYTES = 32
"""Of one instruction."""

LEAST_USE = 0.4
"""Of the products of boxes, below which other kernels multiply sooner: mma.sync reaches about 60% of wgmma."""


@dataclass(frozen=True)
class BoxOperand:
    """One input of a tile: rows (columns) in `span`, and `k` elements of k, whose boxes are `box`. `is_k_major`: its segments of
    128 bytes are along k, with a box for all rows of a segment; otherwise they are 64 rows, and there is a box for each 64 of them."""

    number: int
    span: Span
    k: int
    is_k_major: bool
    box: TensorMap

    @property
    def step(self) -> int:
        """Elements in a segment."""
        return ROW_BYTES // self.box.size

    @property
    def segments(self) -> int:
        """Of k, one behind the other."""
        return -(-self.k // self.step)

    @property
    def boxes(self) -> int:
        return self.segments if self.is_k_major else self.span.count // self.step

    @property
    def bytes(self) -> int:
        """Of a stage."""
        return self.span.room * (self.segments * ROW_BYTES if self.is_k_major else self.k * self.box.size)

    @property
    def loaded_bytes(self) -> int:
        """What the boxes bring of them."""
        return self.boxes * self.box.bytes

    @property
    def rows(self) -> int:
        """How far 64 rows are from the ones before, in bytes."""
        return ROWS * ROW_BYTES if self.is_k_major else self.box.bytes

    def offsets(self, number: int) -> dict[Source, int]:
        """How far a box is from the first one."""
        if self.is_k_major:
            return {("k", 0): number * self.step}
        return {("outer", n): offset for n, offset in enumerate(self.span.indices(number * self.step))}


@dataclass(frozen=True)
class BoxOperands:
    """Both inputs of a tile, and k of a stage."""

    left: BoxOperand
    right: BoxOperand
    k: Span

    @property
    def use(self) -> float:
        """Which part of the products of all tiles is wanted."""
        spans = (self.left.span, self.right.span, self.k)
        return prod(span.extent / (span.tiles * span.room) for span in spans)


def box_operands(p: Problem, columns: int, size: int) -> BoxOperands | None:
    """Of tiles of 128 x `columns`. None where TMA cannot bring both inputs, of elements of `size` bytes, as wgmma reads them, or
    where boxes leave too much of the tiles empty."""
    left, right = (axes_of(p, n) for n in (p.left, p.right))
    if not left or not right or not (_is_aligned(p, p.left, left, size) and _is_aligned(p, p.right, right, size)):
        return None
    k, found = _k_span(p, (left, right), ROW_BYTES // size), []
    if k is None:
        return None
    for number, axes, dimensions, count in (
        (p.left, left, p.rows, CONSUMERS * ROWS),
        (p.right, right, p.columns, columns),
    ):
        operand = _box_operand(p, number, axes, dimensions, count, k)
        if operand is None or (not operand.is_k_major and size != 2):
            return None
        found.append(operand)
    operands = BoxOperands(found[0], found[1], k)
    is_plain = all(len(span.parts) == 1 for span in (operands.left.span, operands.right.span, k))
    return operands if is_plain or operands.use >= LEAST_USE else None


def whole_operand(p: Problem, number: int, outer: int, k: int) -> BoxOperand | None:
    """An input in boxes that have all of `k` elements together, and so many rows (columns), each of which count as one. None where TMA
    cannot bring it as wgmma reads it."""
    axes = axes_of(p, number)
    if not axes or not _is_aligned(p, number, axes, element_bytes(p.element_type(number))):
        return None
    along, step = is_k_major(p, axes), _step(p, number)
    box, outer = (step, outer) if along else (k, -(-outer // step) * step)
    if len(runs(axes, p.k_dims)) != 1 or box > LONGEST_BOX:
        return None
    dimensions, span = p.rows if number == p.left else p.columns, Span((Part(p.k_dims, p.k, box),), k)
    operand = _box_operand(p, number, axes, dimensions, outer, span)
    return operand if operand is not None and len(operand.span.parts) == 1 else None


def _step(p: Problem, number: int) -> int:
    """Elements in a segment."""
    return ROW_BYTES // element_bytes(p.element_type(number))


def has_rows(p: Problem, number: int, size: int) -> bool:
    """Whether TMA brings an input in segments along k."""
    axes = axes_of(p, number)
    if axes is None or len(axes) == 0 or axes[-1].alone != p.k_dims[-1]:
        return False
    return _is_aligned(p, number, axes, size)


def is_k_major(p: Problem, axes: Sequence[Axis]) -> bool:
    return axes[-1].alone in p.k_dims


def _is_aligned(p: Problem, number: int, axes: Sequence[Axis], size: int) -> bool:
    """Neighbours along the innermost axis are neighbours in memory; the strides of all others are multiples of 16
    bytes, and so are parts of arrays from their beginnings."""
    view = view_of(p.op.operands[number])
    assert view is not None, "it has axes"
    is_contiguous = axes[-1].alone is not None and axes[-1].stride == size
    return (
        is_contiguous
        and all(a.stride % ALIGNMENT == 0 for a in axes[:-1])
        and (not view.is_part or view.is_aligned(size))
    )


# k


def _k_span(p: Problem, both: Sequence[Sequence[Axis]], step: int) -> Span | None:
    """What a stage has of k: a segment of one part if an input lies along it, otherwise any box of `step`."""
    groups = common_runs(both[0], both[1], p.k_dims)
    segments = {axes[-1].alone for axes in both if is_k_major(p, axes)}
    most = [min(_longest(group, axes, p.k_dims) for axes in both) for group in groups]
    powers = [[1 << n for n in range(step.bit_length()) if 1 << n <= longest] for longest in most]
    found = []
    for boxes in product(*powers):
        along = {group[-1] for group, box in zip(groups, boxes) if box == step}
        if prod(boxes) == step and segments <= along:
            found.append(_span(p, groups, boxes, both))
    return min((span for span in found if span), key=lambda span: span.tiles, default=None)


def _span(
    p: Problem, groups: Sequence[tuple[int, ...]], boxes: Sequence[int], both: Sequence[Sequence[Axis]]
) -> Span | None:
    """None where what is outside of k would not be 0 in both inputs, or boxes lie in another order in one of them."""
    parts = tuple(Part(group, p.nest.extent(group), box) for group, box in zip(groups, boxes))
    for part in parts:
        plain = all(_axis(axes, part.dimensions[-1]).alone is not None for axes in both)
        if part.extent % part.box and not plain:
            return None
    boxed = [part.dimensions[-1] for part in parts if part.box > 1]
    orders = [[d for axis in axes for d, _ in axis.terms if d in boxed] for axes in both]
    return Span(parts, prod(boxes)) if orders[0] == orders[1] else None


def _axis(axes: Sequence[Axis], dimension: int) -> Axis:
    return next(axis for axis in axes if axis.factor(dimension))


def _longest(run: tuple[int, ...], axes: Sequence[Axis], dimensions: Sequence[int]) -> int:
    """Of a box along a run: TMA takes boxes of 256, and every eighth element of it or more. One dimension of an axis has a box."""
    axis = _axis(axes, run[-1])
    factor = axis.factor(run[-1])
    others = [d for d, _ in axis.terms if d in dimensions and d != run[-1]]
    return LONGEST_BOX // factor if 0 < factor <= MOST_STEPS and not others else 1


# An operand


def _box_operand(
    p: Problem, number: int, axes: Sequence[Axis], dimensions: Sequence[int], count: int, k: Span
) -> BoxOperand | None:
    """`count`: rows (columns) of a tile. Where the operand does not lie along k, the innermost ones are whole rows of shared memory."""
    along, step, groups = is_k_major(p, axes), _step(p, number), runs(axes, dimensions)
    span = whole(dimensions[-1:], 1, count)
    if groups:
        most = [_longest(group, axes, dimensions) if along else count for group in groups]
        extents = [p.nest.extent(group) for group in groups]
        boxes = boxes_for(tuple(extents), tuple(most), count, 1 if along else step)
        if boxes is None:
            return None
        span = Span(tuple(Part(*one) for one in zip(groups, extents, boxes)), count)
    if not along and axes[-1].alone != span.parts[-1].dimensions[-1]:
        return None
    boxed = {d: part.box if along else 1 for part in span.parts for d in part.dimensions}
    if not along:  # each box that is loaded has one of the others
        boxed |= dict.fromkeys(span.parts[-1].dimensions, step)
    boxed |= {d: part.box for part in k.parts for d in part.dimensions}
    box = _tensor_map(p, number, axes, {"outer": span, "k": k}, boxed)
    return BoxOperand(number, span, k.room, along, box) if box is not None else None


def _tensor_map(
    p: Problem, number: int, axes: Sequence[Axis], spans: dict[str, Span], boxed: dict[int, int]
) -> TensorMap | None:
    """`boxed`: by dimension the size of the box. Neighbouring axes that are one part of the problem are one dimension of the map."""
    sources = {d: (name, n) for name, one in spans.items() for n, part in enumerate(one.parts) for d in part.dimensions}
    found: list[tuple[Axis, tuple[str, int] | None]] = []
    for axis in reversed(axes):
        source = sources.get(axis.alone) if axis.alone is not None else None
        if source is not None and found and found[-1][1] == source:
            before = found[-1][0]
            found[-1] = (replace(before, size=before.size * axis.size), source)
        else:
            found.append((axis, source))
    if len(found) > MOST_DIMENSIONS:
        return None
    boxes, steps, order = [], [], []
    for axis, _ in found:
        box, factor = max(((boxed.get(d, 1), factor) for d, factor in axis.terms), default=(1, 1))
        boxes.append(box)
        steps.append(factor if box > 1 else 1)
        order.append((tuple(Term(sources.get(d, d), factor) for d, factor in axis.terms), axis.offset))
    kind = "tf32" if p.kind(number) == "tf32" else str(p.element_type(number))
    sizes, strides = tuple(axis.size for axis, _ in found), tuple(axis.stride for axis, _ in found[1:])
    every, view = tuple(steps) if max(steps) > 1 else (), view_of(p.op.operands[number])
    assert view is not None, "it has axes"
    return with_view(TensorMap(kind, sizes, strides, tuple(boxes), tuple(order), every), view)
