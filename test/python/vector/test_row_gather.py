"""Rows picked by an index: lanes read elements that follow each other, so they are loaded, not gathered."""

import numpy as np
import pytest

import hlo

PROGRAM = """
func.func @main(%x: tensor<40x{n}xf32>, %i: tensor<9x1xi32>) -> tensor<9x{n}xf32> {{
  %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, {n}>, indices_are_sorted = false}}>
    : (tensor<40x{n}xf32>, tensor<9x1xi32>) -> tensor<9x{n}xf32>
  return %0 : tensor<9x{n}xf32>
}}
"""


@pytest.mark.parametrize("processor", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("n", [1, 5, 16, 37, 64, 130])
def test_rows(n: int, processor: str) -> None:
    x = np.arange(40 * n, dtype=np.float32).reshape(40, n)
    places = np.array([0, 39, 7, 7, 100, -3, 1, 20, 38], np.int32).reshape(9, 1)
    (found,) = hlo.compile(PROGRAM.format(n=n), cpu=processor)(x, places)
    np.testing.assert_array_equal(found, x[np.clip(places[:, 0], 0, 39)])


def test_no_gather_instruction() -> None:
    exe = hlo.compile(PROGRAM.format(n=64), keep_phases=True)
    assert "vector.gather" not in exe.phases["memory"]
    assert "vector.load" in exe.phases["memory"]
