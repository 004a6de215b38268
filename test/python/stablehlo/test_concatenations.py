"""Rotations by numbers that the program computes, paddings by reflection, and arrays by turns: against numpy."""

import jax
import jax.numpy as jnp
import ml_dtypes
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


@pytest.mark.parametrize(
    "element, dtype", [("f32", np.float32), ("f64", np.float64), ("i16", np.int16), ("bf16", ml_dtypes.bfloat16)]
)
@pytest.mark.parametrize(
    "sizes, d", [([1], 0), ([2], 0), ([7], 0), ([3, 5], 1), ([5, 3], 0), ([2, 33, 4], 1), ([2, 64, 4], 1)]
)
def test_sums_of_arrays_by_turns(sizes, d, element, dtype):
    """Padded with zeros between their elements, as `jax.lax.associative_scan` writes it; -0.0 becomes 0.0."""
    rng = np.random.default_rng(sum(sizes))
    x = rng.integers(-2, 3, sizes).astype(dtype)
    if element != "i16":
        x = -x  # zeros of both signs
    y = x[tuple(slice(0, n - (n > 1) * (n % 2) * (k == d)) for k, n in enumerate(sizes))] * dtype(2)
    total = [x.shape[k] + y.shape[k] if k == d else n for k, n in enumerate(sizes)]
    kinds = ["x".join(map(str, [*shape, element])) for shape in (sizes, y.shape, total)]
    row = lambda number: "[" + ", ".join(str(number * (k == d)) for k in range(len(sizes))) + "]"
    tail = int(x.shape[d] == y.shape[d]), int(x.shape[d] > y.shape[d])
    text = f"""func.func @main(%x: tensor<{kinds[0]}>, %y: tensor<{kinds[1]}>) -> tensor<{kinds[2]}> {{
      %zero = stablehlo.constant dense<0{"" if element == "i16" else ".0"}> : tensor<{element}>
      %a = stablehlo.pad %x, %zero, low = {row(0)}, high = {row(tail[0])}, interior = {row(1)} : (tensor<{kinds[0]}>, tensor<{element}>) -> tensor<{kinds[2]}>
      %b = stablehlo.pad %y, %zero, low = {row(1)}, high = {row(tail[1])}, interior = {row(1)} : (tensor<{kinds[1]}>, tensor<{element}>) -> tensor<{kinds[2]}>
      %s = stablehlo.add %a, %b : tensor<{kinds[2]}>
      return %s : tensor<{kinds[2]}>
    }}"""
    expected = np.zeros(total, dtype)
    turn = lambda start: tuple(slice(start, None, 2) if k == d else slice(None) for k in range(len(sizes)))
    expected[turn(0)], expected[turn(1)] = x + dtype(0), y + dtype(0)
    found = np.asarray(hlo.compile(text)(x, y)[0])
    assert found.tobytes() == expected.tobytes()
