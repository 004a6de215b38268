"""Results of matrix products that TMA copies to memory, on the numpy model of a card; planted mistakes are found."""

import numpy as np
import pytest
from gpu_products import DTYPES, by_warpgroups, integers, with_mistake

import hlo
from hlo import pipelines
from hlo.errors import HloError
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.plan import Launch

DENSE = """func.func @main(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{n}x{k}x{kind}>, %bias: tensor<{n}xf32>, %scale: tensor<{m}xf32>)
    -> tensor<{m}x{n}x{kind}> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<{m}x{k}x{kind}>, tensor<{n}x{k}x{kind}>) -> tensor<{m}x{n}xf32>
  %s = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<{m}xf32>) -> tensor<{m}x{n}xf32>
  %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
  %1 = stablehlo.multiply %0, %s : tensor<{m}x{n}xf32>
  %2 = stablehlo.add %1, %v : tensor<{m}x{n}xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<{m}x{n}xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<{m}x{n}xf32>
  %4 = stablehlo.convert %3 : (tensor<{m}x{n}xf32>) -> tensor<{m}x{n}x{kind}>
  return %4 : tensor<{m}x{n}x{kind}>
}}"""


def dense(m: int, n: int, k: int, kind: str) -> tuple[list[np.ndarray], np.ndarray]:
    """Arguments, and what comes of them: every intermediate value is exact in f32."""
    rng = np.random.default_rng(31)
    a, b = integers(rng, (m, k), kind), integers(rng, (n, k), kind)
    bias, scale = integers(rng, (n,), "f32"), integers(rng, (m,), "f32")
    sums = a.astype(np.float32) @ b.astype(np.float32).T
    expected = np.maximum(sums * scale[:, None] + bias, 0).astype(DTYPES[kind])
    return [a, b, bias, scale], expected


def maps_of(program) -> list[tuple[int, ...]]:
    (launch,) = (step for step in program.plan.steps if isinstance(step, Launch))
    return [one.box for one in launch.maps]


@pytest.mark.parametrize("m, n, k, kind, columns", [(264, 392, 136, "bf16", 256), (136, 200, 328, "f16", 128)])
def test_results_are_copied_by_tma(m: int, n: int, k: int, kind: str, columns: int, monkeypatch) -> None:
    """Tiles that are partly outside; what follows reads neighbours of a row or a column."""
    program = by_warpgroups(DENSE.format(m=m, n=n, k=k, kind=kind), monkeypatch, columns)
    assert maps_of(program)[2:] == [(64, 64)]
    arguments, expected = dense(m, n, k, kind)
    driver = ModelDriver()
    (found,) = GpuExecutable(program, driver)(*arguments)
    assert np.array_equal(found, expected) and driver.vector_conflicts == 0


BATCHED = """func.func @main(%a: tensor<2x136x64xbf16>, %b: tensor<2x72x64xbf16>) -> tensor<136x2x72xbf16> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x136x64xbf16>, tensor<2x72x64xbf16>) -> tensor<2x136x72xbf16>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<2x136x72xbf16>) -> tensor<136x2x72xbf16>
  return %1 : tensor<136x2x72xbf16> }"""


def test_batch_between_rows_and_columns(monkeypatch) -> None:
    program = by_warpgroups(BATCHED, monkeypatch)
    assert maps_of(program)[2:] == [(64, 1, 64)]
    rng = np.random.default_rng(32)
    a, b = integers(rng, (2, 136, 64), "bf16"), integers(rng, (2, 72, 64), "bf16")
    expected = np.einsum("bmk,bnk->mbn", a.astype(np.float32), b.astype(np.float32)).astype(DTYPES["bf16"])
    (found,) = GpuExecutable(program, ModelDriver())(a, b)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("old, new", [("stablehlo.maximum %2, %zero", "stablehlo.atan2 %2, %zero"), ("xbf16", "xf32")])
def test_other_results_are_written_by_threads(old: str, new: str, monkeypatch) -> None:
    """What follows is long; elements of four bytes."""
    text = DENSE.format(m=136, n=72, k=64, kind="bf16")
    if new == "xf32":
        head, _, _ = text.rpartition("  %4 = ")
        text = head.replace("-> tensor<136x72xbf16>", "-> tensor<136x72xf32>") + "  return %3 : tensor<136x72xf32>\n}"
    else:
        text = text.replace(old, new)
    assert len(maps_of(by_warpgroups(text, monkeypatch))) == 2


SMALL = DENSE.format(m=256, n=256, k=128, kind="bf16")


FENCE, BARRIER, WAIT = r"nvvm.fence.proxy [^\n]*", r"nvvm.barrier id [^\n]*", r"nvvm.cp.async.bulk.wait_group [^\n]*"


@pytest.mark.parametrize(
    "old, which, new, message",
    [
        (FENCE, 0, "", "no fence.proxy.async"),
        (FENCE, -1, "", "no fence.proxy.async"),
        (WAIT, -1, "", "ends while TMA copies"),
        (WAIT, 0, "", "was changed before TMA|no barrier in between"),
        (WAIT, 2, "", "was changed before TMA|no barrier in between"),
        (r"nvvm.cp.async.bulk.commit.group", -1, "", "was changed before TMA"),
        (BARRIER, 0, "", "no barrier in between"),
        (BARRIER, 1, "", "no barrier in between"),
        (BARRIER, -1, "", "no barrier in between"),
        (r"(tma.async.store %\w+ to %\w+\[)(%\w+), (%\w+)\]", 0, r"\1\3, \2]", "writes where thread"),
    ],
)
def test_planted_mistakes_are_found(old: str, which: int, new: str, message: str, monkeypatch) -> None:
    """Fences, waits and barriers that are missing; another place. One block takes two tiles."""
    program = by_warpgroups(SMALL, monkeypatch, 256, multiprocessors=1)
    module = hlo.parse(SMALL)
    pipelines.run(module, gpu("sm_90a", "model"))
    changed = with_mistake(program, str(module), old, which, new)
    arguments, expected = dense(256, 256, 128, "bf16")
    assert np.array_equal(GpuExecutable(program, ModelDriver())(*arguments)[0], expected)
    with pytest.raises(HloError, match=message):
        GpuExecutable(changed, ModelDriver())(*arguments)
