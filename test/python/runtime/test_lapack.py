"""Linear algebra that JAX hands to LAPACK, in f64 and complex f64, batched; fixed columns of a pivoted QR."""

from __future__ import annotations

import ctypes
import re
import time
from math import prod

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import pytest
from jax import lax
from scipy.linalg import lu_factor

import hlo
from hlo.lowering.linalg.linear_algebra import small_factorisations
from hlo.runtime.calls.signature import ArrayType
from hlo.runtime.custom_calls import lapack_runner
from hlo.runtime.custom_calls.lapack import FAMILIES, Options, Routine
from hlo.runtime.custom_calls.lapack_plan import Plan


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


@pytest.mark.sampled(5)
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("count", [0, 1, 9, 40])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_what_is_behind_the_reflectors_is_not_read(dtype, count):
    """By the product of the reflections, nor by that of another matrix with it."""
    with jax.enable_x64(True):
        vectors, scales = jnp.linalg.qr(matrices(dtype, 2, 45, 40), mode="raw")
        a, scales, c = np.array(vectors.mT), np.array(scales)[..., :count], matrices(dtype, 2, 45, 3)
        a[..., count:] = np.nan
        function = jax.jit(lambda *x: [lax.linalg.householder_product(*x[:2]), lax.linalg.ormqr(*x)])
        expected, text = function(a, scales, c), function.lower(a, scales, c).as_text()
    for found, wanted in zip(hlo.compile(text)(a, scales, c), expected, strict=True):
        assert np.isfinite(wanted).all()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


SYSTEMS = [
    {"lower": lower, "transpose_a": turned != "N", "conjugate_a": turned == "C", "unit_diagonal": unit}
    for lower in (True, False)
    for turned in "NTC"
    for unit in (True, False)
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("count, order, columns", [(2, 67, 1), (2, 67, 4), (2, 67, 5), (35, 50, 33)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_triangular_systems(dtype, count, order, columns):
    """What is on the other side of the diagonal, and on that of a unit triangle, is not read. The last ones are code of the program."""
    a = matrices(dtype, count, order, order) / order + 2 * np.eye(order, dtype=dtype)
    b = matrices(dtype, count, order, columns)
    with jax.enable_x64(True):
        function = jax.jit(
            lambda a, b: [lax.linalg.triangular_solve(a, b, left_side=True, **system) for system in SYSTEMS]
        )
        text = function.lower(a, b).as_text()
    assert text.count("trsm_ffi") == len(SYSTEMS)
    for system, x in zip(SYSTEMS, hlo.compile(text)(a, b), strict=True):
        triangle = np.tril(a, -1) if system["lower"] else np.triu(a, 1)
        triangle = triangle + np.eye(order, dtype=dtype) * (1 if system["unit_diagonal"] else a)
        triangle = triangle.swapaxes(-1, -2) if system["transpose_a"] else triangle
        triangle = triangle.conj() if system["conjugate_a"] else triangle
        np.testing.assert_allclose(triangle @ x, b, rtol=0, atol=1e3 * np.finfo(dtype).eps, err_msg=str(system))


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_threads_divide_the_right_sides_of_one_system(monkeypatch, dtype, left):
    """Also where they do not come out even, or there are too few of them; what is no number in one of them stays there."""
    monkeypatch.setattr(small_factorisations, "SYSTEM", 0)  # else code of the program, with some vectors
    monkeypatch.setattr(small_factorisations, "SHORT_SYSTEM", 0)
    order, counts = 70, (5, 63, 103)
    a = matrices(dtype, order, order) / order + 2 * np.eye(order, dtype=dtype)
    sides = [matrices(dtype, *((order, n) if left else (n, order))) for n in counts]
    for b in sides:
        b[(5, -1) if left else (-1, 5)] = np.nan
    with jax.enable_x64(True):
        solve = lambda a, b, lower: lax.linalg.triangular_solve(a, b, left_side=left, lower=lower)
        function = jax.jit(lambda a, *bs: [solve(a, b, lower) for b in bs for lower in (True, False)])
        text = function.lower(a, *sides).as_text()
    for threads in (1, 2, 3):
        found = iter(hlo.compile(text, threads=threads, cache=False)(a, *sides))
        for b in sides:
            for triangle in (np.tril(a), np.triu(a)):
                x, wanted = (m if left else m.T for m in (next(found), b))
                assert np.isnan(x[5, -1])
                product = (triangle if left else triangle.T) @ x[:, :-1]
                np.testing.assert_allclose(product, wanted[:, :-1], rtol=0, atol=1e3 * np.finfo(dtype).eps)


@pytest.mark.parametrize(("shape", "divides"), [((512, 512), True), ((520, 520), False), ((2, 100, 100), False)])
def test_right_sides_are_divided_where_openblas_has_one_thread(shape, divides):
    """And where there is one matrix: of more, each has a thread."""
    kind, letters = ArrayType((*shape[:-1], 100), np.dtype("f4")), dict(side="L", uplo="L", trans_x="N", diag="N")
    plan = Routine("strsm", FAMILIES["trsm"])._plan(
        [ArrayType(shape, kind.dtype), kind], [kind], Options({name: ord(code) for name, code in letters.items()})
    )
    assert plan.steps[-1].sides == (100 if divides else 0)


def test_every_target_of_jaxlib_is_there():
    """Those that jaxlib registers for CPUs."""
    from jaxlib.cpu import _lapack, _sparse

    from hlo.runtime.custom_calls import standard_targets  # noqa: F401 (registers targets)
    from hlo.runtime.custom_calls.registry import LIBRARIES, TARGETS

    for load in LIBRARIES.values():
        load()
    assert sorted({*_lapack.registrations(), *_sparse.registrations()} - TARGETS.keys()) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("uplo", "LU")
@pytest.mark.parametrize("n", [70, 520])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_cholesky_factorisations_of_lapack(dtype, n, uplo):
    """What is in the other triangle stays there; of three matrices the second is not positive definite from row 40 on."""
    kind = {"float32": "f32", "float64": "f64", "complex64": "complex<f32>", "complex128": "complex<f64>"}[dtype]
    letter = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}[dtype]
    text = f"""func.func @main(%a: tensor<3x{n}x{n}x{kind}>) -> (tensor<3x{n}x{n}x{kind}>, tensor<3xi32>) {{
      %0:2 = stablehlo.custom_call @lapack_{letter}potrf_ffi(%a) {{mhlo.backend_config = {{uplo = {ord(uplo)} : ui8}}, api_version = 4 : i32}} : (tensor<3x{n}x{n}x{kind}>) -> (tensor<3x{n}x{n}x{kind}>, tensor<3xi32>)
      return %0#0, %0#1 : tensor<3x{n}x{n}x{kind}>, tensor<3xi32> }}"""
    m = matrices(dtype, 3, n, n)
    definite = m @ m.conj().swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
    definite[1, 39, 39] = -1
    used, other = (np.tril, np.triu) if uplo == "L" else (np.triu, np.tril)
    beside = other(np.full((n, n), 7, dtype), 1 if uplo == "L" else -1)
    exe = hlo.compile(text, keep_phases=True)
    assert "potrf" in exe.phases["kernels"]
    factor, info = exe(used(definite) + beside)
    np.testing.assert_array_equal(info, [0, 40, 0])
    for number in (0, 2):
        lower = np.linalg.cholesky(definite[number].astype(np.complex128 if letter in "cz" else np.float64))
        wanted = (lower if uplo == "L" else lower.conj().T) + beside
        np.testing.assert_allclose(factor[number], wanted, rtol=0, atol=1e3 * np.finfo(dtype).eps)


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


VALUES = {"sgesdd": lambda a: jnp.linalg.svd(a, compute_uv=False), "sgeev": jnp.linalg.eigvals}


@pytest.mark.parametrize("name", VALUES)
def test_what_programs_do_not_use_is_not_written(name):
    """They say what that is: vectors that are not computed, of singular values also what LAPACK leaves of the matrix."""
    text = jax.jit(VALUES[name]).lower(matrices("float32", 10, 10)).as_text()
    (call,) = hlo.compile(text, cache=False).program.custom_calls
    assert (
        set(UNWANTED[name][2]) <= set(call.description.unread) and len(call.results) - 1 not in call.description.unread
    )


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_elements_of_factors_that_are_looked_up(dtype, batch, target):
    """They are read by columns, as LAPACK writes them: elements beside the diagonal as well."""
    rows, columns = np.array([0, 3, 5, 39, 39]), np.array([7, 2, 5, 0, 39])
    rng = np.random.default_rng(5)
    a = rng.standard_normal((*batch, 40, 40)) + (1j * rng.standard_normal((*batch, 40, 40)) if "c" in dtype else 0)
    a = a.astype(dtype)
    with jax.enable_x64(dtype in ("float64", "complex128")):
        lowered = jax.jit(lambda a: jax.lax.linalg.lu(a)[0][..., rows, columns]).lower(a)
    (found,) = hlo.compile(lowered.as_text(), target=target, cache=False)(a)
    expected = [lu_factor(one)[0][rows, columns] for one in a.reshape(-1, 40, 40)]
    tolerance = 1e-9 if dtype in ("float64", "complex128") else 1e-3
    np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=tolerance, atol=tolerance)


UNWANTED = {
    "sgesdd": ({"mode": ord("N")}, [(4, 4), (4,), (4, 4), (4, 4), ()], [2, 3]),
    "sgesvd": ({"mode": ord("N")}, [(4, 4), (4,), (4, 4), (4, 4), ()], [2, 3]),
    "sgees": ({"mode": ord("N"), "sort": ord("N")}, [(4, 4), (4, 4), (4,), (4,), (), ()], [1]),
    "sgeev": (
        {"compute_left": ord("N"), "compute_right": ord("N")},
        [(4,), (4,), (4, 4), (4, 4), ()],
        [2, 3],
    ),
}
"""Options of a call of LAPACK, the shapes of its results, the numbers of those that it does not compute."""


@pytest.mark.parametrize("name", UNWANTED)
@pytest.mark.parametrize("is_read", [True, False])
def test_vectors_that_are_not_computed_are_zeros(name, is_read):
    """Whatever was in the memory of the results, and in the workspace of the problem before. What the program does not use is not written."""
    options, shapes, unwanted = UNWANTED[name]
    a = matrices("float32", 3, 4, 4)
    whole = lambda n, shape: np.int32 if shape == () else np.complex64 if name == "sgeev" and n in unwanted else a.dtype
    results = [np.full((3, *shape), 7, whole(n, shape)) for n, shape in enumerate(shapes)]
    types = [ArrayType(r.shape, r.dtype) for r in results]
    unread = [] if is_read else unwanted
    plan = Routine(name, FAMILIES[name[1:]])._plan([ArrayType(a.shape, a.dtype)], types, Options(options), unread)
    words, failed = plan.words(), ctypes.c_int64(0)
    addresses = (ctypes.c_void_p * (1 + len(results)))(a.ctypes.data, *(r.ctypes.data for r in results))
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(lapack_runner.address())
    run(None, addresses, words.ctypes.data, ctypes.addressof(failed))
    assert not failed.value and not results[-1].any()
    for number, result in enumerate(results):
        if number in unwanted:
            assert (result == (0 if is_read else 7)).all()
        elif shapes[number]:
            assert np.isfinite(result).all() and not (result == 7).all()


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


BATCH = {
    "potrf": (lambda a: lax.linalg.cholesky(a, symmetrize_input=False), np.diag([4.0, -1.0, 2.0])),
    "getrf": (lambda a: lax.linalg.lu(a), np.zeros((3, 3))),
    "solve": (lambda a: jnp.linalg.solve(a, a[..., :1]), np.full((3, 3), np.nan)),
    "syevd": (lambda a: jnp.linalg.eigh(a), np.full((3, 3), np.nan)),
    "gesdd": (lambda a: jnp.linalg.svd(a, compute_uv=False), np.full((3, 3), np.inf)),
    "geqrf": (jnp.linalg.qr, np.zeros((3, 3))),
    "geev": (jnp.linalg.eig, np.array([[1, 2, np.inf], [3, 4, 5], [6, 7, 8]])),
    "geev values": (jnp.linalg.eigvals, np.array([[1, np.nan, 2], [3, 4, 5], [6, 7, 8]])),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", BATCH)
def test_a_bad_problem_does_not_touch_the_others(name, dtype):
    """Not positive definite, singular, NaN, infinite: as in JAX, which writes NaN where LAPACK's code says that it failed."""
    function, bad = BATCH[name]
    good = matrices(dtype, 4, 3, 3)
    a = np.concatenate(
        [good[:2] @ good[:2].conj().swapaxes(-1, -2) + 2 * np.eye(3), bad[None], np.eye(3)[None]]
    ).astype(dtype)
    with jax.enable_x64(True):
        expected = jax.tree.leaves(jax.jit(function)(a))
        text = jax.jit(function).lower(a).as_text()
    tolerance = 1e-4 if np.dtype(dtype).itemsize in (4, 8) and dtype != "float64" else 1e-10
    for found, wanted in zip(hlo.compile(text)(a), map(np.asarray, expected), strict=True):
        assert np.isfinite(found[[0, 1, 3]]).all()
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(1, 3), (7, 9), (16, 16), (17, 33), (40, 8), (9, 100), (3, 32, 68)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_matrices_are_transposed_for_lapack(dtype, shape):
    """Blocks in vectors and what is left of rows and columns: the workspace as it is, in a result of the transposed shape."""
    a = matrices(dtype, *shape)
    *batch, rows, columns = shape
    found, failed = np.zeros((*batch, columns, rows), a.dtype), ctypes.c_int64(0)
    plan = Plan([ArrayType(a.shape, a.dtype)], [ArrayType(found.shape, a.dtype)], 2)
    copied = plan.matrix(0, None, rows, columns)
    plan.after.append((0, *copied, *plan.array(1, columns, rows), a.size // prod(batch), 1, a.itemsize, 1))
    words, addresses = plan.words(), (ctypes.c_void_p * 2)(a.ctypes.data, found.ctypes.data)
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(lapack_runner.address())
    run(None, addresses, words.ctypes.data, ctypes.addressof(failed))
    assert not failed.value
    np.testing.assert_array_equal(found, a.swapaxes(-1, -2))


@pytest.mark.parametrize("shape", [(0, 3, 3), (2, 0, 0), (1, 1, 1), (2, 3, 2, 2), (17, 17)])
def test_shapes(shape):
    a = matrices("float32", *shape)
    a = a @ a.swapaxes(-1, -2) + 2 * np.eye(shape[-1], dtype=np.float32)

    def function(a):
        return jnp.linalg.cholesky(a), *jnp.linalg.qr(a), *jnp.linalg.eigh(a), jnp.linalg.solve(a, a)

    lowered = jax.jit(function).lower(a)
    for found, wanted in zip(hlo.compile(lowered.as_text())(a), jax.tree.leaves(jax.jit(function)(a)), strict=True):
        np.testing.assert_allclose(found, np.asarray(wanted), rtol=1e-4, atol=1e-4)


def test_compiled_code_calls_lapack_without_python(monkeypatch):
    """A loop of solves; the same by the way that the reference goes."""
    from hlo.runtime import custom_calls

    def solves(a, b):
        return lax.scan(lambda x, _: (jnp.linalg.solve(a, x) + b, None), b, None, 7)[0]

    a, b = matrices("float64", 4, 4) + 5 * np.eye(4), matrices("float64", 4, 2)
    with jax.enable_x64(True):
        text = jax.jit(solves).lower(a, b).as_text()
    (expected,) = hlo.compile(text, target="reference")(a, b)

    def refuse(*_):
        raise AssertionError("Python was called")

    monkeypatch.setattr(custom_calls.CustomCall, "run", refuse)
    (found,) = hlo.compile(text)(a, b)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def rotating(dtype, order):
    """Of three matrices the first has pairs of complex eigenvalues (one of them at the end), the second real ones, the third NaN."""
    a = np.zeros((3, order, order), dtype)
    a[0] = np.triu(matrices(dtype, order, order), 1) + np.diag(np.arange(1.0, order + 1))
    for k in range(order % 2, order - 1, 2):
        a[0, k : k + 2, k : k + 2] = [[k, 2], [-3, k]]
    a[1] = hermitian(matrices(dtype, order, order))
    a[2] = np.nan
    return a


@pytest.mark.parametrize("order", [1, 2, 5, 8, 33])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_eigenvectors_of_real_matrices_without_python(monkeypatch, dtype, order):
    """Left and right ones, whose pairs of columns become conjugate ones: the definition, and JAX where numbers are not finite."""
    from hlo.runtime import custom_calls

    def vectors(a):
        return lax.linalg.eig(a, compute_left_eigenvectors=True, compute_right_eigenvectors=True)

    a = rotating(dtype, order)
    with jax.enable_x64(True):
        text = jax.jit(vectors).lower(a).as_text()
        expected = list(map(np.asarray, jax.jit(vectors)(a)))
    reference = hlo.compile(text, target="reference")(a)

    def refuse(*_):
        raise AssertionError("Python was called")

    monkeypatch.setattr(custom_calls.CustomCall, "run", refuse)
    values, left, right = found = hlo.compile(text)(a)
    tolerance = {"atol": 300 * order * np.finfo(dtype).eps, "rtol": 0}
    for one, by_reference, wanted in zip(found, reference, expected, strict=True):
        assert one.dtype == wanted.dtype
        np.testing.assert_array_equal(one, by_reference)
        np.testing.assert_array_equal(np.isnan(one), np.isnan(wanted))
    a, left, right, values = a[:2], left[:2], right[:2], values[:2]
    np.testing.assert_allclose(a @ right, right * values[:, None, :], **tolerance)
    np.testing.assert_allclose(left.conj().swapaxes(-1, -2) @ a, values[..., None] * left.conj().swapaxes(-1, -2), **tolerance)  # fmt: skip
    np.testing.assert_allclose(np.linalg.norm(right, axis=-2), 1, **tolerance)


def test_threads_share_an_executable():
    """A plan is read only: the workspace is each call's own."""
    from concurrent.futures import ThreadPoolExecutor

    problems = [matrices("float32", 6, 5, 5) + n * np.eye(5, dtype=np.float32) for n in range(8)]
    executable = hlo.compile(jax.jit(jnp.linalg.inv).lower(problems[0]).as_text())
    expected = [executable(p)[0] for p in problems]
    with ThreadPoolExecutor(4) as pool:
        for found, wanted in zip(pool.map(lambda p: executable(p)[0], problems * 20), expected * 20, strict=True):
            np.testing.assert_array_equal(found, wanted)


def test_letters_that_lapack_does_not_know():
    """LAPACK's own message goes to the program's output; nothing is read or written."""
    text = """func.func @main(%a: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>) {
      %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 88 : ui8}, api_version = 4 : i32} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
      return %0#0, %0#1 : tensor<2x2xf32>, tensor<i32> }"""
    _, info = hlo.compile(text)(np.eye(2, dtype=np.float32))
    assert info == -1


CALL = """func.func @main({parameters}) -> ({results}) {{
  %0:{count} = stablehlo.custom_call @lapack_{name}_ffi({names}) {{mhlo.backend_config = {{{config}}}, api_version = 4 : i32}} : ({operands}) -> ({results})
  return {returned} : {results} }}"""

REFUSED = {
    "other batch": ("spotrf", "uplo = 76 : ui8", ["2x3x3xf32"], ["2x3x3xf32", "3xi32"], "array 2 must be"),
    "other type": ("spotrf", "uplo = 76 : ui8", ["3x3xf64"], ["3x3xf64", "i32"], "spotrf computes with float32"),
    "not square": ("spotrf", "uplo = 76 : ui8", ["3x4xf32"], ["3x4xf32", "i32"], "square matrices expected"),
    "small result": ("sgetrf", "", ["4x4xf32"], ["4x4xf32", "2xi32", "i32"], "array 2 must be"),
    "another result": ("sgetrf", "", ["4x4xf32"], ["3x4xf32", "4xi32", "i32"], "array 1 must be"),
    "result missing": ("spotrf", "uplo = 76 : ui8", ["3x3xf32"], ["3x3xf32"], "more than 1 operands and 1 results"),
    "option missing": ("spotrf", "", ["3x3xf32"], ["3x3xf32", "i32"], "option uplo is missing"),
    "triangle": (
        "strsm",
        "diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8",
        ["3x3xf32", "4x2xf32"],
        ["4x2xf32"],
        "a triangle of order 3 does not fit 4 x 2 from side L",
    ),
    "vectors": ("sgesdd", "mode = 65 : ui8", ["4x3xf32"], ["4x3xf32", "3xf32", "4x3xf32", "3x3xf32", "i32"], "array 3"),
    "mode": (
        "sgesdd",
        "mode = 66 : ui8",
        ["3x3xf32"],
        ["3x3xf32", "3xf32", "3x3xf32", "3x3xf32", "i32"],
        "mode must be",
    ),
    "reflectors": ("sorgqr", "", ["4x3xf32", "4x1xf32"], ["4x3xf32"], "array 1 must be"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_calls_that_do_not_fit_are_refused(what):
    name, config, operands, results, message = REFUSED[what]
    types = [f"tensor<{t}>" for t in operands]
    text = CALL.format(
        name=name,
        config=config,
        count=len(results),
        names=", ".join(f"%x{n}" for n in range(len(types))),
        parameters=", ".join(f"%x{n}: {t}" for n, t in enumerate(types)),
        operands=", ".join(types),
        results=", ".join(f"tensor<{t}>" for t in results),
        returned=", ".join(f"%0#{n}" for n in range(len(results))),
    )
    with pytest.raises(hlo.HloError, match=re.escape(message)):
        hlo.compile(text)


def test_a_configuration_that_is_no_dictionary():
    text = CALL.format(name="sgeev", config="", count=5, names="%x", parameters="%x: tensor<2x2xf32>", operands="tensor<2x2xf32>",
                       results="tensor<2xf32>, tensor<2xf32>, tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>, tensor<i32>",
                       returned="%0#0, %0#1, %0#2, %0#3, %0#4").replace("mhlo.backend_config = {}, api_version = 4", 'backend_config = "fast", api_version = 1')  # fmt: skip
    with pytest.raises(hlo.HloError, match="a dictionary of options expected, found 'fast'"):
        hlo.compile(text)


def test_our_own_mistakes_are_no_compile_errors(monkeypatch):
    """What a plan raises that is not meant for users keeps its type."""
    from hlo.runtime.custom_calls import lapack

    def wrong(*_):
        raise ZeroDivisionError("in our code")

    monkeypatch.setitem(lapack.FAMILIES, "potrf", lapack.Family(wrong))
    lapack.register_all()
    text = jax.jit(jnp.linalg.cholesky).lower(np.eye(40, dtype=np.float32)).as_text()
    try:
        with pytest.raises(ZeroDivisionError):
            hlo.compile(text, cache=False)
    finally:
        monkeypatch.undo()
        lapack.register_all()


@pytest.mark.parametrize("count", [1, 300])
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_no_memory_for_the_workspace(monkeypatch, count, target):
    """The allocator is asked for more than there are addresses."""
    planned = Plan.words

    def greedy(self, pool=0):
        words = planned(self, pool)
        words[1] = 1 << 62
        return words

    a = np.stack([np.eye(130)] * count).astype(np.float32)
    text = jax.jit(lambda a: jnp.linalg.cholesky(a) + 1).lower(a).as_text()
    monkeypatch.setattr(Plan, "words", greedy)
    with pytest.raises(hlo.HloError, match="no memory for a workspace"):
        hlo.compile(text, target=target, cache=False)(a)
    monkeypatch.undo()
    np.testing.assert_array_equal(hlo.compile(text, target=target, cache=False)(a)[0], a + 1)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_the_problems(threads):
    """The same bits as on one thread; a problem by itself may be computed by other code."""
    problems = matrices("float32", 200, 40, 40) + 20 * np.eye(40, dtype=np.float32)
    functions = [jnp.linalg.inv, jnp.linalg.qr, jnp.linalg.eigvalsh, jnp.linalg.cholesky]
    text = jax.jit(lambda a: [f(a) for f in functions]).lower(problems).as_text()
    one = jax.jit(lambda a: [f(a) for f in functions]).lower(problems[:1]).as_text()
    found = hlo.compile(text, threads=threads)(problems)
    for part, wanted in zip(found, hlo.compile(text, threads=1)(problems), strict=True):
        np.testing.assert_array_equal(part, wanted)
    single = hlo.compile(one, threads=1)
    for number in (0, 1, 99, 100, 198, 199):
        for part, wanted in zip(found, single(problems[number : number + 1]), strict=True):
            np.testing.assert_allclose(part[number], wanted[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("order, is_alone", [(120, True), (700, False)])
def test_small_factorisations_keep_openblas_to_one_thread(order, is_alone):
    """While several threads call; the setting that was there comes back."""
    from concurrent.futures import ThreadPoolExecutor

    from hlo.runtime.custom_calls.lapack_plan import thread_settings

    if not all(thread_settings()):
        pytest.skip("LAPACK is not OpenBLAS's")
    told, change = (ctypes.CFUNCTYPE(r, *a)(f) for f, r, a in zip(thread_settings(), (ctypes.c_int, None), ([], [ctypes.c_int])))  # fmt: skip
    before, a = told(), matrices("float32", order, order) + 20 * np.eye(order, dtype=np.float32)
    executable = hlo.compile(jax.jit(jnp.linalg.eigvalsh).lower(a).as_text())
    change(2)
    seen, end = set(), time.monotonic() + (60 if is_alone else 1)
    try:
        with ThreadPoolExecutor(3) as pool:
            while time.monotonic() < end and 1 not in seen:  # a look may miss every one of a dozen short calls
                calls = [pool.submit(executable, a) for _ in range(12)]
                while not all(c.done() for c in calls):
                    seen.add(told())
        assert told() == 2
        assert (1 in seen) == is_alone
    finally:
        change(before)


@pytest.mark.parametrize("shape, calls", [((700, 700), 2), ((120, 120), 0), ((2, 700, 700), 0)])
def test_the_pool_knows_of_calls_with_threads_of_the_library(monkeypatch, shape, calls):
    """Before and behind each; not of those that keep the library to the calling thread."""
    from hlo.runtime.custom_calls import lapack_plan

    told = []
    receive = ctypes.CFUNCTYPE(None)(lambda: told.append(None))
    monkeypatch.setattr(lapack_plan, "receive_guests", lambda: ctypes.cast(receive, ctypes.c_void_p).value)
    a = matrices("float32", *shape)
    executable = hlo.compile(jax.jit(jnp.linalg.eigvalsh).lower(a).as_text(), cache=False)
    assert not told
    executable(a)
    assert len(told) == calls


def test_threads_share_large_batches():
    """The words that the machine code has of the pool are those that `share` fills."""
    a = matrices("float32", 64, 20, 20)
    executable = hlo.compile(jax.jit(FUNCTIONS["gesdd values"]).lower(a).as_text(), threads=2, cache=False)
    assert all(executable.dispatcher.words)
    (found,) = executable(a)
    np.testing.assert_allclose(found, np.linalg.svd(a, compute_uv=False), rtol=1e-4)


def header(routine, shape, dtype, results, **options):
    """The first words of a plan."""
    options = {name: ord(value) for name, value in options.items()}
    types = [ArrayType((*shape[:-2], *sizes), np.dtype(kind)) for sizes, kind in results]
    letter = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}[dtype]
    routine = Routine(letter + routine, FAMILIES[routine])
    return routine._plan([ArrayType(shape, np.dtype(dtype))], types, Options(options)).header(1, (2, 3), 4)


@pytest.mark.parametrize(
    ("count", "order", "parts"), [(16, 2, 1), (16, 5, 16), (100, 2, 32), (100, 16, 32), (100, 128, 32), (1, 128, 1)]
)
def test_small_iterative_problems_are_divided_among_threads(count, order, parts):
    """LAPACK takes microseconds for each of them."""
    square, values = (order, order), (order,)
    unsymmetric = [(values, "f4"), (values, "f4"), (square, "c8"), (square, "c8"), ((), "i4")]
    found = header("geev", (count, *square), "f4", unsymmetric, compute_left="N", compute_right="N")
    assert found[4] == parts
    symmetric = [(square, "f8"), (values, "f8"), ((), "i4")]
    assert header("syevd", (count, *square), "f8", symmetric, mode="V", uplo="L")[4] == parts


@pytest.mark.parametrize(("order", "parts"), [(4, 1), (16, 1), (24, 32)])
@pytest.mark.parametrize(
    ("routine", "dtype", "real"), [("sytrd", "f4", "f4"), ("hetrd", "c8", "f4"), ("hetrd", "c16", "f8")]
)
def test_small_tridiagonal_forms_are_not_divided(routine, dtype, real, order, parts):
    """OpenBLAS's functions of their steps wait for each other."""
    diagonals = [((order,), real), ((order - 1,), real), ((order - 1,), dtype)]
    found = header(routine, (100, order, order), dtype, [((order, order), dtype), *diagonals, ((), "i4")], uplo="L")
    assert found[4] == parts


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("name", ["ssyevd", "dsyevd", "cheevd", "zheevd"])
def test_eigenvalues_alone_read_one_triangle(name, uplo, is_read):
    """Whichever matrix LAPACK is given: the one, or its transpose, which is not copied element by element."""
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[name[0]]
    a = matrices(np.dtype(dtype).name, 3, 5, 5)
    triangle = np.tril(a) if uplo == "L" else np.triu(a)
    symmetric = triangle + np.triu(triangle.swapaxes(-1, -2).conj(), 1) if uplo == "L" else triangle + np.tril(triangle.swapaxes(-1, -2).conj(), -1)  # fmt: skip
    expected = np.linalg.eigvalsh(symmetric - 1j * np.eye(5) * np.diagonal(symmetric, axis1=1, axis2=2).imag[..., None])
    options = {"mode": ord("N"), "uplo": ord(uplo)}
    values, transposes = values_alone(name, a, [(5, 5), (5,), ()], options, [] if is_read else [0])
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-5)
    assert transposes == is_read


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (1, 4)])
@pytest.mark.parametrize("name", ["sgesdd", "zgesdd", "cgesvd", "dgesvd"])
def test_singular_values_alone(name, shape, is_read):
    """Of the matrix, or of its transpose, which is not copied element by element."""
    dtype = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}[name[0]]
    a, (rows, columns) = matrices(dtype, 3, *shape), shape
    shapes = [shape, (min(shape),), (rows, rows), (columns, columns), ()]
    values, transposes = values_alone(name, a, shapes, {"mode": ord("N")}, [2, 3] if is_read else [0, 2, 3])
    np.testing.assert_allclose(values, np.linalg.svd(a, compute_uv=False), rtol=1e-4, atol=1e-5)
    assert transposes == is_read


def values_alone(name, a, shapes, options, unread):
    """Result 1 of a call for a batch, and whether its plan transposes what it copies."""
    real = np.dtype(a.dtype.char.lower())
    kinds = [a.dtype, real, *[a.dtype] * (len(shapes) - 3), np.dtype(np.int32)]
    results = [np.full((len(a), *shape), 7, kind) for shape, kind in zip(shapes, kinds)]
    types = [ArrayType(r.shape, r.dtype) for r in results]
    plan = Routine(name, FAMILIES[name[1:]])._plan([ArrayType(a.shape, a.dtype)], types, Options(options), unread)
    words, failed = plan.words(), ctypes.c_int64(0)
    addresses = (ctypes.c_void_p * (1 + len(results)))(a.ctypes.data, *(r.ctypes.data for r in results))
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(lapack_runner.address())
    run(None, addresses, words.ctypes.data, ctypes.addressof(failed))
    assert not failed.value and not results[-1].any()
    copies = [step for step in plan.all_steps if isinstance(step, tuple) and step[0] == 0]
    return results[1], any(copy[-1] != 1 or copy[8] != 1 for copy in copies)


@pytest.mark.parametrize(
    ("order", "dtype", "is_alone"),
    [
        (512, "f4", True),
        (512, "f8", True),
        (520, "f8", False),
        (512, "c8", True),
        (300, "c16", True),
        (512, "c16", False),
    ],
)
def test_large_factorisations_have_the_threads_of_openblas(order, dtype, is_alone):
    found = header("getrf", (order, order), dtype, [((order, order), dtype), ((order,), "i4"), ((), "i4")])
    assert found[6:] == ([2, 3, 0] if is_alone else [0, 0, 4])


@pytest.mark.parametrize(
    ("vendor", "routine", "order", "is_alone"),
    [
        ("AuthenticAMD", "syevd", 320, True),
        ("AuthenticAMD", "syevd", 321, False),
        ("AuthenticAMD", "potrf", 512, True),
        ("AuthenticAMD", "potrf", 513, False),
        ("GenuineIntel", "syevd", 256, True),
        ("GenuineIntel", "potrf", 512, True),
        ("", "syevd", 257, False),
    ],
)
def test_openblas_has_threads_where_they_gain(monkeypatch, vendor, routine, order, is_alone):
    """A vendor that is not known counts as one where they gain late."""
    monkeypatch.setattr("hlo.runtime.custom_calls.lapack_plan.host_vendor", lambda: vendor)
    values = [((order,), "f4")] * (routine == "syevd")
    found = header(routine, (order, order), "f4", [((order, order), "f4"), *values, ((), "i4")], mode="V", uplo="L")
    assert found[6:] == ([2, 3, 0] if is_alone else [0, 0, 4])


@pytest.mark.parametrize(
    ("routine", "dtype", "order", "is_alone"),
    [
        ("potrf", "f8", 340, True),
        ("potrf", "f8", 341, False),
        ("potrf", "c16", 257, False),
        ("geqrf", "f4", 320, True),
        ("geqrf", "f8", 129, False),
    ],
)
def test_openblas_has_threads_by_element_type(monkeypatch, routine, dtype, order, is_alone):
    monkeypatch.setattr("hlo.runtime.custom_calls.lapack_plan.host_vendor", lambda: "AuthenticAMD")
    others = [((), "i4")] if routine == "potrf" else [((order,), dtype)]
    found = header(routine, (order, order), dtype, [((order, order), dtype), *others], uplo="L")
    assert found[6:] == ([2, 3, 0] if is_alone else [0, 0, 4])


@pytest.mark.parametrize("order, count", [(40, 3), (130, 1)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_results_are_where_an_operand_was_that_nothing_else_reads(dtype, order, count):
    """Of operands that a kernel has made; one that is read behind the call, and one that is an argument, stay."""
    a = matrices(dtype, count, order, order)
    b = matrices(dtype, count, order, 3)

    def function(a, b):
        positive = a @ a.conj().mT + order * jnp.eye(order, dtype=a.dtype)
        factors = [lax.linalg.cholesky(positive * n, symmetrize_input=False) for n in (1, 2)]
        system = lax.linalg.triangular_solve(factors[0], b + 1, left_side=True, lower=True)
        values = [*lax.linalg.lu(a + 1)[:2], *jnp.linalg.qr(a + 2), jnp.linalg.det(a + 3), jnp.linalg.eigvalsh(a + 4)]
        return positive, *factors, system, *values, jnp.linalg.cholesky(positive), jnp.linalg.qr(a)[1]

    with jax.enable_x64(True):
        expected, text = jax.jit(function)(a, b), jax.jit(function).lower(a, b).as_text()
    before = a.copy(), b.copy()
    for found, wanted in zip(hlo.compile(text)(a, b), map(np.asarray, expected), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())
    for kept, given in zip(before, (a, b), strict=True):
        np.testing.assert_array_equal(kept, given)


def test_a_factorisation_of_what_a_kernel_makes_needs_no_other_matrix():
    a = matrices("complex128", 300, 300)
    with jax.enable_x64(True):
        text = jax.jit(jnp.linalg.cholesky).lower(a).as_text()
    assert hlo.compile(text, cache=False).memory.temporaries < a.nbytes
