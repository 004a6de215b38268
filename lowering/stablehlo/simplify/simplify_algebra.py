"""Ops that arithmetic or shapes make superfluous go away."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from itertools import islice

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks, nested_ops
from hlo.lowering.stablehlo.simplify.table import load_patterns, simplifies


@register_pass
@dataclass(frozen=True)
class SimplifyAlgebra(Pass):
    """Applies identities that hold for every operand, NaN, infinities and signed zeros included.

    %0 = stablehlo.transpose %x, dims = [1, 0]
    %1 = stablehlo.transpose %0, dims = [1, 0]        becomes    %2 = stablehlo.add %x, %y
    %2 = stablehlo.add %1, %y"""

    def run(self, module: ir.Module) -> None:
        load_patterns()
        for block in function_blocks(module):
            round = _Round()
            round.visit(block)
            for _ in range(MOST_ROUNDS - 1):
                if not round.touched:
                    break
                round = _Round(_affected(round.touched))
                round.visit(block)


MOST_ROUNDS = 10
"""A round sees definitions before uses, so that chains of any length collapse in one; more are for what patterns make,
and for what reads that."""


@dataclass
class _Round:
    """A walk over all ops, or over those with a result that is `among` these values, and those around changes."""

    among: Collection[ir.Value] | None = None
    touched: set[ir.Value] = field(default_factory=set)
    """Values that are new, or that others read now. None of them was erased since."""

    def visit(self, block: ir.Block) -> bool:
        """Whether anything changed."""
        before, left = list(block.operations), []
        changed = False
        for op in before:
            inside = [self.visit(inner) for inner in nested_blocks(op)] if len(op.regions) else []
            is_due = self.among is None or any(inside) or any(r in self.among for r in op.results)
            values = _rewrite(op) if is_due else None
            if values is None:
                left.append(op)
            else:
                self._replace(op, values)
            changed |= values is not None or any(inside)
        if len(left) < len(before):
            self.touched.update(_results_of_new_ops(block, left))
        return changed

    def _replace(self, op: ir.OpView, values: list[ir.Value]) -> None:
        operands = list(op.operands)
        for gone in (op, *nested_ops(op)):
            self.touched.difference_update(gone.results, *(block.arguments for block in nested_blocks(gone)))
        replace(op, values)
        self.touched.update(values)
        for operand in operands:
            self.touched.update(_last_reader(operand))


def _last_reader(value: ir.Value) -> list[ir.Value]:
    """The results of the only op that reads a value: some patterns ask for that."""
    uses = list(islice(value.uses, 2))
    return list(uses[0].owner.results) if len(uses) == 1 else []


def _results_of_new_ops(block: ir.Block, old: Sequence[ir.OpView]) -> list[ir.Value]:
    """`old`: what is left of the ops that were there, in their order."""
    found: list[ir.Value] = []
    rest = iter(old)
    expected = next(rest, None)
    for op in block.operations:
        if op == expected:
            expected = next(rest, None)
        else:
            found += [result for one in (op, *nested_ops(op)) for result in one.results]
    return found


FARTHEST = 8
"""Ops behind an op at which patterns look."""


def _affected(values: Iterable[ir.Value]) -> set[ir.Value]:
    """These values, what is computed from them as far as patterns look back, and the results of the ops around that."""
    found: set[ir.Value] = set()
    reached = set(values)
    for _ in range(FARTHEST):
        found |= reached
        readers = [use.owner for value in reached for use in value.uses]
        reached = {result for op in readers for result in op.results} - found
        found.update(result for op in readers if not len(op.results) for result in op.operation.parent.results)
    return found | reached


def _rewrite(op: ir.OpView) -> list[ir.Value] | None:
    """The values that replace an op's results, or None."""
    patterns = simplifies.get(op.operation.name)
    if patterns is None:
        return None
    with ir.InsertionPoint(op), op.location:
        for pattern in patterns:
            values = pattern(op)
            if values is not None:
                return values if isinstance(values, list) else [values]
    return None
