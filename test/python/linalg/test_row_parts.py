"""One long row, which two threads sort: each one side of a pivot."""

import ml_dtypes
import numpy as np
import pytest
from test_radix_sorting import compared, mlir_type, sort_text, stable_order, total_order, values_of

import hlo
from hlo.lowering.target import THREADS, target

pytestmark = pytest.mark.skipif(
    not target("host").compresses or THREADS < 2, reason="the processor does not compress vectors, or has one core"
)

RANDOM = np.random.default_rng(11)
LENGTH = 33001
SHAPES = {
    "any": lambda kind: values_of(kind, (LENGTH,)),
    "one number": lambda kind: np.full(LENGTH, 7, kind),
    "two numbers": lambda kind: RANDOM.integers(0, 2, LENGTH).astype(kind),
    "ascending": lambda kind: np.arange(LENGTH).astype(kind),
    "descending": lambda kind: np.arange(LENGTH)[::-1].astype(kind),
    "mostly the largest": lambda kind: np.where(RANDOM.random(LENGTH) < 0.9, 100, RANDOM.integers(0, 100, LENGTH)).astype(kind),
}  # fmt: skip


def order_of(name):
    return "TOTALORDER" if name.startswith("float") else "UNSIGNED" if name.startswith("u") else "SIGNED"


def text_of(name, with_indices, length=LENGTH, direction="LT"):
    kind = mlir_type(name)
    comparator = compared(direction, kind, order_of(name))
    plain = sort_text(comparator, (length,), (kind,), 0)
    if not with_indices:
        return plain
    comparator = comparator.replace("%a0, %b0", "%a, %b")
    return f"""func.func @main(%x: tensor<{length}x{kind}>) -> tensor<{length}xi32> {{
      %i = stablehlo.iota dim = 0 : tensor<{length}xi32>
      %r:2 = "stablehlo.sort"(%x, %i) ({{
      ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>, %c: tensor<i32>, %d: tensor<i32>):
        {comparator}
        stablehlo.return %before : tensor<i1>
      }}) {{dimension = 0 : i64, is_stable = true}} : (tensor<{length}x{kind}>, tensor<{length}xi32>) -> (tensor<{length}x{kind}>, tensor<{length}xi32>)
      return %r#1 : tensor<{length}xi32> }}"""


def bits(x):
    return x.view(f"u{x.dtype.itemsize}")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["int16", "uint16", "int32", "uint32", "int64", "float16", "float32", "float64"])
def test_rows_in_parts(name, threads):
    plain, indices = (hlo.compile(text_of(name, n), threads=threads, cache=False) for n in (False, True))
    kind = np.dtype(getattr(ml_dtypes, name, name))
    for shape, make in SHAPES.items():
        x = make(kind.name)
        order = stable_order(total_order(x), 0)
        np.testing.assert_array_equal(bits(np.asarray(plain(x)[0])), bits(x[order]), err_msg=shape)
        np.testing.assert_array_equal(np.asarray(indices(x)[0]), order, err_msg=shape)


@pytest.mark.parametrize("length", [16384, 16385, 16384 + 63, 65536])
def test_lengths(length):
    x = RANDOM.standard_normal(length).astype(np.float32)
    (y,) = hlo.compile(text_of("float32", False, length, "GT"), threads=2, cache=False)(x)
    np.testing.assert_array_equal(np.asarray(y), np.sort(x)[::-1])


def test_zeros_and_nans_keep_their_places():
    """jnp.sort: zeros of both signs are one key, and all NaNs: elements of one key stay in the order in which they were, on both sides of the pivot."""
    import jax
    import jax.numpy as jnp

    x = RANDOM.standard_normal(LENGTH).astype(np.float32)
    for value in (0.0, -0.0, np.nan, -np.nan):
        x[RANDOM.integers(0, LENGTH, 40)] = value
    exe = hlo.compile(jax.jit(jnp.sort).lower(x).as_text(), threads=2, cache=False)
    key = np.where(np.isnan(x), np.inf, x + 0.0)
    order = np.lexsort((np.arange(LENGTH), np.isnan(x), key))
    np.testing.assert_array_equal(bits(np.asarray(exe(x)[0])), bits(x[order]))


@pytest.mark.parametrize("with_indices", [False, True])
def test_two_parts_run_at_once(with_indices):
    text = text_of("float32", with_indices)
    phases = hlo.compile(text, threads=2, keep_phases=True, cache=False).phases
    assert "call @sort_0.code.part(" in phases["memory"]
