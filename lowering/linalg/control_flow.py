"""while, if, case, calls, tuples, tokens and optimization barriers.

Control flow becomes scf on tensors; values that a region captures are used directly. A tuple is the list of its new
values, a token is nothing: `flat` lists the tensors that are left of some values, `restore` is its inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, scf, tensor

from hlo.dialect.stablehlo import (
    AfterAllOp,
    CaseOp,
    CreateTokenOp,
    GetTupleElementOp,
    IfOp,
    OptimizationBarrierOp,
    TupleOp,
    WhileOp,
)
from hlo.dialect.types import Token
from hlo.lowering.linalg.loops import if_else
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
    types = [v.type for v in initial]
    loop = scf.WhileOp(types, initial)
    before = loop.before.blocks.append(*types)
    with ir.InsertionPoint(before):
        condition = _block(op.cond.blocks[0], lowering, list(before.arguments))
        scf.ConditionOp(tensor.extract(condition[0], []), list(before.arguments))
    after = loop.after.blocks.append(*types)
    with ir.InsertionPoint(after):
        scf.YieldOp(_block(op.body.blocks[0], lowering, list(after.arguments)))
    return results_of(op, list(loop.results))


@lowers(IfOp)
def lower_if(op: IfOp, lowering: Lowering) -> list[Any]:
    condition = tensor.extract(lowering[op.pred], [])
    then, otherwise = op.true_branch.blocks[0], op.false_branch.blocks[0]
    return results_of(op, _choose(op, lowering, condition, then, lambda: _block(otherwise, lowering)))


@lowers(CaseOp)
def lower_case(op: CaseOp, lowering: Lowering) -> list[Any]:
    """A chain of scf.if; an index out of range takes the last branch."""
    branches = [region.blocks[0] for region in op.branches]
    selector = tensor.extract(lowering[op.index], [])

    def choose(number: int) -> list[ir.Value]:
        if number == len(branches) - 1:
            return _block(branches[number], lowering)
        is_this = arith.cmpi(arith.CmpIPredicate.eq, selector, arith.constant(selector.type, number))
        return _choose(op, lowering, is_this, branches[number], lambda: choose(number + 1))

    return results_of(op, choose(0))


def _choose(
    op: ir.OpView,
    lowering: Lowering,
    condition: ir.Value,
    then: ir.Block,
    otherwise: Callable[[], list[ir.Value]],
) -> list[ir.Value]:
    types = flat_types((r.type for r in op.results), lowering)
    return if_else(condition, types, lambda: _block(then, lowering), otherwise)


@lowers(func.CallOp)
def lower_call(op: func.CallOp, lowering: Lowering) -> list[Any]:
    types = flat_types((r.type for r in op.results), lowering)
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    call = func.CallOp(types, callee, flat([lowering[v] for v in op.operands]))
    return results_of(op, list(call.results))


@lowers(OptimizationBarrierOp)
def lower_optimization_barrier(op: OptimizationBarrierOp, lowering: Lowering) -> list[Any]:
    return [lowering[v] for v in op.operands]


@lowers(TupleOp)
def lower_tuple(op: TupleOp, lowering: Lowering) -> list[Any]:
    return [[lowering[v] for v in op.operands]]


@lowers(GetTupleElementOp)
def lower_get_tuple_element(op: GetTupleElementOp, lowering: Lowering) -> list[Any]:
    return [lowering[op.operands[0]][op.index]]


@lowers(AfterAllOp, CreateTokenOp)
def lower_token(op: ir.OpView, lowering: Lowering) -> list[Any]:
    return [None]
