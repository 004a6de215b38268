"""Contractions on the model of a GPU: every way a tile comes to shared memory, every epilogue, against numpy."""

import re
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest
from gpu_products import (
    DTYPES,
    EPILOGUE,
    SIZES,
    change_target,
    integers,
    launches,
    on_model,
    product,
    product_program,
    tensor,
    transposed,
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

EVERY = ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn", "bmk,bkn->bmn", "kbm,nbk->bmn", "il,lj->ij", "li,jl->ij",
         "bckm,cnkb->bcmn"]  # fmt: skip
SOME = ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "il,lj->ij"]
KINDS = [
    ("bf16", "bf16", "f32"),
    ("f16", "f16", "f32"),
    ("i8", "i8", "i32"),
    ("ui8", "ui8", "ui32"),
    ("f32", "f32", "f32"),
    ("f64", "f64", "f64"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kinds, subscripts",
    [(kinds, s) for kinds in KINDS for s in (SOME if kinds[0] in ("i8", "ui8", "f16", "f64") else EVERY)],
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


OTHER = {"i8": np.int8, "i16": np.int16, "ui16": np.uint16, "i64": np.int64, "f16": np.float16}


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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("subscripts", ["mk,kn->mn", "bmk,bkn->bmn", "lj,ij->li", "mk,k->m"])
def test_complex_products(kind: str, subscripts: str) -> None:
    rng = np.random.default_rng(13)
    left, right = subscripts.split("->")[0].split(",")
    shapes = [[SIZES[c] for c in s] for s in (left, right)]
    a, b = ((rng.integers(-3, 4, s) + 1j * rng.integers(-3, 4, s)).astype(DTYPES[kind]) for s in shapes)
    expected = np.einsum(subscripts, a, b)
    a_type, b_type, result = (tensor(x, kind) for x in (a, b, expected))
    text = f"""func.func @main(%a: {a_type}, %b: {b_type}) -> {result} {{
      %r = {product(a_type, b_type, result, *transposed(subscripts))}
      return %r : {result} }}"""
    (found,), _ = on_model(text, a, b)
    assert np.array_equal(found, expected)


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


TRIANGLE = """
func.func @main(%a: tensor<72x64xbf16>, %b: tensor<64x48xbf16>, %c: tensor<72x48xf32>) -> (tensor<72x48xf32>, tensor<72x48xi1>) {
  %t = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<72x64xbf16>, tensor<64x48xbf16>) -> tensor<72x48xf32>
  %i = stablehlo.iota dim = 0 : tensor<72x48xi32>
  %j = stablehlo.iota dim = 1 : tensor<72x48xi32>
  %is = stablehlo.compare GE, %i, %j, SIGNED : (tensor<72x48xi32>, tensor<72x48xi32>) -> tensor<72x48xi1>
  %r = stablehlo.select %is, %t, %c : tensor<72x48xi1>, tensor<72x48xf32>
  %low = stablehlo.compare LT, %t, %c, FLOAT : (tensor<72x48xf32>, tensor<72x48xf32>) -> tensor<72x48xi1>
  return %r, %low : tensor<72x48xf32>, tensor<72x48xi1>
}
"""


def test_an_epilogue_may_use_indices_and_have_several_results() -> None:
    rng = np.random.default_rng(5)
    a, b = integers(rng, (72, 64), "bf16"), integers(rng, (64, 48), "bf16")
    c = rng.integers(-9, 9, (72, 48)).astype(np.float32)
    (result, low), _ = on_model(TRIANGLE, a, b, c)
    total = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(result, np.where(np.tri(72, 48, dtype=bool), total, c))
    assert np.array_equal(low, total < c)
    assert launches(TRIANGLE) == 1


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
    change_target(monkeypatch, "sm_80", multiprocessors=enough)
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


# Other types than those of two bytes


@pytest.mark.parametrize("kinds", [("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E5M2")])
@pytest.mark.parametrize("k", [48, 8])
def test_f8_is_exact_in_f16(kinds: tuple[str, str], k: int) -> None:
    """Every f8 there is, also infinities and NaNs; the products are exact, their sums few. A depth of 8 has no tiles."""
    rng = np.random.default_rng(15)
    codes = np.resize(np.arange(256, dtype=np.uint8), (48, k))
    a, b = codes.view(DTYPES[kinds[0]]), np.zeros((k, 40), DTYPES[kinds[1]])
    b[rng.integers(0, k, 40), np.arange(40)] = rng.normal(size=40).astype(b.dtype)
    b[0, 0] = np.inf
    text = product_program("mk,kn->mn", a, b, (*kinds, "f32"))
    (found,), _ = on_model(text, a, b)
    with np.errstate(invalid="ignore"):
        expected = (a.astype(np.float32)[:, :, None] * b.astype(np.float32)[None]).sum(1)
    np.testing.assert_array_equal(found, expected)
    code = hlo.compile(text, target="gpu", device="model").program.code
    assert ("nvvm.mma.sync" in code) == (k >= 16)


def tf32(x: np.ndarray) -> np.ndarray:
    """The nearest with eleven significant bits, halves away from zero."""
    fraction, exponent = np.frexp(x.astype(np.float64))
    return np.ldexp(np.trunc(fraction * 2048 + np.copysign(0.5, fraction)), exponent - 11).astype(np.float32)


ROUNDED = {"tf32": tf32, "bf16": lambda x: x.astype(ml_dtypes.bfloat16), "f16": lambda x: x.astype(np.float16)}


@pytest.mark.parametrize("kind", ROUNDED)
def test_inputs_are_rounded_where_the_program_says_so(kind: str) -> None:
    rng = np.random.default_rng(16)
    a, b = (rng.normal(size=size).astype(np.float32) for size in ((40, 64), (64, 48)))
    text = product_program("mk,kn->mn", a, b, ("f32", "f32", "f32"), kind)
    (found,), _ = on_model(text, a, b)
    left, right = (ROUNDED[kind](x).astype(np.float64) for x in (a, b))
    exact = a.astype(np.float64) @ b
    assert np.abs(found - left @ right).max() < 2e-5
    assert np.abs(left @ right - exact).max() > 1e-4
    (found,), _ = on_model(product_program("mk,kn->mn", a, b, ("f32", "f32", "f32")), a, b)
    assert np.abs(found - exact).max() < 2e-5


@pytest.mark.parametrize("change", ["num_primitive_operations = 3", "num_primitive_operations = 6"])
def test_other_algorithms_are_exact(change: str) -> None:
    rng = np.random.default_rng(17)
    a, b = (rng.normal(size=size).astype(np.float32) for size in ((40, 64), (64, 48)))
    text = product_program("mk,kn->mn", a, b, ("f32", "f32", "f32"), "bf16")
    name = change.split()[0]
    text = re.sub(name + " = [a-z0-9]+", change, text)
    (found,), _ = on_model(text, a, b)
    assert np.abs(found - a.astype(np.float64) @ b).max() < 2e-5


@pytest.mark.parametrize("kinds", [("i8", "i8"), ("ui8", "i8"), ("i8", "ui8"), ("ui8", "ui8")])
def test_converted_bytes_are_multiplied_as_bytes(kinds: tuple[str, str]) -> None:
    rng = np.random.default_rng(18)
    ranges = {"i8": (-128, 128), "ui8": (0, 256)}
    a, b = (rng.integers(*ranges[k], s).astype(DTYPES[k]) for k, s in zip(kinds, ((33, 65), (48, 65))))
    a_type, b_type = tensor(a, kinds[0]), tensor(b, kinds[1])
    text = f"""func.func @main(%a: {a_type}, %b: {b_type}) -> tensor<33x48xi32> {{
      %x = stablehlo.convert %a : ({a_type}) -> tensor<33x65xi32>
      %w = stablehlo.convert %b : ({b_type}) -> tensor<48x65xi32>
      %y = stablehlo.transpose %w, dims = [1, 0] : (tensor<48x65xi32>) -> tensor<65x48xi32>
      %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<33x65xi32>, tensor<65x48xi32>) -> tensor<33x48xi32>
      return %r : tensor<33x48xi32> }}"""
    (found,), _ = on_model(text, a, b)
    assert np.array_equal(found, a.astype(np.int64) @ b.astype(np.int64).T)
    program = hlo.compile(text, target="gpu", device="model").program
    (launch,) = (step for step in program.plan.steps if isinstance(step, Launch))
    assert "nvvm.mma.sync" in program.code and launch.kernel


@pytest.mark.parametrize(
    "kind, old, new",
    [
        ("tf32", "nvvm.cp.async.wait.group 2", "nvvm.cp.async.wait.group 3"),
        ("tf32", "arith.xori %", "arith.addi %"),
        ("tf32", r"B\[(%\w+), (%\w+)\]", r"B[\2, \1]"),
        ("tf32", r"llvm.extractvalue (%\w+)\[0\]", r"llvm.extractvalue \1[1]"),
    ],
)
def test_planted_mistakes_in_wide_elements_are_found(kind: str, old: str, new: str) -> None:
    """Too short a wait, another swizzle, registers of the instruction in another order."""
    stored = "f32" if kind == "tf32" else kind
    rng = np.random.default_rng(25)
    a, b = integers(rng, (32, 64), stored), integers(rng, (32, 64), stored)
    text = product_program("mk,nk->mn", a, b, (stored, stored, stored), "tf32" if kind == "tf32" else "")
    program = hlo.compile(text, target="gpu", device="model").program
    module = hlo.parse(text)
    pipelines.run(module, gpu("sm_80", "model"))
    wrong, count = re.subn(old, new, str(module), count=1)
    assert count == 1
    with make_context(), ir.Location.unknown():
        changed = replace(program, code=code_of(ir.Module.parse(wrong)))
    expected = a @ b.T
    assert np.array_equal(GpuExecutable(program, ModelDriver())(a, b)[0], expected)
    try:
        (found,) = GpuExecutable(changed, ModelDriver())(a, b)
    except HloError:
        return
    assert not np.array_equal(found, expected)


# Depths in parts


RESHAPED = """func.func @main(%a: tensor<{b}x{t}x{k}xbf16>, %w: tensor<{k}x{n}xbf16>, %bias: tensor<{h}x{d}xbf16>,
    %more: tensor<{b}x{t}x{h}x{d}xbf16>) -> tensor<{b}x{t}x{h}x{d}xbf16> {{
  %x = stablehlo.reshape %a : (tensor<{b}x{t}x{k}xbf16>) -> tensor<{m}x{k}xbf16>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xbf16>
  %1 = stablehlo.reshape %0 : (tensor<{m}x{n}xbf16>) -> tensor<{b}x{t}x{h}x{d}xbf16>
  %2 = stablehlo.broadcast_in_dim %bias, dims = [2, 3] : (tensor<{h}x{d}xbf16>) -> tensor<{b}x{t}x{h}x{d}xbf16>
  %3 = stablehlo.add %1, %2 : tensor<{b}x{t}x{h}x{d}xbf16>
  %4 = stablehlo.multiply %3, %more : tensor<{b}x{t}x{h}x{d}xbf16>
  return %4 : tensor<{b}x{t}x{h}x{d}xbf16> }}"""


@pytest.mark.parametrize("h, d", [(5, 16), (3, 8), (20, 4), (7, 5)])
def test_epilogues_behind_a_reshape(h: int, d: int) -> None:
    """Rows and columns of the product are two dimensions each to what follows it; short pieces are left to a launch of their own."""
    rng = np.random.default_rng(23)
    b, t, k, n = 3, 13, 48, h * d
    a, w, bias, more = (integers(rng, shape, "bf16") for shape in ((b, t, k), (k, n), (h, d), (b, t, h, d)))
    text = RESHAPED.format(b=b, t=t, k=k, n=n, h=h, d=d, m=b * t)
    (found,), driver = on_model(text, a, w, bias, more)
    kind = DTYPES["bf16"]
    total = np.einsum("btk,kn->btn", a.astype(np.float32), w.astype(np.float32)).astype(kind).reshape(b, t, h, d)
    added = (total.astype(np.float32) + bias.astype(np.float32)).astype(kind)
    expected = (added.astype(np.float32) * more.astype(np.float32)).astype(kind)
    assert np.array_equal(found, expected) and driver.conflicts == 0
    assert launches(text) == (1 if d % 8 == 0 else 2)
