"""Parts of arrays that kernels on tensors multiply where they are: slices at the beginning of the kernel, which read-slices puts there.

%q = tensor.extract_slice %qkv[...]     memref.reinterpret_cast of the memref that %qkv has become"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, memref

from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.element import Values, index_constant
from hlo.lowering.gpu.views import View, view_of
from hlo.lowering.memory.loops_emitter import remap


def with_parts(kernel: Any, values: Values) -> Values:
    """`values`, the memory of a kernel's arguments, with that of the inputs of its contractions that are parts of them, and where
    these start."""
    found = dict(values)
    for op in kernel.regions[0].blocks[0].operations:
        for value in list(op.operands)[:2] if problem_of(op.operation) is not None else ():
            view = view_of(value)
            if value not in found and view is not None and view.source in values:
                starts = [_scalar(start.index, found) for start in view.starts]
                found[value] = _seen_in(values[view.source], view, starts)
    return found


def _scalar(value: ir.Value, values: Values) -> ir.Value:
    """What a number of the kernel is, at the insertion point."""
    if value not in values:
        op = value.owner.operation
        operands = [_scalar(v, values) for v in op.operands]
        if op.name == "tensor.extract":
            values[value] = memref.load(operands[0], operands[1:])
        else:
            copy = op.clone()
            remap(copy, dict(zip(op.operands, operands)))
            values[value] = copy.results[0]
    return values[value]


def starts_of(value: ir.Value, values: Values) -> list[ir.Value]:
    """Where an input starts in the array that it is a part of."""
    view = view_of(value)
    return [values[start.index] for start in view.starts] if view is not None else []


def _seen_in(memory: ir.Value, view: View, starts: Sequence[ir.Value]) -> ir.Value:
    """A memref of the part of an array in `memory`, at the insertion point. `starts`: the view's, where the code is."""
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    offset = index_constant(view.offset) if starts else None
    for start, index in zip(view.starts, starts, strict=True):
        offset = arith.addi(offset, arith.muli(index, index_constant(start.stride)))
    first = view.offset if offset is None else unknown
    layout = ir.StridedLayoutAttr.get(first, list(view.strides))
    kind = ir.MemRefType.get(view.shape, ir.MemRefType(memory.type).element_type, layout)
    dynamic = [] if offset is None else [offset]
    return memref.ReinterpretCastOp(kind, memory, dynamic, [], [], [first], list(view.shape), list(view.strides)).result
