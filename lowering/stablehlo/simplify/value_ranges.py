"""What is known of an array's values from the ops that make it, and the identities that hold for such values, for simplify-algebra.

    %e = exponential %x                              %z = subtract %x, select(is_finite %x, %x, 0)
    %s = add %e, 0.0        becomes %e               log(exponential %z)        becomes %z

The second line is what a logsumexp of one element is: %z is 0, an infinity or NaN, which exp and log take there and back."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import AbsOp, AddOp, LogOp
from hlo.dialect.types import element_type, is_float, shape
from hlo.lowering.stablehlo.arithmetic import Tensor, reshaped
from hlo.lowering.stablehlo.constants import is_zero
from hlo.lowering.stablehlo.rewriting import defining, unshaped
from hlo.lowering.stablehlo.simplify.table import simplifies

MOVES = ("reshape", "broadcast_in_dim", "transpose", "slice")
"""Ops whose results have elements of their operand only."""


STEPS = 6
"""Ops behind a value that are looked at: sums of sums have twice as many with each."""


def is_never_negative(value: ir.Value, steps: int = STEPS) -> bool:
    """Whether all elements of floats are known to be NaN, positive, or a zero without a sign."""
    op = value.owner
    if not steps or isinstance(op, ir.Block) or not is_float(element_type(value.type)):
        return False
    name, operands = op.name.removeprefix("stablehlo."), list(op.operands)
    if name in ("exponential", "abs"):
        return True
    if name == "multiply":
        return operands[0] == operands[1] or all(is_never_negative(one, steps - 1) for one in operands)
    passes_on = name in (*MOVES, "sqrt", "add") or (name == "convert" and is_float(element_type(operands[0].type)))
    return passes_on and all(is_never_negative(one, steps - 1) for one in operands)


@simplifies(AddOp)
def add_zero_to_positive(op: Any) -> ir.Value | None:
    """x + 0.0, where no -0.0 would become 0.0."""
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if is_zero(other, negative=False) and is_never_negative(value):
            return value
    return None


@simplifies(AbsOp)
def absolute_of_positive(op: Any) -> ir.Value | None:
    return op.operands[0] if is_never_negative(op.operands[0]) else None


@simplifies(LogOp)
def logarithm_of_exponential(op: Any) -> ir.Value | None:
    """x, where it is 0, infinite or NaN."""
    exponential = defining(unshaped(op.operands[0]), "exponential")
    if exponential is None or not _is_zero_or_no_number(exponential.operands[0]):
        return None
    return reshaped(Tensor(exponential.operands[0]), shape(op.results[0].type)).value


def _is_zero_or_no_number(value: ir.Value) -> bool:
    """Whether a value is x less x where x is finite, and x itself elsewhere."""
    difference = defining(value, "subtract")
    chosen = None if difference is None else defining(unshaped(difference.rhs), "select")
    finite = None if chosen is None else defining(unshaped(chosen.pred), "is_finite")
    if chosen is None or finite is None or not is_zero(chosen.on_false, negative=False):
        return False
    x = unshaped(difference.lhs)
    return x == unshaped(chosen.on_true) == unshaped(finite.operands[0])
