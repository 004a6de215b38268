"""Contractions on the model of a GPU: every way a tile comes to shared memory, every epilogue, against numpy."""

import re
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
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

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "ui8": np.uint8, "f32": np.float32}


def on_model(text: str, *arrays: np.ndarray) -> tuple[list[np.ndarray], ModelDriver]:
    driver = ModelDriver()
    program = hlo.compile(text, target="gpu", device="model").program
    return GpuExecutable(program, driver)(*arrays), driver


def launches(text: str) -> int:
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="memory")
    return str(module).count("gpu.launch_func")


def integers(rng, shape, kind: str, low: int = -3) -> np.ndarray:
    """Small ones: every sum is exact in f32."""
    return rng.integers(0 if kind.startswith("u") else low, 4, shape).astype(DTYPES[kind])


def tensor(array: np.ndarray, kind: str) -> str:
    return f"tensor<{'x'.join(map(str, array.shape))}x{kind}>"


def product(a: str, b: str, result: str, batch: str, contracting: str) -> str:
    batching = f"batching_dims = {batch}, " if batch else ""
    return f"stablehlo.dot_general %a, %b, {batching}contracting_dims = {contracting} : ({a}, {b}) -> {result}"


def transposed(subscripts: str) -> tuple[str, str]:
    """The batching and contracting dimensions of dot_general for an einsum whose result has batch, rows, columns."""
    left, right = subscripts.split("->")[0].split(",")
    result = subscripts.split("->")[1]
    batch = [c for c in left if c in right and c in result]
    depth = [c for c in left if c in right and c not in result]
    both = [f"{[s.index(c) for c in group]}" for group in (batch, depth) for s in (left, right)]
    return (f"{both[0]} x {both[1]}" if batch else ""), f"{both[2]} x {both[3]}"


SIZES = {"m": 72, "n": 40, "k": 80, "b": 3, "c": 2, "i": 33, "j": 17, "l": 19}


EVERY = ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn", "bmk,bkn->bmn", "kbm,nbk->bmn", "il,lj->ij", "li,jl->ij",
         "bckm,cnkb->bcmn"]  # fmt: skip
SOME = ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "il,lj->ij"]
KINDS = [
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f32"),
    ("i8", "i8", "i32"),
    ("ui8", "ui8", "ui32"),
    ("f32", "f32", "f32"),
]


@pytest.mark.parametrize(
    "kinds, subscripts",
    [(kinds, s) for kinds in KINDS for s in (SOME if "8" in kinds[0] or kinds[0] == "f16" else EVERY)],
)
def test_products(kinds: tuple[str, str, str], subscripts: str) -> None:
    rng = np.random.default_rng(1)
    left, right = subscripts.split("->")[0].split(",")
    a, b = (integers(rng, [SIZES[c] for c in s], kind) for s, kind in zip((left, right), kinds))
    expected = np.einsum(subscripts, a.astype(np.float64), b.astype(np.float64))
    a_type, b_type, result = (tensor(x, kind) for x, kind in zip((a, b, expected), kinds))
    text = f"""func.func @main(%a: {a_type}, %b: {b_type}) -> {result} {{
      %r = {product(a_type, b_type, result, *transposed(subscripts))}
      return %r : {result} }}"""
    (found,), driver = on_model(text, a, b)
    assert np.array_equal(found.astype(np.float64), expected)
    assert driver.conflicts == 0


OTHER = {"i8": np.int8, "i16": np.int16, "ui16": np.uint16, "i64": np.int64, "f16": np.float16, "f64": np.float64}


@pytest.mark.parametrize("kind", OTHER)
@pytest.mark.parametrize("subscripts", ["mk,kn->mn", "lj,ij->li"])
def test_products_of_types_that_no_matrix_instruction_has(kind: str, subscripts: str) -> None:
    """Sums in the type of the inputs: no larger than it holds."""
    rng = np.random.default_rng(12)
    left, right = subscripts.split("->")[0].split(",")
    a, b = (rng.integers(0, 2, [SIZES[c] for c in s]).astype(OTHER[kind]) for s in (left, right))
    expected = np.einsum(subscripts, a.astype(np.int64), b.astype(np.int64)).astype(OTHER[kind])
    a_type, b_type, result = (tensor(x, kind) for x in (a, b, expected))
    text = f"""func.func @main(%a: {a_type}, %b: {b_type}) -> {result} {{
      %r = {product(a_type, b_type, result, *transposed(subscripts))}
      return %r : {result} }}"""
    (found,), _ = on_model(text, a, b)
    assert np.array_equal(found, expected)


EPILOGUE = """func.func @main(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>, %bias: tensor<{n}x{kind}>, %scale: tensor<{m}xf32>,
    %more: tensor<{m}x{n}x{kind}>) -> (tensor<{m}x{n}x{kind}>{also}) {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{m}x{k}x{kind}>, tensor<{k}x{n}x{kind}>) -> tensor<{m}x{n}xf32>
  %s = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<{m}xf32>) -> tensor<{m}x{n}xf32>
  %1 = stablehlo.multiply %0, %s : tensor<{m}x{n}xf32>
  %w = stablehlo.convert %bias : (tensor<{n}x{kind}>) -> tensor<{n}xf32>
  %v = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<{n}xf32>) -> tensor<{m}x{n}xf32>
  %2 = stablehlo.add %1, %v : tensor<{m}x{n}xf32>
  %3 = stablehlo.tanh %2 : tensor<{m}x{n}xf32>
  %4 = stablehlo.convert %3 : (tensor<{m}x{n}xf32>) -> tensor<{m}x{n}x{kind}>
  %5 = stablehlo.add %4, %more : tensor<{m}x{n}x{kind}>
  return {results}
}}"""


@pytest.mark.parametrize("m, n, k", [(64, 96, 64), (33, 50, 70), (40, 24, 16)])
@pytest.mark.parametrize("kind", ["bf16", "f32"])
@pytest.mark.parametrize("is_kept", [False, True])
def test_epilogues(m: int, n: int, k: int, kind: str, is_kept: bool) -> None:
    """`is_kept`: the product is a result too."""
    rng = np.random.default_rng(k)
    also, results = (
        (f", tensor<{m}x{n}xf32>", f"%5, %0 : tensor<{m}x{n}x{kind}>, tensor<{m}x{n}xf32>")
        if is_kept
        else ("", f"%5 : tensor<{m}x{n}x{kind}>")
    )
    text = EPILOGUE.format(m=m, n=n, k=k, kind=kind, also=also, results=results)
    a, b, bias, more = (integers(rng, shape, kind) for shape in ((m, k), (k, n), (n,), (m, n)))
    scale = rng.normal(size=m).astype(np.float32) / 16
    found, _ = on_model(text, a, b, bias, scale, more)
    total = a.astype(np.float32) @ b.astype(np.float32)
    activated = np.tanh((total * scale[:, None] + bias.astype(np.float32)).astype(np.float64)).astype(DTYPES[kind])
    expected = (activated + more).astype(np.float64)
    bound = 2.0**-7 if kind == "bf16" else 1e-6
    assert np.abs(found[0].astype(np.float64) - expected).max() <= bound * 4
    if is_kept:
        assert np.array_equal(found[1], total)
    else:
        assert launches(text) == 1


def test_a_product_with_a_transposed_result_is_one_launch() -> None:
    text = """func.func @main(%a: tensor<48x64xbf16>, %b: tensor<64x32xbf16>) -> tensor<32x48xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<48x64xbf16>, tensor<64x32xbf16>) -> tensor<48x32xf32>
      %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
      %2 = stablehlo.abs %1 : tensor<32x48xf32>
      return %2 : tensor<32x48xf32> }"""
    rng = np.random.default_rng(4)
    a, b = integers(rng, (48, 64), "bf16"), integers(rng, (64, 32), "bf16")
    (found,), _ = on_model(text, a, b)
    assert np.array_equal(found, np.abs(a.astype(np.float32) @ b.astype(np.float32)).T)
    assert launches(text) == 1
    (stored,) = re.findall(r"vector.store .* : memref<32x48xf32>, (.*)", device_code(text))
    assert stored == "vector<4xf32>"


def device_code(text: str) -> str:
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_80", "model"))
    return str(module)


CONVOLUTION = """func.func @main(%x: tensor<2x10x10x24xbf16>, %w: tensor<3x3x24x40xbf16>) -> tensor<2x8x8x40xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x10x24xbf16>, tensor<3x3x24x40xbf16>) -> tensor<2x8x8x40xf32>
  return %0 : tensor<2x8x8x40xf32> }"""


def test_convolutions_are_products_of_tiles() -> None:
    """Pixels are rows, the window and its channels the depth; 16 bytes of channels are copied at once."""
    rng = np.random.default_rng(11)
    x, w = integers(rng, (2, 10, 10, 24), "bf16"), integers(rng, (3, 3, 24, 40), "bf16")
    expected = np.zeros((2, 8, 8, 40), np.float32)
    for i in range(3):
        for j in range(3):
            part = x[:, i : i + 8, j : j + 8].astype(np.float32)
            expected += np.einsum("bhwc,co->bhwo", part, w[i, j].astype(np.float32))
    (found,), driver = on_model(CONVOLUTION, x, w)
    assert np.array_equal(found, expected) and driver.conflicts == 0
    code = hlo.compile(CONVOLUTION, target="gpu", device="model").program.code
    assert "nvgpu.device_async_copy" in code and "nvvm.mma.sync" in code


SMALL = """func.func @main(%a: tensor<{m}x160xbf16>, %b: tensor<160x{n}xbf16>) -> tensor<{m}x{n}xf32> {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<{m}x160xbf16>, tensor<160x{n}xbf16>) -> tensor<{m}x{n}xf32>
  return %0 : tensor<{m}x{n}xf32> }}"""


@pytest.mark.parametrize("enough, shared", [(1, 69632), (2, 49152), (4, 32768), (9, 16384)])
def test_tiles_of_all_sizes(enough: int, shared: int, monkeypatch) -> None:
    """128 x 128 by eight warps down to 32 x 32 by two; more steps than stages."""
    monkeypatch.setattr("hlo.lowering.gpu.tensor_cores.ENOUGH_BLOCKS", enough)
    rng = np.random.default_rng(5)
    a, b = integers(rng, (120, 160), "bf16"), integers(rng, (160, 104), "bf16")
    program = hlo.compile(SMALL.format(m=120, n=104), target="gpu", device="model", cache=False).program
    driver = ModelDriver()
    (found,) = GpuExecutable(program, driver)(a, b)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32))
    assert driver.conflicts == 0
    assert [step.shared_bytes for step in program.plan.steps if isinstance(step, Launch)] == [shared]


@pytest.mark.parametrize(
    "old, new",
    [
        ("nvvm.cp.async.wait.group 2", "nvvm.cp.async.wait.group 3"),
        ("gpu.barrier", ""),
        ("arith.xori %", "arith.addi %"),
        ("numTiles = 4 : i32, transpose = true", "numTiles = 4 : i32, transpose = false"),
    ],
)
def test_planted_mistakes_are_found(old: str, new: str) -> None:
    """Too short a wait, no barrier, another swizzle where it is read or written, a matrix that is not transposed."""
    program = hlo.compile(SMALL.format(m=32, n=32), target="gpu", device="model").program
    module = hlo.parse(SMALL.format(m=32, n=32))
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="device")
    text = str(module)
    assert old in text
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(text.replace(old, new, 1))))
    rng = np.random.default_rng(6)
    a, b = integers(rng, (32, 160), "bf16"), integers(rng, (160, 32), "bf16")
    expected = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(GpuExecutable(program, ModelDriver())(a, b)[0], expected)
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(a, b)
    except HloError:
        return
    assert not np.array_equal(found, expected)


# Warpgroups of sm_90a


def by_warpgroups(text: str, monkeypatch, columns: int = 128):
    """The program for sm_90a, with tiles of so many columns however few they are."""
    monkeypatch.setattr("hlo.lowering.gpu.warpgroups.ENOUGH_BLOCKS", {columns: 1})
    program = hlo.compile(text, target="gpu", device="model", arch="sm_90a", cache=False).program
    assert "nvvm.wgmma.mma_async" in program.code
    return program


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


LONG = """func.func @main(%a: tensor<128x448xbf16>, %b: tensor<128x448xbf16>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<128x448xbf16>, tensor<128x448xbf16>) -> tensor<128x128xf32>
  return %0 : tensor<128x128xf32> }"""


@pytest.mark.parametrize(
    "old, new, message",
    [
        (r"(mbarrier.init %\d+\[%c4\], %c)2", r"\g<1>3", "every warp waits"),
        (r"(mbarrier.init %\d+\[%c4\], %c)2", r"\g<1>1", "more threads arrive"),
        (r"(expect_tx .*, )%c32768", r"\g<1>%c7", "every warp waits"),
        (r"(expect_tx .*, )%c32768", r"\g<1>%c10000000", "every warp waits"),
        (r"B\[<bf16>, <one>, <col>\]", "B[<bf16>, <one>, <row>]", None),
        (r"number_of_threads = %c256_i32", "number_of_threads = %c32_i32", "a barrier of 32"),
        (r"nvvm.barrier id = .*", "", "no barrier in between"),
        (r"(?s)(.*)nvvm.barrier id [^\n]*", r"\g<1>", "no barrier in between"),
        (r"nvgpu.mbarrier.try_wait.parity .*", "", None),
        (r"(?s)(.*)nvgpu.mbarrier.try_wait.parity [^\n]*", r"\g<1>", None),
        (r"%(\w+) = nvgpu.mbarrier.arrive %.*", "", "every warp waits"),
        (r"(tma.async.load %\d+\[%\d+, )%c0", r"\g<1>%c4", None),
    ],
)
def test_planted_mistakes_in_warpgroups_are_found(old: str, new: str, message: str | None, monkeypatch) -> None:
    """Wrong counts of arrivals, bytes and threads, a wrong layout, waits and barriers that are missing, a wrong box."""
    program = by_warpgroups(LONG, monkeypatch)
    module = hlo.parse(LONG)
    pipelines.run(module, gpu("sm_90a", "model"))
    right = str(module)
    wrong, count = re.subn(old, new, right, count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    rng = np.random.default_rng(9)
    a, b = integers(rng, (128, 448), "bf16"), integers(rng, (128, 448), "bf16")
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    assert np.array_equal(GpuExecutable(program, ModelDriver())(a, b)[0], expected)
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(a, b)
    except HloError as error:
        assert message is None or message in str(error)
        return
    assert message is None and not np.array_equal(found, expected)
