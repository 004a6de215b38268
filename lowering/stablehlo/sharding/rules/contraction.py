"""Matmuls and convolutions: what is contracted gives partial results, which are added."""

from __future__ import annotations

from hlo.dialect.attributes import DotDimensionNumbers
from hlo.lowering.stablehlo.sharding.graph import Node
from hlo.lowering.stablehlo.sharding.halo import Window
from hlo.lowering.stablehlo.sharding.rules.rule import Label, Rule, labelled, neutral, rule_of


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
    batch = n.lhs_batching_dimensions, n.rhs_batching_dimensions
    contracting = n.lhs_contracting_dimensions, n.rhs_contracting_dimensions
    sides: list[list[Label]] = []
    for side, tensor in enumerate(node.operands):
        labels: list[Label] = [("free", side, d) for d in range(len(tensor.shape))]
        for kind, dimensions in (("batch", batch[side]), ("contracted", contracting[side])):
            for number, d in enumerate(dimensions):
                labels[d] = (kind, number)
        sides.append(labels)
    contracted = [("contracted", number) for number in range(len(contracting[0]))]
    result = [("batch", number) for number in range(len(batch[0]))]
    result += [label for labels in sides for label in labels if label[0] == "free"]
    reductions = dict.fromkeys(contracted, "add")
    return labelled(node, sides, [result], reductions=reductions, whole=() if _is_summed(node) else contracted)


@rule_of("convolution")
def convolution(node: Node) -> Rule:
    """Batch, input features (contracted) and output features; of grouped convolutions the batch. Spatial dimensions are
    read in windows, if the input is not dilated."""
    n, op = node.op.dimension_numbers, node.op
    tensors = (*node.operands, *node.results)
    left, right, result = (list[Label]([None] * len(t.shape)) for t in tensors)
    if op.batch_group_count == 1:
        left[n.input_batch_dimension] = result[n.output_batch_dimension] = "batch"
    if op.batch_group_count == op.feature_group_count == 1:
        right[n.kernel_output_feature_dimension] = result[n.output_feature_dimension] = "features"
        if _is_summed(node):
            left[n.input_feature_dimension] = right[n.kernel_input_feature_dimension] = "input features"
    windows = {}
    spatial = zip(n.input_spatial_dimensions, n.kernel_spatial_dimensions, n.output_spatial_dimensions)
    for k, (i, j, o) in enumerate(spatial if neutral("add", node.operands[0].element) is not None else ()):
        taps, low = node.operands[1].shape[j], op.padding[k][0]
        if op.lhs_dilation[k] == 1 and taps:
            left[i] = result[o] = f"spatial {k}"
            windows[0, left[i]] = Window(op.window_strides[k], -low, (taps - 1) * op.rhs_dilation[k] - low)
    reductions = {"input features": "add"}
    return labelled(node, [left, right], [result], reductions=reductions, windows=windows, filled={0: "add"})
