"""Ops on elements: operands and results of one shape share all factors; scalars beside them have none."""

from __future__ import annotations

from hlo.dialect.chlo import functions
from hlo.dialect.definition import OPS
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rule import PASS_THROUGH, Rule, rule_of

STABLEHLO = [
    "abs",
    "add",
    "and",
    "atan2",
    "bitcast_convert",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "convert",
    "cosine",
    "count_leading_zeros",
    "divide",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "log",
    "log_plus_one",
    "logistic",
    "map",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "not",
    "or",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "xor",
]
WITH_SCALARS = ("stablehlo.clamp", "stablehlo.select")
CHLO = [name for name, op in OPS.items() if op.__module__ == functions.__name__]


@rule_of(*STABLEHLO, *CHLO, order=PASS_THROUGH)
def elementwise(node: Node) -> Rule | None:
    shape = node.results[0].shape
    allowed = (shape, ()) if node.name in WITH_SCALARS else (shape,)
    if any(t.shape not in allowed for t in (*node.operands, *node.results)):
        return None  # bitcast_convert to elements of another size
    rule = Rule()
    dims = rule.factors(shape)
    rule.operands = [dims if t.shape == shape else () for t in node.operands]
    rule.results = [dims] * len(node.results)
    return rule


@rule_of("optimization_barrier", order=PASS_THROUGH)
def side_by_side(node: Node) -> Rule:
    """Each operand passes to its result."""
    rule = Rule()
    rule.operands = [rule.factors(t.shape) for t in node.operands]
    rule.results = list(rule.operands)
    return rule


@rule_of("iota", "constant", "chlo.constant", order=PASS_THROUGH)
def source(node: Node) -> Rule:
    rule = Rule()
    rule.results = [rule.factors(node.results[0].shape)]
    return rule
