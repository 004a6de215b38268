"""Sorts of which only the first few elements are used: selection, against JAX; ties keep their order, NaN is the largest."""

import jax
import numpy as np
import pytest
from jax import lax

import hlo
from hlo.lowering.linalg.sorting import FEWEST
from hlo.lowering.vector.target import target

RANDOM = np.random.default_rng(3)
NAN_ROW = np.where(RANDOM.random((4, 90)) < 0.1, np.nan, RANDOM.standard_normal((4, 90))).astype(np.float32)
CASES = {
    "floats": RANDOM.standard_normal((7, 200)).astype(np.float32),
    "ties": RANDOM.integers(0, 5, (7, 200)).astype(np.int32),
    "unsigned": RANDOM.integers(0, 255, (3, 64)).astype(np.uint8),
    "nan": NAN_ROW,
    "ascending": np.arange(300, dtype=np.float32).reshape(1, 300),
    "one_line": RANDOM.standard_normal(97).astype(np.float32),
}


@pytest.mark.parametrize("k", [1, 2, 16])
@pytest.mark.parametrize("case", CASES)
def test_top_k(case, k):
    x = CASES[case]
    function = jax.jit(lambda x: lax.top_k(x, k))
    executable = hlo.compile(function.lower(x).as_text(), keep_phases=True)
    is_sorted = (case, k) in {("floats", 16), ("ties", 16), ("nan", 2), ("nan", 16)}  # in vectors, which is faster
    if is_sorted or k <= FEWEST or not target().compresses:
        assert ("@top_k" in executable.phases["linalg"]) != is_sorted
    for ours, theirs in zip(executable(x), function(x), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs))


def test_whole_line_used_elsewhere():
    """A use of more than the first elements needs the sort."""
    x = CASES["floats"]
    function = jax.jit(lambda x: (lax.sort(x)[:, :2], lax.sort(x)[:, -1]))
    executable = hlo.compile(function.lower(x).as_text(), keep_phases=True)
    assert "@top_k" not in executable.phases["linalg"]
    for ours, theirs in zip(executable(x), function(x), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs))
