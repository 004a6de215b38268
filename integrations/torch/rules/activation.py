"""Activation functions."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import dtype_of
from hlo.torch.registry import rule
from hlo.torch.rules.elementwise import elementwise


@elementwise("relu", wide=False)
def relu(b: Any, x: Value) -> Value:
    return b.maximum(x, b.full(x.shape, 0, dtype_of(x)))


@elementwise("leaky_relu", operands=1)
def leaky_relu(b: Any, x: Value, slope: float = 0.01) -> Value:
    return b.select(b.gt(x, 0), x, b.multiply(x, slope))


@elementwise("elu", operands=1)
def elu(b: Any, x: Value, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Value:
    low = b.multiply(b.exponential_minus_one(b.multiply(x, input_scale)), alpha * scale)
    return b.select(b.gt(x, 0), b.multiply(x, scale), low)


@rule("hardtanh")
def hardtanh(b: Any, x: Value, low: Any = -1, high: Any = 1) -> Value:
    dtype = dtype_of(x)
    return b.minimum(b.maximum(x, b.full(x.shape, low, dtype)), b.full(x.shape, high, dtype))


@elementwise("gelu", operands=1)
def gelu(b: Any, x: Value, approximate: str = "none") -> Value:
    """x times the normal distribution's share below x; "tanh": approximated."""
    if approximate == "tanh":
        inner = b.multiply(b.add(x, b.multiply(b.multiply(b.multiply(x, x), x), 0.044715)), math.sqrt(2 / math.pi))
        return b.multiply(b.multiply(x, 0.5), b.add(b.tanh(inner), 1))
    return b.multiply(b.multiply(x, 0.5), b.add(b.chlo.erf(b.multiply(x, math.sqrt(0.5))), 1))


@elementwise("gelu_backward", operands=2)
def gelu_backward(b: Any, gradient: Value, x: Value, approximate: str = "none") -> Value:
    slope = _tanh_slope(b, x) if approximate == "tanh" else _erf_slope(b, x)
    return b.multiply(gradient, slope)


def _erf_slope(b: Any, x: Value) -> Value:
    probability = b.multiply(b.add(b.chlo.erf(b.multiply(x, math.sqrt(0.5))), 1), 0.5)
    density = b.multiply(b.exponential(b.multiply(b.multiply(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return b.add(probability, b.multiply(x, density))


def _tanh_slope(b: Any, x: Value) -> Value:
    square, scale = b.multiply(x, x), math.sqrt(2 / math.pi)
    inner = b.multiply(b.add(x, b.multiply(b.multiply(square, x), 0.044715)), scale)
    found = b.tanh(inner)
    left = b.multiply(b.add(found, 1), 0.5)
    slope = b.multiply(b.add(b.multiply(square, 3 * 0.044715), 1), scale)
    return b.add(left, b.multiply(b.multiply(b.multiply(x, 0.5), b.subtract(1, b.multiply(found, found))), slope))


@elementwise("silu")
def silu(b: Any, x: Value) -> Value:
    return b.multiply(x, b.logistic(x))


@elementwise("silu_backward")
def silu_backward(b: Any, gradient: Value, x: Value) -> Value:
    probability = b.logistic(x)
    return b.multiply(b.multiply(gradient, probability), b.add(b.multiply(x, b.subtract(1, probability)), 1))


@elementwise("sigmoid_backward")
def sigmoid_backward(b: Any, gradient: Value, y: Value) -> Value:
    return b.multiply(b.multiply(gradient, b.subtract(1, y)), y)


@elementwise("tanh_backward")
def tanh_backward(b: Any, gradient: Value, y: Value) -> Value:
    return b.multiply(gradient, b.subtract(1, b.multiply(y, y)))


@elementwise("threshold_backward", operands=2, wide=False)
def threshold_backward(b: Any, gradient: Value, x: Value, threshold: Any) -> Value:
    limit = b.full(x.shape, threshold, dtype_of(x))
    return b.select(b.le(x, limit), b.full(x.shape, 0, dtype_of(x)), gradient)


@rule("_softmax")
def softmax(b: Any, x: Value, dim: int, half_to_float: bool = False) -> Value:
    exponentials, _ = _exponentials(b, x, dim)
    result = (
        b.divide(exponentials, b.total(exponentials, [dim % x.rank], keep=True))
        if x.rank
        else b.divide(exponentials, exponentials)
    )
    return result if half_to_float else b.cast(result, dtype_of(x))


@rule("_log_softmax")
def log_softmax(b: Any, x: Value, dim: int, half_to_float: bool = False) -> Value:
    exponentials, shifted = _exponentials(b, x, dim)
    total = b.total(exponentials, [dim % x.rank], keep=True) if x.rank else exponentials
    result = b.subtract(shifted, b.log(total))
    return result if half_to_float else b.cast(result, dtype_of(x))


def _exponentials(b: Any, x: Value, dim: int) -> tuple[Value, Value]:
    """exp(x - max) along a dimension, and the differences, in the wide type."""
    wide = b.wide(x)
    if x.rank:
        wide = b.subtract(wide, b.folded(wide, -math.inf, b.maximum, [dim % x.rank], keep=True))
    else:
        wide = b.subtract(wide, wide)
    return b.exponential(wide), wide


@rule("_softmax_backward_data")
def softmax_backward(b: Any, gradient: Value, y: Value, dim: int, dtype: torch.dtype) -> Value:
    g, y = b.wide(gradient), b.wide(y)
    product = b.multiply(g, y)
    total = b.total(product, [dim % y.rank], keep=True) if y.rank else product
    return b.cast(b.subtract(product, b.multiply(y, total)), dtype)


@rule("_log_softmax_backward_data")
def log_softmax_backward(b: Any, gradient: Value, y: Value, dim: int, dtype: torch.dtype) -> Value:
    g, y = b.wide(gradient), b.wide(y)
    total = b.total(g, [dim % y.rank], keep=True) if y.rank else g
    return b.cast(b.subtract(g, b.multiply(b.exponential(y), total)), dtype)
