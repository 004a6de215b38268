"""The softmax in an expression: exp(s - max s) / sum exp(s - max s), with conversions anywhere.

What is subtracted cancels, if it is finite. Where it is not (a row of -inf, an inf, a NaN), the row is NaN in the program; it
is too if the maximum so far is subtracted instead, 0 in place of -inf: the sum is then 0 or NaN."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.lowering.gpu.attention.expressions import Apply, Constant, Fold, Node, is_apply, unconverted

LOWEST = -3.38e38
"""What a maximum may begin with: nothing that a score of a row that is not masked is below."""

OLT = 4
"""Ordered and less: the number of arith.cmpf's predicate."""


@dataclass(frozen=True)
class Softmax:
    """`scores`: what it is of; `shift`: what is subtracted from them, made of their `maximum`; `total`: of the exponentials."""

    scores: Node
    shift: Node
    maximum: Fold
    total: Fold


def softmax_of(weights: Node) -> Softmax | None:
    """The softmax that weights are; None for other expressions."""
    parts = quotient(unconverted(weights))
    if parts is None:
        return None
    exponential, total = parts
    if not is_apply(exponential, "math.exp") or not isinstance(total, Fold) or not _is_total(total, exponential):
        return None
    difference = unconverted(exponential.operands[0])
    if not is_apply(difference, "arith.subf"):
        return None
    scores, shift = difference.operands
    maximum = _maximum(shift, unconverted(scores))
    return Softmax(scores, shift, maximum, total) if maximum else None


def quotient(node: Node) -> tuple[Node, Node] | None:
    """Dividend and divisor of x / y and of x * (1 / y)."""
    if is_apply(node, "arith.divf"):
        return unconverted(node.operands[0]), unconverted(node.operands[1])
    if is_apply(node, "arith.mulf"):
        for one, other in (node.operands, node.operands[::-1]):
            inverse = unconverted(other)
            if is_apply(inverse, "arith.divf") and _constant(inverse.operands[0]) == 1.0:
                return unconverted(one), unconverted(inverse.operands[1])
    return None


def _is_total(node: Fold, exponential: Node) -> bool:
    """The sum of the exponentials along the keys."""
    return (
        node.name == "arith.addf"
        and _constant(node.operands[0]) == 0.0
        and unconverted(node.operands[1]) is exponential
    )


def _maximum(node: Node, scores: Node) -> Fold | None:
    """The maximum of the scores in an expression that is it, perhaps with another 0 or so where it is not finite."""
    node = unconverted(node)
    if isinstance(node, Fold):
        start = _constant(node.operands[0])
        is_low = start is not None and start <= LOWEST
        return node if node.name == "arith.maximumf" and is_low and unconverted(node.operands[1]) is scores else None
    if is_apply(node, "arith.maximumf"):
        pairs = (node.operands, node.operands[::-1])
        return next((_maximum(other, scores) for one, other in pairs if _constant(one) == float("-inf")), None)
    if is_apply(node, "arith.select"):
        condition, yes, no = node.operands
        is_maximum = _constant(no) is not None and _is_finiteness(condition, unconverted(yes))
        return _maximum(yes, scores) if is_maximum else None
    return None


def _is_finiteness(node: Node, of: Node) -> bool:
    """|x| < inf."""
    if not is_apply(node, "arith.cmpf") or _constant(node.operands[1]) != float("inf"):
        return False
    magnitude = unconverted(node.operands[0])
    is_less = isinstance(node, Apply) and ir.IntegerAttr(node.op.attributes["predicate"]).value == OLT
    return is_less and is_apply(magnitude, "math.absf") and unconverted(magnitude.operands[0]) is of


def _constant(node: Node) -> float | None:
    node = unconverted(node)
    return float(node.attribute.value) if isinstance(node, Constant) else None
