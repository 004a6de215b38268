"""Bodies that use values from outside, constants and calls: in every op that has a body on elements."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

X = np.array([3, -1, 4, 1, -5], np.float32)
K = np.array(-2, np.float32)

SCALED = """
  %k2 = stablehlo.constant dense<0.5> : tensor<f32>
  %scale = stablehlo.multiply %k, %k2 : tensor<f32>
  %m = func.call @times(%b, %scale) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s = stablehlo.add %a, %m : tensor<f32>
  stablehlo.return %s : tensor<f32>"""
BINARY = f"({{\n^bb0(%a: tensor<f32>, %b: tensor<f32>):{SCALED}\n}})"
"""a - b, for k = -2."""

COMPARE = """({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %p = stablehlo.multiply %a, %k : tensor<f32>
  %q = stablehlo.multiply %b, %k : tensor<f32>
  %s = stablehlo.compare DIRECTION, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %s : tensor<i1>
})"""

SCATTER = "scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"

CASES = {
    "reduce": (
        f'"stablehlo.reduce"(%x, %zero) <{{dimensions = array<i64: 0>}}> {BINARY} : (tensor<5xf32>, tensor<f32>) -> tensor<f32>',
        -X.sum(),
    ),
    "map": (
        f'"stablehlo.map"(%x, %x) <{{dimensions = array<i64: 0>}}> {BINARY} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>',
        X - X,
    ),
    "sort": (
        f'"stablehlo.sort"(%x) <{{dimension = 0 : i64}}> {COMPARE.replace("DIRECTION", "LT")} : (tensor<5xf32>) -> tensor<5xf32>',
        -np.sort(-X),
    ),
    "scatter": (
        f'"stablehlo.scatter"(%x, %i, %x) <{{{SCATTER}}}> {BINARY} : (tensor<5xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<5xf32>',
        X - X[::-1],
    ),
    "reduce_window": (
        f'"stablehlo.reduce_window"(%x, %zero) <{{window_dimensions = array<i64: 2>}}> {BINARY} : (tensor<5xf32>, tensor<f32>) -> tensor<4xf32>',
        -X[:-1] - X[1:],
    ),
    "select_and_scatter": (
        f'"stablehlo.select_and_scatter"(%x, %y, %zero) <{{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}}> '
        f"{COMPARE.replace('DIRECTION', 'GE')[:-1]}, {BINARY[1:]} : (tensor<5xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>",
        np.array([0, -7, 0, -9, 0], np.float32),
    ),
}
"""Select_and_scatter chooses the smaller of each pair, as k is negative."""


@pytest.mark.parametrize("name", CASES)
def test_body(name):
    op, expected = CASES[name]
    result = op.rpartition("-> ")[2]
    text = f"""func.func private @times(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{
      %0 = stablehlo.multiply %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }}
    func.func @main(%x: tensor<5xf32>, %k: tensor<f32>, %i: tensor<5x1xi32>, %y: tensor<2xf32>) -> {result} {{
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r = {op}
      return %r : {result}
    }}"""
    positions, y = np.array([[4], [3], [2], [1], [0]], np.int32), np.array([7, 9], np.float32)
    (found,) = hlo.compile(text)(X, K, positions, y)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", ["cpu", "reference", "gpu"])
@pytest.mark.parametrize("returned", ["%m, %w", "%m, %k", "%v, %k"])
@pytest.mark.parametrize(
    "shape, axes", [((16, 1, 2), (0, 1, 2)), ((3, 64), (1,)), ((40, 3), (0,)), ((37,), (0,)), ((0, 4), (0,))]
)
def test_reducers_with_results_that_no_element_decides(shape, axes, returned, target):
    left = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    kinds = [f"tensor<{''.join(f'{n}x' for n in sizes)}{kind}>" for sizes in (shape, left) for kind in ("i8", "i32")]
    text = f"""func.func @main(%x: {kinds[0]}, %y: {kinds[1]}, %v: tensor<i8>, %w: tensor<i32>) -> ({kinds[2]}, {kinds[3]}) {{
      %least = stablehlo.constant dense<-128> : tensor<i8>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %k = stablehlo.constant dense<5> : tensor<i32>
      %r:2 = stablehlo.reduce(%x init: %least), (%y init: %zero) across dimensions = {list(axes)} : ({kinds[0]}, {kinds[1]}, tensor<i8>, tensor<i32>) -> ({kinds[2]}, {kinds[3]})
       reducer(%a: tensor<i8>, %b: tensor<i8>) (%c: tensor<i32>, %d: tensor<i32>) {{
        %m = stablehlo.maximum %a, %b : tensor<i8>
        stablehlo.return {returned} : tensor<i8>, tensor<i32>
      }}
      return %r#0, %r#1 : {kinds[2]}, {kinds[3]} }}"""
    random = np.random.default_rng(3)
    x, y = (random.integers(-99, 99, shape).astype(kind) for kind in (np.int8, np.int32))
    device = {"device": "model"} if target == "gpu" else {}
    first, second = hlo.compile(text, target=target, **device)(x, y, np.int8(7), np.int32(9))
    is_empty = 0 in shape
    maxima = np.full(left, -128) if is_empty else x.max(axes)
    np.testing.assert_array_equal(first, maxima if "%m" in returned or is_empty else np.full(left, 7))
    np.testing.assert_array_equal(second, np.full(left, 0 if is_empty else 9 if "%w" in returned else 5))
