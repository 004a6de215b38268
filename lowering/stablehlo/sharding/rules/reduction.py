"""Reductions, and windows that move over tensors."""

from __future__ import annotations

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.movement import kept
from hlo.lowering.stablehlo.sharding.rules.rule import Rule, combiner, labelled, rule_of


@rule_of("reduce")
def reduce(node: Node) -> Rule:
    """Parts are reduced by one op on one tensor; any other reducer needs its dimensions whole."""
    count, over = len(node.operands) // 2, node.op.dimensions
    kind = combiner(node) if count == 1 else None
    dims = range(len(node.operands[0].shape))
    return labelled(
        node,
        [dims] * count + [()] * count,
        [[d for d in dims if d not in over]] * count,
        whole=() if kind else over,
        reductions=dict.fromkeys(over, kind) if kind else {},
        first_only={1: kind} if kind else {},
    )


@rule_of("reduce_window")
def reduce_window(node: Node) -> Rule:
    """Dimensions that windows of one element step through are independent; dilated operands are needed whole."""
    op, count = node.op, len(node.operands) // 2
    windows = {}
    sizes = zip(op.window_dimensions, op.window_strides, op.window_dilations, op.padding)
    for d, (size, stride, dilation, (low, high)) in enumerate(sizes):
        if (size, stride, low, high) != (1, 1, 0, 0):
            windows[d] = Window(stride, -low, (size - 1) * dilation - low)
    rule = kept(node, {d for d, n in enumerate(op.base_dilations) if n != 1}, count, windows)
    rule.filled = {k: count + k for k in range(count)}
    return rule


@rule_of("select_and_scatter")
def select_and_scatter(node: Node) -> Rule:
    op = node.op
    moves = (op.window_dimensions or (), op.window_strides or ())
    whole = {d for numbers in moves for d, n in enumerate(numbers) if n != 1}
    return kept(node, whole | {d for d, pair in enumerate(op.padding or ()) if any(pair)}, 2)
