"""The benchmark of factorisations: its programs compute what they are called, alone, in batches, in loops."""

import jax
import numpy as np
import pytest

from bench import linear_algebra

NUMPY = {
    "cholesky": lambda a, b: np.linalg.cholesky(a),
    "qr": lambda a, b: np.abs(np.linalg.qr(a)[0]),
    "eigh": lambda a, b: np.linalg.eigvalsh(a),
    "eig": lambda a, b: np.sort(np.abs(np.linalg.eigvals(np.triu(a) - np.tril(a, -1)))),
    "eigvals": lambda a, b: np.sort(np.abs(np.linalg.eigvals(np.triu(a) - np.tril(a, -1)))),
    "solve": lambda a, b: np.linalg.solve(a, b),
    "inv": lambda a, b: np.linalg.inv(a),
    "det": lambda a, b: np.linalg.det(a),
    "lstsq": lambda a, b: np.linalg.solve(a, b),
    "pseudoinverse": lambda a, b: np.linalg.inv(a),
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("operation", NUMPY)
def test_programs_compute_what_they_are_called(operation, dtype):
    wanted = [f"{operation} {form} 8" for form in ("single", "batch of 16")]
    programs = list(linear_algebra._programs(wanted, dtype))
    assert len(programs) == len(wanted)
    for name, form, order, program in programs:
        a, b = program.inputs()
        assert a.dtype == b.dtype == dtype
        assert (name, order, a.shape[-1], a.ndim) == (operation, 8, 8, 2 if form == "single" else 3)
        found = np.asarray(jax.jit(program.function)(a, b)[0])
        found = np.sort(found) if operation == "eig" else found
        np.testing.assert_allclose(found, NUMPY[operation](a, b), rtol=1e-3, atol=1e-4)


def test_loops_factorise_in_every_step():
    (*_, program) = next(linear_algebra._programs(["cholesky loop 8"], "float32"))
    text = jax.jit(program.function).lower(*program.inputs()).as_text()
    assert "stablehlo.while" in text and "lapack_spotrf" in text
    a, b = program.inputs()
    np.testing.assert_allclose(program.function(a, b)[0], np.linalg.cholesky(a), rtol=1e-4, atol=1e-4)
