"""Sums of no products on the numpy model of a GPU: zero in every element type, of operands that are given or computed."""

import numpy as np
import pytest
from gpu_products import on_model

from hlo.dialect.numpy_types import DTYPES

KINDS = ("i1", "i2", "ui2", "i4", "ui4", "i8", "ui32", "i64", "f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E3M4", "f8E4M3FN", "f8E5M2",
         "f16", "bf16", "f32", "f64", "complex<f32>")  # fmt: skip

PRODUCTS = """
func.func @main(%x: tensor<2x5x0x{kind}>, %y: tensor<2x0x3x{kind}>) -> (tensor<2x5x3x{kind}>, tensor<2x5x3x{kind}>, tensor<{kind}>, tensor<5x7x3x{kind}>) {{
  %a = stablehlo.{op} %x, %x : tensor<2x5x0x{kind}>
  %b = stablehlo.{op} %y, %y : tensor<2x0x3x{kind}>
  %c = stablehlo.reshape %a : (tensor<2x5x0x{kind}>) -> tensor<5x9x0x{kind}>
  %d = stablehlo.reshape %b : (tensor<2x0x3x{kind}>) -> tensor<3x0x3x{kind}>
  %p = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x0x{kind}>, tensor<2x0x3x{kind}>) -> tensor<2x5x3x{kind}>
  %q = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x5x0x{kind}>, tensor<2x0x3x{kind}>) -> tensor<2x5x3x{kind}>
  %r = stablehlo.dot_general %a, %a, contracting_dims = [0, 1, 2] x [0, 1, 2] : (tensor<2x5x0x{kind}>, tensor<2x5x0x{kind}>) -> tensor<{kind}>
  %s = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
      : (tensor<5x9x0x{kind}>, tensor<3x0x3x{kind}>) -> tensor<5x7x3x{kind}>
  return %p, %q, %r, %s : tensor<2x5x3x{kind}>, tensor<2x5x3x{kind}>, tensor<{kind}>, tensor<5x7x3x{kind}>
}}
"""


@pytest.mark.parametrize("kind", KINDS)
def test_products_of_no_elements_sum_to_zero(kind: str) -> None:
    x, y = np.zeros((2, 5, 0), DTYPES[kind]), np.zeros((2, 0, 3), DTYPES[kind])
    found, _ = on_model(PRODUCTS.format(kind=kind, op="xor" if kind == "i1" else "add"), x, y)
    for one, shape in zip(found, ((2, 5, 3), (2, 5, 3), (), (5, 7, 3)), strict=True):
        assert np.array_equal(one, np.zeros(shape, DTYPES[kind]))
