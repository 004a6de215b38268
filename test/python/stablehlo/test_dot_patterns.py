"""Contractions over one element, which are products of broadcasts, and over two or three, which are sums of such, beside numpy's."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo

ELEMENTS = {
    "i8": np.int8,
    "ui16": np.uint16,
    "i32": np.int32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
}
TYPES = [(e, e) for e in ELEMENTS] + [("i8", "i32"), ("bf16", "f32"), ("f16", "f64"), ("f32", "f64")]


def product(target, x, y, element, result, dimensions, sizes):
    shapes = ["x".join(map(str, a.shape)) for a in (x, y)]
    size = "x".join(map(str, sizes))
    types = f"(tensor<{shapes[0]}x{element}>, tensor<{shapes[1]}x{element}>) -> tensor<{size}x{result}>"
    text = f"""func.func @main(%x: tensor<{shapes[0]}x{element}>, %y: tensor<{shapes[1]}x{element}>) -> tensor<{size}x{result}> {{
  %0 = stablehlo.dot_general %x, %y, {dimensions} : {types}
  return %0 : tensor<{size}x{result}>
}}"""
    return hlo.compile(text, target=target)(x, y)[0]


def numbers(rng, shape, dtype):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 120, shape).astype(dtype)
    if np.issubdtype(dtype, np.complexfloating):
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("element, result", TYPES)
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_products_of_broadcasts(target, element, result):
    """Of rank 4 and 3: a batch, a contracted dimension of 1 in the middle, the rest."""
    rng = np.random.default_rng(5)
    x, y = (numbers(rng, shape, ELEMENTS[element]) for shape in ((3, 1, 2, 5), (7, 2, 1)))
    left, right = (a.astype(ELEMENTS[result]) for a in (x, y))
    wide = left.transpose(2, 0, 3, 1) * right.transpose(1, 2, 0)[:, None]
    found = product(
        target, x, y, element, result, "batching_dims = [2] x [1], contracting_dims = [1] x [2]", (2, 3, 5, 7)
    )
    np.testing.assert_allclose(found.astype(wide.dtype), wide, rtol=1e-6)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_zeros_have_no_sign_and_no_number_stays_none(target):
    x = np.array([[-0.0], [1.0], [np.inf], [np.nan]], np.float32)
    y = np.array([[1.0, -0.0, 2.0]], np.float32)
    found = product(target, x, y, "f32", "f32", "contracting_dims = [1] x [0]", (4, 3))
    assert not np.signbit(found[:2]).any()
    assert np.isnan(found[2, 1]) and np.isnan(found[3]).all() and found[2, 0] == np.inf


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_empty_results(target):
    x, y = np.zeros((0, 1), np.float32), np.zeros((1, 3), np.float32)
    assert product(target, x, y, "f32", "f32", "contracting_dims = [1] x [0]", (0, 3)).shape == (0, 3)


@pytest.mark.parametrize("element, result", TYPES)
@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("terms", [2, 3])
def test_sums_of_few_products(target, element, result, terms):
    """Contracted dimensions in front on one side, at the end on the other."""
    rng = np.random.default_rng(terms)
    x, y = (numbers(rng, shape, ELEMENTS[element]) for shape in ((3, terms, 20), (3, 17, terms)))
    exact = np.einsum("bkm,bnk->bmn", *(a.astype(_widest(ELEMENTS[result])) for a in (x, y)))
    dimensions = "batching_dims = [0] x [0], contracting_dims = [1] x [2]"
    found = product(target, x, y, element, result, dimensions, (3, 20, 17))
    if np.issubdtype(ELEMENTS[result], np.integer):
        np.testing.assert_array_equal(found, exact.astype(ELEMENTS[result]))
    else:
        epsilon = float(ml_dtypes.finfo(ELEMENTS[result]).eps)
        np.testing.assert_allclose(found.astype(exact.dtype), exact, rtol=epsilon, atol=4 * epsilon * abs(exact).max())


def _widest(dtype):
    if np.issubdtype(dtype, np.integer):
        return np.int64
    return np.complex128 if np.issubdtype(dtype, np.complexfloating) else np.float64


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_sums_of_nothing_but_negative_zeros_are_zero(target):
    x, y = np.full((20, 2), -0.0, np.float32), np.ones((2, 20), np.float32)
    found = product(target, x, y, "f32", "f32", "contracting_dims = [1] x [0]", (20, 20))
    assert (found == 0).all() and not np.signbit(found).any()
