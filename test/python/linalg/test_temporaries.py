"""Temporaries of gradients: what is computed again for late readers, and products that are written transposed."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hlo

SIZE = 384


def _loss(weights, x):
    for first, second in weights:
        hidden = jax.nn.gelu(x @ first)
        shares = jax.nn.softmax(hidden @ second, axis=-1)
        x = x + shares
    return jnp.sum(x * x)


@pytest.fixture(scope="module")
def gradient():
    """A function of weights and x, its arguments, and its lowered form."""
    made = np.random.default_rng(0)
    normal = lambda *shape: (made.normal(size=shape) / shape[0] ** 0.5).astype(np.float32)
    weights = [(normal(SIZE, 2 * SIZE), normal(2 * SIZE, SIZE)) for _ in range(4)]
    arguments = (weights, normal(SIZE, SIZE))
    return arguments, jax.jit(jax.grad(_loss)).lower(*arguments)


def test_gradient_is_jax_own(gradient):
    arguments, lowered = gradient
    found = hlo.compile(lowered.as_text(), cache=False)(*jax.tree.leaves(arguments))
    expected = jax.tree.leaves(lowered.compile()(*arguments))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def test_temporaries_are_near_xla_own(gradient):
    _, lowered = gradient
    ours = hlo.compile(lowered.as_text(), cache=False).memory.temporaries
    theirs = lowered.compile().memory_analysis().temp_size_in_bytes
    assert ours <= 1.5 * theirs


def test_passes_change_no_bit(gradient):
    arguments, lowered = gradient
    pipeline = hlo.pipelines.cpu()
    for phase in pipeline:
        phase.passes[:] = [p for p in phase.passes if p not in ("write-transposed", "recompute-values")]
    plain = hlo.compile(lowered.as_text(), pipeline=pipeline)
    changed = hlo.compile(lowered.as_text(), cache=False)
    values = jax.tree.leaves(arguments)
    assert changed.memory.temporaries < plain.memory.temporaries
    for a, b in zip(changed(*values), plain(*values), strict=True):
        np.testing.assert_array_equal(a, b)
