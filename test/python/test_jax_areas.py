"""Many programs that no part of the compiler was written for, by area: JAX lowers them, hlo.compile runs them, JAX's own
results are the expected ones."""

import importlib

import jax
import numpy as np
import pytest
from jax_programs import AREAS

import hlo

ROWS = [(area, *row) for area in AREAS for row in importlib.import_module(f"jax_programs.{area}").PROGRAMS]
TOLERANCE = 2e-5


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def assert_same(found, expected, tolerance):
    """Integers exactly, floats relative to the largest finite value of their result."""
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * float(min(largest, 1)))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[1]}")
def test_program(row):
    _, _, function, arguments, *tolerance = row
    jitted = jax.jit(function, keep_unused=True)
    found = hlo.compile(jitted.lower(*arguments).as_text())(*leaves(arguments))
    expected = leaves(jitted(*arguments))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        assert_same(ours, theirs, *(tolerance or [TOLERANCE]))
