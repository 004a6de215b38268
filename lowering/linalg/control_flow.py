"""while, if, case, calls and optimization barriers; what tuples and tokens become.

Control flow becomes scf on tensors; values that a region captures are used directly. A tuple is the list of its new
values, a token is nothing: `flat` lists the tensors that are left of some values, `restore` is its inverse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import func, tensor

from hlo.dialect.stablehlo import (
    CaseOp,
    IfOp,
    OptimizationBarrierOp,
    WhileOp,
)
from hlo.dialect.types import Token
from hlo.lowering.finding import callee_of
from hlo.lowering.linalg.loops import if_else, switch, while_loop
from hlo.lowering.linalg.rules import Lowering, lowers


def flat(values: Sequence[Any]) -> list[ir.Value]:
    """The tensors of new values: tuples opened, tokens left out."""
    result = []
    for value in values:
        if isinstance(value, (list, tuple)):
            result += flat(value)
        elif value is not None:
            result.append(value)
    return result


def leaf_types(types: Iterable[ir.Type]) -> list[ir.Type]:
    """The types with tuples opened and tokens left out."""
    result = []
    for t in types:
        if isinstance(t, ir.TupleType):
            result += leaf_types(t.get_type(i) for i in range(t.num_types))
        elif not Token.accepts(t):
            result.append(t)
    return result


def flat_types(types: Iterable[ir.Type], lowering: Lowering) -> list[ir.Type]:
    """The new types of old ones: tuples opened, tokens left out."""
    return [lowering.type(t) for t in leaf_types(types)]


def restore(types: Sequence[ir.Type], values: Sequence[ir.Value]) -> list[Any]:
    """New values of old types from their tensors: the inverse of `flat`."""
    rest = iter(values)
    result = [_restore(t, rest) for t in types]
    assert next(rest, None) is None
    return result


def _restore(old: ir.Type, rest: Iterator[ir.Value]) -> Any:
    if isinstance(old, ir.TupleType):
        return [_restore(old.get_type(i), rest) for i in range(old.num_types)]
    return None if Token.accepts(old) else next(rest)


def results_of(op: ir.OpView, values: Sequence[ir.Value]) -> list[Any]:
    """What a rule returns for an op whose results are these tensors."""
    return restore([r.type for r in op.results], values)


def _block(block: ir.Block, lowering: Lowering, arguments: Sequence[ir.Value] = ()) -> list[ir.Value]:
    """Lowers a region's block at the insertion point; its flat arguments and results."""
    return flat(lowering.block(block, restore([a.type for a in block.arguments], arguments)))


@lowers(WhileOp)
def lower_while(op: WhileOp, lowering: Lowering) -> list[Any]:
    initial = flat([lowering[v] for v in op.operands])
    condition, body = (partial(_block, region.blocks[0], lowering) for region in (op.cond, op.body))
    return results_of(op, while_loop(initial, lambda *v: tensor.extract(condition(v)[0], []), lambda *v: body(v)))


@lowers(IfOp)
def lower_if(op: IfOp, lowering: Lowering) -> list[Any]:
    then, otherwise = (partial(_block, region.blocks[0], lowering) for region in (op.true_branch, op.false_branch))
    return results_of(op, if_else(tensor.extract(lowering[op.pred], []), _types(op, lowering), then, otherwise))


@lowers(CaseOp)
def lower_case(op: CaseOp, lowering: Lowering) -> list[Any]:
    branches = [partial(_block, region.blocks[0], lowering) for region in op.branches]
    return results_of(op, switch(tensor.extract(lowering[op.index], []), _types(op, lowering), branches))


def _types(op: ir.OpView, lowering: Lowering) -> list[ir.Type]:
    return flat_types((r.type for r in op.results), lowering)


@lowers(func.CallOp)
def lower_call(op: func.CallOp, lowering: Lowering) -> list[Any]:
    callee = callee_of(op)
    call = func.CallOp(_types(op, lowering), callee, flat([lowering[v] for v in op.operands]))
    return results_of(op, list(call.results))


@lowers(OptimizationBarrierOp)
def lower_optimization_barrier(op: OptimizationBarrierOp, lowering: Lowering) -> list[Any]:
    return [lowering[v] for v in op.operands]
