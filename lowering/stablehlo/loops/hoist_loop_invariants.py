"""The pass `hoist-loop-invariants`: what is the same in each step of a while loop is computed once, in front of it."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import CustomCallOp, WhileOp
from hlo.dialect.types import bit_width, element_type, shape
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.constants import read_constant
from hlo.lowering.stablehlo.rewriting import defining, each_op, is_pure, nested_blocks, ops_in, values_read
from hlo.lowering.stablehlo.simplify.evaluation import evaluated

GENERATED = frozenset(f"stablehlo.{name}" for name in ("constant", "iota", "broadcast_in_dim"))
"""Ops that cost no more than reading their results from memory."""

ALONG = GENERATED | {f"stablehlo.{name}" for name in ("reshape", "transpose", "slice", "reverse", "pad", "concatenate")}
"""Ops that are hoisted only for others that read them: kernels compute them where they read their operands."""


@register_pass
class HoistLoopInvariants(Pass):
    """Moves ops of a while loop whose operands are the same in each step in front of it, where that saves time; values that a step
    hands on as they are, are read from outside.

    %0:2 = while(%x = %b, %m = %a) {...} do {             %l = cholesky %a
      %l = cholesky %m                                    %0:2 = while(%x = %b, %m = %a) {...} do {
      %1 = triangular_solve %l, %x            becomes       %1 = triangular_solve %l, %x
      return %1, %m                                         return %1, %m

    Work on arrays is moved, elementwise ops where memory holds no more in their results than in their operands. A loop without steps
    costs what was moved. What may not end, or fail (a loop, a custom call), is moved where it is known to be reached."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if isinstance(op, WhileOp):
                _read_from_outside(op)
                for block, is_reached in ((op.cond.blocks[0], True), (op.body.blocks[0], _takes_a_step(op))):
                    for moved in _profitable_moves(_invariant(block, is_reached)):
                        moved.operation.move_before(op.operation)


def _read_from_outside(loop: WhileOp) -> None:
    """Where a step hands on a value as it is, regions and what follows read the one from before the loop."""
    body, condition = loop.body.blocks[0], loop.cond.blocks[0]
    handed_on = body.operations[-1].operands
    for position, initial in enumerate(loop.operands):
        argument = body.arguments[position]
        if handed_on[position] == argument and argument.type == initial.type:
            for value in (condition.arguments[position], loop.results[position]):
                value.replace_all_uses_with(initial)
            argument.replace_all_uses_with(initial)


def _takes_a_step(loop: WhileOp) -> bool:
    """Whether the condition is known to hold at first, as that of a counter does whose first value and limit are constants."""
    *ops, end = loop.cond.blocks[0].operations
    known: dict[ir.Value, Any] = {}

    def number(value: ir.Value) -> Any:
        made = defining(value, "constant")
        return known.get(value) if made is None or prod(shape(value.type)) != 1 else read_constant(made)

    known.update((a, number(v)) for a, v in zip(loop.cond.blocks[0].arguments, loop.operands, strict=True))
    for op in ops:
        if len(op.results) == 1:
            known[op.results[0]] = evaluated(op, [number(v) for v in op.operands])
    holds = number(end.operands[0])
    return holds is not None and bool(holds.all())


def _may_not_return(op: Any) -> bool:
    inner = (one for block in nested_blocks(op) for one in ops_in(block))
    return any(isinstance(one, (WhileOp, CustomCallOp)) for one in (op, *inner))


def _invariant(block: ir.Block, is_reached: bool) -> list[Any]:
    """The ops of a block that read nothing that it computes but by such ops, without effects."""
    changing, found = set(block.arguments), []
    for op in list(block.operations)[:-1]:
        if _can_move(op) and (is_reached or not _may_not_return(op)) and changing.isdisjoint(values_read(op)):
            found.append(op)
        else:
            changing.update(op.results)
    return found


def _can_move(op: Any) -> bool:
    """A barrier stays where the program has it."""
    if not is_pure(op) or op.operation.name == "stablehlo.optimization_barrier":
        return False
    return all(isinstance(r.type, ir.RankedTensorType) and r.type.has_static_shape for r in op.results)


def _profitable_moves(ops: list[Any]) -> list[Any]:
    """Of ops that can be moved, those that it saves time for, and those that they read; in their order."""
    definers = {result: op for op in ops for result in op.results}
    generated: set[ir.Value] = set()
    for op in ops:
        if op.operation.name in GENERATED or (op.ELEMENTWISE and generated.issuperset(op.operands)):
            generated.update(op.results)
    moved: set[ir.Value] = set()
    for op in reversed(ops):
        read_by_moved = not moved.isdisjoint(op.results)
        if read_by_moved or _is_profitable(op, generated):
            moved.update(op.results)
            moved.update(v for v in values_read(op) if v in definers)
    return [op for op in ops if not moved.isdisjoint(op.results)]


def _is_profitable(op: Any, generated: set[ir.Value]) -> bool:
    if op.operation.name in ALONG:
        return False
    return not op.ELEMENTWISE or _bits(op.results) <= _bits(v for v in op.operands if v not in generated)


def _bits(values: Iterable[ir.Value]) -> int:
    return sum(prod(shape(v.type)) * bit_width(element_type(v.type)) for v in values)
