"""Products: what is contracted gives partial results, which are added."""

from __future__ import annotations

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.rule import WHOLE, Rule, neutral, rule_of


def _is_summed(node: Node) -> bool:
    """Whether partial results can be added, and inputs masked by zeros."""
    return all(neutral("add", t.element) is not None for t in (node.results[0], node.operands[0]))


@rule_of("dot_general")
def dot_general(node: Node) -> Rule:
    return _product(node, node.op.dot_dimension_numbers)


@rule_of("dot")
def dot(node: Node) -> Rule:
    """Of vectors and matrices: the last dimension of the first with the first of the second."""
    last = len(node.operands[0].shape) - 1
    return _product(node, DotDimensionNumbers(lhs_contracting_dimensions=(last,), rhs_contracting_dimensions=(0,)))


def _product(node: Node, n: DotDimensionNumbers) -> Rule:
    rule, (a, b) = Rule(), (t.shape for t in node.operands)
    left: list[tuple[int, ...] | None] = [None] * len(a)
    right: list[tuple[int, ...] | None] = [None] * len(b)
    summed = _is_summed(node)
    batch = []
    for i, j in zip(n.lhs_batching_dimensions, n.rhs_batching_dimensions):
        left[i] = right[j] = rule.factor(a[i])
        batch.append(left[i])
    for i, j in zip(n.lhs_contracting_dimensions, n.rhs_contracting_dimensions):
        left[i] = right[j] = rule.factor(a[i]) if summed else WHOLE
        rule.reductions.update(dict.fromkeys(left[i] or (), "add"))
    free = []
    for dims, shape in ((left, a), (right, b)):
        for d, size in enumerate(shape):
            if dims[d] is None:
                dims[d] = rule.factor(size)
                free.append(dims[d])
    rule.operands = [tuple(d or WHOLE for d in left), tuple(d or WHOLE for d in right)]
    rule.results = [tuple(d or WHOLE for d in (*batch, *free))]
    return rule


@rule_of("convolution")
def convolution(node: Node) -> Rule:
    """Batch, input features (contracted) and output features; of grouped convolutions the batch. Spatial dimensions are
    read in windows, if the input is not dilated."""
    rule, (x, w) = Rule(), (t.shape for t in node.operands)
    n, op = node.op.dimension_numbers, node.op
    left, right, result = [WHOLE] * len(x), [WHOLE] * len(w), [WHOLE] * len(x)
    if op.batch_group_count == 1:
        left[n.input_batch_dimension] = result[n.output_batch_dimension] = rule.factor(x[n.input_batch_dimension])
    if op.batch_group_count == op.feature_group_count == 1:
        features = rule.factor(w[n.kernel_output_feature_dimension])
        right[n.kernel_output_feature_dimension] = result[n.output_feature_dimension] = features
        if _is_summed(node):
            contracted = rule.factor(x[n.input_feature_dimension])
            left[n.input_feature_dimension] = right[n.kernel_input_feature_dimension] = contracted
            rule.reductions = dict.fromkeys(contracted, "add")
    _spatial(rule, node, left, result)
    rule.operands, rule.results = [tuple(left), tuple(right)], [tuple(result)]
    return rule


def _spatial(rule: Rule, node: Node, left: list[tuple[int, ...]], result: list[tuple[int, ...]]) -> None:
    op, n, w = node.op, node.op.dimension_numbers, node.operands[1].shape
    x, y = node.operands[0].shape, node.results[0].shape
    if neutral("add", node.operands[0].element) is None:
        return
    spatial = zip(n.input_spatial_dimensions, n.kernel_spatial_dimensions, n.output_spatial_dimensions)
    for k, (i, j, o) in enumerate(spatial):
        if op.lhs_dilation[k] != 1 or 0 in (x[i], y[o], w[j]):
            continue
        left[i] = result[o] = rule.factor(min(x[i], y[o]))
        low = op.padding[k][0]
        window = Window(op.window_strides[k], -low, (w[j] - 1) * op.rhs_dilation[k] - low)
        rule.windows[0, left[i][0]] = window
    rule.filled = {0: "add"}
