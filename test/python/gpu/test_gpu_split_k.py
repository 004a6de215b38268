"""Small results of long depths, in parts of the depth, on the numpy model of a card."""

import numpy as np
import pytest
from gpu_products import DTYPES, EPILOGUE, integers, launches, product_program

import hlo
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.plan import Launch


def split(text: str, monkeypatch, arch: str = "sm_80"):
    """The program with depths in parts wherever that makes more tiles, whatever a launch more costs."""
    monkeypatch.setattr("hlo.lowering.gpu.contraction.split_k.SECOND_LAUNCH", 0.0)
    monkeypatch.setattr("hlo.lowering.gpu.contraction.split_k.SECOND_BYTES", 1e18)
    monkeypatch.setattr("hlo.lowering.gpu.contraction.split_k.GAIN", 1.0)
    return hlo.compile(text, target="gpu", device="model", arch=arch, cache=False).program


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kinds", [("bf16", "bf16", "f32"), ("f32", "f32", "f32"), ("i8", "i8", "i32"), ("f8E4M3FN", "f8E5M2", "f32")]
)
@pytest.mark.parametrize("subscripts", ["mk,kn->mn", "bckm,cnkb->bcmn"])
def test_depths_in_parts(kinds: tuple[str, str, str], subscripts: str, monkeypatch) -> None:
    sizes = {"m": 40, "n": 72, "k": 1024, "b": 2, "c": 2}
    rng = np.random.default_rng(22)
    left, right = subscripts.split("->")[0].split(",")
    a, b = (integers(rng, [sizes[c] for c in s], kind) for s, kind in zip((left, right), kinds))
    program = split(product_program(subscripts, a, b, kinds), monkeypatch)
    (found,) = GpuExecutable(program, ModelDriver())(a, b)
    assert np.array_equal(found.astype(np.float64), np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64)))
    blocks = [step.blocks for step in program.plan.steps if isinstance(step, Launch)]
    assert len(blocks) >= 2 and max(blocks) >= 12


def test_depths_in_parts_with_an_epilogue_by_warpgroups(monkeypatch) -> None:
    """The launch that adds the parts does what follows; the same result in every run."""
    m, n, k = 136, 64, 2048
    text = EPILOGUE.format(m=m, n=n, k=k, kind="bf16", also="", results=f"%5 : tensor<{m}x{n}xbf16>")
    monkeypatch.setattr("hlo.lowering.gpu.contraction.warpgroups.LEAST_BUSY", {128: 0.0})
    program = split(text, monkeypatch, "sm_90a")
    steps = [step for step in program.plan.steps if isinstance(step, Launch)]
    assert "nvvm.wgmma.mma_async" in program.code and len(steps) == 2 and steps[0].blocks >= 8
    rng = np.random.default_rng(23)
    a, b, bias, more = (integers(rng, shape, "bf16") for shape in ((m, k), (k, n), (n,), (m, n)))
    scale = rng.normal(size=m).astype(np.float32) / 64
    first, again = (GpuExecutable(program, ModelDriver())(a, b, bias, scale, more)[0] for _ in range(2))
    total = a.astype(np.float32) @ b.astype(np.float32)
    activated = np.tanh((total * scale[:, None] + bias.astype(np.float32)).astype(np.float64)).astype(DTYPES["bf16"])
    assert np.abs(first.astype(np.float64) - (activated + more).astype(np.float64)).max() <= 2.0**-5
    assert np.array_equal(first, again)


@pytest.mark.parametrize(
    "m, n, k, is_split",
    [
        (512, 512, 8192, True),
        (64, 64, 4096, True),
        (2048, 1024, 8192, False),
        (4096, 4096, 4096, False),
        (512, 512, 512, False),
    ],
)
@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
def test_depths_are_split_where_there_are_few_tiles(m: int, n: int, k: int, is_split: bool, arch: str) -> None:
    text = f"""func.func @main(%a: tensor<{m}x{k}xbf16>, %b: tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xf32> {{
      %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xf32>
      return %r : tensor<{m}x{n}xf32> }}"""
    assert launches(text, arch) == (2 if is_split else 1)


# Warpgroups of sm_90a
