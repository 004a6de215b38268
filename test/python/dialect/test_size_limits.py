"""Arrays that are too large for any machine, or for this one: an error that says how large."""

import numpy as np
import pytest

import hlo

CONVOLUTION = """func.func @main(%x: tensor<1x2147483648x2147483647x1xf32>, %w: tensor<3x3x1x1xf32>) -> tensor<1x2147483646x2147483645x1xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x2147483648x2147483647x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x2147483646x2147483645x1xf32>
  return %0 : tensor<1x2147483646x2147483645x1xf32>
}"""


def iota(count):
    return f"func.func @main() -> tensor<{count}xf64> {{ %0 = stablehlo.iota dim = 0 : tensor<{count}xf64>\n return %0 : tensor<{count}xf64> }}"


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("text", [CONVOLUTION, iota(2**62), iota(2**44)])
def test_too_large_for_any_machine(text, target):
    with pytest.raises(hlo.CompileError, match="bytes: at most 70368744177664 are supported"):
        hlo.compile(text, target=target, cache=False)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_too_large_for_this_machine(target):
    executable = hlo.compile(iota(2**42), target=target, cache=False)
    with pytest.raises(hlo.HloError, match="not enough memory"):
        executable()


EMPTY = "tensor<0x9223372036854775807xf32>"
EMPTY_CONSTANT = f"func.func @main() -> {EMPTY} {{ %0 = stablehlo.constant dense<> : {EMPTY}\n return %0 : {EMPTY} }}"
EMPTY_ARGUMENT = (
    f"func.func @main(%x: {EMPTY}) -> {EMPTY} {{ %0 = stablehlo.negate %x : {EMPTY}\n return %0 : {EMPTY} }}"
)


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("text", [EMPTY_CONSTANT, EMPTY_ARGUMENT])
def test_strides_of_empty_arrays_fit_too(text, target):
    with pytest.raises(hlo.CompileError, match="strides of 36893488147419103228 bytes: at most"):
        hlo.compile(text, target=target, cache=False)


def test_empty_arrays_may_have_large_sizes():
    text = "func.func @main(%x: tensor<0x4294967296xi8>) -> tensor<0x4294967296xi8> { %0 = stablehlo.not %x : tensor<0x4294967296xi8>\n return %0 : tensor<0x4294967296xi8> }"
    (found,) = hlo.compile(text, cache=False)(np.zeros((0, 2**32), np.int8))
    assert found.shape == (0, 2**32)


def test_a_transform_whose_table_is_too_large():
    text = """func.func @main(%x: tensor<1x4294967296xcomplex<f32>>) -> tensor<1x4294967296xcomplex<f32>> {
      %0 = stablehlo.fft %x, type = FFT, length = [4294967296] : (tensor<1x4294967296xcomplex<f32>>) -> tensor<1x4294967296xcomplex<f32>>
      return %0 : tensor<1x4294967296xcomplex<f32>> }"""
    with pytest.raises(
        hlo.CompileError, match=r":2:12: .*transforms of at most 268435456 elements are supported, found 4294967296"
    ):
        hlo.compile(text, cache=False)
