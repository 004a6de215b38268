"""Custom calls that stand for ops: approximate top-k, and ops whose sizes jax.export leaves to the call."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import hlo

X = np.random.default_rng(0).standard_normal((6, 20)).astype(np.float32)
KEY = np.arange(4, dtype=np.uint32)
THREE = np.zeros(3, np.float32)

STATIC = {
    "max": lambda x: lax.approx_max_k(x, 4),
    "min along the first": lambda x: lax.approx_min_k(x, 3, reduction_dimension=0),
    "not aggregated": lambda x: lax.approx_max_k(x, 4, aggregate_to_topk=False),
    "bf16": lambda x: lax.approx_max_k(x.astype(jnp.bfloat16), 4)[1],
}


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("name", STATIC)
def test_approximate_top_k_is_exact(name, target):
    function = jax.jit(STATIC[name])
    check(function.lower(X).as_text(), function, [X], target)


def check(text, function, arrays, target):
    found, expected = hlo.compile(text, target=target)(*arrays), jax.tree.leaves(function(*arrays))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_array_equal(a, np.asarray(b))


def rows(x):
    return lax.approx_max_k(x, 4)


def chosen(x, y):
    return lax.top_k(x, y.shape[0])


def chosen_nearly(x, y):
    return lax.approx_max_k(x, y.shape[0])


def bits(key, x):
    return lax.rng_bit_generator(key, x.shape)


POLYMORPHIC = {rows: ([X], ["n, 20"]), chosen: ([X, THREE], [None, "k"]), chosen_nearly: ([X, THREE], [None, "k"]),
               bits: ([KEY, X], [None, "n, 20"])}  # fmt: skip


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("function", POLYMORPHIC, ids=lambda f: f.__name__)
def test_sizes_are_those_of_the_call(function, target):
    arrays, shapes = POLYMORPHIC[function]
    scope = export.SymbolicScope(("k <= 20", "k >= 1") if "k" in shapes else ())
    kinds = [jax.ShapeDtypeStruct(a.shape if s is None else export.symbolic_shape(s, scope=scope), a.dtype)
             for a, s in zip(arrays, shapes)]  # fmt: skip
    check(str(export.export(jax.jit(function))(*kinds).mlir_module()), function, arrays, target)
