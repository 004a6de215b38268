"""Ops whose results nobody uses go away, and with them what only fed them, in every region."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.finding import is_unused
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.carried_values import live_carried_values, with_fewer_carried_values
from hlo.lowering.stablehlo.rewriting import function_blocks, is_pure, nested_blocks


@register_pass
@dataclass(frozen=True)
class EliminateDeadCode(Pass):
    """Erases unused ops without side effects, and values that a while loop carries only for themselves.

    %0 = stablehlo.sine %x : tensor<f32>              becomes    return %x : tensor<f32>
    return %x : tensor<f32>"""

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            _clean(block)


def _clean(block: ir.Block) -> None:
    """Visits the ops of a block from the last to the first: an op's users are judged before it is."""
    for op in reversed(list(block.operations)):
        if is_unused(op) and is_pure(op):
            op.operation.erase()
        elif len(op.regions):
            _clean_regions(op)


def _clean_regions(op: ir.OpView) -> None:
    if op.operation.name == "stablehlo.while":
        live = live_carried_values(op)
        if len(live) < len(op.operands):
            op = with_fewer_carried_values(op, live)
    for block in nested_blocks(op):
        _clean(block)
