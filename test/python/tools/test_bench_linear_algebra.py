"""The benchmark of factorisations: its programs compute what they are called, alone, in batches, in loops."""

import jax
import numpy as np
import pytest

from bench import linear_algebra

NUMPY = {
    "cholesky": lambda a, b: np.linalg.cholesky(a),
    "qr": lambda a, b: np.abs(np.linalg.qr(a)[0]),
    "eigh": lambda a, b: np.linalg.eigvalsh(a),
    "solve": lambda a, b: np.linalg.solve(a, b),
    "inv": lambda a, b: np.linalg.inv(a),
    "det": lambda a, b: np.linalg.det(a),
}


@pytest.mark.parametrize("operation", NUMPY)
def test_programs_compute_what_they_are_called(operation):
    for name, form, order, program in linear_algebra._programs([f"{operation} {f} 8" for f in ("single", "batch")]):
        a, b = program.inputs()
        assert (name, order, a.shape[-1], a.ndim) == (operation, 8, 8, 2 if form == "single" else 3)
        np.testing.assert_allclose(jax.jit(program.function)(a, b)[0], NUMPY[operation](a, b), rtol=1e-3, atol=1e-4)


def test_loops_factorise_in_every_step():
    (*_, program) = next(linear_algebra._programs(["cholesky loop 8"]))
    text = jax.jit(program.function).lower(*program.inputs()).as_text()
    assert "stablehlo.while" in text and "lapack_spotrf" in text
    a, b = program.inputs()
    np.testing.assert_allclose(program.function(a, b)[0], np.linalg.cholesky(a), rtol=1e-4, atol=1e-4)
