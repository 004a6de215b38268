"""Linear algebra that JAX hands to LAPACK, in f64 and complex f64, batched; fixed columns of a pivoted QR."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest
from jax import lax

import hlo


def hermitian(a):
    return a + a.conj().swapaxes(-1, -2)


FUNCTIONS = {
    "potrf": lambda a: jnp.linalg.cholesky(a @ a.conj().swapaxes(-1, -2) + 4 * jnp.eye(5, dtype=a.dtype)),
    "getrf": lax.linalg.lu,
    "geqrf": jnp.linalg.qr,
    "orgqr": lambda a: jnp.linalg.qr(a[..., :3], mode="complete"),
    "geqp3": lambda a: jsl.qr(a, pivoting=True),
    "trsm": lambda a: jnp.linalg.solve(a, a[..., :2]),
    "syevd": lambda a: jnp.linalg.eigh(hermitian(a)),
    "syevd values": lambda a: jnp.linalg.eigvalsh(hermitian(a)),
    "gesdd": jnp.linalg.svd,
    "gesdd thin": lambda a: jnp.linalg.svd(a[..., :3], full_matrices=False),
    "gesdd values": lambda a: jnp.linalg.svd(a, compute_uv=False),
    "gesvd": lambda a: lax.linalg.svd(a, algorithm=lax.linalg.SvdAlgorithm.QR),
    "geev": jnp.linalg.eig,
    "geev values": jnp.linalg.eigvals,
    "gees": lax.linalg.schur,
    "gehrd": lax.linalg.hessenberg,
    "sytrd": lambda a: lax.linalg.tridiagonal(hermitian(a)),
    "gtsv": lambda a: lax.linalg.tridiagonal_solve(a[..., 0, :], a[..., 1, :] + 4, a[..., 2, :], a),
}


def matrices(dtype, *shape):
    g = np.random.default_rng(0)
    x = g.standard_normal(shape)
    return (x + 1j * g.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_doubles_are_those_of_jax(name, dtype):
    a = matrices(dtype, 2, 5, 5)
    with jax.enable_x64(True):
        function = jax.jit(FUNCTIONS[name])
        expected = jax.tree.leaves(function(a))
        text = function.lower(a).as_text()
    assert "lapack_" in text and ("f64" in text)
    for found, wanted in zip(hlo.compile(text)(a), expected, strict=True):
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("letter, dtype", [("d", "float64"), ("z", "complex128")])
@pytest.mark.parametrize("m, n, fixed", [(5, 5, [0, 0, 1, 0, 0]), (6, 4, [0, 1, 0, 1]), (3, 5, [1, 1, 1, 1, 1])])
def test_fixed_columns_of_a_pivoted_factorization_come_first(letter, dtype, m, n, fixed):
    a, marks = matrices(dtype, 2, m, n), np.array([fixed, fixed], np.int32)
    with jax.enable_x64(True):
        jax.block_until_ready(jsl.qr(jnp.eye(3), pivoting=True))  # loads JAX's LAPACK
        results = [
            jax.ShapeDtypeStruct(s, t) for s, t in ((a.shape, dtype), (marks.shape, np.int32), ((2, min(m, n)), dtype))
        ]
        layouts = [(0, 2, 1), (0, 1), (0, 1)]
        call = jax.ffi.ffi_call(f"lapack_{letter}geqp3_ffi", results, input_layouts=layouts[:2], output_layouts=layouts,
                                input_output_aliases={0: 0, 1: 1})  # fmt: skip
        function = jax.jit(lambda x, p: call(x, p))
        expected, text = function(a, marks), function.lower(a, marks).as_text()
    for found, wanted in zip(hlo.compile(text)(a, marks), expected, strict=True):
        np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-9, atol=1e-9)


def test_every_target_of_jaxlib_is_there():
    """Those that jaxlib registers for CPUs."""
    from jaxlib.cpu import _lapack, _sparse

    from hlo.runtime import standard_targets  # noqa: F401 (registers targets)
    from hlo.runtime.custom_calls import LIBRARIES, TARGETS

    for load in LIBRARIES.values():
        load()
    assert sorted({*_lapack.registrations(), *_sparse.registrations()} - TARGETS.keys()) == []


def perturbed(bands, b):
    return lax.linalg.tridiagonal_solve(*bands, b, perturb_singular=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_tridiagonal_systems_that_are_singular(dtype):
    """Zero pivots are moved by eps times the largest element of U; pivots that divide without overflow stay."""
    info = np.finfo(dtype)
    tiny = info.tiny * 8
    diagonals = np.array([[1, 0, 3], [-2, -0.0, 0], [0, 0, 0], [1, tiny, 1], [4, 1, 1]], dtype)
    lower, upper = np.zeros_like(diagonals), np.zeros_like(diagonals)
    lower[4], upper[4] = [0, 8, 1], [2, 1, 0]
    b = np.ones((5, 3, 2), dtype) * np.array([1, -2], dtype)
    with jax.enable_x64(True):
        program = jax.jit(perturbed).lower((lower, diagonals, upper), b).as_text()
        expected = np.asarray(jax.jit(perturbed)((lower, diagonals, upper), b))
    (found,) = hlo.compile(program)(lower, diagonals, upper, b)
    np.testing.assert_allclose(found, expected, rtol=8 * info.eps, atol=8 * info.eps)
    np.testing.assert_allclose(found[0, 1], np.array([1, -2]) / (3 * info.eps), rtol=4 * info.eps)


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_products_of_sparse_matrices(dtype):
    from jax.experimental import sparse

    dense = np.array([[1, 0, 2], [0, 0, 3], [4, 5, 0], [0, 0, 0]]).astype(dtype)
    with jax.enable_x64(True):
        matrix = sparse.BCSR.fromdense(dense)
        for rhs in (np.arange(3).astype(dtype), np.arange(6).reshape(3, 2).astype(dtype)):
            arguments = (matrix.data, matrix.indices, matrix.indptr, rhs)
            lowered = jax.jit(lambda d, i, p, x: sparse.BCSR((d, i, p), shape=(4, 3)) @ x).lower(*arguments)
            (found,) = hlo.compile(lowered.as_text())(*map(np.asarray, arguments))
            np.testing.assert_array_equal(found, dense @ rhs)
