"""Algorithms of several products of parts of f32, on the model of a card: as exact as they promise, and by tensor cores."""

import re

import numpy as np
import pytest

import hlo
from hlo.runtime.gpu.executable import GpuExecutable

ARCHES = ("sm_80", "sm_90a")


def program(kind: str, count: int, left: str, right: str, result: str, dimensions: str, returned: str = "%0") -> str:
    algorithm = (
        f"algorithm = <lhs_precision_type = {kind}, rhs_precision_type = {kind}, accumulation_type = f32, lhs_component_count = 1, "
        f"rhs_component_count = 1, num_primitive_operations = {count}, allow_imprecise_accumulation = false>"
    )
    return f"""
func.func @main(%x: tensor<{left}xf32>, %y: tensor<{right}xf32>) -> tensor<{result}xf32> {{
  %0 = stablehlo.dot_general %x, %y, {dimensions}, {algorithm} : (tensor<{left}xf32>, tensor<{right}xf32>) -> tensor<{result}xf32>
  %1 = stablehlo.tanh %0 : tensor<{result}xf32>
  return {returned} : tensor<{result}xf32>
}}
"""


PLAIN = ("96x48", "48x80", "96x80", "contracting_dims = [1] x [0]")


def compiled(text: str, arch: str = "sm_90a", **options) -> GpuExecutable:
    return hlo.compile(text, target="gpu", arch=arch, cache=False, **{"device": "model", **options})


def normal(shape: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal([int(n) for n in shape.split("x")]).astype(np.float32)


def error(found: np.ndarray, x: np.ndarray, y: np.ndarray, sums: str) -> float:
    """The largest, relative to the sum of the products' sizes."""
    exact, scale = (np.einsum(sums, a.astype(np.float64), b.astype(np.float64)) for a, b in ((x, y), (abs(x), abs(y))))
    return float((np.abs(found - exact) / scale).max())


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize(
    "kind, count, least, most",
    [("bf16", 3, -20, -16), ("bf16", 6, -26, -22), ("bf16", 9, -26, -22), ("tf32", 3, -25, -20)],
)
def test_errors_are_those_of_the_algorithm(kind: str, count: int, least: int, most: int, arch: str) -> None:
    exe = compiled(program(kind, count, *PLAIN), arch)
    assert len(exe.program.plan.kernels) == 3  # a launch for the parts of each input, and the product
    x, y = normal(PLAIN[0], 0), normal(PLAIN[1], 1)
    assert least < np.log2(error(exe(x, y)[0], x, y, "ik,kj->ij")) < most


SHAPES = [
    ("96x48", "80x48", "96x80", "contracting_dims = [1] x [1]", "ik,jk->ij"),
    ("48x96", "80x48", "96x80", "contracting_dims = [0] x [1]", "ki,jk->ij"),
    ("2x64x48", "2x48x72", "2x64x72", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "bik,bkj->bij"),
    ("64x6x8", "6x8x72", "64x72", "contracting_dims = [1, 2] x [0, 1]", "ikl,klj->ij"),
    ("6x64x8", "8x6x72", "64x72", "contracting_dims = [0, 2] x [1, 0]", "kil,lkj->ij"),
    ("65x33", "33x67", "65x67", "contracting_dims = [1] x [0]", "ik,kj->ij"),
]


@pytest.mark.parametrize("kind", ["bf16", "tf32"])
@pytest.mark.parametrize("left, right, result, dimensions, sums", SHAPES)
def test_inputs_lie_as_they_like(left, right, result, dimensions, sums, kind: str) -> None:
    exe = compiled(program(kind, 3, left, right, result, dimensions))
    x, y = normal(left, 2), normal(right, 3)
    assert len(exe.program.plan.kernels) >= 3 and error(exe(x, y)[0], x, y, sums) < 2.0**-16


@pytest.mark.parametrize("kind, count", [("bf16", 3), ("bf16", 9), ("tf32", 3)])
def test_infinities_and_numbers_of_all_sizes(kind: str, count: int) -> None:
    """Where a sum of f32 is an infinity or NaN, so is this one, and nowhere else."""
    x, y = normal(PLAIN[0], 4), normal(PLAIN[1], 5)
    x[3, 5], x[9, 0], x[20, 1], x[20, 2], y[7, 11] = np.inf, np.nan, np.inf, -np.inf, -np.inf
    x[40] *= 1e30
    y[:, 60] *= 1e-35
    (found,) = compiled(program(kind, count, *PLAIN))(x, y)
    with np.errstate(all="ignore"):
        want = x.astype(np.float64) @ y.astype(np.float64)
    assert np.array_equal(np.isnan(found), np.isnan(want))
    assert np.array_equal(np.where(np.isinf(want), found, 0), np.where(np.isinf(want), want, 0))
    finite = np.isfinite(want)
    scale = np.abs(np.where(np.isfinite(x), x, 0)).astype(np.float64) @ np.abs(np.where(np.isfinite(y), y, 0))
    assert (np.abs(found[finite] - want[finite]) <= (2.0**-16 * scale + 1e-38)[finite]).all()


def test_large_ones_are_multiplied_by_warpgroups_with_what_follows() -> None:
    sizes = ("2048x512", "512x2048", "2048x2048", "contracting_dims = [1] x [0]")
    for kind in ("bf16", "tf32"):
        exe = compiled(program(kind, 3, *sizes, returned="%1"), device="cuda")
        assert re.search(rf"wgmma.mma_async.sync.aligned.m64n\d+k\d+.f32.{kind}.{kind}", exe.program.code)
        assert len(exe.program.plan.kernels) == 3


def test_small_ones_and_the_processor_are_exact() -> None:
    for text, options in (
        (program("bf16", 3, "40x48", "48x80", "40x80", PLAIN[3]), {"target": "gpu", "device": "model"}),
        (program("bf16", 3, *PLAIN), {"target": "cpu"}),
    ):
        exe = hlo.compile(text, cache=False, **options)
        x, y = (normal("x".join(map(str, kind.shape)), 6) for kind in exe.signature.arguments)
        assert error(exe(x, y)[0], x, y, "ik,kj->ij") < 2.0**-22
