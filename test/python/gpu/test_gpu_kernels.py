"""Kernels for GPUs on the numpy model: rows, reductions of every type, vectors, odd sizes."""

import numpy as np
import pytest

import hlo
from hlo import pipelines
from hlo.dialect.numpy_types import DTYPES
from hlo.runtime.gpu.model.matrix_ops import multiply

SOFTMAX = """
func.func @main(%x: tensor<{r}x{c}xf32>) -> tensor<{r}x{c}xf32> {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<{r}x{c}xf32>, tensor<f32>) -> tensor<{r}xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<{r}xf32>) -> tensor<{r}x{c}xf32>
  %s = stablehlo.subtract %x, %mb : tensor<{r}x{c}xf32>
  %e = stablehlo.exponential %s : tensor<{r}x{c}xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<{r}x{c}xf32>, tensor<f32>) -> tensor<{r}xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<{r}xf32>) -> tensor<{r}x{c}xf32>
  %q = stablehlo.divide %e, %tb : tensor<{r}x{c}xf32>
  return %q : tensor<{r}x{c}xf32>
}}
"""


def on_model(text: str):
    return hlo.compile(text, target="gpu", device="model")


def launches(text: str) -> list[str]:
    module = hlo.parse(text)
    pipelines.run(module, pipelines.target_pipeline("gpu"), stop_after="memory")
    return [line for line in str(module).splitlines() if "gpu.launch_func" in line]


@pytest.mark.parametrize(
    "rows, columns",
    [
        *((64, 1024), (100, 77), (3, 33), (70, 32), (65, 4097), (1, 100), (500, 5), (2, 0)),
        *((1000, 16), (3, 10), (33, 128), (300, 512), (77, 4), (1, 12)),
    ],
)
def test_softmax(rows: int, columns: int) -> None:
    text = SOFTMAX.format(r=rows, c=columns)
    x = np.random.default_rng(rows).normal(size=(rows, columns)).astype(np.float32) * 5
    e = np.exp(x - x.max(1, keepdims=True)) if columns else x
    (found,) = on_model(text)(x)
    np.testing.assert_allclose(found, e / e.sum(1, keepdims=True), rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("columns", [512, 16, 10])
def test_a_softmax_is_one_launch(columns: int) -> None:
    assert len(launches(SOFTMAX.format(r=128, c=columns))) == 1


def test_short_rows_share_a_block() -> None:
    """4096 rows of 128: 32 threads each, 8 rows a block."""
    (launch,) = on_model(SOFTMAX.format(r=4096, c=128)).program.plan.steps
    assert (launch.blocks, launch.threads) == (512, 256)


REDUCTION = """
func.func @main(%x: tensor<{shape}x{kind}>, %i: tensor<{kind}>) -> tensor<{result}x{kind}> {{
  %r = stablehlo.reduce(%x init: %i) applies stablehlo.{op} across dimensions = {dimensions} : (tensor<{shape}x{kind}>, tensor<{kind}>) -> tensor<{result}x{kind}>
  return %r : tensor<{result}x{kind}>
}}
"""

KINDS = ("i1", "i8", "ui16", "i32", "ui64", "f16", "bf16", "f32", "f64", "complex<f32>")


def small_values(rng, shape, dtype):
    """Integers that all sums are exact of."""
    values = rng.integers(0, 2 if dtype == np.bool_ else 3, size=shape)
    return values.astype(dtype)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("op, function", [("add", np.add), ("maximum", np.maximum)])
def test_row_reductions(kind: str, op: str, function) -> None:
    if kind == "i1":
        op, function = {"add": ("or", np.logical_or), "maximum": ("and", np.logical_and)}[op]
    if kind.startswith("complex") and op == "maximum":
        pytest.skip("complex numbers have no order")
    dtype = DTYPES[kind]
    x = small_values(np.random.default_rng(1), (66, 84), dtype)
    start = np.zeros((), dtype)
    text = REDUCTION.format(shape="66x84", result="66", kind=kind, op=op, dimensions="[1]")
    (found,) = on_model(text)(x, start)
    assert np.array_equal(found, function(function.reduce(x, axis=1), start).astype(dtype))


@pytest.mark.parametrize(
    "shape, dimensions, result",
    [
        ((70, 4, 9), (1, 2), "70"),
        ((70, 4, 9), (0,), "4x9"),
        ((3, 70, 40), (1,), "3x40"),
        ((5, 70, 40), (0, 2), "70"),
        ((100, 100), (0,), "100"),
        ((64, 1, 128), (2,), "64x1"),
    ],
)
def test_reduced_dimensions(shape, dimensions, result) -> None:
    x = small_values(np.random.default_rng(2), shape, np.float32)
    words = {"shape": "x".join(map(str, shape)), "dimensions": list(dimensions), "result": result}
    (found,) = on_model(REDUCTION.format(kind="f32", op="add", **words))(x, np.float32(7))
    assert np.array_equal(found, x.sum(axis=dimensions) + 7)


@pytest.mark.parametrize(
    "shape, dimensions, result",
    [
        ((8192,), (0,), ""),
        ((64, 512), (0, 1), ""),
        ((4096, 40), (0,), "40"),
        ((10007,), (0,), ""),
        ((7, 4096, 3), (1,), "7x3"),
    ],
)
def test_long_reductions(shape, dimensions, result) -> None:
    x = small_values(np.random.default_rng(3), shape, np.float32)
    words = {"shape": "x".join(map(str, shape)), "dimensions": list(dimensions), "result": result}
    text = REDUCTION.format(kind="f32", op="add", **words).replace("tensor<xf32>", "tensor<f32>")
    (found,) = on_model(text)(x, np.float32(-1))
    assert np.array_equal(found, x.sum(axis=dimensions) - 1)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 31, 64, 1000])
@pytest.mark.parametrize("kind", ["i8", "bf16", "f32", "f64"])
def test_elementwise_of_all_widths(size: int, kind: str) -> None:
    text = f"""func.func @main(%x: tensor<3x{size}x{kind}>, %w: tensor<{size}x{kind}>) -> tensor<3x{size}x{kind}> {{
      %b = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<{size}x{kind}>) -> tensor<3x{size}x{kind}>
      %r = stablehlo.add %x, %b : tensor<3x{size}x{kind}>
      return %r : tensor<3x{size}x{kind}> }}"""
    rng = np.random.default_rng(size)
    x, w = (small_values(rng, s, DTYPES[kind]) for s in ((3, size), (size,)))
    assert np.array_equal(on_model(text)(x, w)[0], x + w)


MATMUL = """func.func @main(%x: tensor<{m}x{k}x{kind}>, %w: tensor<{w}x{kind}>) -> tensor<{m}x{n}x{sum}> {{
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [{axis}] : (tensor<{m}x{k}x{kind}>, tensor<{w}x{kind}>) -> tensor<{m}x{n}x{sum}>
  return %r : tensor<{m}x{n}x{sum}> }}"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("m, k, n", [(64, 128, 96), (100, 70, 50), (33, 16, 17), (16, 31, 129)])
@pytest.mark.parametrize("kind", ["bf16", "f16", "f32", "f64", "i32"])
@pytest.mark.parametrize("axis", [0, 1])
def test_contractions_by_tiles(m: int, k: int, n: int, kind: str, axis: int) -> None:
    """Small integers: every sum is exact."""
    rng = np.random.default_rng(m)
    x, w = (rng.integers(-4, 5, size).astype(DTYPES[kind]) for size in ((m, k), (k, n)))
    if axis:
        w = np.ascontiguousarray(w.T)
    total = "f32" if kind in ("bf16", "f16") else kind
    shape = "x".join(map(str, w.shape))
    (found,) = on_model(MATMUL.format(m=m, k=k, n=n, w=shape, kind=kind, sum=total, axis=axis))(x, w)
    expected = x.astype(np.float64) @ (w.T if axis else w).astype(np.float64)
    assert np.array_equal(found.astype(np.float64), expected)


def test_matrix_instructions_as_ptx_lays_them_out() -> None:
    """Against the formulas of the PTX ISA for m16n8k16: row and column of each element of a fragment, by lane."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-3, 4, size).astype(np.float32) for size in ((16, 16), (16, 8), (16, 8)))
    lane = np.arange(32)
    group, member = lane >> 2, lane & 3
    fragments = []
    for pair in range(4):
        row = group + 8 * (pair in (1, 3))
        column = 2 * member + 8 * (pair >= 2)
        fragments.append(np.stack([a[row, column], a[row, column + 1]], 1).astype(np.float16))
    columns = [
        np.stack([b[2 * member + 8 * half, group], b[2 * member + 8 * half + 1, group]], 1).astype(np.float16)
        for half in range(2)
    ]
    sums = [c[group + 8 * (i >= 2), 2 * member + (i & 1)] for i in range(4)]
    found = multiply(fragments, columns, sums, np.dtype(np.float16), np.dtype(np.float16))
    expected = c + a @ b
    for i, values in enumerate(found):
        assert np.array_equal(values, expected[group + 8 * (i >= 2), 2 * member + (i & 1)])


def test_rows_that_are_read_backwards_and_in_pieces() -> None:
    """Neighbours in memory that an iteration walks through backwards are no vector; the two halves of a row are."""
    program = """
    func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>, tensor<64x16xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reverse %x, dims = [1] : tensor<64x32xf32>
      %a = stablehlo.add %r, %y : tensor<64x32xf32>
      %m = stablehlo.multiply %r, %y : tensor<64x32xf32>
      %s = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
      %p = stablehlo.reshape %x : (tensor<64x32xf32>) -> tensor<64x16x2xf32>
      %q = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<64x16x2xf32>, tensor<f32>) -> tensor<64x16xf32>
      return %a, %s, %q : tensor<64x32xf32>, tensor<64xf32>, tensor<64x16xf32>
    }"""
    x, y = (np.random.default_rng(seed).integers(-9, 10, (64, 32)).astype(np.float32) for seed in (0, 1))
    backwards = x[:, ::-1]
    added, products, pairs = on_model(program)(x, y)
    np.testing.assert_array_equal(added, backwards + y)
    np.testing.assert_array_equal(products, (backwards * y).sum(axis=1))
    np.testing.assert_array_equal(pairs, x.reshape(64, 16, 2).sum(axis=2))
