"""Convolutions by warpgroups (TMA, wgmma) and by mma.sync, on the numpy model of a card, against numpy; planted mistakes are found."""

import re
from dataclasses import replace

import numpy as np
import pytest
from gpu_convolutions import Convolution
from gpu_products import by_warpgroups, launches, on_model
from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.registration import make_context
from hlo.lowering.gpu.remarks import launch_remarks
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of
from hlo.runtime.gpu.plan import Launch
from hlo.runtime.gpu.program import DeviceProgram

FILTER_GRADIENT = ("f01b", "i01o", "01bf")
FEATURES_FIRST = ("bf01", "oi01", "bf01")
INPUT_GRADIENT = ("b01f", "01oi", "b01f")
BY_WARPGROUPS = [
    Convolution((2, 12, 12, 64, 48, 3)),
    Convolution((3, 9, 11, 64, 40, 3), low=1, high=1),
    Convolution((2, 13, 10, 72, 40, 3), stride=2, low=1),
    Convolution((2, 9, 9, 64, 40, 5), low=2, high=2, dilation=2),
    Convolution((2, 9, 11, 64, 48, 1)),
    Convolution((3, 9, 11, 64, 48, 1), stride=3, kinds=("f16", "f32")),
    Convolution((2, 10, 9, 64, 40, 3), low=1, high=1, reverse=True),
    Convolution((2, 7, 7, 128, 64, 7), low=3, high=3),
    Convolution((2, 9, 9, 128, 96, 3), groups=2),
    Convolution((4, 9, 9, 64, 64, 3), batch_groups=2),
    Convolution((2, 10, 9, 64, 64, 3), low=1, high=1, kinds=("i8", "i32")),
    Convolution((2, 7, 6, 64, 64, 3), low=2, high=2, spread=2, layout=INPUT_GRADIENT),
    Convolution((64, 6, 6, 16, 40, 4), low=1, high=1, layout=FILTER_GRADIENT),
    Convolution((64, 9, 9, 24, 40, 4), dilation=2, layout=FILTER_GRADIENT),
    Convolution((2, 3, 3, 64, 40, 3)),
    Convolution((3, 5, 8, 64, 40, 3), stride=3),
    Convolution((3, 5, 6, 128, 40, 3), stride=4, high=1),
    Convolution((2, 14, 14, 64, 136, 3), low=1, high=1, layout=FEATURES_FIRST),
    Convolution((8, 11, 11, 64, 136, 3), low=1, stride=2, layout=FEATURES_FIRST),
    Convolution((2, 14, 14, 64, 136, 3), high=1, layout=FEATURES_FIRST, kinds=("i8", "i32")),
]


@pytest.fixture
def always(monkeypatch) -> None:
    """However little of the boxes is wanted, the whole depth at once."""
    monkeypatch.setattr("hlo.lowering.gpu.contraction.box_operands.LEAST_USE", 0)
    monkeypatch.setattr("hlo.lowering.gpu.contraction.split_k.MOST_PARTS", 1)
    monkeypatch.setattr("hlo.lowering.gpu.contraction.problem.LEAST", 1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("one", BY_WARPGROUPS, ids=str)
def test_convolutions_by_warpgroups(one: Convolution, monkeypatch, always) -> None:
    """Windows that begin everywhere, tiles and stages that are partly outside."""
    x, w = one.arrays()
    (found,) = GpuExecutable(by_warpgroups(one.program(), monkeypatch), ModelDriver())(x, w)
    assert np.array_equal(found.astype(np.float64), one.expected())


ELSEWHERE = [
    Convolution((16, 12, 11, 32, 136, 1), layout=("f01b", "i01o", "01bf"), kinds=("i8", "i32")),
    Convolution((17, 5, 6, 32, 40, 3), stride=3),
    Convolution((2, 9, 11, 40, 24, 3), stride=2, low=1, high=1),
    Convolution((2, 9, 9, 32, 40, 1)),
    Convolution((2, 9, 9, 24, 40, 3), low=1, high=1, layout=FEATURES_FIRST, kinds=("f16", "f32")),
    Convolution((2, 14, 14, 40, 136, 3), low=1, high=1, layout=FEATURES_FIRST),
    Convolution((2, 10, 10, 40, 136, 3), low=1, stride=2, layout=FEATURES_FIRST, kinds=("f32", "f32")),
    Convolution((2, 9, 9, 32, 40, 1), low=1, stride=2),
    Convolution((2, 7, 7, 32, 40, 3), low=1, high=1, kinds=("f8E4M3FN", "f32")),
    Convolution((2, 7, 7, 32, 40, 3), low=1, kinds=("f64", "f64")),
    Convolution((16, 6, 6, 16, 40, 4), low=1, high=1, layout=FILTER_GRADIENT),
    Convolution((2, 5, 5, 32, 24, 3), low=2, high=2, spread=2, layout=INPUT_GRADIENT),
    Convolution((2, 7, 7, 24, 24, 3), low=1, high=1, kinds=("f32", "f32")),
    Convolution((2, 7, 7, 32, 24, 3), low=1, high=1, kinds=("i8", "i32")),
    Convolution((4, 9, 9, 64, 64, 3), groups=2, low=1),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("one", ELSEWHERE, ids=str)
def test_convolutions_on_sm_80(one: Convolution) -> None:
    (found,), driver = on_model(one.program(), *one.arrays())
    assert np.array_equal(found.astype(np.float64), one.expected())
    assert driver.conflicts == 0


PLANTED = Convolution((4, 14, 14, 64, 64, 3))


def planted() -> tuple[np.ndarray, np.ndarray, str, DeviceProgram]:
    x, w = PLANTED.arrays()
    program = hlo.compile(PLANTED.program(), target="gpu", device="model", arch="sm_90a", cache=False).program
    module = hlo.parse(PLANTED.program())
    pipelines.run(module, gpu("sm_90a", "model"))
    assert np.array_equal(GpuExecutable(program, ModelDriver())(x, w)[0], PLANTED.expected())
    return x, w, str(module), program


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "old, new",
    [
        (r"(tma.async.load %\d+\[%\w+, )(%\w+), (%\w+), ", r"\1\3, \2, "),
        (r"(tma.async.load %\d+\[%\w+, )%\w+, ", r"\1%c0, "),
        (r"(tma.async.load %\d+\[%\w+, %\w+, %\w+, )%\w+", r"\1%c0"),
    ],
)
def test_planted_coordinates_in_windows_are_found(old: str, new: str, monkeypatch, always) -> None:
    """Places in a window that change places, a place and an image that stay the first."""
    by_warpgroups(PLANTED.program(), monkeypatch)
    x, w, right, program = planted()
    wrong, count = re.subn(old, new, right, count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    assert not np.array_equal(GpuExecutable(changed, ModelDriver())(x, w)[0], PLANTED.expected())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", [{"box": (64, 12, 2, 4)}, {"steps": (1, 2, 1, 1)}, {"sizes": (64, 13, 14, 4)}])
def test_planted_boxes_of_windows_are_found(change: dict, monkeypatch, always) -> None:
    by_warpgroups(PLANTED.program(), monkeypatch)
    x, w, _, program = planted()
    (launch,) = [step for step in program.plan.steps if isinstance(step, Launch)]
    first, second = launch.maps
    assert first.box == (64, 12, 4, 2)
    wrong = replace(launch, maps=(replace(first, **change), second))
    steps = tuple(wrong if step == launch else step for step in program.plan.steps)
    changed = replace(program, plan=replace(program.plan, steps=steps))
    assert not np.array_equal(GpuExecutable(changed, ModelDriver())(x, w)[0], PLANTED.expected())


def remarks(one: Convolution, arch: str) -> list[str]:
    module = hlo.parse(one.program())
    pipelines.run(module, gpu(arch), stop_after="memory")
    return [found.message for found in launch_remarks(module)]


def test_depths_in_parts_of_padded_inputs(monkeypatch, always) -> None:
    """Features are split, zeros around pixels are not in memory."""
    one = Convolution((2, 7, 7, 256, 64, 3), low=1, high=1)
    monkeypatch.setattr("hlo.lowering.gpu.contraction.split_k.MOST_PARTS", 4)
    program = by_warpgroups(one.program(), monkeypatch, multiprocessors=8)
    first, _ = [step for step in program.plan.steps if isinstance(step, Launch)]
    assert first.maps[0].sizes == (64, 4, 7, 7, 2)
    (found,) = GpuExecutable(program, ModelDriver())(*one.arrays())
    assert np.array_equal(found.astype(np.float64), one.expected())


def test_what_is_decided() -> None:
    """Boxes by TMA where enough of them is wanted."""
    large = Convolution((32, 16, 16, 256, 256, 3))
    *_, found = remarks(large, "sm_90a")
    assert "copies boxes of 32x2x2 by TMA" in found and "98 blocks" in found
    assert "mma.sync" in remarks(large, "sm_80")[-1]
    few = Convolution((32, 30, 30, 8, 64, 3))
    assert "mma.sync" in remarks(few, "sm_90a")[-1]


CHAIN = """func.func @main(%x: tensor<2x7x7x32xf16>, %v: tensor<3x3x32x32xf16>, %w: tensor<3x3x32x32xf16>, %b: tensor<32xf32>) -> tensor<2x7x7x32xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<2x7x7x32xf32>
  %0 = {0}(%x, %v) {1} : (tensor<2x7x7x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x7x7x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<32xf32>) -> tensor<2x7x7x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x7x7x32xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<2x7x7x32xf32>
  %4 = stablehlo.convert %3 : (tensor<2x7x7x32xf32>) -> tensor<2x7x7x32xf16>
  %5 = {0}(%4, %w) {1} : (tensor<2x7x7x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x7x7x32xf32>
  %6 = {0}(%x, %w) {1} : (tensor<2x7x7x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x7x7x32xf32>
  %7 = stablehlo.add %5, %6 : tensor<2x7x7x32xf32>
  return %7 : tensor<2x7x7x32xf32> }}"""
SAME = """dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}"""


def test_what_is_between_padded_convolutions_is_an_epilogue() -> None:
    """Three convolutions are three launches: neither zeros nor sums before bias and activation are in memory."""
    one = Convolution((2, 7, 7, 32, 32, 3), low=1, high=1, kinds=("f16", "f32"))
    x, v = one.arrays()
    w, b = v[::-1].copy(), np.arange(32, dtype=np.float32) - 16
    text = CHAIN.format("stablehlo.convolution", SAME)

    def convolution(x: np.ndarray, w: np.ndarray) -> np.ndarray:
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))).astype(np.float64)
        parts = [padded[:, i : i + 7, j : j + 7] @ w[i, j].astype(np.float64) for i in range(3) for j in range(3)]
        return np.sum(parts, axis=0)

    first = np.maximum(convolution(x, v) + b, 0)
    assert np.abs(first).max() < 2048
    expected = convolution(first, w) + convolution(x, w)
    (found,), driver = on_model(text, x, v, w, b)
    assert np.array_equal(found.astype(np.float64), expected) and driver.conflicts == 0
    assert launches(text) == 3
