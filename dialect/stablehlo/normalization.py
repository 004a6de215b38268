"""Batch normalization: training, gradient, inference."""

from __future__ import annotations

from hlo.dialect.attributes import F32, I64
from hlo.dialect.definition import Attr, Op, Operand, Result
from hlo.dialect.types import FloatTensor, vector_of

_Vector = vector_of(FloatTensor)


class BatchNormTrainingOp(Op, mnemonic="batch_norm_training"):
    """Normalizes by the batch's own mean and variance. https://openxla.org/stablehlo/spec#batch_norm_training"""

    operand = Operand(FloatTensor)
    scale = Operand(_Vector)
    offset = Operand(_Vector)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    output = Result(FloatTensor)
    batch_mean = Result(_Vector)
    batch_var = Result(_Vector)


class BatchNormInferenceOp(Op, mnemonic="batch_norm_inference"):
    """Normalizes by a given mean and variance. https://openxla.org/stablehlo/spec#batch_norm_inference"""

    operand = Operand(FloatTensor)
    scale = Operand(_Vector)
    offset = Operand(_Vector)
    mean = Operand(_Vector)
    variance = Operand(_Vector)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    result = Result(FloatTensor)


class BatchNormGradOp(Op, mnemonic="batch_norm_grad"):
    """Gradients of batch_norm_training. https://openxla.org/stablehlo/spec#batch_norm_grad"""

    operand = Operand(FloatTensor)
    scale = Operand(_Vector)
    mean = Operand(_Vector)
    variance = Operand(_Vector)
    grad_output = Operand(FloatTensor)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    grad_operand = Result(FloatTensor)
    grad_scale = Result(_Vector)
    grad_offset = Result(_Vector)
