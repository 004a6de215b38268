"""Many programs that no part of the compiler was written for, by area: JAX lowers them, hlo.compile runs them, JAX's own
results are the expected ones."""

import importlib

import jax
import numpy as np
import pytest
from jax_programs import AREAS, SLOW

import hlo

ROWS = [
    pytest.param((area, *row), id=f"{area}-{row[0]}", marks=[pytest.mark.slow] if area in SLOW else [])
    for area in AREAS
    for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS
]
TOLERANCE = 2e-5
QUICKLY = {"xla_backend_optimization_level": 0}
"""JAX runs each program once: what its optimisations would save is less than they take."""


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def assert_same(found, expected, tolerance, scale=1.0):
    """Integers exactly, floats relative to their own size and, below it, to `scale`: gradients that are zero up to
    rounding (a bias in front of a softmax) have no size of their own."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("row", ROWS)
def test_program(row):
    _, _, function, arguments, *tolerance = row
    jitted = jax.jit(function, keep_unused=True, compiler_options=QUICKLY)
    found = hlo.compile(jitted.lower(*arguments).as_text())(*leaves(arguments))
    expected = leaves(jitted(*arguments))
    assert len(found) == len(expected)
    floats = [np.abs(r[np.isfinite(r)]).max(initial=0) for r in expected if r.dtype.kind in "fc"]
    for ours, theirs in zip(found, expected):
        assert_same(ours, theirs, *(tolerance or [TOLERANCE]), scale=min(1.0, float(max(floats, default=1.0))))
