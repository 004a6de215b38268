"""convolution: all attributes, against JAX."""

import jax
import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_op

import hlo

RANDOM = np.random.default_rng(0)
NHWC = ("NHWC", "HWIO", "NHWC")
NCHW = ("NCHW", "OIHW", "NCHW")

CASES = {
    "same": ((2, 8, 9, 3), (3, 3, 3, 4), dict(window_strides=(1, 1), padding="SAME", dimension_numbers=NHWC)),
    "no padding": ((2, 8, 9, 3), (3, 3, 3, 4), dict(window_strides=(2, 1), padding="VALID", dimension_numbers=NHWC)),
    "dilations": (
        (2, 3, 8, 9),
        (4, 3, 3, 2),
        dict(
            window_strides=(2, 1),
            padding=[(1, 2), (0, 3)],
            lhs_dilation=(2, 1),
            rhs_dilation=(1, 2),
            dimension_numbers=NCHW,
        ),
    ),
    "negative padding": (
        (2, 3, 8, 9),
        (4, 3, 3, 2),
        dict(
            window_strides=(2, 1),
            padding=[(-1, 2), (-2, -1)],
            lhs_dilation=(2, 3),
            rhs_dilation=(1, 2),
            dimension_numbers=NCHW,
        ),
    ),
    "feature groups": (
        (2, 8, 9, 6),
        (3, 3, 2, 9),
        dict(window_strides=(1, 1), padding="VALID", dimension_numbers=NHWC, feature_group_count=3),
    ),
    "depthwise": (
        (2, 8, 9, 6),
        (3, 3, 1, 12),
        dict(window_strides=(2, 2), padding="SAME", dimension_numbers=NHWC, feature_group_count=6),
    ),
    "one of many features": (
        (2, 48, 8, 9),
        (3, 16, 3, 2),
        dict(window_strides=(1, 2), padding="SAME", dimension_numbers=NCHW, feature_group_count=3),
    ),
    "one of many features, dilated": (
        (34, 2, 5, 6),
        (3, 4, 17, 2),
        dict(
            window_strides=(1, 1),
            padding=[(2, 3), (-1, 4)],
            lhs_dilation=(2, 1),
            rhs_dilation=(1, 2),
            dimension_numbers=("CNHW", "HWIO", "NCHW"),
            feature_group_count=2,
        ),
    ),
    "batch groups": (
        (4, 8, 9, 6),
        (3, 3, 6, 4),
        dict(window_strides=(1, 1), padding="VALID", dimension_numbers=NHWC, batch_group_count=2),
    ),
    "one dimension": (
        (2, 11, 3),
        (4, 3, 5),
        dict(window_strides=(2,), padding=[(2, 1)], dimension_numbers=("NWC", "WIO", "NWC")),
    ),
    "three dimensions": (
        (1, 4, 5, 6, 2),
        (2, 3, 2, 2, 3),
        dict(window_strides=(1, 2, 1), padding="SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")),
    ),
    "no spatial dimension": (
        (4, 3),
        (5, 3),
        dict(window_strides=(), padding="VALID", dimension_numbers=lax.ConvDimensionNumbers((0, 1), (0, 1), (0, 1))),
    ),
    "odd order": (
        (3, 8, 2, 9),
        (4, 3, 2, 3),
        dict(
            window_strides=(1, 1),
            padding="SAME",
            dimension_numbers=lax.ConvDimensionNumbers((2, 0, 3, 1), (0, 1, 3, 2), (1, 3, 0, 2)),
        ),
    ),
}


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("name", CASES)
def test_attributes(name):
    lhs, rhs, options = CASES[name]
    check_jax(lambda a, b: lax.conv_general_dilated(a, b, **options), normal(*lhs), normal(*rhs))


@pytest.mark.parametrize("name", ["same", "depthwise"])
def test_gradients(name):
    lhs, rhs, options = CASES[name]
    loss = lambda a, b: (lax.conv_general_dilated(a, b, **options) ** 2).sum()
    check_jax(jax.grad(loss, (0, 1)), normal(*lhs), normal(*rhs))


def test_window_reversal():
    """A reversed window sees its elements backwards: the kernel reversed."""
    a, b = normal(1, 7, 8, 2), normal(3, 2, 2, 4)
    options = dict(window_strides=(2, 1), padding=[(1, 0), (0, 0)], rhs_dilation=(1, 2), dimension_numbers=NHWC)
    expected = lax.conv_general_dilated(a, b[::-1], **options)
    window = "{stride = [2, 1], pad = [[1, 0], [0, 0]], rhs_dilate = [1, 2], reverse = [true, false]}"
    numbers = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
    groups = "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    body = f"%result = stablehlo.convolution(%0, %1) dim_numbers = {numbers}, window = {window} {groups} : %T"
    check_op(body, [a, b], [np.asarray(expected)])


def test_integers():
    a, b = RANDOM.integers(-9, 9, (1, 5, 5, 2)).astype(np.int32), RANDOM.integers(-9, 9, (2, 2, 2, 3)).astype(np.int32)
    check_jax(lambda a, b: lax.conv_general_dilated(a, b, (1, 1), "SAME", dimension_numbers=NHWC), a, b)


def test_padding_that_takes_away_all():
    """No window is left, however much is taken away."""
    for padding in (-4, -(2**63)):
        text = f"""func.func @main(%a: tensor<1x7x2xf32>, %b: tensor<1x2x3xf32>) -> tensor<1x0x3xf32> {{
          %0 = "stablehlo.convolution"(%a, %b) {{padding = dense<{padding}> : tensor<1x2xi64>,
            dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64,
            batch_group_count = 1 : i64}} : (tensor<1x7x2xf32>, tensor<1x2x3xf32>) -> tensor<1x0x3xf32>
          return %0 : tensor<1x0x3xf32>
        }}"""
        (result,) = hlo.compile(text)(np.ones((1, 7, 2), np.float32), np.ones((1, 2, 3), np.float32))
        assert result.shape == (1, 0, 3)


def test_narrow_sums_of_many_features_walk_along_them():
    """Windows of one output feature a group are dot products of features, which a transpose puts last."""
    text = """func.func @main(%x: tensor<2x64x9x9xf32>, %k: tensor<4x16x3x3xf32>) -> tensor<2x4x7x7xf32> {
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
       {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x64x9x9xf32>, tensor<4x16x3x3xf32>) -> tensor<2x4x7x7xf32>
  return %r : tensor<2x4x7x7xf32> }"""
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    assert "tensor<2x9x9x64xf32>" in str(module) and 'vectorize = "k"' in str(module)


SMALLER = {
    "1x1": ((3, 1, 1, 8), (3, 5, 8, 4), (1, 1), [(1, 1), (2, 2)], (1, 1), (1, 1), 1),
    "2x3, strides": ((3, 2, 3, 8), (7, 7, 4, 6), (2, 1), [(3, 3), (3, 3)], (1, 1), (1, 1), 2),
    "a dilated kernel": ((2, 3, 2, 6), (5, 3, 1, 6), (1, 1), [(4, 5), (2, 3)], (1, 1), (2, 3), 6),
    "a dilated input": ((2, 3, 2, 4), (7, 5, 4, 4), (1, 2), [(5, 6), (4, 2)], (2, 3), (1, 1), 1),
    "more padding on one side": ((2, 2, 2, 4), (4, 3, 4, 4), (1, 1), [(0, 5), (6, 0)], (1, 1), (1, 1), 1),
    "negative padding": ((2, 5, 5, 4), (3, 6, 4, 4), (1, 1), [(-3, 4), (4, -3)], (1, 1), (1, 1), 1),
    "windows beside the input": ((2, 1, 2, 3), (2, 2, 3, 4), (5, 7), [(3, 4), (6, 5)], (1, 1), (1, 1), 1),
}


@pytest.mark.parametrize("case", SMALLER)
def test_inputs_that_are_smaller_than_the_kernel(case):
    """Elements of the kernel that meet padding alone are left out."""
    left, right, strides, padding, base, dilation, groups = SMALLER[case]
    options = dict(window_strides=strides, padding=padding, lhs_dilation=base, rhs_dilation=dilation)
    options |= dict(dimension_numbers=NHWC, feature_group_count=groups)
    check_jax(lambda a, b: lax.conv_general_dilated(a, b, **options), normal(*left), normal(*right))


def test_a_reversed_window_over_a_smaller_input():
    a, b = normal(2, 2, 3), normal(6, 3, 4)
    options = dict(window_strides=(1,), padding=[(5, 1)], dimension_numbers=("NWC", "WIO", "NWC"))
    expected = lax.conv_general_dilated(a, b[::-1], **options)
    window = "{pad = [[5, 1]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"
    body = (
        f"%result = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {window} : %T"
    )
    check_op(body, [a, b], [np.asarray(expected)])


@pytest.mark.parametrize(("size", "kernel"), [(1, 3), (2, 5), (3, 7)])
def test_elements_of_the_kernel_that_meet_padding_alone_reach_no_result(size, kernel):
    """As XLA has it: an infinity that only zeros of padding meet leaves results finite."""
    x, w = np.ones((1, size, 4), np.float32), np.full((kernel, 4, 4), np.inf, np.float32)
    w[1:-1] = 1.0
    function = lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))
    (found,) = hlo.compile(jax.jit(function).lower(x, w).as_text())(x, w)
    np.testing.assert_array_equal(found, np.full((1, size, 4), 4.0 * size))
