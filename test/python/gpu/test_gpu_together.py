"""Elementwise ops over the same elements are one launch on a GPU, if no thread needs what another one writes."""

import numpy as np
import pytest
from test_gpu_assembler import PTXAS, assemble

import hlo
from hlo.runtime.gpu.plan import Launch

STEP = """
func.func @main(%w: tensor<{n}xf32>, %m: tensor<{n}xf32>, %g: tensor<{n}xf32>) -> (tensor<{n}xf32>, tensor<{n}xf32>) {{
  %part = stablehlo.constant dense<0.5> : tensor<{n}xf32>
  %0 = stablehlo.multiply %m, %part : tensor<{n}xf32>
  %1 = stablehlo.add %0, %g : tensor<{n}xf32>
  %2 = stablehlo.{of} %1{how} : tensor<{n}xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<{n}xf32>
  return %3, %1 : tensor<{n}xf32>, tensor<{n}xf32>
}}
"""


def compiled(text: str, **options):
    return hlo.compile(text, target="gpu", cache=False, **options)


def launches(exe) -> int:
    return sum(isinstance(step, Launch) for step in exe.program.plan.steps)


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_two_results_of_the_same_elements(n: int) -> None:
    exe = compiled(STEP.format(n=n, of="negate", how=""), device="model")
    assert launches(exe) == 1
    w, m, g = (np.random.default_rng(seed).integers(-9, 9, n).astype(np.float32) for seed in range(3))
    found, moment = exe(w, m, g)
    assert np.array_equal(moment, m / 2 + g) and np.array_equal(found, w + (m / 2 + g))


def test_what_other_threads_write_is_another_launch() -> None:
    exe = compiled(STEP.format(n=1000, of="reverse", how=", dims = [0]"), device="model")
    w, m, g = (np.random.default_rng(seed).integers(-9, 9, 1000).astype(np.float32) for seed in range(3))
    found, moment = exe(w, m, g)
    assert np.array_equal(moment, m / 2 + g) and np.array_equal(found, w - (m / 2 + g)[::-1])


@pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")
def test_each_array_is_read_once(tmp_path) -> None:
    """What was written is not read again: it is in registers."""
    for arch in ("sm_80", "sm_90a"):
        code = compiled(STEP.format(n=1 << 20, of="negate", how=""), arch=arch).program.code
        assert code.count("ld.global.v4") == 3 and code.count("st.global.v4") == 2
        assert not any(any(sizes[1:]) for sizes in assemble(code, arch, tmp_path).values())
