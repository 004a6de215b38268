"""Numbers that a kernel computes from arrays of one element (where an update goes, clamped): every launch that needs one computes it from the kernel's
arguments, instead of reading what a launch of one thread has written.

Before:  %t = linalg.generic {cmp, add, select} ins(%p : tensor<i32>) -> tensor<i32>    %i = tensor.extract %t[]
After:   %x = tensor.extract %p[]    %i = arith.select (arith.cmpi %x, ...), ..."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tensor

from hlo.lowering.finding import is_unused
from hlo.lowering.gpu.evaluate import At, Evaluator, indices
from hlo.lowering.gpu.expression_reader import Reader
from hlo.lowering.gpu.expressions import Element


def inline_scalars(block: ir.Block) -> None:
    """Rewrites the reads of a block that stand outside of other ops."""
    for op in [one.operation for one in block.operations if one.operation.name == "tensor.extract"]:
        value = op.operands[0]
        node = (
            Reader({}, (), in_kernel=True).node(value, (None,) * value.type.rank) if _has_one_element(value) else None
        )
        if node is not None and not isinstance(node, Element):
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(_OfTensors({}).value(node, {}, {}))
            op.erase()
    for op in reversed([one.operation for one in block.operations]):
        if op.name.startswith(("tensor.", "linalg.")) and is_unused(op):
            op.erase()


class _OfTensors(Evaluator):
    """Reads elements from tensors."""

    def element(self, node: Element, at: At) -> ir.Value:
        return tensor.extract(node.value, indices(node.coordinates, at))


def _has_one_element(value: ir.Value) -> bool:
    return all(size == 1 for size in ir.RankedTensorType(value.type).shape)
