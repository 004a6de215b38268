"""The softmax in an expression: exp(s - max s) / sum exp(s - max s), with conversions anywhere.

What is subtracted cancels, if it is finite. Where it is not (a row of -inf, an inf, a NaN), the row is NaN in the program; it
is too if the maximum so far is subtracted instead, 0 instead of -inf: the sum is then 0 or NaN."""

from __future__ import annotations

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.expressions.nodes import Apply, Fold, Node, constant_of, is_apply, unconverted
from hlo.lowering.numbers import FLOAT_PREDICATES

LOWEST = -3.38e38
"""What a maximum may begin with: nothing that a score of a row that is not masked is below."""


@dataclass(frozen=True)
class Softmax:
    """`scores`: what it is of; `shift`: what is subtracted from them, made of their `maximum`; `total`: of the
    exponentials. `empty_is_zero`: rows of
    -inf have the weights 0 (none is a number otherwise)."""

    scores: Node
    shift: Node
    maximum: Fold
    total: Fold
    empty_is_zero: bool = False


def softmax_of(weights: Node, may_be_empty: bool = False) -> Softmax | None:
    """The softmax that weights are; None for other expressions. `may_be_empty`: also one whose sum is replaced by 1
    where the maximum is -inf, so that rows of -inf have the weights 0."""
    parts = quotient(unconverted(weights))
    if parts is None:
        return None
    exponential, total = parts
    empty = _unless_empty(total) if may_be_empty else None
    if empty is not None:
        total = empty[1]
    if not is_apply(exponential, "math.exp") or not isinstance(total, Fold) or not _is_total(total, exponential):
        return None
    difference = unconverted(exponential.operands[0])
    if not is_apply(difference, "arith.subf"):
        return None
    scores, shift = difference.operands
    maximum = _maximum(shift, unconverted(scores))
    if maximum is None or (empty is not None and empty[0] is not maximum):
        return None
    return Softmax(scores, shift, maximum, total, empty is not None)


def _unless_empty(total: Node) -> tuple[Node, Node] | None:
    """The value that must not be -inf for a total to be the second one, rather than 1."""
    if not is_apply(total, "arith.select") or constant_of(total.operands[1]) != 1.0:
        return None
    condition, _, rest = total.operands
    return (unconverted(condition.operands[0]), unconverted(rest)) if _is_lowest(condition) else None


def _is_lowest(condition: Node) -> bool:
    """x == -inf."""
    if not is_apply(condition, "arith.cmpf") or constant_of(condition.operands[1]) != float("-inf"):
        return False
    assert isinstance(condition, Apply)
    return ir.IntegerAttr(condition.op.attributes["predicate"]).value == FLOAT_PREDICATES["oeq"]


def quotient(node: Node) -> tuple[Node, Node] | None:
    """Dividend and divisor of x / y and of x * (1 / y)."""
    if is_apply(node, "arith.divf"):
        return unconverted(node.operands[0]), unconverted(node.operands[1])
    if is_apply(node, "arith.mulf"):
        for one, other in (node.operands, node.operands[::-1]):
            inverse = unconverted(other)
            if is_apply(inverse, "arith.divf") and constant_of(inverse.operands[0]) == 1.0:
                return unconverted(one), unconverted(inverse.operands[1])
    return None


def _is_total(node: Fold, exponential: Node) -> bool:
    """The sum of the exponentials along the keys."""
    return (
        node.name == "arith.addf"
        and constant_of(node.operands[0]) == 0.0
        and unconverted(node.operands[1]) is exponential
    )


def _maximum(node: Node, scores: Node) -> Fold | None:
    """The maximum of the scores in an expression that is it, perhaps with another 0 or so where it is not finite."""
    node = unconverted(node)
    if isinstance(node, Fold):
        start = constant_of(node.operands[0])
        is_low = start is not None and start <= LOWEST
        return node if node.name == "arith.maximumf" and is_low and unconverted(node.operands[1]) is scores else None
    if is_apply(node, "arith.maximumf"):
        pairs = (node.operands, node.operands[::-1])
        return next((_maximum(other, scores) for one, other in pairs if constant_of(one) == float("-inf")), None)
    if is_apply(node, "arith.select"):
        condition, yes, no = node.operands
        if _is_lowest(condition) and constant_of(yes) is not None:
            return _maximum(no, scores) if unconverted(condition.operands[0]) is unconverted(no) else None
        is_maximum = constant_of(no) is not None and _is_finiteness(condition, unconverted(yes))
        return _maximum(yes, scores) if is_maximum else None
    return None


def _is_finiteness(node: Node, of: Node) -> bool:
    """|x| < inf."""
    if not is_apply(node, "arith.cmpf") or constant_of(node.operands[1]) != float("inf"):
        return False
    magnitude = unconverted(node.operands[0])
    is_less = (
        isinstance(node, Apply) and ir.IntegerAttr(node.op.attributes["predicate"]).value == FLOAT_PREDICATES["olt"]
    )
    return is_less and is_apply(magnitude, "math.absf") and unconverted(magnitude.operands[0]) is of
