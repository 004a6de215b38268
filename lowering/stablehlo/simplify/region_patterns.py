"""Identities of ops with regions, for simplify-algebra: loops that do not run, branches known in advance."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import CaseOp, IfOp, WhileOp
from hlo.lowering.stablehlo.constants import splat
from hlo.lowering.stablehlo.rewriting import move_body
from hlo.lowering.stablehlo.simplify.table import simplifies


@simplifies(WhileOp)
def while_never_runs(op: Any) -> list[ir.Value] | None:
    condition = op.cond.blocks[0].operations[len(op.cond.blocks[0].operations) - 1]
    return list(op.operands) if splat(condition.operands[0]) == 0 else None


@simplifies(IfOp)
def if_known(op: Any) -> list[ir.Value] | None:
    pred = splat(op.pred)
    if pred is None:
        return None
    return move_body((op.true_branch if pred else op.false_branch).blocks[0], [])


@simplifies(CaseOp)
def case_known(op: Any) -> list[ir.Value] | None:
    """An index out of range chooses the last branch."""
    index, branches = splat(op.index), op.branches
    if index is None:
        return None
    return move_body((branches[index] if 0 <= index < len(branches) else branches[-1]).blocks[0], [])
