"""Numbers that a kernel computes from arrays of one element (where an update goes, clamped): every launch that needs one computes
it from the kernel's arguments, instead of reading what a launch of one thread has written.

Before:  %t = linalg.generic {cmp, add, select} ins(%p : tensor<i32>) -> tensor<i32>    %i = tensor.extract %t[]
After:   %x = tensor.extract %p[]    %i = arith.select (arith.cmpi %x, ...), ..."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, tensor

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")


def inline_scalars(block: ir.Block) -> None:
    """Rewrites the reads of a block that stand outside of other ops."""
    for op in [one.operation for one in block.operations]:
        if op.name == "tensor.extract" and _is_computed(op.operands[0]):
            with ir.InsertionPoint(op), op.location:
                op.results[0].replace_all_uses_with(_element(op.operands[0], {}))
            op.erase()
    for op in reversed([one.operation for one in block.operations]):
        if (op.name.startswith("tensor.") or _is_scalar_generic(op)) and not any(any(r.uses) for r in op.results):
            op.erase()


def _is_computed(value: ir.Value) -> bool:
    op = value.owner
    if isinstance(op, ir.Block):
        return False
    if op.name in RESHAPES:
        return _has_one_element(op.operands[0]) and _is_computed(op.operands[0])
    return _is_scalar_generic(op)


def _has_one_element(value: ir.Value) -> bool:
    return all(size == 1 for size in ir.RankedTensorType(value.type).shape)


def _is_scalar_generic(op: ir.Operation) -> bool:
    """No loops; a body of plain arithmetic."""
    if op.name != "linalg.generic" or len(op.attributes["iterator_types"]):
        return False
    return not any(len(inner.operation.regions) for inner in op.regions[0].blocks[0].operations)


def _element(value: ir.Value, known: dict[ir.Value, ir.Value]) -> ir.Value:
    """The number in an array of one element, computed at the insertion point."""
    if value not in known:
        known[value] = _computed(value, known)
    return known[value]


def _computed(value: ir.Value, known: dict[ir.Value, ir.Value]) -> ir.Value:
    op = value.owner
    if not isinstance(op, ir.Block):
        if op.name in RESHAPES and _has_one_element(op.operands[0]):
            return _element(op.operands[0], known)
        if op.name == "arith.constant":
            return arith.constant(
                ir.RankedTensorType(value.type).element_type, op.attributes["value"].get_splat_value()
            )
        if _is_scalar_generic(op):
            return _body(op, known)[list(op.results).index(value)]
    zeros = [arith.constant(ir.IndexType.get(), 0)] * len(ir.RankedTensorType(value.type).shape)
    return tensor.extract(value, zeros)


def _body(op: ir.Operation, known: dict[ir.Value, ir.Value]) -> list[ir.Value]:
    """What an op without loops yields, its body written anew."""
    (block,) = op.regions[0].blocks
    values = {a: _element(v, known) for a, v in zip(block.arguments, op.operands) if any(a.uses)}
    *body, end = block.operations
    for inner in body:
        copy = inner.operation.clone()
        for number, operand in enumerate(inner.operands):
            copy.operands[number] = values.get(operand, operand)
        values.update(zip(inner.results, copy.results))
    return [values.get(v, v) for v in end.operands]
