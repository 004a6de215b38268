"""chlo.scan and chlo.ragged_dot, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

SCAN = """func.func @main(%x: tensor<5x3xf32>, %s: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>) {
  %0:2 = "chlo.scan"(%x, %s) <{dimension = 0 : i64, is_reverse = REVERSE, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
    %sum = stablehlo.add %a, %c : tensor<3xf32>
    %product = stablehlo.multiply %a, %sum : tensor<3xf32>
    stablehlo.return %product, %sum : tensor<3xf32>, tensor<3xf32>
  }) : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<5x3xf32>, tensor<3xf32>
}"""


@pytest.mark.parametrize("reverse", [False, True])
def test_scan(reverse):
    x, start = np.arange(15, dtype=np.float32).reshape(5, 3), np.ones(3, np.float32)
    found, last = hlo.compile(SCAN.replace("REVERSE", str(reverse).lower()))(x, start)
    ordered = x[::-1] if reverse else x
    sums = 1 + np.cumsum(ordered, 0)
    expected = ordered * sums
    np.testing.assert_array_equal(found, expected[::-1] if reverse else expected)
    np.testing.assert_array_equal(last, sums[-1])


def ragged_dot(lhs, rhs, sizes, result, numbers):
    kinds = [
        f"tensor<{'x'.join(map(str, a.shape))}x{'f32' if a.dtype == np.float32 else 'i32'}>" for a in (lhs, rhs, sizes)
    ]
    text = f"""func.func @main(%a: {kinds[0]}, %b: {kinds[1]}, %g: {kinds[2]}) -> tensor<{result}xf32> {{
      %0 = "chlo.ragged_dot"(%a, %b, %g) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{numbers}>}}> : ({", ".join(kinds)}) -> tensor<{result}xf32>
      return %0 : tensor<{result}xf32>
    }}"""
    (found,), (reference,) = (hlo.compile(text, target=target)(lhs, rhs, sizes) for target in ("cpu", "reference"))
    np.testing.assert_array_equal(found, reference)
    return found


def numbers(generator, *shape):
    return generator.integers(-4, 5, shape).astype(np.float32)


SIZES = np.array([2, 0, 3], np.int32)
"""Of three groups: the first holds 0 and 1, the second nothing, the third 2 to 4. Position 5 belongs to none."""


def test_groups_of_rows():
    g = np.random.default_rng(0)
    lhs, rhs = numbers(g, 6, 4), numbers(g, 3, 4, 5)
    dimensions = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
    expected = np.concatenate([lhs[:2] @ rhs[0], lhs[2:5] @ rhs[2], np.zeros((1, 5))])
    np.testing.assert_array_equal(ragged_dot(lhs, rhs, SIZES, "6x5", dimensions), expected)


def test_groups_of_contracted_positions():
    g = np.random.default_rng(1)
    lhs, rhs = numbers(g, 2, 3, 6), numbers(g, 2, 6, 4)
    dimensions = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]"
    parts = [lhs[..., a:b] @ rhs[:, a:b] for a, b in ((0, 2), (2, 2), (2, 5))]
    np.testing.assert_array_equal(ragged_dot(lhs, rhs, SIZES, "3x2x3x4", dimensions), np.stack(parts))


def test_groups_of_rows_with_batch_and_the_group_dimension_last():
    g = np.random.default_rng(2)
    lhs, rhs = numbers(g, 2, 4, 6), numbers(g, 4, 2, 5, 3)
    dimensions = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [2], rhs_group_dimensions = [3]"
    parts = [np.einsum("bkm,kbn->bmn", lhs[..., a:b], rhs[..., i]) for i, (a, b) in enumerate(((0, 2), (2, 2), (2, 5)))]
    expected = np.concatenate([*parts, np.zeros((2, 1, 5))], 1)
    np.testing.assert_array_equal(ragged_dot(lhs, rhs, SIZES, "2x6x5", dimensions), expected)


def test_groups_of_a_batch_dimension():
    g = np.random.default_rng(3)
    lhs, rhs = numbers(g, 6, 2, 4), numbers(g, 6, 4, 5)
    dimensions = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]"
    np.testing.assert_array_equal(ragged_dot(lhs, rhs, SIZES, "6x2x5", dimensions), lhs @ rhs)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_group_does_not_see_what_is_not_its_own(number):
    g = np.random.default_rng(4)
    dimensions = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]"
    lhs, rhs = numbers(g, 6, 4), numbers(g, 3, 4, 5)
    expected = ragged_dot(lhs, rhs, SIZES, "6x5", dimensions)
    lhs[5], rhs[1], rhs[0, 2], expected[:2] = number, number, number, np.nan
    found = ragged_dot(lhs, rhs, SIZES, "6x5", dimensions)
    np.testing.assert_array_equal(found[2:], expected[2:])
    assert not np.isfinite(found[:2]).any()
    along = "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]"
    lhs, rhs = numbers(g, 3, 6), numbers(g, 6, 4)
    expected = ragged_dot(lhs, rhs, SIZES, "3x3x4", along)
    rhs[5], lhs[:, 0] = number, number
    np.testing.assert_array_equal(ragged_dot(lhs, rhs, SIZES, "3x3x4", along)[1:], expected[1:])
