"""Indices that sort rows by keys of 8 and 16 bits, by counting; beside numpy's stable argsort."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import hlo

RANDOM = np.random.default_rng(29)
SHAPES = [(512,), (999,), (1001,), (65537,), (3, 70003), (5, 1003), (2, 0), (3, 511)]


def order_of(x, descending=False):
    """Zeros are equal, NaNs come last and are equal."""
    wide = x.astype(np.float64) if x.dtype.kind not in "iu" else x.astype(np.int64)
    return np.argsort(-wide if descending else wide, axis=-1, kind="stable")


def integers(name, shape):
    """By name: any number, few, one, sorted both ways."""
    limits, rows = np.iinfo(name), np.arange(shape[-1], dtype=np.int64)
    ascending = limits.min + rows * (limits.max - limits.min) // max(1, shape[-1])
    return {
        "any": RANDOM.integers(limits.min, limits.max, shape, dtype=name, endpoint=True),
        "few": RANDOM.integers(0, 3, shape),
        "one": np.full(shape, 7),
        "ascending": np.broadcast_to(ascending, shape),
        "descending": np.broadcast_to(ascending[::-1], shape),
        "runs": np.broadcast_to(rows // 100 % 5, shape),
    }


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_integers(name, shape):
    exe = hlo.compile(jax.jit(jnp.argsort).lower(np.zeros(shape, name)).as_text(), cache=False)
    for pattern, values in integers(name, shape).items():
        x = np.ascontiguousarray(values.astype(name))
        np.testing.assert_array_equal(exe(x)[0], order_of(x), err_msg=pattern)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("threads", [1, 2])
def test_floats(kind, descending, threads):
    x = RANDOM.standard_normal((3, 70001)).astype(kind)
    x[:, ::7], x[:, 1::7], x[:, 5::13], x[:, 2::11], x[0] = 0, -0.0, np.inf, -np.inf, 1
    if not descending:
        x[1:, 3::9], x[2:, 4::17] = np.nan, -np.nan
    function = jax.jit(lambda x: jnp.argsort(x, descending=descending))
    exe = hlo.compile(function.lower(x).as_text(), threads=threads, cache=False)
    np.testing.assert_array_equal(exe(x)[0], order_of(x, descending))


@pytest.mark.parametrize("name, length, is_counted", [("int8", 512, True), ("int8", 511, False), ("int16", 512, False), ("int16", 65537, True), ("int32", 65537, False)])  # fmt: skip
def test_which_rows_are_counted(name, length, is_counted):
    text = jax.jit(jnp.argsort).lower(np.zeros(length, name)).as_text()
    phases = hlo.compile(text, keep_phases=True, cache=False).phases
    assert ("hlo_routine_count_" in phases["linalg"]) == is_counted


def test_elements_that_are_used_too_are_sorted_along():
    x = RANDOM.integers(-5, 5, 2000).astype(np.int8)
    function = lambda x: jax.lax.sort((x, jax.lax.iota(np.int32, x.size)), num_keys=1)
    values, order = hlo.compile(jax.jit(function).lower(x).as_text(), cache=False)(x)
    np.testing.assert_array_equal(order, order_of(x))
    np.testing.assert_array_equal(values, np.sort(x))
