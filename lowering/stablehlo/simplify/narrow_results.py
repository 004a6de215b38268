"""Contractions and reductions compute only the elements that slices read: the scores of the last token.

In comes StableHLO with static shapes; what stays dynamic is left as it is. From the last op of a block to the first,
each value is given the box of its elements that are read, then ops are made again for boxes of at most half of the
elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.definition import Op
from hlo.dialect.stablehlo import BroadcastInDimOp, DotGeneralOp, ReduceOp, ReshapeOp, SliceOp, TransposeOp
from hlo.dialect.types import element_type, is_quantized, shape, tensor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned_with
from hlo.lowering.linalg.data_movement import common_groups
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks, values_read

Box = tuple[tuple[int, int], ...]
"""The first index in each dimension, and the one behind the last."""

COSTLY = (DotGeneralOp, ReduceOp)
"""What elements cost in any case; others are computed where they are read."""


@register_pass
@dataclass(frozen=True)
class NarrowResults(Pass):
    """Ops whose elements are read by slices only, at most half of them, compute these, if a contraction or a reduction is among them.

    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]      (64x128, 128x2000)
    %1 = stablehlo.slice %0 [63:64, 0:2000]
    becomes
    %0 = stablehlo.slice %x [63:64, 0:128]
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]      (1x128, 128x2000)"""

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            _narrow(block)


def _narrow(block: ir.Block) -> None:
    ops = list(block.operations)
    for op in ops:
        for inner in nested_blocks(op):
            _narrow(inner)
    boxes = _read_boxes(ops)
    narrow = [op for op in ops if any(boxes[r] != _whole(r) for r in op.results if r in boxes)]
    if any(isinstance(op, COSTLY) for op in narrow):
        _rewrite(ops, boxes)


def _read_boxes(ops: Sequence[ir.OpView]) -> dict[ir.Value, Box]:
    """What is read of each value; one that is not here has no box."""
    boxes: dict[ir.Value, Box] = {}
    for op in reversed(ops):
        reads = _reads_for(op, boxes)
        for value, read in zip(op.operands, reads or map(_whole, op.operands)):
            boxes[value] = _union(boxes.get(value, read), read)
        for value in values_read(op)[len(op.operands) :]:
            boxes[value] = _whole(value)
    return boxes


def _reads_for(op: ir.OpView, boxes: dict[ir.Value, Box]) -> list[Box] | None:
    """What an op reads for what is read of its results, which is told here: one box for all, or the whole. None: everything."""
    rule = _rule(op)
    if rule is None:
        boxes.update((result, _whole(result)) for result in op.results)
        return None
    first, *others = op.results
    box = boxes.get(first, _whole(first))
    for result in others:
        box = _union(box, boxes.get(result, _whole(result)))
    reads = rule(op, box) if 2 * _volume(box) <= _volume(_whole(first)) else None
    if reads is None:
        box = _whole(first)
        reads = rule(op, box)
    boxes.update((result, box) for result in op.results)
    return reads


def _rewrite(ops: Sequence[ir.OpView], boxes: dict[ir.Value, Box]) -> None:
    narrowed: dict[ir.Value, tuple[ir.Value, Box]] = {}
    gone = []
    for op in ops:
        rule = _rule(op)
        if rule is None or not len(op.results):
            continue
        box = boxes[op.results[0]]
        is_narrow = box != _whole(op.results[0])
        if not is_narrow and not (isinstance(op, SliceOp) and op.operand in narrowed):
            continue
        reads = rule(op, box) or []
        with ir.InsertionPoint(op), op.location:
            operands = [_part(value, read, narrowed) for value, read in zip(op.operands, reads, strict=True)]
            made = _stepped(op, operands[0]) if isinstance(op, SliceOp) else _made_again(op, operands, box)
        if is_narrow:
            narrowed.update((old, (new, box)) for old, new in zip(op.results, made))
            gone.append(op)
        else:
            replace(op, made)
    for op in reversed(gone):
        op.operation.erase()


def _part(value: ir.Value, box: Box, narrowed: dict[ir.Value, tuple[ir.Value, Box]]) -> ir.Value:
    """These elements of a value, from what is made of it."""
    made, held = narrowed.get(value, (value, _whole(value)))
    if box == held:
        return made
    starts, limits = ([index - first for index, (first, _) in zip(end, held)] for end in zip(*box))
    return SliceOp.create(made, start_indices=starts, limit_indices=limits, strides=[1] * len(box)).result


def _stepped(op: SliceOp, value: ir.Value) -> list[ir.Value]:
    """A slice of what lies between its first and its last element."""
    if all(step == 1 for step in op.strides):
        return [value]
    sizes = shape(value.type)
    return [SliceOp.create(value, start_indices=[0] * len(sizes), limit_indices=sizes, strides=op.strides).result]


def _made_again(op: ir.OpView, operands: Sequence[ir.Value], box: Box) -> list[ir.Value]:
    sizes = [limit - first for first, limit in box]
    return list(cloned_with(op, operands, [tensor(sizes, element_type(r.type)) for r in op.results]).results)


def _whole(value: ir.Value) -> Box:
    return tuple((0, size) for size in shape(value.type)) if isinstance(value.type, ir.RankedTensorType) else ()


def _volume(box: Box) -> int:
    return prod(limit - first for first, limit in box)


def _union(a: Box, b: Box) -> Box:
    """The least box that has both."""
    return tuple((min(x[0], y[0]), max(x[1], y[1])) for x, y in zip(a, b, strict=True))


# ---- what the ops read


Rule = Callable[[Any, Box], "list[Box] | None"]
"""What an op reads of its operands for a box of its results. None: the box does not tell."""


def _rule(op: Any) -> Rule | None:
    values = [*op.operands, *op.results]
    if not len(op.results) or not all(map(_is_plain, values)):
        return None
    return RULES.get(op.operation.name, _elementwise if isinstance(op, Op) and op.ELEMENTWISE else None)


def _is_plain(value: ir.Value) -> bool:
    kind = value.type
    is_static = isinstance(kind, ir.RankedTensorType) and kind.has_static_shape and kind.encoding is None
    return is_static and min(kind.shape, default=1) > 0 and not is_quantized(kind.element_type)


def _elementwise(op: Any, box: Box) -> list[Box]:
    """Scalars, which `select` and `clamp` may have, are read whole."""
    sizes = shape(op.results[0].type)
    return [box if shape(value.type) == sizes else _whole(value) for value in op.operands]


def _broadcast(op: BroadcastInDimOp, box: Box) -> list[Box]:
    sizes = shape(op.operand.type)
    return [tuple((0, 1) if size == 1 else box[d] for size, d in zip(sizes, op.broadcast_dimensions, strict=True))]


def _transpose(op: TransposeOp, box: Box) -> list[Box]:
    return [tuple(box[list(op.permutation).index(d)] for d in range(len(box)))]


def _slice(op: SliceOp, box: Box) -> list[Box]:
    steps = zip(op.start_indices, op.strides, box, strict=True)
    return [tuple((start + first * step, start + (limit - 1) * step + 1) for start, step, (first, limit) in steps)]


def _reshape(op: ReshapeOp, box: Box) -> list[Box] | None:
    """Dimensions of one element come and go; others are joined or split where all of them are read."""
    source, target = shape(op.operand.type), shape(op.result.type)
    read = [(0, size) for size in source]
    for left, right in common_groups(source, target):
        long = [[d for d in group if sizes[d] > 1] for group, sizes in ((left, source), (right, target))]
        if len(long[0]) == len(long[1]) == 1:
            read[long[0][0]] = box[long[1][0]]
        elif any(box[d] != (0, target[d]) for d in right):
            return None
    return [tuple(read)]


def _reduce(op: ReduceOp, box: Box) -> list[Box]:
    read = list(_whole(op.inputs[0]))
    for d, kept in zip([d for d in range(len(read)) if d not in op.dimensions], box, strict=True):
        read[d] = kept
    return [*[tuple(read)] * len(op.inputs), *map(_whole, op.init_values)]


def _dot_general(op: DotGeneralOp, box: Box) -> list[Box]:
    wholes = _whole(op.lhs), _whole(op.rhs)
    *sides, result = op.dot_dimension_numbers.labels(*map(len, wholes))
    read = dict(zip(result, box, strict=True))
    return [tuple(read.get(label, every) for label, every in zip(*side)) for side in zip(sides, wholes)]


RULES: dict[str, Rule] = {
    op.OPERATION_NAME: rule
    for op, rule in (
        (BroadcastInDimOp, _broadcast),
        (DotGeneralOp, _dot_general),
        (ReduceOp, _reduce),
        (ReshapeOp, _reshape),
        (SliceOp, _slice),
        (TransposeOp, _transpose),
    )
}
