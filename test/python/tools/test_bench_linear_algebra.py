"""The benchmark of factorisations: its programs compute what they are called, alone, in batches, in loops."""

import jax
import numpy as np
import pytest

from bench import linear_algebra
from bench.__main__ import _orders

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
    "slogdet": lambda a, b: np.linalg.slogdet(a)[0],
    "lu_solve": lambda a, b: np.linalg.solve(a, b),
    "cho_solve": lambda a, b: np.linalg.solve(a, b),
    "matrix_power": lambda a, b: np.linalg.matrix_power(a, 5),
    "expm": lambda a, b: _of_eigenvalues(a, np.exp),
    "eigvalsh": lambda a, b: np.linalg.eigvalsh(a),
    "svdvals": lambda a, b: np.linalg.svd(a, compute_uv=False),
    "sqrtm": lambda a, b: _of_eigenvalues(a, np.sqrt),
    "polar": lambda a, b: np.broadcast_to(np.eye(8), a.shape),
    "sylvester": lambda a, b: np.broadcast_to(np.eye(8) / 2, a.shape),
    "triangular upper": lambda a, b: np.linalg.solve(np.triu(a), b),
    "triangular transposed": lambda a, b: np.linalg.solve(np.tril(a).swapaxes(-1, -2), b),
    "triangular adjoint": lambda a, b: np.linalg.solve(np.triu(a).swapaxes(-1, -2).conj(), b),
    "triangular of a vector": lambda a, b: np.linalg.solve(np.triu(a), b[..., :1])[..., 0],
    "triangular of a matrix": lambda a, b: np.linalg.solve(np.tril(a), a),
    "one matrix for all": lambda a, b: np.linalg.solve(a if a.ndim == 2 else a[:1], b),
    "solve of a positive": lambda a, b: np.linalg.solve(a, b),
    "gradient of slogdet": lambda a, b: _gradient_of_slogdet(a),
    "cond": lambda a, b: np.full(a.shape[:-2], 2),
}


def _gradient_of_slogdet(a):
    """Of the square; JAX gives the conjugate of a complex one."""
    log = np.linalg.slogdet(a)[1][..., None, None]
    return 2 * log * np.linalg.inv(a).swapaxes(-1, -2)


def _of_eigenvalues(a, function):
    values, vectors = np.linalg.eigh(a)
    return (vectors * function(values)[..., None, :]) @ vectors.swapaxes(-1, -2).conj()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("operation", NUMPY)
def test_programs_compute_what_they_are_called(operation, dtype):
    wanted = [f"{operation} {form} 8" for form in ("single", "batch of 16")]
    programs = [found for found in linear_algebra._programs(wanted, dtype) if found[0] == operation]
    assert len(programs) == len(wanted)
    for name, form, order, program in programs:
        a, b = program.inputs()
        assert a.dtype == b.dtype == dtype
        assert (name, order, a.shape[-1], a.ndim) == (operation, 8, 8, 2 if form == "single" else 3)
        found = np.asarray(jax.jit(program.function)(a, b)[0])
        found = np.sort(found) if operation == "eig" else found
        np.testing.assert_allclose(found, NUMPY[operation](a, b), rtol=1e-3, atol=1e-4)


def test_orders_are_numbers_and_ranges():
    assert _orders("2-5,128") == (2, 3, 4, 5, 128)
    programs = linear_algebra._programs(["lu single"], "float32", _orders("3-4"))
    assert [order for _, _, order, _ in programs] == [3, 4]
    with pytest.raises(ValueError):
        _orders("2-3-4")


def test_loops_factorise_in_every_step():
    (*_, program) = next(linear_algebra._programs(["cholesky loop 8"], "float32"))
    text = jax.jit(program.function).lower(*program.inputs()).as_text()
    assert "stablehlo.while" in text and "lapack_spotrf" in text
    a, b = program.inputs()
    np.testing.assert_allclose(program.function(a, b)[0], np.linalg.cholesky(a), rtol=1e-4, atol=1e-4)
