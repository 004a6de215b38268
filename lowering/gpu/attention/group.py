"""All that is computed from the scores of an attention: which of it need not be in memory, and what reads that.

    %s = contraction (%q, %k)  ->  exponentials, weights, their gradients ...   as large as the scores: computed again where read
                               ->  maxima, sums, dV, dK, dQ ...                 contractions and reductions of it: the readers

The gradient of attention is such a group: its readers are the rows' maxima and sums, the result, dV, the rows' sums of dP * P, dQ
and dK; its contractions scores and dP = dO V^T."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import ancestor_in, made_by
from hlo.lowering.gpu.attention.attention import Attention, NotAttentionError
from hlo.lowering.gpu.attention.recognise import WIDEST, backward_of, contractions_above
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.linalg.structured import is_elementwise
from hlo.lowering.vector.region.graph import RESHAPES

MOST = 300
"""Ops of a group."""


@dataclass(frozen=True)
class Group:
    """`products`: results of the contractions that are computed again. `large`: they, and all that is computed from them element by
    element. `readers`: ops that make something smaller of it, in the order of the program."""

    products: tuple[ir.Value, ...]
    large: frozenset[ir.Value]
    readers: tuple[ir.Operation, ...]

    @property
    def given(self) -> list[ir.Value]:
        """What is in memory."""
        return [reader.results[0] for reader in self.readers]


def group_of(op: ir.Operation, attention: Attention | None) -> Group | None:
    """The group of the scores that a contraction reads. `attention`: what it is the second contraction of. None if something of
    the group must be in memory, or if it has no softmax."""
    scores = (
        [attention.dot.op.results[0]]
        if attention
        else [one for v in list(op.operands)[:2] for one in contractions_above(v, op) if _is_shallow(one)]
    )
    for one in scores:
        try:
            return _checked(_collected(one), attention)
        except NotAttentionError:
            continue
    return None


def _checked(group: Group, attention: Attention | None) -> Group:
    """That nothing as large as the scores is read."""
    if not any(_is_maximum(op) for op in group.readers):
        raise NotAttentionError("no softmax")
    if attention and group.large & set(attention.inputs):
        raise NotAttentionError("attention that reads what is as large as its scores")
    for op in group.readers:
        is_end = attention is not None and op == attention.last.op
        if not is_end and group.large & set(backward_of(op, group.products, group.given).inputs):
            raise NotAttentionError("a reader of what would be in memory")
    return group


def _is_maximum(op: ir.Operation) -> bool:
    return any(one.operation.name == "arith.maximumf" for one in op.regions[0].blocks[0].operations)


def _collected(scores: ir.Value) -> Group:
    size = prod(scores.type.shape)
    products: dict[ir.Value, None] = {scores: None}
    large: dict[ir.Value, None] = {}
    readers: dict[ir.Operation, None] = {}
    waiting = [scores]
    while waiting:
        value = waiting.pop()
        if value in large:
            continue
        large[value] = None
        if len(large) > MOST:
            raise NotAttentionError(f"more than {MOST} ops on scores")
        for use in value.uses:
            op = use.owner.operation
            if op.block != scores.owner.operation.block:
                raise NotAttentionError(f"scores that {op.name} reads elsewhere")
            if op.name not in RESHAPES and not is_elementwise(op):
                _check_reader(op)
                readers[op] = None
                continue
            waiting.append(op.results[0])
            others = [one for v in op.operands for one in contractions_above(v, op) if prod(one.type.shape) == size]
            new = [one for one in others if one not in products and _is_shallow(one)]
            products.update(dict.fromkeys(new))
            waiting += new
    return Group(tuple(products), frozenset(large), _in_order(list(readers)))


def _check_reader(op: ir.Operation) -> None:
    if op.name != "linalg.generic" or len(op.results) != 1:
        raise NotAttentionError(f"scores that {op.name} reads")


def _is_shallow(value: ir.Value) -> bool:
    """Few products for each element: less work than to read it."""
    op = made_by(value)
    problem = problem_of(op) if op is not None else None
    return problem is not None and problem.k <= WIDEST


def _in_order(ops: Sequence[ir.Operation]) -> tuple[ir.Operation, ...]:
    wanted = set(ops)
    return tuple(op.operation for op in ops[0].block.operations if op.operation in wanted) if ops else ()


# Ops that have to come behind another one, that some values are to come from


PURE = ("linalg.", "tensor.", "arith.", "math.", "affine.")


def users_before(
    values: Sequence[ir.Value], readers: Sequence[ir.Operation], stop: ir.Operation, gone: Collection[ir.Value]
) -> list[ir.Operation] | None:
    """Those of some readers that are in front of `stop`, and ops there that need them or the values, in their order; None if one
    of them may have effects. `gone`: values that are not to be computed."""
    found = {op: None for op in readers if op.is_before_in_block(stop)}
    waiting = [*values, *(op.results[0] for op in found)]
    while waiting:
        for use in waiting.pop().uses:
            op = ancestor_in(use.owner.operation, stop.block)
            if op in found or any(r in gone for r in op.results) or not op.is_before_in_block(stop):
                continue
            if not op.name.startswith(PURE):
                return None
            found[op] = None
            waiting += op.results
    return [op.operation for op in stop.block.operations if op.operation in found]


def move_behind(ops: Sequence[ir.Operation], last: ir.Operation) -> None:
    """In their order."""
    for op in ops:
        op.move_after(last)
        last = op
