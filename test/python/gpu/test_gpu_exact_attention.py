"""Attention of f32 and f64 on the model of a GPU: a product, a softmax of rows and a product, as exact as the program is; against JAX."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_gpu_attention import (
    EACH,
    PROGRAMS,
    bf16,
    btnh,
    causal,
    f16,
    heads,
    jax_attention,
    lowered,
    plain,
)

import hlo

f32, f64 = np.float32, np.float64
BITS = {f32: 19, f64: 46}
"""Of the largest element: sums of 280 terms have lost some of 24 or 53."""

NAMES = [
    "lengths that are no tiles",
    "causal, rows without keys",
    "causal without keys, -inf",
    "bias and mask",
    "rows of 80 and 112, without a batch",
    "keys and values the other way round",
    "long heads, short values",
    "batch and heads as one",
    "rows without keys, finite",
    "factors and sums after it",
]


def on_model(text, *arrays):
    """The result of kernels none of which is attention: those multiply bf16 and f16."""
    exe = hlo.compile(text, target="gpu", device="model", cache=False)
    assert not any("attention" in name for name in exe.program.plan.kernels)
    return exe(*arrays)[0]


def check(function, arrays, kind=f32) -> None:
    """`arrays`: those of bf16 and f16 become `kind`."""
    arrays = [a.astype(kind) if a.dtype in (bf16, f16, f32) else a for a in arrays]
    with jax.enable_x64(kind is f64):
        found = on_model(lowered(function, arrays), *arrays)
        right = np.asarray(jax.jit(function)(*arrays))
    assert found.dtype == right.dtype == kind
    assert np.array_equal(np.isnan(found), np.isnan(right))
    assert np.nanmax(np.abs(found - right)) <= 2.0 ** -BITS[kind] * np.nanmax(np.abs(right))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_programs(name: str) -> None:
    function, arrays = PROGRAMS[name]
    check(function, arrays)


PLAIN = functools.partial(plain, EACH)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 40, 20), (2, 70, 20), (2, 70, 50)),
        ((1, 33, 72), (1, 70, 72), (1, 70, 128)),
    ],
)
def test_doubles(shapes) -> None:
    check(functools.partial(exact, then=causal), heads(*shapes), f64)


def exact(q, k, v, then=jnp.asarray):
    """All in the type of the inputs."""
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(then(jnp.einsum("bqd,bkd->bqk", q, k)), axis=-1), v)


def test_infinities_and_nans() -> None:
    """A row with an infinite or undefined score is undefined, others are not."""
    q, k, v = heads((1, 16, 32), (1, 40, 32), (1, 40, 32), kind=f32)
    q[0, 3, 5], q[0, 9, 0] = np.nan, np.inf
    check(PLAIN, [q, k, v])


def test_small_differences_count() -> None:
    """Scores of 64 that differ by 2 ** -15: bf16 and tf32 would make them equal, and so the results."""
    q, k = np.full((1, 16, 16), 2, f32), np.full((1, 32, 16), 2, f32)
    k[0, :, 0] += np.arange(32, dtype=f32) * 2.0**-16
    v = np.where(np.arange(32) < 16, -1, 1).astype(f32)[None, :, None].repeat(16, 2)
    weights = np.exp((q.astype(f64) @ k[0].T.astype(f64)) - 64)
    right = (weights / weights.sum(-1, keepdims=True)) @ v
    found = on_model(lowered(exact, [q, k, v]), q, k, v)
    assert np.abs(right).min() > 2.0**-13 and np.abs(found - right).max() < 2.0**-21


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a"])
@pytest.mark.parametrize("kind, number", [("float32", "f32"), ("float64", "f64")])
def test_products_are_not_rounded(kind: str, number: str, arch: str) -> None:
    """Two products by fused multiply-adds, and one launch for the softmax of the rows between them."""
    with jax.enable_x64(True):
        text = jax.jit(exact).lower(*[jax.ShapeDtypeStruct((8, 512, 64), kind)] * 3).as_text()
    program = hlo.compile(text, target="gpu", arch=arch).program
    products = [one for one in program.code.split(".entry") if one.lstrip().startswith("mul_add_reduce")]
    assert len(program.plan.kernels) == 3 and len(products) == 2
    assert all(f"fma.rn.{number}" in one for one in products) and "mma" not in program.code


def test_the_mask_is_computed_with_the_softmax() -> None:
    """The scores, and what becomes of them, are the only arrays in memory besides arguments and result."""
    arrays = btnh(256, 256, 2, kind=f32)
    exe = hlo.compile(lowered(functools.partial(jax_attention, is_causal=True), arrays), target="gpu")
    scores, result = 4 * 2 * 2 * 256 * 256, arrays[0].nbytes
    assert exe.memory.temporaries <= 2 * scores + result


def test_scores_in_a_wider_type() -> None:
    wider = functools.partial(plain, EACH, then=lambda scores: scores.astype(f64) * 0.5)
    with jax.enable_x64(True):
        arrays = heads((2, 40, 32), (2, 64, 32), (2, 64, 32), kind=f32)
        exe = hlo.compile(lowered(wider, arrays), target="gpu", device="model", cache=False)
        right = np.asarray(jax.jit(wider)(*arrays))
    assert np.abs(exe(*arrays)[0] - right).max() < 2.0**-20
