"""The three batch normalizations in plain ops, as the specification writes them. Used by decompose."""

from __future__ import annotations

import math

from mlir import ir

from hlo.dialect.stablehlo import BatchNormGradOp, BatchNormInferenceOp, BatchNormTrainingOp
from hlo.dialect.types import shape
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, build, reduced, sqrt
from hlo.lowering.stablehlo.decompositions.table import decomposes


class _Features:
    """An operand whose dimension `feature_index` counts features: broadcasts vectors, sums over all else."""

    def __init__(self, operand: ir.Value, feature_index: int):
        self.sizes = shape(operand.type)
        self.index = feature_index
        self.others = [d for d in range(len(self.sizes)) if d != feature_index]
        self.count = float(math.prod(self.sizes[d] for d in self.others))

    def spread(self, vector: Tensor | ir.Value) -> Tensor:
        return broadcast(vector if isinstance(vector, Tensor) else Tensor(vector), self.sizes, [self.index])

    def sum(self, x: Tensor) -> Tensor:
        return reduced(x, self.others)


@decomposes(BatchNormInferenceOp)
def lower_inference(op: BatchNormInferenceOp) -> list[ir.Value]:
    features = _Features(op.operand, op.feature_index)
    return [_normalize(features, op, Tensor(op.mean), Tensor(op.variance)).value]


@decomposes(BatchNormTrainingOp)
def lower_training(op: BatchNormTrainingOp) -> list[ir.Value]:
    features = _Features(op.operand, op.feature_index)
    operand = Tensor(op.operand)
    mean = features.sum(operand) / features.count
    centered = operand - features.spread(mean)
    variance = features.sum(centered * centered) / features.count
    return [_normalize(features, op, mean, variance).value, mean.value, variance.value]


def _normalize(features: _Features, op: ir.OpView, mean: Tensor, variance: Tensor) -> Tensor:
    deviation = features.spread(sqrt(variance + op.epsilon))
    normalized = (Tensor(op.operand) - features.spread(mean)) / deviation
    return features.spread(op.scale) * normalized + features.spread(op.offset)


@decomposes(BatchNormGradOp)
def lower_grad(op: BatchNormGradOp) -> list[ir.Value]:
    """With n elements a feature: the gradients of operand, scale and offset."""
    features = _Features(op.operand, op.feature_index)
    grad_output, count = Tensor(op.grad_output), features.count
    centered = Tensor(op.operand) - features.spread(op.mean)
    reciprocal = build("rsqrt", Tensor(op.variance) + op.epsilon)
    grad_offset = features.sum(grad_output)
    projected = features.sum(grad_output * centered)
    grad_scale = projected * reciprocal
    pull = centered * features.spread(projected * reciprocal * reciprocal)
    inner = grad_output * count - features.spread(grad_offset) - pull
    grad_operand = features.spread(Tensor(op.scale) * reciprocal / count) * inner
    return [grad_operand.value, grad_scale.value, grad_offset.value]
