"""Products of two element types: two floats or two integers, as XLA takes them; the factors are widened, never rounded."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo

NUMPY = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "i4": ml_dtypes.int4, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32,
}  # fmt: skip
FLOATS = [
    "f32 bf16 f32",
    "bf16 f32 bf16",
    "bf16 f16 f32",
    "f32 f64 f32",
    "f64 f32 f64",
    "f8E4M3FN bf16 f32",
    "f16 f8E4M3FN f16",
]
INTEGERS = ["i8 ui8 i32", "i8 i16 i32", "i32 i64 i64", "i64 i32 i32", "i4 i8 i32", "ui32 i8 i64"]
TARGETS = {
    "cpu": {"target": "cpu"},
    "reference": {"target": "reference"},
    "sm_80": {"target": "gpu", "device": "model"},
    "sm_90a": {"target": "gpu", "device": "model", "arch": "sm_90a"},
}


def product(lhs: str, rhs: str, result: str, m: int, k: int, n: int, op: str = "stablehlo.dot_general") -> str:
    dimensions = ", contracting_dims = [1] x [0]" if op == "stablehlo.dot_general" else ""
    types = f"(tensor<{m}x{k}x{lhs}>, tensor<{k}x{n}x{rhs}>) -> tensor<{m}x{n}x{result}>"
    return f"""func.func @main(%a: tensor<{m}x{k}x{lhs}>, %b: tensor<{k}x{n}x{rhs}>) -> tensor<{m}x{n}x{result}> {{
  %0 = {op} %a, %b{dimensions} : {types}
  return %0 : tensor<{m}x{n}x{result}> }}"""


def small(kind: str, shape: tuple[int, int]) -> np.ndarray:
    """Whole numbers that every type holds, whose products sum to whole numbers that every result holds."""
    least = 0 if kind.startswith("ui") else -4
    return np.random.default_rng(len(kind)).integers(least, 5, shape).astype(NUMPY[kind])


@pytest.mark.parametrize("sizes", [(3, 5, 2), (70, 8, 130), (64, 64, 128)])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kinds", FLOATS + INTEGERS)
def test_the_factors_are_widened(kinds, target, sizes):
    lhs, rhs, result = kinds.split()
    m, k, n = sizes
    a, b = small(lhs, (m, k)), small(rhs, (k, n))
    (got,) = hlo.compile(product(lhs, rhs, result, *sizes), **TARGETS[target])(a, b)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(NUMPY[result])
    np.testing.assert_array_equal(got.astype(np.float64), exact.astype(np.float64))


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_lost_of_the_wider_factor(target):
    """1 + 2^-20 times 1 is neither a bf16 nor a tf32."""
    a, b = np.full((32, 32), 1 + 2.0**-20, np.float32), np.eye(32, dtype=ml_dtypes.bfloat16)
    (got,) = hlo.compile(product("f32", "bf16", "f32", 32, 32, 32), **TARGETS[target])(a, b)
    np.testing.assert_array_equal(got, a)


@pytest.mark.parametrize("kinds", ["f32 i32 f32", "i32 f32 f32", "i1 i32 i32", "complex<f32> f32 complex<f32>"])
def test_floats_with_integers_are_refused(kinds):
    with pytest.raises(hlo.VerifyError, match="C1: lhs and rhs must have one element type, found"):
        hlo.parse(product(*kinds.split(), 2, 2, 2))


def test_gradient_of_jax_attention_in_bf16():
    """jax writes products of f32 with bf16 there."""
    shape = (2, 24, 2, 16)
    keys = jax.random.split(jax.random.key(0), 3)
    inputs = [jax.random.normal(key, shape, jnp.bfloat16) for key in keys]

    def loss(q, k, v):
        return jnp.sum(jax.nn.dot_product_attention(q, k, v, is_causal=True).astype(jnp.float32) ** 2)

    lowered = jax.jit(jax.grad(loss, (0, 1, 2))).lower(*inputs)
    assert "xf32>, tensor<2x24x2x16xbf16>) ->" in lowered.as_text()
    wanted = lowered.compile()(*inputs)
    for target in ("cpu", "sm_80"):
        got = hlo.compile(lowered.as_text(), **TARGETS[target])(*map(np.asarray, inputs))
        for ours, theirs in zip(got, wanted, strict=True):
            exact = np.asarray(theirs, np.float32)
            np.testing.assert_allclose(ours.astype(np.float32), exact, atol=0.03 * np.abs(exact).max())


@pytest.mark.parametrize("target", TARGETS)
def test_convolutions_of_two_formats_of_8_bit_floats(target):
    text = """func.func @main(%x: tensor<1x5x5x3xf8E4M3FN>, %w: tensor<3x3x3x2xf8E5M2>) -> tensor<1x3x3x2xf32> {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
        {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x5x5x3xf8E4M3FN>, tensor<3x3x3x2xf8E5M2>) -> tensor<1x3x3x2xf32>
      return %0 : tensor<1x3x3x2xf32> }"""
    x = small("f8E4M3FN", (75, 1)).reshape(1, 5, 5, 3)
    w = small("i8", (54, 1)).reshape(3, 3, 3, 2).astype(ml_dtypes.float8_e5m2)
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float32)[0], (3, 3), (0, 1))
    exact = np.einsum("hwikl,klio->hwo", windows, w.astype(np.float32))[None]
    (got,) = hlo.compile(text, **TARGETS[target])(x, w)
    np.testing.assert_array_equal(got, exact)


CONVOLUTION = """func.func @main(%l: tensor<1x4x5x{lhs}>, %r: tensor<3x4x3x{lhs}>) -> tensor<1x3x3x{result}> {{
  %0 = stablehlo.convolution(%l, %r) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {{}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<1x4x5x{lhs}>, tensor<3x4x3x{lhs}>) -> tensor<1x3x3x{result}>
  return %0 : tensor<1x3x3x{result}> }}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kinds", ["i8 f32", "i16 f32", "i32 f64", "ui8 i32", "i8 i32", "bf16 f32"])
def test_convolutions_sum_in_the_type_of_the_result(kinds, target):
    """As JAX's preferred_element_type asks for it; the products of i8 do not fit i8."""
    lhs, result = kinds.split()
    g = np.random.default_rng(0)
    low, high = (0, 200) if lhs == "ui8" else (-100, 100)
    image, kernel = (g.integers(low, high, shape).astype(NUMPY[lhs]) for shape in ((1, 4, 5), (3, 4, 3)))
    windows = np.lib.stride_tricks.sliding_window_view(image[0].astype(np.int64), 3, axis=1)
    (got,) = hlo.compile(CONVOLUTION.format(lhs=lhs, result=result), **TARGETS[target])(image, kernel)
    np.testing.assert_array_equal(got[0], np.einsum("cxk,ock->ox", windows, kernel.astype(np.int64)))


@pytest.mark.parametrize("target", TARGETS)
def test_integers_summed_as_floats(target):
    a, b = np.full((2, 300), 100, np.int8), np.full((300, 2), -100, np.int8)
    (got,) = hlo.compile(product("i8", "i8", "f32", 2, 300, 2), **TARGETS[target])(a, b)
    assert (got == -3_000_000).all()
