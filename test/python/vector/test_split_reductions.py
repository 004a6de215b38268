"""Reductions of large arrays to one element, made in parts: what numpy gives, whatever stands in front of them."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo

RNG = np.random.default_rng(0)
X = RNG.standard_normal((1024, 300)).astype(np.float32)
Y = RNG.standard_normal((300, 1024)).astype(np.float32)
ROW = RNG.standard_normal(300).astype(np.float32)


def compiled(function, *arrays):
    return hlo.compile(jax.jit(function).lower(*arrays).as_text(), cache=False, keep_phases=True)


def in_parts(executable) -> bool:
    return "tensor<8xf" in executable.phases["kernels"] or "tensor<8xi" in executable.phases["kernels"]


FLOATS = {
    "sum": (lambda x: x.sum(), [X]),
    "mean of squares": (lambda x, y: ((x - y.T) ** 2).mean(), [X, Y]),
    "sum and sum of squares": (lambda x: (x.sum(), (x * x).sum()), [X]),
    "weighted by rows": (lambda x, w: jnp.tanh(x * w).sum(), [X, ROW]),
    "largest and smallest": (lambda x: (x.max(), x.min()), [X]),
    "of a slice": (lambda x: jnp.exp(x[8:, 10:290]).sum(), [X]),
    "sum and what is summed": (lambda x: (lambda e: (e, e.sum()))(jnp.exp(x)), [X]),
}


@pytest.mark.parametrize("name", FLOATS)
def test_floats(name: str) -> None:
    function, arrays = FLOATS[name]
    executable = compiled(function, *arrays)
    assert in_parts(executable)
    with jax.enable_x64(True):
        expected = jax.tree.leaves(function(*(jnp.asarray(a, jnp.float64) for a in arrays)))
    for found, wanted in zip(executable(*arrays), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64])
@pytest.mark.parametrize("kind", ["add", "multiply", "minimum", "maximum", "and", "or", "xor"])
def test_integers_are_exact(kind: str, dtype: type) -> None:
    x = RNG.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, (512, 640), dtype, endpoint=True)
    x |= np.array(kind == "multiply", dtype)  # odd: their product is no zero
    name = {"u": "ui", "i": "i"}[np.dtype(dtype).kind] + str(np.dtype(dtype).itemsize * 8)
    text = f"""func.func @main(%x: tensor<512x640x{name}>, %s: tensor<{name}>) -> tensor<{name}> {{
      %r = stablehlo.reduce(%x init: %s) applies stablehlo.{kind} across dimensions = [0, 1]
        : (tensor<512x640x{name}>, tensor<{name}>) -> tensor<{name}>
      return %r : tensor<{name}> }}"""
    functions = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
    function = functions.get(kind) or getattr(np, kind)
    start = np.array(3, dtype)
    executable = hlo.compile(text, cache=False, keep_phases=True)
    assert in_parts(executable)
    assert executable(x, start)[0] == function.reduce(np.append(x.reshape(-1), start), dtype=dtype)


def test_nan_and_zeros() -> None:
    x = np.full((1024, 300), -0.0, np.float32)
    assert np.signbit(compiled(lambda x: -(-x).sum(), x)(-x)[0])
    executable = compiled(lambda x: (x.max(), x.sum()), x)
    x[700, 299] = np.nan
    assert all(np.isnan(r) for r in executable(x))


def test_bf16() -> None:
    x = RNG.integers(-128, 128, (512, 640)).astype(ml_dtypes.bfloat16)
    assert compiled(lambda x: x.max(), x)(x)[0] == x.max()


def test_in_the_condition_of_a_loop() -> None:
    def until_small(x):
        return jax.lax.while_loop(lambda x: jnp.abs(x).max() > 1, lambda x: x / 2, x)

    found = compiled(until_small, X * 100)(X * 100)[0]
    expected = X * 100
    while np.abs(expected).max() > 1:
        expected = expected / 2
    np.testing.assert_array_equal(found, expected)


BITS = """
import sys, numpy as np, hlo
x = np.random.default_rng(1).standard_normal((1024, 300)).astype(np.float32)
text = '''func.func @main(%x: tensor<1024x300xf32>) -> tensor<f32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x300xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32> }'''
print(hlo.compile(text, cache=False)(x)[0].tobytes().hex())
"""


def test_the_same_bits_whatever_the_threads(monkeypatch) -> None:
    found = set()
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("HLO_THREADS", threads)
        found.add(subprocess.run([sys.executable, "-c", BITS], capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1
