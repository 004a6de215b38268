"""Batch normalization: training, gradient, inference."""

from __future__ import annotations

from typing import Any

from hlo.dialect.attributes import F32, I64
from hlo.dialect.clauses import index_error, same_baselines_error, same_shapes_error, vector_size_error
from hlo.dialect.definition import Attr, Op, Operand, Result, constraint
from hlo.dialect.types import element_type, is_float, is_per_tensor, rank, shape, tensor, tensor_of, vector_of

_Float = tensor_of("floating-point or per-tensor quantized", is_float, is_per_tensor)
_Vector = vector_of(_Float)


def _elements_error(op: Any) -> str | None:
    names = [operand.name for operand in op.OPERANDS]
    return same_baselines_error(", ".join(names), [getattr(op, name).type for name in names])


def _features(op: Any) -> int:
    return shape(op.operand.type)[op.feature_index]


def _features_error(op: Any, name: str) -> str | None:
    reason = f"dimension {op.feature_index} of operand"
    return vector_size_error(name, getattr(op, name).type, _features(op), reason)


class _BatchNorm(Op):
    """What the three have in common; operand, scale and feature_index are of all, in this order."""

    operand = Operand(_Float)
    scale = Operand(_Vector)

    @constraint("C1")
    def feature_index_in_range(self):
        return index_error("feature_index", self.feature_index, rank(self.operand.type))

    @constraint("C2")
    def same_element_types(self):
        return _elements_error(self)

    def _vector_type(self):
        """One number a feature."""
        return tensor([_features(self)], element_type(self.operand.type))


class BatchNormTrainingOp(_BatchNorm, mnemonic="batch_norm_training"):
    """Normalizes by the batch's own mean and variance. https://openxla.org/stablehlo/spec#batch_norm_training"""

    ONE_TYPE = (("operand", "output"), ("scale", "offset", "batch_mean", "batch_var"))
    offset = Operand(_Vector)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    output = Result(_Float)
    batch_mean = Result(_Vector)
    batch_var = Result(_Vector)

    @constraint("C3")
    def scale_size(self):
        return _features_error(self, "scale")

    @constraint("C4")
    def offset_size(self):
        return _features_error(self, "offset")

    @constraint("C5", "C6", "C7")
    def infer(self):
        return [self.operand.type, self._vector_type(), self._vector_type()]


class BatchNormInferenceOp(_BatchNorm, mnemonic="batch_norm_inference"):
    """Normalizes by a given mean and variance. https://openxla.org/stablehlo/spec#batch_norm_inference"""

    ONE_TYPE = (("operand", "result"), ("scale", "offset", "mean", "variance"))
    offset = Operand(_Vector)
    mean = Operand(_Vector)
    variance = Operand(_Vector)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    result = Result(_Float)

    @constraint("C3")
    def scale_size(self):
        return _features_error(self, "scale")

    @constraint("C4")
    def offset_size(self):
        return _features_error(self, "offset")

    @constraint("C5")
    def mean_size(self):
        return _features_error(self, "mean")

    @constraint("C6")
    def variance_size(self):
        return _features_error(self, "variance")

    @constraint("C7")
    def infer(self):
        return [self.operand.type]


class BatchNormGradOp(_BatchNorm, mnemonic="batch_norm_grad"):
    """Gradients of batch_norm_training. https://openxla.org/stablehlo/spec#batch_norm_grad"""

    ONE_TYPE = (("operand", "grad_output", "grad_operand"), ("scale", "mean", "variance", "grad_scale", "grad_offset"))
    mean = Operand(_Vector)
    variance = Operand(_Vector)
    grad_output = Operand(_Float)
    epsilon = Attr(F32)
    feature_index = Attr(I64)
    grad_operand = Result(_Float)
    grad_scale = Result(_Vector)
    grad_offset = Result(_Vector)

    @constraint("C3")
    def grad_output_shape(self):
        return same_shapes_error("operand and grad_output", [self.operand.type, self.grad_output.type])

    @constraint("C4")
    def vectors_of_one_shape(self):
        return same_shapes_error("scale, mean and variance", [self.scale.type, self.mean.type, self.variance.type])

    @constraint("C5")
    def scale_size(self):
        return _features_error(self, "scale")

    @constraint("C3", "C4")
    def infer(self):
        return [self.operand.type, self._vector_type(), self._vector_type()]
