"""Ops on elements: operands and results of one shape have all factors in common; scalars among them have none."""

from __future__ import annotations

import hlo.dialect.chlo
import hlo.dialect.stablehlo  # noqa: F401  (their classes are in OPS)
from hlo.dialect.definition import OPS
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.rule import PASS_THROUGH, Rule, rule_of

WITH_SCALARS = ("stablehlo.clamp", "stablehlo.select")
ELEMENTWISE = [name for name, op in OPS.items() if op.ELEMENTWISE]


@rule_of(*ELEMENTWISE, "map", order=PASS_THROUGH)
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
