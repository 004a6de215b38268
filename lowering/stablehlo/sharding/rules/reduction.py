"""Reductions, matmuls and convolutions, and windows that move over tensors: what is reduced or contracted gives partial results."""

from __future__ import annotations

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.movement import kept
from hlo.lowering.stablehlo.sharding.rules.rule import Label, Rule, combiner, labelled, neutral, rule_of


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


def _is_summed(node: Node) -> bool:
    """Whether partial results can be added, and inputs masked by zeros."""
    return all(neutral("add", t.element) is not None for t in (node.results[0], node.operands[0]))


@rule_of("dot_general")
def dot_general(node: Node) -> Rule:
    return _matmul(node, node.op.dot_dimension_numbers)


@rule_of("dot")
def dot(node: Node) -> Rule:
    """Of vectors and matrices: the last dimension of the first with the first of the second."""
    last = len(node.operands[0].shape) - 1
    return _matmul(node, DotDimensionNumbers(lhs_contracting_dimensions=(last,), rhs_contracting_dimensions=(0,)))


def _matmul(node: Node, n: DotDimensionNumbers) -> Rule:
    lhs, rhs, result = n.labels(*(len(t.shape) for t in node.operands))
    contracted = sorted(label for label in lhs if label not in result)
    reductions = dict.fromkeys(contracted, "add")
    return labelled(node, [lhs, rhs], [result], reductions=reductions, whole=() if _is_summed(node) else contracted)


@rule_of("convolution")
def convolution(node: Node) -> Rule:
    """Batch, input features (contracted) and output features; of grouped convolutions the batch. Spatial dimensions are
    read in windows, if the input is not dilated."""
    n, op = node.op.dimension_numbers, node.op
    labels, known = n.labels(), set[Label]()
    if op.batch_group_count == 1:
        known.add("batch")
    if op.batch_group_count == op.feature_group_count == 1:
        known |= {"features", "input features"} if _is_summed(node) else {"features"}
    windows = {}
    for k, d in enumerate(n.kernel_spatial_dimensions if neutral("add", node.operands[0].element) is not None else ()):
        taps, low = node.operands[1].shape[d], op.padding[k][0]
        if op.lhs_dilation[k] == 1 and taps:
            known.add(f"spatial {k}")
            windows[0, f"spatial {k}"] = Window(op.window_strides[k], -low, (taps - 1) * op.rhs_dilation[k] - low)
    left, right, result = ([label if label in known else None for label in one] for one in labels)
    reductions = {"input features": "add"}
    return labelled(node, [left, right], [result], reductions=reductions, windows=windows, filled={0: "add"})
