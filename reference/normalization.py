"""Batch normalisation. https://openxla.org/stablehlo/spec#batch_norm_training"""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.dialect.stablehlo import normalization as ops
from hlo.reference.table import evaluates
from hlo.reference.values import narrow, widest


def _along(call: Any, operand: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A value a feature, in a shape that broadcasts."""
    return widest(vector).reshape([-1 if d == call.feature_index else 1 for d in range(operand.ndim)])


def _others(call: Any, operand: np.ndarray) -> tuple[int, ...]:
    return tuple(d for d in range(operand.ndim) if d != call.feature_index)


def _normalized(call: Any, x: np.ndarray, scale: Any, offset: Any, mean: Any, variance: Any) -> np.ndarray:
    scale, offset, mean, variance = (_along(call, x, v) for v in (scale, offset, mean, variance))
    return scale * (widest(x) - mean) / np.sqrt(variance + call.epsilon) + offset


@evaluates(ops.BatchNormInferenceOp)
def evaluate_batch_norm_inference(call, operand, scale, offset, mean, variance):
    return narrow(_normalized(call, operand, scale, offset, mean, variance), call.dtype())


@evaluates(ops.BatchNormTrainingOp)
def evaluate_batch_norm_training(call, operand, scale, offset):
    mean = np.mean(widest(operand), axis=_others(call, operand))
    variance = np.var(widest(operand), axis=_others(call, operand))
    output = _normalized(call, operand, scale, offset, mean, variance)
    return [narrow(v, call.dtype()) for v in (output, mean, variance)]


@evaluates(ops.BatchNormGradOp)
def evaluate_batch_norm_grad(call, operand, scale, mean, variance, grad_output):
    others = _others(call, operand)
    gradient, count = widest(grad_output), int(np.prod([operand.shape[d] for d in others]))
    centered = widest(operand) - _along(call, operand, mean)
    deviation = np.sqrt(_along(call, operand, variance) + call.epsilon)
    summed = np.sum(gradient, axis=others, keepdims=True)
    projected = np.sum(gradient * centered, axis=others, keepdims=True)
    inner = count * gradient - summed - centered * projected / deviation**2
    grad_operand = _along(call, operand, scale) / deviation / count * inner
    results = grad_operand, (projected / deviation).reshape(-1), summed.reshape(-1)
    return [narrow(v, call.dtype()) for v in results]
