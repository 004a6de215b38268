"""Reductions, and windows that move over tensors."""

from __future__ import annotations

from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.movement import in_windows, untouched
from hlo.lowering.stablehlo.sharding.rules.rule import WHOLE, Rule, combiner, rule_of


@rule_of("reduce")
def reduce(node: Node) -> Rule:
    """Parts are reduced by one op on one tensor; any other reducer needs its dimensions whole."""
    count, over = len(node.operands) // 2, node.op.dimensions
    kind = combiner(node) if count == 1 else None
    rule = Rule()
    shape = node.operands[0].shape
    dims = tuple(rule.factor(n) if kind or d not in over else WHOLE for d, n in enumerate(shape))
    if kind:
        rule.reductions = {f: kind for d in over for f in dims[d]}
        rule.first_only = {1: kind}
    rule.operands = [dims] * count + [()] * count
    rule.results = [tuple(f for d, f in enumerate(dims) if d not in over)] * count
    return rule


@rule_of("reduce_window")
def reduce_window(node: Node) -> Rule:
    """Dimensions that windows of one element step through are independent; dilated operands are needed whole."""
    op, count = node.op, len(node.operands) // 2
    dilated = {d for d, n in enumerate(op.base_dilations) if n != 1}
    windows = {}
    for d, (size, stride, dilation, (low, high)) in enumerate(
        zip(op.window_dimensions, op.window_strides, op.window_dilations, op.padding)
    ):
        if (size, stride, low, high) != (1, 1, 0, 0) and d not in dilated:
            windows[d] = Window(stride, -low, (size - 1) * dilation - low)
    rule = in_windows(node, windows, tensors=count, touched=dilated)
    rule.filled = {k: count + k for k in range(count)}
    return rule


@rule_of("select_and_scatter")
def select_and_scatter(node: Node) -> Rule:
    op = node.op
    touched = {
        d for name in ("window_dimensions", "window_strides") for d, n in enumerate(getattr(op, name) or ()) if n != 1
    }
    touched |= {d for d, pair in enumerate(op.padding or ()) if any(pair)}
    return untouched(node, touched, tensors=2)
