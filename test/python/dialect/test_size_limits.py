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


MANY = f"tensor<{'1x' * 65}f32>"
MANY_CONSTANT = f"func.func @main() -> {MANY} {{ %0 = stablehlo.constant dense<1.0> : {MANY}\n return %0 : {MANY} }}"
MANY_INSIDE = f"func.func @main(%x: tensor<f32>) -> tensor<f32> {{ %0 = stablehlo.reshape %x : (tensor<f32>) -> {MANY}\n %1 = stablehlo.reshape %0 : ({MANY}) -> tensor<f32>\n return %1 : tensor<f32> }}"
MANY_ARGUMENT = f"func.func @main(%x: {MANY}) -> {MANY} {{ %0 = stablehlo.negate %x : {MANY}\n return %0 : {MANY} }}"


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("text", [MANY_CONSTANT, MANY_INSIDE, MANY_ARGUMENT])
def test_more_dimensions_than_numpy_has(text, target):
    with pytest.raises(hlo.CompileError, match="has 65 dimensions: at most 64 are supported"):
        hlo.compile(text, target=target, cache=False)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_as_many_dimensions_as_numpy_has(target):
    text = MANY_ARGUMENT.replace("1x" * 65, "1x" * 62 + "2x1x").replace("negate", "cosine")
    x = np.array([1.0, 2.0], np.float32).reshape((1,) * 62 + (2, 1))
    (found,) = hlo.compile(text, target=target, cache=False)(x)
    np.testing.assert_allclose(found, np.cos(x), rtol=1e-6)


TWO_BILLION = "tensor<2147483648x2147483648xcomplex<f64>>"
LONG_AND_EMPTY = "tensor<0x9223372036854775807x9223372036854775807xi4>"


@pytest.mark.parametrize("t", [TWO_BILLION, LONG_AND_EMPTY, MANY])
@pytest.mark.parametrize(
    "words", [["--compile-to=llvm"], ["--legalize-element-types"], ["--target=cpu"], ["--canonicalize"]]
)
def test_passes_run_on_no_such_arrays(t, words, tmp_path, capsys):
    from hlo.tools import hlo_opt

    path = tmp_path / "large.mlir"
    path.write_text(f"func.func @main(%x: {t}) -> {t} {{ %0 = stablehlo.add %x, %x : {t}\n return %0 : {t} }}\n")
    assert hlo_opt.main([str(path)]) == 0
    assert hlo_opt.main([str(path), *words]) == 1
    assert "large.mlir:1:" in (error := capsys.readouterr().err)
    assert "are supported" in error


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
