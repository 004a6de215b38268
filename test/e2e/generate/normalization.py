"""Batch normalisation: the specification's examples, its formulas in f64, and gradients by complex steps."""

from __future__ import annotations

import numpy as np
from cases import DTYPES, ROUNDING, Case, file, function_type, suffix

EXAMPLE = np.array([[[1, 2], [3, 4]], [[3, 4], [1, 2]]], np.float32)
"""https://openxla.org/stablehlo/spec#batch_norm_training"""
ONES = np.ones(2, np.float32)
KINDS = ("f32", "f64", "bf16", "f16")


def attributes(feature: int, epsilon: float) -> str:
    return f"{{epsilon = {epsilon:e} : f32, feature_index = {feature} : i64}}"


def along(x: np.ndarray, v: np.ndarray, feature: int) -> np.ndarray:
    return v.reshape([-1 if d == feature else 1 for d in range(x.ndim)])


def moments(x: np.ndarray, feature: int) -> tuple[np.ndarray, np.ndarray]:
    others = tuple(d for d in range(x.ndim) if d != feature)
    mean = x.mean(others)
    return mean, ((x - along(x, mean, feature)) ** 2).mean(others)


def normalized(x, scale, offset, mean, variance, feature, epsilon):
    scale, offset, mean, variance = (along(x, v, feature) for v in (scale, offset, mean, variance))
    return scale * (x - mean) / np.sqrt(variance + epsilon) + offset


def data(*shape: int, feature: int, kind: str) -> list[np.ndarray]:
    """An operand, and four vectors: the last is positive. All are exact in the element type."""
    random = np.random.default_rng(3)
    x = random.integers(-12, 13, shape) / 8
    vectors = [random.integers(1, 9, shape[feature]) / 4 for _ in range(4)]
    return [v.astype(DTYPES[kind]) for v in (x, *vectors)]


def shapes():
    """(shape, feature_index, element type)"""
    yield from (((2, 3, 5), 2, kind) for kind in KINDS)
    yield from (((2, 3, 5), feature, "f32") for feature in (0, 1))
    yield from (((7, 4), 1, "f32"), ((4, 1), 1, "f32"))


def name_of(shape: tuple[int, ...], feature: int, kind: str) -> str:
    return f"{suffix(kind)}_{'x'.join(map(str, shape))}_feature_{feature}"


@file
def batch_norm_inference() -> list[Case]:
    inputs = [EXAMPLE, ONES, ONES, np.array([2, 3], np.float32), ONES]
    out = [_inference("example", inputs, np.array([[[0, 0], [2, 2]], [[2, 2], [0, 0]]], np.float32), 2, 0.0)]
    for shape, feature, kind in shapes():
        inputs = data(*shape, feature=feature, kind=kind)
        want = normalized(*(v.astype(np.float64) for v in inputs), feature, 0.125).astype(DTYPES[kind])
        out.append(_inference(name_of(shape, feature, kind), inputs, want, feature, 0.125))
    empty = [np.zeros((0, 2), np.float32), ONES, ONES, ONES, ONES]
    return [*out, _inference("empty", empty, empty[0], 1, 0.5)]


def _inference(name, inputs, want, feature, epsilon) -> Case:
    types = function_type(inputs, want)
    body = f'%r = "stablehlo.batch_norm_inference"(%0, %1, %2, %3, %4) {attributes(feature, epsilon)} : {types}'
    return Case(name, inputs, body, [want], 4 * ROUNDING[want.dtype.name])


@file
def batch_norm_training() -> list[Case]:
    example = [np.array([[[0, 0], [2, 2]], [[2, 2], [0, 0]]], np.float32), np.array([2, 3], np.float32), ONES]
    out = [_training("example", [EXAMPLE, ONES, ONES], example, 2, 0.0)]
    for shape, feature, kind in shapes():
        inputs = data(*shape, feature=feature, kind=kind)[:3]
        x, scale, offset = (v.astype(np.float64) for v in inputs)
        mean, variance = moments(x, feature)
        wants = [normalized(x, scale, offset, mean, variance, feature, 0.125), mean, variance]
        out.append(
            _training(name_of(shape, feature, kind), inputs, [w.astype(DTYPES[kind]) for w in wants], feature, 0.125)
        )
    return out


def _training(name, inputs, wants, feature, epsilon) -> Case:
    types = function_type(inputs, *wants)
    body = f'%r0, %r1, %r2 = "stablehlo.batch_norm_training"(%0, %1, %2) {attributes(feature, epsilon)} : {types}'
    return Case(name, inputs, body, wants, 4 * ROUNDING[wants[0].dtype.name])


@file
def batch_norm_grad() -> list[Case]:
    example = [EXAMPLE, ONES, np.array([2, 3], np.float32), ONES, np.full((2, 2, 2), 0.1, np.float32)]
    wants = [np.zeros((2, 2, 2), np.float32), np.zeros(2, np.float32), np.full(2, 0.4, np.float32)]
    out = [_gradient("example", example, wants, 2, 0.0)]
    for shape, feature, kind in shapes():
        x, scale, offset = data(*shape, feature=feature, kind=kind)[:3]
        back = np.random.default_rng(5).integers(-4, 5, shape).astype(x.dtype)
        mean, variance = moments(x.astype(np.float64), feature)
        wants = _by_complex_steps(*(v.astype(np.complex128) for v in (x, scale, offset, back)), feature, 0.125)
        inputs = [x, scale, mean.astype(x.dtype), variance.astype(x.dtype), back]
        if kind in ("f32", "f64"):
            out.append(
                _gradient(name_of(shape, feature, kind), inputs, [w.astype(x.dtype) for w in wants], feature, 0.125)
            )
    return out


def _by_complex_steps(x, scale, offset, back, feature, epsilon) -> list[np.ndarray]:
    """The gradient of sum(back * batch_norm_training(x, scale, offset)) with respect to each of the three."""
    arrays, gradients = [x, scale, offset], []
    for array in arrays:
        gradient = np.zeros(array.shape)
        for index in np.ndindex(array.shape):
            array[index] += 1e-30j
            total = (back * normalized(*arrays, *moments(arrays[0], feature), feature, epsilon)).sum()
            gradient[index] = total.imag / 1e-30
            array[index] -= 1e-30j
        gradients.append(gradient)
    return gradients


def _gradient(name, inputs, wants, feature, epsilon) -> Case:
    types = function_type(inputs, *wants)
    body = f'%r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%0, %1, %2, %3, %4) {attributes(feature, epsilon)} : {types}'
    return Case(name, inputs, body, wants, 20 * ROUNDING[wants[0].dtype.name])
