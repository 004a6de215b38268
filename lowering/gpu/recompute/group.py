"""All that is computed from the scores of an attention: which of it need not be in memory, and what reads that.

    %s = contraction (%q, %k)  ->  exponentials, weights, their gradients ...   as large as the scores: computed again where read
                               ->  maxima, sums, dV, dK, dQ ...                 contractions and reductions of it: the readers

The gradient of attention is such a group: its readers are the rows' maxima and sums, the result, dV, the rows' sums of dP * P, dQ
and dK; its contractions scores and dP = dO V^T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.attention.expressions import maker_of
from hlo.lowering.gpu.attention.recognise import (
    Attention,
    NotAttentionError,
    contractions_above,
    inputs_of,
)
from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.recompute import recognise

RESHAPES = ("tensor.expand_shape", "tensor.collapse_shape")
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

    @property
    def elementwise(self) -> list[ir.Operation]:
        """What makes the large ones of contractions."""
        makers = [v.owner.operation for v in self.large if v not in self.products]
        return list(_in_order([op for op in makers if op.name not in RESHAPES]))


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
    if attention and group.large & set(inputs_of(attention)):
        raise NotAttentionError("attention that reads what is as large as its scores")
    for op in group.readers:
        if attention is None or op != attention.values.op:
            read = recognise.recomputed_of(op, group.products, group.given)
            if group.large & set(recognise.inputs_of(read)):
                raise NotAttentionError("a reader of what would be in memory")
    return group


def _is_maximum(op: ir.Operation) -> bool:
    return any(one.operation.name == "arith.maximumf" for one in op.regions[0].blocks[0].operations)


def _collected(scores: ir.Value) -> Group:
    size = _count(scores)
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
            if not _is_elementwise(op):
                _check_reader(op)
                readers[op] = None
                continue
            waiting.append(op.results[0])
            others = [one for v in op.operands for one in contractions_above(v, op) if _count(one) == size]
            new = [one for one in others if one not in products and _is_shallow(one)]
            products.update(dict.fromkeys(new))
            waiting += new
    return Group(tuple(products), frozenset(large), _in_order(list(readers)))


def _check_reader(op: ir.Operation) -> None:
    if op.name != "linalg.generic" or len(op.results) != 1:
        raise NotAttentionError(f"scores that {op.name} reads")


def _is_elementwise(op: ir.Operation) -> bool:
    if op.name in RESHAPES:
        return True
    kinds = [str(kind) for kind in op.attributes["iterator_types"]] if op.name == "linalg.generic" else ["none"]
    return all("parallel" in kind for kind in kinds) and len(op.results) == 1


def _is_shallow(value: ir.Value) -> bool:
    """Few products for each element: less work than to read it."""
    op = maker_of(value)
    problem = problem_of(op) if op is not None else None
    return problem is not None and problem.k <= recognise.WIDEST


def _count(value: ir.Value) -> int:
    count = 1
    for size in value.type.shape:
        count *= size
    return count


def _in_order(ops: Sequence[ir.Operation]) -> tuple[ir.Operation, ...]:
    wanted = set(ops)
    return tuple(op.operation for op in ops[0].block.operations if op.operation in wanted) if ops else ()
