"""Collectives in the bodies of manual computations: their groups run along manual axes, so along the free axes they are
ops like others, which work along the dimensions that they cut or join."""

from __future__ import annotations

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.rules.elementwise import side_by_side
from hlo.lowering.stablehlo.sharding.rules.movement import untouched
from hlo.lowering.stablehlo.sharding.rules.rule import Rule, rule_of


@rule_of("all_reduce", "collective_permute", "collective_broadcast", "cross-replica-sum")
def whole(node: Node) -> Rule | None:
    return side_by_side(node)


def _along(node: Node, *dimensions: int) -> Rule | None:
    return untouched(node, dimensions) if len(node.operands) == 1 else None


@rule_of("all_gather")
def all_gather(node: Node) -> Rule | None:
    return _along(node, node.op.all_gather_dim)


@rule_of("reduce_scatter")
def reduce_scatter(node: Node) -> Rule | None:
    return _along(node, node.op.scatter_dimension)


@rule_of("all_to_all")
def all_to_all(node: Node) -> Rule | None:
    return _along(node, node.op.split_dimension, node.op.concat_dimension)
