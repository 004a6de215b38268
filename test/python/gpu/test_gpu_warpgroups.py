"""Matrix products by warpgroups (TMA, wgmma), on the numpy model of a card; planted mistakes are found."""

import re
from dataclasses import replace

import numpy as np
import pytest
from gpu_products import (
    DTYPES,
    EPILOGUE,
    by_warpgroups,
    integers,
    product,
    product_program,
    tensor,
    transposed,
    with_mistake,
)
from mlir import ir

import hlo
from hlo import pipelines
from hlo.dialect.registration import make_context
from hlo.errors import HloError
from hlo.pipelines.gpu import gpu
from hlo.runtime.gpu.executable import GpuExecutable
from hlo.runtime.gpu.model.driver import ModelDriver
from hlo.runtime.gpu.model.read_code import code_of
from hlo.runtime.gpu.plan import Launch


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "subscripts, columns",
    [*((s, n) for s in ("mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn") for n in (128, 256)),
     ("bmk,bnk->bmn", 128), ("bcmk,kn->bcmn", 128)],
)  # fmt: skip
def test_products_by_warpgroups(subscripts: str, columns: int, monkeypatch) -> None:
    """More steps than stages; the last step, rows and columns are partly outside."""
    sizes = {"m": 136, "n": 264, "k": 328, "b": 2, "c": 2}
    rng = np.random.default_rng(7)
    left, right = subscripts.split("->")[0].split(",")
    kind = "f16" if columns == 256 else "bf16"
    a, b = (integers(rng, [sizes[c] for c in s], kind) for s in (left, right))
    expected = np.einsum(subscripts, a.astype(np.float32), b.astype(np.float32))
    a_type, b_type, result = tensor(a, kind), tensor(b, kind), tensor(expected, "f32")
    text = f"""func.func @main(%a: {a_type}, %b: {b_type}) -> {result} {{
      %r = {product(a_type, b_type, result, *transposed(subscripts))}
      return %r : {result} }}"""
    (found,) = GpuExecutable(by_warpgroups(text, monkeypatch, columns), ModelDriver())(a, b)
    assert np.array_equal(found, expected)


OF_BYTES = [("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f32"), ("i8", "i8", "i32"), ("ui8", "ui8", "ui32")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("subscripts", ["mk,kn->mn", "kbm,bnk->bmn"])
@pytest.mark.parametrize("kinds", [*OF_BYTES, ("f32", "f32", "f32")])
def test_products_by_warpgroups_of_one_and_four_bytes(
    kinds: tuple[str, str, str], subscripts: str, monkeypatch
) -> None:
    """What does not lie along k is turned first. f32 as tf32."""
    sizes = {"m": 136, "n": 152, "k": 336, "b": 2}
    rng = np.random.default_rng(19)
    left, right = subscripts.split("->")[0].split(",")
    a, b = (integers(rng, [sizes[c] for c in s], kind) for s, kind in zip((left, right), kinds))
    expected = np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64))
    text = product_program(subscripts, a, b, kinds, "tf32" if kinds[0] == "f32" else "")
    program = by_warpgroups(text, monkeypatch)
    (found,) = GpuExecutable(program, ModelDriver())(a, b)
    assert np.array_equal(found.astype(np.float64), expected)
    assert sum(isinstance(step, Launch) for step in program.plan.steps) == 2


@pytest.mark.parametrize("old, new", [("<f32>, <zero>", "<f32>, <one>"), ("A[<e4m3>", "A[<e5m2>")])
def test_planted_mistakes_in_products_of_f8_are_found(old: str, new: str, monkeypatch) -> None:
    """Sums that do not begin with zero; another format."""
    rng = np.random.default_rng(20)
    a, b = integers(rng, (128, 256), "f8E4M3FN"), integers(rng, (128, 256), "f8E5M2")
    text = product_program("mk,nk->mn", a, b, ("f8E4M3FN", "f8E5M2", "f32"))
    program = by_warpgroups(text, monkeypatch)
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_90a", "model"))
    right = str(module)
    assert old in right
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(right.replace(old, new, 1))))
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    assert np.array_equal(GpuExecutable(program, ModelDriver())(a, b)[0], expected)
    assert not np.array_equal(GpuExecutable(changed, ModelDriver())(a, b)[0], expected)


def test_tf32_that_was_not_rounded_is_found() -> None:
    rng = np.random.default_rng(21)
    a, b = (rng.normal(size=(32, 32)).astype(np.float32) for _ in range(2))
    text = product_program("mk,kn->mn", a, b, ("f32", "f32", "f32"), "tf32")
    program = hlo.compile(text, target="gpu", device="model").program
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_80", "model"))
    wrong, count = re.subn(
        r"nvvm.convert.float.to.tf32 (%\w+) .*", r"arith.bitcast \1 : f32 to i32", str(module), count=1
    )
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    with pytest.raises(HloError, match="not rounded to tf32"):
        GpuExecutable(changed, ModelDriver())(a, b)


def test_epilogues_by_warpgroups_and_as_files(monkeypatch, tmp_path) -> None:
    m, n, k = 130, 72, 64
    text = EPILOGUE.format(m=m, n=n, k=k, kind="bf16", also="", results=f"%5 : tensor<{m}x{n}xbf16>")
    program = by_warpgroups(text, monkeypatch)
    (launch,) = (step for step in program.plan.steps if isinstance(step, Launch))
    assert [one.box for one in launch.maps] == [(64, 128), (64, 64)]
    rng = np.random.default_rng(8)
    a, b, bias, more = (integers(rng, shape, "bf16") for shape in ((m, k), (k, n), (n,), (m, n)))
    scale = rng.normal(size=m).astype(np.float32) / 16
    GpuExecutable(program, ModelDriver()).save(tmp_path / "program.hlo")
    (found,) = hlo.load_executable(tmp_path / "program.hlo")(a, b, bias, scale, more)
    total = a.astype(np.float32) @ b.astype(np.float32)
    activated = np.tanh((total * scale[:, None] + bias.astype(np.float32)).astype(np.float64)).astype(DTYPES["bf16"])
    assert np.abs(found.astype(np.float64) - (activated + more).astype(np.float64)).max() <= 2.0**-5


LONG = """func.func @main(%a: tensor<256x448xbf16>, %b: tensor<128x448xbf16>) -> tensor<256x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<256x448xbf16>, tensor<128x448xbf16>) -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32> }"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "old, new, message",
    [
        (r"(mbarrier.init %\d+\[%c6\], %c)2", r"\g<1>3", "every warp waits"),
        (r"(mbarrier.init %\d+\[%c6\], %c)2", r"\g<1>1", "every warp waits"),
        (r"(expect_tx .*, )%c32768", r"\g<1>%c7", "every warp waits"),
        (r"(expect_tx .*, )%c32768", r"\g<1>%c10000000", "every warp waits"),
        (r"B\[<bf16>, <one>, <col>\]", "B[<bf16>, <one>, <row>]", None),
        (r"number_of_threads = %c128_i32", "number_of_threads = %c32_i32", "a barrier of 32"),
        (
            r"(nvvm.barrier id =) %\w+",
            r"%k = arith.constant 7 : i32\n\1 %k",
            "256 threads of a block reach a barrier of 128",
        ),
        (r"(nvvm.barrier id =) %\w+", r"\1 %c0_i32", "barrier 0 of 128 threads"),
        (r"(nvvm.setmaxregister +\w+) 232", r"\1 240", "66560 registers a block of 64512"),
        (r"(nvvm.setmaxregister +\w+) 40", r"\1 48", "65536 registers a block of 64512"),
        (r"(nvvm.setmaxregister +\w+) 232", r"\1 160", "168 registers a thread become 160"),
        (r"nvvm.fence.mbarrier.init", "", "before all know that it is ready"),
        (r"gpu.barrier", "", "before all know that it is ready"),
        (r"nvvm.barrier id = .*", "", "no barrier in between"),
        (r"(?s)(.*)nvvm.barrier id [^\n]*", r"\g<1>", "no barrier in between"),
        (r"nvgpu.mbarrier.try_wait.parity .*", "", None),
        (r"(?s)(.*)nvgpu.mbarrier.try_wait.parity [^\n]*", r"\g<1>", None),
        (r"%(\w+) = nvgpu.mbarrier.arrive %.*", "", "every warp waits"),
        (r"(?s)(.*)%\w+ = nvgpu.mbarrier.arrive %[^\n]*", r"\g<1>", "every warp waits"),
        (r"scf.yield (%\w+) : index", "scf.yield %c6 : index", None),
        (r"(?s)(.*)scf.yield (%\w+) : index", r"\g<1>scf.yield %c0 : index", None),
        (r"(tma.async.load %\d+\[%\d+, )%c0", r"\g<1>%c4", None),
    ],
)
def test_planted_mistakes_in_warpgroups_are_found(old: str, new: str, message: str | None, monkeypatch) -> None:
    """Wrong counts of arrivals, bytes, threads, registers and steps so far, a wrong layout, waits, fences and barriers that are
    missing, a wrong box. One block takes two tiles."""
    program = by_warpgroups(LONG, monkeypatch, multiprocessors=1)
    module = hlo.parse(LONG)
    pipelines.run(module, gpu("sm_90a", "model"))
    right = str(module)
    wrong, count = re.subn(old, new, right, count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    rng = np.random.default_rng(9)
    a, b = integers(rng, (256, 448), "bf16"), integers(rng, (128, 448), "bf16")
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    driver = ModelDriver()
    assert np.array_equal(GpuExecutable(program, driver)(a, b)[0], expected) and driver.vector_conflicts == 0
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(a, b)
    except HloError as error:
        assert message is None or message in str(error)
        return
    assert message is None and not np.array_equal(found, expected)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("nvvm.wgmma.fence.aligned", "", "without wgmma.fence"),
        ("nvvm.wgmma.wait.group.sync.aligned 0", "", "a product that is under way"),
        ("nvvm.wgmma.wait.group.sync.aligned 1", "", "that a product under way reads"),
        ("nvvm.wgmma.commit.group.sync.aligned", "", "that a product under way reads"),
    ],
)
def test_products_that_are_not_waited_for_are_found(old: str, new: str, message: str, monkeypatch) -> None:
    program = by_warpgroups(LONG, monkeypatch, multiprocessors=1)
    module = hlo.parse(LONG)
    pipelines.run(module, gpu("sm_90a", "model"))
    changed = with_mistake(program, str(module), re.escape(old), -1, new)
    a, b = np.ones((256, 448), DTYPES["bf16"]), np.ones((128, 448), DTYPES["bf16"])
    with pytest.raises(HloError, match=message):
        GpuExecutable(changed, ModelDriver())(a, b)


REDUCED = """func.func @main(%a: tensor<136x128xbf16>, %b: tensor<72x128xbf16>) -> tensor<136x72xf32> {
  %0 = stablehlo.convert %a : (tensor<136x128xbf16>) -> tensor<136x128xf32>
  %1 = stablehlo.convert %b : (tensor<72x128xbf16>) -> tensor<72x128xf32>
  %2 = stablehlo.broadcast_in_dim %0, dims = [0, 2] : (tensor<136x128xf32>) -> tensor<136x72x128xf32>
  %3 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<72x128xf32>) -> tensor<136x72x128xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<136x72x128xf32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %5 = stablehlo.reduce(%4 init: %five) applies stablehlo.add across dimensions = [2] : (tensor<136x72x128xf32>, tensor<f32>) -> tensor<136x72xf32>
  return %5 : tensor<136x72xf32> }"""


@pytest.mark.parametrize("kind, arch", [("bf16", "sm_90a"), ("bf16", "sm_80"), ("f32", "sm_80")])
def test_sums_that_begin_with_another_number(kind: str, arch: str, monkeypatch) -> None:
    """By warpgroups, by mma.sync, by single threads."""
    rng = np.random.default_rng(22)
    a, b = integers(rng, (136, 128), kind), integers(rng, (72, 128), kind)
    text = REDUCED.replace("bf16", kind)
    program = (
        by_warpgroups(text, monkeypatch)
        if arch == "sm_90a"
        else hlo.compile(text, target="gpu", device="model", arch=arch, cache=False).program
    )
    (found,) = GpuExecutable(program, ModelDriver())(a, b)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32).T + 5)
