"""Loops whose turns are independent have a thread a turn on a GPU; other loops have one thread."""

import numpy as np
import pytest

import hlo
from hlo.runtime.gpu.plan import Launch

SORT = """func.func @main(%x: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
  %0 = "stablehlo.sort"(%x) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{dimension = 1 : i64, is_stable = true}} : (tensor<{shape}xf32>) -> tensor<{shape}xf32>
  return %0 : tensor<{shape}xf32> }}"""

CHOLESKY = """func.func @main(%x: tensor<{n}x5x5xf32>) -> tensor<{n}x5x5xf32> {{
  %0 = stablehlo.cholesky %x, lower = true : tensor<{n}x5x5xf32>
  return %0 : tensor<{n}x5x5xf32> }}"""


def threads(exe) -> list[int]:
    return [step.blocks * step.threads for step in exe.program.plan.steps if isinstance(step, Launch)]


@pytest.mark.parametrize("lines, most", [(70, None), (70, 30), (1, None)])
def test_sorts_of_many_lines(lines: int, most: int | None, monkeypatch) -> None:
    """`most`: lines whose temporaries there is room for at once."""
    if most:
        monkeypatch.setattr("hlo.lowering.gpu.independent.MOST_BYTES", most * 256)
    exe = hlo.compile(SORT.format(shape=f"{lines}x40"), target="gpu", device="model", cache=False)
    x = np.random.default_rng(1).normal(size=(lines, 40)).astype(np.float32)
    assert np.array_equal(exe(x)[0], np.sort(x, axis=1))
    assert max(threads(exe)) >= min(lines, most or lines)
    assert (1 in threads(exe)) == (lines == 1)


def test_factorisations_of_many_matrices() -> None:
    a = np.random.default_rng(2).normal(size=(40, 5, 5)).astype(np.float32)
    x = a @ a.transpose(0, 2, 1) + 5 * np.eye(5, dtype=np.float32)
    exe = hlo.compile(CHOLESKY.format(n=40), target="gpu", device="model")
    np.testing.assert_allclose(np.tril(exe(x)[0]), np.linalg.cholesky(x.astype(np.float64)), rtol=1e-4, atol=1e-5)
    assert min(threads(exe)) >= 40
