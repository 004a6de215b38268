"""Ops that arithmetic or shapes make superfluous go away."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks, replace
from hlo.lowering.stablehlo.simplify.patterns import PATTERNS


@register_pass
@dataclass(frozen=True)
class SimplifyAlgebra(Pass):
    """Applies identities that hold for every operand, NaN, infinities and signed zeros included.

    %0 = stablehlo.transpose %x, dims = [1, 0]
    %1 = stablehlo.transpose %0, dims = [1, 0]        becomes    %2 = stablehlo.add %x, %y
    %2 = stablehlo.add %1, %y

    `barriers` also removes optimization_barrier: for the last run, when nothing moves any more."""

    barriers: bool = False

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            for _ in range(MOST_ROUNDS):
                if not _simplify(block, self.barriers):
                    break


MOST_ROUNDS = 10
"""A round sees definitions before uses, so that chains of any length collapse in one; more are for what patterns make."""


def _simplify(block: ir.Block, barriers: bool) -> bool:
    """One round; whether anything changed."""
    changed = False
    for op in list(block.operations):
        for inner in nested_blocks(op) if len(op.regions) else ():
            changed |= _simplify(inner, barriers)
        values = _rewrite(op, barriers)
        if values is not None:
            replace(op, values)
            changed = True
    return changed


def _rewrite(op: ir.OpView, barriers: bool) -> list[ir.Value] | None:
    """The values that replace an op's results, or None."""
    name = op.operation.name
    if name == "stablehlo.optimization_barrier":
        return list(op.operands) if barriers else None
    for pattern in PATTERNS.get(name, ()):
        with ir.InsertionPoint(op), op.location:
            values = pattern(op)
        if values is not None:
            return values if isinstance(values, list) else [values]
    return None
