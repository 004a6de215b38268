"""Reductions on the numpy model of a GPU: columns, rows, whole sums, dimensions in the middle, in parts, of every type."""

import re

import ml_dtypes
import numpy as np
import pytest
from test_gpu_assembler import PTXAS, assemble

import hlo
from hlo import pipelines
from hlo.dialect.numpy_types import DTYPES

KINDS = ("i1", "i8", "ui16", "i32", "ui64", "f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>")

REDUCTION = """
func.func @main(%x: tensor<{shape}{kind}>, %i: tensor<{kind}>) -> tensor<{result}{kind}> {{
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.{op} across dimensions = {dimensions} : (tensor<{shape}{kind}>, tensor<{kind}>) -> tensor<{result}{kind}>
  return %r : tensor<{result}{kind}>
}}
"""


def shape_text(shape) -> str:
    return "".join(f"{n}x" for n in shape)


def reduction(shape, dimensions, kind: str = "f32", op: str = "add") -> str:
    result = [n for d, n in enumerate(shape) if d not in dimensions]
    return REDUCTION.format(
        shape=shape_text(shape), result=shape_text(result), kind=kind, op=op, dimensions=list(dimensions)
    )


def on_model(text: str):
    return hlo.compile(text, target="gpu", device="model", cache=False)


def grids(text: str) -> list[tuple[int, int]]:
    """Blocks and threads of each launch."""
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="memory")
    found = re.findall(r"known_block_size = array<i32: (\d+).*?known_grid_size = array<i32: (\d+)", str(module))
    return [(int(blocks), int(threads)) for threads, blocks in found]


def small_values(shape, dtype, seed: int = 1):
    """Integers that all sums are exact of."""
    values = np.random.default_rng(seed).integers(0, 2, size=shape)
    return values.astype(dtype)


SHAPES = [
    ((300, 12), (0,)),
    ((5, 7, 24), (1,)),
    ((4, 3, 2, 5), (0, 2)),
    ((2, 3, 4, 5), (1, 3)),
    ((6, 40), (1,)),
    ((9, 2), (1,)),
    ((130, 1100), (1,)),
    ((3000,), (0,)),
    ((2, 257, 1), (1,)),
    ((70, 3), (0,)),
    ((4, 0, 3), (1,)),
    ((3, 4, 0), (1,)),
    ((1, 5, 1), (0, 2)),
]


@pytest.mark.parametrize("shape, dimensions", SHAPES)
@pytest.mark.parametrize("kind", ["f32", "bf16", "i8"])
def test_sums_over_any_dimensions(shape, dimensions, kind: str) -> None:
    x = small_values(shape, DTYPES[kind])
    (found,) = on_model(reduction(shape, dimensions, kind))(x, DTYPES[kind].type(3))
    wanted = x.astype(np.int64).sum(axis=dimensions) + 3
    assert np.array_equal(found.astype(np.float64), wanted.astype(DTYPES[kind]).astype(np.float64))


@pytest.fixture
def in_parts(monkeypatch):
    """Parts wherever there is more than one step for them."""
    monkeypatch.setattr("hlo.lowering.gpu.region.sharing.PART_BYTES", 1)


@pytest.mark.parametrize("shape, dimensions", SHAPES)
def test_sums_in_parts(shape, dimensions, in_parts) -> None:
    x = small_values(shape, np.float32)
    text = reduction(shape, dimensions)
    (found,) = on_model(text)(x, np.float32(3))
    assert np.array_equal(found, x.sum(axis=dimensions) + 3)


def test_parts_are_two_launches(in_parts) -> None:
    assert len(grids(reduction((300, 12), (0,)))) == 2


FUNCTIONS = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op", FUNCTIONS)
@pytest.mark.parametrize("shape, dimension", [((700, 16), 0), ((16, 700), 1)])
def test_combiners_and_types(kind: str, op: str, shape, dimension: int, in_parts) -> None:
    if op in ("and", "or", "xor") and kind not in ("i1", "i8", "ui16", "i32", "ui64"):
        pytest.skip("floats have no bits to combine")
    if (kind == "i1" and op not in ("and", "or", "xor")) or (
        kind.startswith("complex") and op not in ("add", "multiply")
    ):
        pytest.skip("not for this type")
    dtype, function = DTYPES[kind].type, FUNCTIONS[op]
    x = small_values(shape, dtype, seed=len(op))
    if op == "multiply":
        x[:, ::3] = x[::3, :] = dtype(1)
    if op in ("and", "minimum"):
        x[:, ::2] = x[::2] = dtype(1)
    start = dtype(1)
    (found,) = on_model(reduction(shape, (dimension,), kind, op))(x, start)
    with np.errstate(over="ignore"):
        wanted = function(
            function.reduce(x.astype(np.float64) if dtype == ml_dtypes.bfloat16 else x, axis=dimension), start
        )
    assert np.array_equal(found, wanted.astype(dtype))


ARGMAX = """
func.func @main(%x: tensor<{shape}f32>) -> (tensor<{result}f32>, tensor<{result}i32>) {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = {dimension} : tensor<{shape}i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [{dimension}] :
      (tensor<{shape}f32>, tensor<{shape}i32>, tensor<f32>, tensor<i32>) -> (tensor<{result}f32>, tensor<{result}i32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {{
      %greater = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.or %greater, %nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lower = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %lower : tensor<i1>
      %either = stablehlo.or %first, %tie : tensor<i1>
      %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %either, %m, %n : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }}
  return %r#0, %r#1 : tensor<{result}f32>, tensor<{result}i32>
}}
"""


@pytest.mark.parametrize(
    "shape, dimension", [((2000,), 0), ((5, 900), 1), ((900, 6), 0), ((3, 50, 4), 1), ((40, 3), 1)]
)
@pytest.mark.parametrize("parts", [1, 1 << 40])
def test_places_of_maxima(shape, dimension: int, parts: int, monkeypatch) -> None:
    """The first of equal maxima; a NaN is greater than all numbers."""
    monkeypatch.setattr("hlo.lowering.gpu.region.sharing.PART_BYTES", parts)
    rng = np.random.default_rng(5)
    x = rng.integers(0, 9, shape).astype(np.float32)
    x[rng.random(shape) < 0.0005] = np.nan
    result = [n for d, n in enumerate(shape) if d != dimension]
    text = ARGMAX.format(shape=shape_text(shape), result=shape_text(result), dimension=dimension)
    value, place = on_model(text)(x)
    assert np.array_equal(place, np.argmax(x, axis=dimension))
    assert np.array_equal(value, x.max(axis=dimension), equal_nan=True)
    assert all(threads == 256 for _, threads in grids(text))


AFFINE = """
func.func @main(%x: tensor<{n}x3xi64>, %y: tensor<{n}x3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {{
  %one = stablehlo.constant dense<1> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.reduce(%x init: %one), (%y init: %zero) across dimensions = [0] :
      (tensor<{n}x3xi64>, tensor<{n}x3xi64>, tensor<i64>, tensor<i64>) -> (tensor<3xi64>, tensor<3xi64>)
    reducer(%a: tensor<i64>, %c: tensor<i64>) (%b: tensor<i64>, %d: tensor<i64>) {{
      %product = stablehlo.multiply %a, %c : tensor<i64>
      %moved = stablehlo.multiply %b, %c : tensor<i64>
      %sum = stablehlo.add %moved, %d : tensor<i64>
      stablehlo.return %product, %sum : tensor<i64>, tensor<i64>
    }}
  return %r#0, %r#1 : tensor<3xi64>, tensor<3xi64>
}}
"""


@pytest.mark.parametrize("parts", [1, 1 << 40])
def test_what_does_not_commute_is_combined_in_order(parts: int, monkeypatch) -> None:
    """x -> c x + d, one after the other."""
    monkeypatch.setattr("hlo.lowering.gpu.region.sharing.PART_BYTES", parts)
    rng = np.random.default_rng(6)
    x, y = rng.integers(-3, 4, (1000, 3)) | 1, rng.integers(-9, 9, (1000, 3))
    a, b = np.ones(3, np.int64), np.zeros(3, np.int64)
    with np.errstate(over="ignore"):
        for c, d in zip(x, y):
            a, b = a * c, b * c + d
    text = AFFINE.format(n=1000)
    first, second = on_model(text)(x, y)
    assert np.array_equal(first, a) and np.array_equal(second, b)
    assert len(grids(text)) == (2 if parts == 1 else 1)


FIRST_OF_PAIRS = """
func.func @main(%x: tensor<7x90x5x{kind}>, %y: tensor<7x90x5x{kind}>, %i: tensor<{kind}>) -> (tensor<5x7x{kind}>, tensor<5x7x{kind}>) {{
  %t = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<7x90x5x{kind}>) -> tensor<5x7x90x{kind}>
  %u = stablehlo.transpose %y, dims = [2, 0, 1] : (tensor<7x90x5x{kind}>) -> tensor<5x7x90x{kind}>
  %r:2 = stablehlo.reduce(%t init: %i), (%u init: %i) across dimensions = [2] :
      (tensor<5x7x90x{kind}>, tensor<5x7x90x{kind}>, tensor<{kind}>, tensor<{kind}>) -> (tensor<5x7x{kind}>, tensor<5x7x{kind}>)
    reducer(%a: tensor<{kind}>, %c: tensor<{kind}>) (%b: tensor<{kind}>, %d: tensor<{kind}>) {{
      stablehlo.return %a, %b : tensor<{kind}>, tensor<{kind}>
    }}
  return %r#0, %r#1 : tensor<5x7x{kind}>, tensor<5x7x{kind}>
}}
"""


@pytest.mark.parametrize("parts", [1, 1 << 40])
@pytest.mark.parametrize("kind", ["i1", "i16", "f32", "complex<f32>"])
def test_elements_that_a_function_does_not_use_are_not_read(kind: str, parts: int, monkeypatch) -> None:
    """The loops of the results are joined as if the arrays did not exist: their elements are elsewhere."""
    monkeypatch.setattr("hlo.lowering.gpu.region.sharing.PART_BYTES", parts)
    x = small_values((7, 90, 5), DTYPES[kind])
    start = DTYPES[kind].type(1)
    for found in on_model(FIRST_OF_PAIRS.format(kind=kind))(x, x, start):
        assert np.array_equal(found, np.full((5, 7), start))


@pytest.mark.parametrize("shape", [(1,), (300,), (40, 65)])
def test_bodies_with_constants_from_outside(shape) -> None:
    """8-bit floats are widened by integer arithmetic, whose constants stand outside of the body."""
    x = np.random.default_rng(8).integers(-8, 9, shape).astype(ml_dtypes.float8_e3m4)
    (found,) = on_model(reduction(shape, [0], "f8E3M4", "minimum"))(x, np.array(3, x.dtype))
    exact = np.minimum(x.astype(np.float32).min(axis=0), 3)
    assert np.array_equal(np.asarray(found).astype(np.float32), exact)


ASSEMBLED = {
    "columns of bf16": reduction((8, 512, 768), (0, 1), "bf16"),
    "a dimension in the middle": reduction((8, 512, 768), (1,)),
    "a whole sum of bytes": reduction((1 << 22,), (0,), "i8", "maximum"),
    "rows of f64": reduction((4096, 768), (1,), "f64"),
    "places of maxima": ARGMAX.format(shape="4096x1000x", result="4096x", dimension=1),
    "places of maxima of columns": ARGMAX.format(shape="4096x1000x", result="1000x", dimension=0),
}


@pytest.mark.skipif(PTXAS is None, reason="no ptxas: pip install nvidia-cuda-nvcc")
@pytest.mark.parametrize("name", ASSEMBLED)
def test_reductions_are_assembled_without_spills(name: str, tmp_path) -> None:
    for arch in ("sm_80", "sm_90a"):
        code = hlo.compile(ASSEMBLED[name], target="gpu", arch=arch, cache=False).program.code
        assert "ld.global.v" in code or "places" in name
        assert {kernel: sizes for kernel, sizes in assemble(code, arch, tmp_path).items() if any(sizes[1:])} == {}


@pytest.mark.parametrize(
    "shape, dimensions, kind, blocks",
    [
        ((8, 512, 768), (0, 1), "bf16", 132),
        ((8, 512, 768), (1,), "f32", 132),
        ((8, 512, 768), (0, 1, 2), "f32", 264),
        ((8, 3, 512, 768), (0, 2, 3), "f32", 264),
        ((49152, 512), (1,), "f32", 528),
        ((1 << 20, 16), (1,), "f32", 528),
    ],
)
def test_the_card_is_full(shape, dimensions, kind: str, blocks: int) -> None:
    """A launch of many blocks, a small one that folds parts where there are any, and one that rounds sums of small floats."""
    first, *others = grids(reduction(shape, dimensions, kind))
    assert first[0] >= blocks and first[1] == 256 and len(others) <= 1 + (kind == "bf16")


def test_two_reductions_of_one_kernel_begin_within_their_launches() -> None:
    """What is computed before both is a launch; each has parts and their fold: nothing is filled or copied."""
    text = """func.func @main(%x: tensor<4096x768xf32>, %y: tensor<4096x768xf32>) -> (tensor<768xf32>, tensor<768xf32>) {
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %e = stablehlo.tanh %x : tensor<4096x768xf32>
      %m = stablehlo.multiply %e, %y : tensor<4096x768xf32>
      %a = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x768xf32>, tensor<f32>) -> tensor<768xf32>
      %b = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x768xf32>, tensor<f32>) -> tensor<768xf32>
      return %a, %b : tensor<768xf32>, tensor<768xf32> }"""
    assert len(grids(text)) <= 5 and all(blocks >= 6 for blocks, _ in grids(text))


NOTHING = """
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) -> (tensor<4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.subtract %a, %b : tensor<f32>
      %2 = stablehlo.multiply %1, %a : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  %3 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  return %0, %3 : tensor<4xf32>, tensor<2x4xf32>
}
"""


def test_without_a_dimension_the_body_is_applied_once() -> None:
    """Also where what reads the result computes it again for each row."""
    x, start = np.arange(4, dtype=np.float32), np.float32(3)
    one, rows = on_model(NOTHING)(x, start)
    assert np.array_equal(one, (start - x) * start) and np.array_equal(rows, np.stack([one, one]))


DEPTHWISE = """
func.func @main(%x: tensor<{n}x{h}x{h}x{f}xf32>, %w: tensor<3x3x1x{c}xf32>) -> tensor<{n}x{h}x{h}x{c}xf32> {{
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}
    : (tensor<{n}x{h}x{h}x{f}xf32>, tensor<3x3x1x{c}xf32>) -> tensor<{n}x{h}x{h}x{c}xf32>
  return %r : tensor<{n}x{h}x{h}x{c}xf32>
}}
"""


def decisions(text: str) -> list[str]:
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="memory")
    return re.findall(r'hlo.decision = "(.*?)"', str(module))


def test_features_of_a_depthwise_convolution_are_neighbours() -> None:
    """The features per group, one, lie behind the groups in memory: a dimension of one element is in nobody's way."""
    text = DEPTHWISE.format(n=2, h=6, f=8, c=8, groups=8)
    assert "1 thread for 4 neighbouring results" in decisions(text)[-1]
    x, w = (small_values(shape, np.float32, seed) for seed, shape in enumerate([(2, 6, 6, 8), (3, 3, 1, 8)]))
    (found,) = on_model(text)(x, w)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    wanted = sum(padded[:, i : i + 6, j : j + 6] * w[i, j, 0] for i in range(3) for j in range(3))
    assert np.array_equal(found, wanted)


def test_features_of_an_image_of_one_are_neighbours() -> None:
    """The image lies along none of the dimensions: its windows do not; the results do."""
    text = DEPTHWISE.format(n=40, h=6, f=1, c=8, groups=1)  # fewer would be one launch with their padding
    assert "1 thread for 4 neighbouring results" in decisions(text)[-1]
    x, w = (small_values(shape, np.float32, seed) for seed, shape in enumerate([(40, 6, 6, 1), (3, 3, 1, 8)]))
    (found,) = on_model(text)(x, w)
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    wanted = sum(padded[:, i : i + 6, j : j + 6] * w[i, j, 0] for i in range(3) for j in range(3))
    assert np.array_equal(found, wanted)


def test_a_few_elements_are_reduced_by_a_thread_of_their_own() -> None:
    assert "1 thread for a result" in decisions(reduction((512, 512, 3), (2,)))[-1]
