"""Tuples are the lists of their new values, tokens nothing (see control_flow.py)."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import AfterAllOp, GetTupleElementOp, TupleOp
from hlo.lowering.linalg.rules import Lowering, lowers


@lowers(TupleOp)
def lower_tuple(op: TupleOp, lowering: Lowering) -> list[Any]:
    return [[lowering[v] for v in op.operands]]


@lowers(GetTupleElementOp)
def lower_get_tuple_element(op: GetTupleElementOp, lowering: Lowering) -> list[Any]:
    return [lowering[op.operands[0]][op.index]]


@lowers(AfterAllOp)
def lower_token(op: ir.OpView, lowering: Lowering) -> list[Any]:
    return [None]
