"""Ops on elements: operands and results of one shape have all factors in common; scalars among them have none."""

from __future__ import annotations

import hlo.dialect.chlo
import hlo.dialect.stablehlo  # noqa: F401  (their classes are in OPS)
from hlo.dialect.definition import OPS
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.rule import PASS_THROUGH, Rule, labelled, rule_of

WITH_SCALARS = ("stablehlo.clamp", "stablehlo.select")
ELEMENTWISE = [name for name, op in OPS.items() if op.ELEMENTWISE]


@rule_of(*ELEMENTWISE, "map", "iota", "constant", "chlo.constant", order=PASS_THROUGH)
def elementwise(node: Node) -> Rule | None:
    shape = node.results[0].shape
    allowed = (shape, ()) if node.name in WITH_SCALARS else (shape,)
    if any(t.shape not in allowed for t in (*node.operands, *node.results)):
        return None  # bitcast_convert to elements of another size
    operands, results = ([range(len(t.shape)) for t in side] for side in (node.operands, node.results))
    return labelled(node, operands, results)


@rule_of("optimization_barrier", order=PASS_THROUGH)
@rule_of("all_reduce", "collective_permute", "collective_broadcast", "cross-replica-sum")
def side_by_side(node: Node) -> Rule:
    """Each operand passes to its result."""
    labels = [[(n, d) for d in range(len(t.shape))] for n, t in enumerate(node.operands)]
    return labelled(node, labels, labels)
