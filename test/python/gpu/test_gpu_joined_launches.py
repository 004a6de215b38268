"""Small launches as one: loops whose every step a block of threads can do, launches one behind the other; on the numpy model."""

import numpy as np
import pytest
from gpu_products import with_mistake
from test_gpu_assembler import PTXAS, assemble
from test_gpu_conditions import NESTED

import hlo
from hlo import pipelines
from hlo.errors import HloError
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.plan import Copy, Launch

UNTIL = """
func.func @main(%x: tensor<{n}xf32>, %small: tensor<f32>) -> (tensor<i32>, tensor<{n}xf32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %factor = stablehlo.constant dense<0.5> : tensor<{n}xf32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<{n}xf32>
  cond {{
    %a = stablehlo.abs %v : tensor<{n}xf32>
    %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<{n}xf32>, tensor<f32>) -> tensor<f32>
    %c = stablehlo.compare GT, %m, %small : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %j = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.multiply %v, %factor : tensor<{n}xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<{n}xf32>
  }}
  return %0#0, %0#1 : tensor<i32>, tensor<{n}xf32>
}}
"""

SHORT = """
func.func @main(%x: tensor<128x10xf32>) -> (tensor<128xf32>, tensor<128x10xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<128x10xf32>, tensor<f32>) -> tensor<f32>
  %all = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<128xf32>
  %root = stablehlo.sqrt %all : tensor<128xf32>
  %b = stablehlo.broadcast_in_dim %root, dims = [0] : (tensor<128xf32>) -> tensor<128x10xf32>
  %r = stablehlo.subtract %x, %b : tensor<128x10xf32>
  return %root, %r : tensor<128xf32>, tensor<128x10xf32>
}
"""


SQUARE = UNTIL.format(n="64x64").replace("dimensions = [0]", "dimensions = [0, 1]")


def on_model(text: str):
    return hlo.compile(text, target="gpu", device="model", cache=False)


def kinds(exe) -> set[type]:
    return {type(step) for step in exe.program.plan.steps} - {type(None)}


def launches(exe) -> int:
    return sum(isinstance(step, Launch) for step in exe.program.plan.steps)


@pytest.mark.parametrize("n", [1, 40, 1000, 4096])
def test_a_loop_of_small_steps_is_one_launch(n: int) -> None:
    """The condition's reduction by a block, the rest by as many of its threads as there are elements."""
    exe = on_model(UNTIL.format(n=n))
    assert launches(exe) == 1 and "While" not in {kind.__name__ for kind in kinds(exe)}
    x = np.random.default_rng(n).normal(size=n).astype(np.float32)
    x[0] = 1
    turns, found = exe(x, np.float32(1e-3))
    wanted, value = 0, x
    while np.abs(value).max() > np.float32(1e-3):
        wanted, value = wanted + 1, value * np.float32(0.5)
    assert turns == wanted and np.array_equal(found, value)


def test_a_loop_that_never_begins_gives_its_arguments() -> None:
    x = np.arange(40, dtype=np.float32)
    turns, found = on_model(UNTIL.format(n=40))(x, np.float32(1e3))
    assert turns == 0 and np.array_equal(found, x)


def test_a_loop_with_a_large_step_stays_a_loop() -> None:
    exe = on_model(UNTIL.format(n=1 << 20))
    assert "While" in {kind.__name__ for kind in kinds(exe)}


@pytest.mark.parametrize("n", [0, 7])
def test_loops_in_loops_and_branches_are_one_launch(n: int) -> None:
    exe = on_model(NESTED)
    assert launches(exe) == 1
    x = np.random.default_rng(0).normal(size=2000).astype(np.float32)
    found, turns = exe(np.int32(n), x)
    value = x
    for i in range(n):
        value = value + value if i % 2 == 0 else -value
    assert np.array_equal(found, value) and turns == n * (n - 1) // 2


def test_small_launches_behind_each_other_are_one() -> None:
    exe = on_model(SHORT)
    assert launches(exe) == 1 and not any(isinstance(step, Copy) for step in exe.program.plan.steps)
    x = np.arange(1280, dtype=np.float32).reshape(128, 10) % 7
    root, r = exe(x)
    assert np.array_equal(root, np.full(128, np.sqrt(x.sum(dtype=np.float64)), np.float32))
    assert np.array_equal(r, x - root[:, None])


def test_the_model_finds_barriers_that_are_missing() -> None:
    """Where threads use what others have written; elsewhere a thread reads what it wrote itself."""
    text = UNTIL.format(n=700)
    program = on_model(text).program
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="device")
    lines = str(module)
    x = np.random.default_rng(3).normal(size=700).astype(np.float32)
    wanted = GpuExecutable(program)(x, np.float32(0.1))
    found = [
        noticed(with_mistake(program, lines, "gpu.barrier", n, ""), x, wanted)
        for n in range(lines.count("gpu.barrier"))
    ]
    assert found.count(True) >= 2, found


def noticed(program, x: np.ndarray, wanted: list[np.ndarray]) -> bool:
    try:
        return not all(map(np.array_equal, GpuExecutable(program)(x, np.float32(0.1)), wanted))
    except HloError:
        return True


@pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")
@pytest.mark.parametrize(
    "text", [UNTIL.format(n=4096), SQUARE, SHORT, NESTED], ids=["until", "square", "short", "nested"]
)
def test_joined_launches_are_assembled_without_spills(text: str, tmp_path) -> None:
    for arch in ("sm_80", "sm_90a"):
        code = hlo.compile(text, target="gpu", arch=arch, cache=False).program.code
        assert {kernel: sizes for kernel, sizes in assemble(code, arch, tmp_path).items() if any(sizes[1:])} == {}
