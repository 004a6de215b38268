"""Rotations by numbers that the program computes, and paddings by reflection: against numpy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo

ROTATED = """
func.func @main(%x: tensor<3x7x90xf32>, %n: tensor<{index}>) -> tensor<3x7x90xf32> {{
  %0 = stablehlo.constant dense<0> : tensor<{index}>
  %1 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<3x7x90xf32>, tensor<3x7x90xf32>) -> tensor<3x14x90xf32>
  %2 = stablehlo.dynamic_slice %1, %0, %n, %0, sizes = [3, 7, 90]
      : (tensor<3x14x90xf32>, tensor<{index}>, tensor<{index}>, tensor<{index}>) -> tensor<3x7x90xf32>
  return %2 : tensor<3x7x90xf32>
}}"""
X = np.arange(3 * 7 * 90, dtype=np.float32).reshape(3, 7, 90)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.int8])
def test_starts_are_clamped(dtype: type) -> None:
    index = np.dtype(dtype).name.replace("uint", "ui").replace("int", "i")
    exe = hlo.compile(ROTATED.format(index=index))
    for start in (0, 3, 6, 7, 8, 100, *([] if index[0] == "u" else [-1]), np.iinfo(dtype).max, np.iinfo(dtype).min):
        expected = np.roll(X, -min(max(int(start), 0), 7), 1)
        np.testing.assert_array_equal(exe(X, np.array(start, dtype))[0], expected)


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "edge"])
def test_paddings(mode: str) -> None:
    x = X[0]
    text = jax.jit(lambda x: jnp.pad(x, ((3, 5), (20, 1)), mode=mode)).lower(x).as_text()
    exe = hlo.compile(text, keep_phases=True)
    np.testing.assert_array_equal(exe(x)[0], np.pad(x, ((3, 5), (20, 1)), mode=mode))
    assert exe.phases["stablehlo"].count("stablehlo.concatenate") <= 2
