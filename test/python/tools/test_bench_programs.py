"""The models of the benchmark compile for every processor, and compute what JAX computes."""

import jax
import numpy as np
import pytest

import hlo
from bench.programs import PROGRAMS


@pytest.mark.parametrize("cpu", ["host", "avx512", "avx2", "baseline"])
def test_transformer_layer(cpu):
    """Its products, norms and scores go through the cache by rows, as sizes like these decide."""
    program = PROGRAMS["transformer 1 layer"]
    inputs = program.inputs()
    lowered = jax.jit(program.function).lower(*inputs)
    executable = hlo.compile(lowered.as_text(), cpu=cpu, cache=False)
    if cpu == "host":
        (got,) = executable(*inputs)
        exact = np.asarray(lowered.compile()(*inputs))
        np.testing.assert_allclose(got, exact, atol=1e-5 * np.abs(exact).max())
