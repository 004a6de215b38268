"""Equal ops on equal operands are computed once."""

from __future__ import annotations

from collections.abc import Hashable

from mlir import ir

from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import function_blocks, is_pure, nested_blocks


@register_pass
class EliminateCommonSubexpressions(Pass):
    """Replaces an op by an equal one that dominates it.

    %0 = stablehlo.sine %x : tensor<f32>                 %0 = stablehlo.sine %x : tensor<f32>
    %1 = stablehlo.sine %x : tensor<f32>      becomes    %1 = stablehlo.add %0, %0 : tensor<f32>
    %2 = stablehlo.add %0, %1 : tensor<f32>

    Ops are equal when name, operands, attributes and result types are, and their regions up to value names."""

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            _merge_equal_ops(block, {})


_Known = dict[tuple, list[ir.OpView]]
"""Earlier ops that may be equal: by name and operands, for ops without operands by attributes too. The rest is compared
only within one list, which spares most ops the reading of attributes and types."""


def _merge_equal_ops(block: ir.Block, known: _Known) -> None:
    """`known` holds the ops of enclosing blocks; what this block adds is taken out at its end."""
    added: list[tuple] = []
    for op in list(block.operations):
        for inner in nested_blocks(op) if len(op.regions) else ():
            _merge_equal_ops(inner, known)
        if not len(op.results) or not is_pure(op):
            continue
        key = _short_key(op)
        candidates = known.setdefault(key, [])
        equal = _find_equal(op, candidates)
        if equal is not None:
            replace(op, list(equal.results))
        else:
            candidates.append(op)
            added.append(key)
    for key in added:
        known[key].pop()


def _find_equal(op: ir.OpView, candidates: list[ir.OpView]) -> ir.OpView | None:
    if not candidates:
        return None
    key = _long_key(op, {})
    return next((c for c in candidates if _long_key(c, {}) == key), None)


def _short_key(op: ir.OpView) -> tuple:
    operands = tuple(op.operands)
    return (op.operation.name, *operands) if operands else (op.operation.name, _attributes(op))


def _long_key(op: ir.OpView, numbers: dict[ir.Value, int]) -> tuple[Hashable, ...]:
    """All that makes an op what it is. Values defined inside it are known by their number in order of definition."""
    operands = tuple(numbers.get(v, v) for v in op.operands) if numbers else tuple(op.operands)
    return (operands, *op_key(op, numbers))


def op_key(op: ir.OpView, numbers: dict[ir.Value, int]) -> tuple[Hashable, ...]:
    """The same but for its operands."""
    types = tuple(r.type for r in op.results)
    for result in op.results:
        numbers[result] = len(numbers)
    blocks = tuple(block_key(block, numbers) for block in nested_blocks(op))
    return (op.operation.name, _attributes(op), types, blocks)


def block_key(block: ir.Block, numbers: dict[ir.Value, int]) -> tuple[Hashable, ...]:
    """The same of a block."""
    for argument in block.arguments:
        numbers[argument] = len(numbers)
    types = tuple(a.type for a in block.arguments)
    return (types, *(_long_key(op, numbers) for op in block.operations))


def _attributes(op: ir.OpView) -> Hashable:
    attributes = op.attributes
    return tuple((name, attributes[name]) for name in attributes)
