"""getrf, potrf, trsm, geqrf and orgqr of small matrices, which are code of the program, beside SciPy's LAPACK: alone and interleaved."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.linalg.lapack as lapack

import hlo

KINDS = {"s": ("f32", "float32"), "d": ("f64", "float64"), "c": ("complex<f32>", "complex64"), "z": ("complex<f64>", "complex128")}  # fmt: skip
BATCHES = [(), (3,), (37,), (5, 9)]


def matrices(dtype: str, *shape: int) -> np.ndarray:
    g = np.random.default_rng(len(shape) * 100 + shape[-1])
    x = g.standard_normal(shape)
    return (x + 1j * g.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def type_of(shape, kind: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{kind}>"


def run(name: str, configs, operands, results):
    """The results of custom calls of one routine, one for each configuration, which are code. `results`: shapes and element types."""
    kind = KINDS[name[0]][0]
    types = [type_of(a.shape, kind) for a in operands]
    outs = [type_of(shape, k or kind) for shape, k in results]
    names, parameters = ", ".join(f"%x{n}" for n in range(len(types))), ", ".join(f"%x{n}: {t}" for n, t in enumerate(types))  # fmt: skip
    calls = [
        f"""%{n}:{len(outs)} = stablehlo.custom_call @lapack_{name}_ffi({names}) {{mhlo.backend_config = {{{config}}}, api_version = 4 : i32}} : ({", ".join(types)}) -> ({", ".join(outs)})"""
        for n, config in enumerate(configs)
    ]
    values = ", ".join(f"%{n}#{k}" for n in range(len(calls)) for k in range(len(outs)))
    returned = ", ".join(outs * len(calls))
    text = f"func.func @main({parameters}) -> ({returned}) {{\n" + "\n".join(
        [*calls, f"return {values} : {returned} }}"]
    )
    executable = hlo.compile(text, keep_phases=True)
    assert "lapack_" not in executable.phases["kernels"]
    return executable(*operands)


def lu(a: np.ndarray):
    *batch, rows, columns = a.shape
    letter = next(k for k, (_, dtype) in KINDS.items() if dtype == a.dtype.name)
    return run(f"{letter}getrf", [""], [a], [(a.shape, ""), ((*batch, min(rows, columns)), "i32"), (batch, "i32")])


def cholesky(a: np.ndarray, uplo: str):
    letter = next(k for k, (_, dtype) in KINDS.items() if dtype == a.dtype.name)
    return run(f"{letter}potrf", [f"uplo = {ord(uplo)} : ui8"], [a], [(a.shape, ""), (a.shape[:-2], "i32")])


def expected_of(routine: str, a: np.ndarray, **options):
    """SciPy's results, problem by problem."""
    found = [getattr(lapack, routine)(m, **options) for m in a.reshape(-1, *a.shape[-2:])]
    return [np.array(parts) for parts in zip(*found, strict=True)]


def tolerance(dtype) -> float:
    return 2e-3 if np.finfo(dtype).eps > 1e-10 else 1e-9


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("rows, columns", [(1, 1), (8, 8), (3, 6), (7, 4)])
def test_lu(letter, rows, columns):
    dtype = KINDS[letter][1]
    for batch in BATCHES if rows == 8 else BATCHES[2:]:
        a = matrices(dtype, *batch, rows, columns)
        factors, pivots, info = lu(a)
        wanted, places, _ = expected_of(f"{letter}getrf", a)
        np.testing.assert_array_equal(pivots.reshape(places.shape), places + 1)
        np.testing.assert_allclose(factors.reshape(wanted.shape), wanted, rtol=tolerance(dtype), atol=tolerance(dtype))
        assert not info.any()


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("order, batch", [(1, ()), (2, (3,)), (8, ()), (5, (37,)), (6, (5, 9)), (45, (13,))])
@pytest.mark.parametrize("uplo", "LU")
def test_cholesky(letter, order, batch, uplo):
    dtype = KINDS[letter][1]
    a = matrices(dtype, *batch, order, order)
    a = (a @ a.conj().swapaxes(-1, -2) + np.eye(order)).astype(dtype)
    a += np.triu(np.ones((order, order)), 1) * 7 if uplo == "L" else np.tril(np.ones((order, order)), -1) * 7
    factor, info = cholesky(a, uplo)
    wanted, _ = expected_of(f"{letter}potrf", a, lower=uplo == "L", clean=False)
    np.testing.assert_allclose(factor.reshape(wanted.shape), wanted, rtol=tolerance(dtype), atol=tolerance(dtype))
    assert not info.any()


def qr(a: np.ndarray, count: int | None = None):
    """The factorisation as LAPACK leaves it, its factors, and the first `count` columns of the product of the reflections."""
    *batch, rows, columns = a.shape
    letter, (kind, _) = next((k, v) for k, v in KINDS.items() if v[1] == a.dtype.name)
    steps, name = min(rows, columns), "un" if letter in "cz" else "or"
    found, factors = run(f"{letter}geqrf", [""], [a], [(a.shape, ""), ((*batch, steps), kind)])
    wide = np.zeros((*batch, rows, count or steps), a.dtype)
    wide[..., :steps] = found[..., :steps]
    return found, factors, *run(f"{letter}{name}gqr", [""], [wide, factors], [(wide.shape, "")])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("rows, columns, count", [(1, 1, 1), (2, 2, 2), (8, 8, 8), (3, 6, 3), (7, 4, 4), (7, 4, 7)])
def test_qr(letter, rows, columns, count):
    dtype = KINDS[letter][1]
    for batch in BATCHES if rows == 8 else BATCHES[2:]:
        a = matrices(dtype, *batch, rows, columns)
        found, factors, q = qr(a, count)
        wanted, scales, _, _ = expected_of(f"{letter}geqrf", a)
        exact = {"rtol": tolerance(dtype), "atol": tolerance(dtype)}
        np.testing.assert_allclose(found.reshape(wanted.shape), wanted, **exact)
        np.testing.assert_allclose(factors.reshape(scales.shape), scales, **exact)
        upper = np.triu(found)[..., :count, :]
        if count > upper.shape[-2]:
            upper = np.concatenate([upper, np.zeros((*batch, count - upper.shape[-2], columns))], -2)
        np.testing.assert_allclose(q @ upper, a, **exact)
        np.testing.assert_allclose(q.conj().swapaxes(-1, -2) @ q - np.eye(count), 0, atol=tolerance(dtype))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("batch", [(), (20,)])
def test_qr_of_special_columns(letter, batch):
    """Zeros, signed zeros, what is already a triangle, the smallest and largest numbers, NaN."""
    dtype = KINDS[letter][1]
    info = np.finfo(dtype)
    triangle = np.triu(matrices(dtype, 4, 4))
    tall = np.array([[3, 1], [4, 1], [0, 2], [12, 1]], dtype)
    cases = [np.zeros((4, 4)), triangle, -0.0 * np.ones((4, 4)), np.pad(tall, ((0, 0), (1, 1)))]
    cases += [np.pad(tall * size, ((0, 0), (1, 1))) for size in (info.tiny / 16, info.tiny * 4, info.max / 32)]
    spoilt = matrices(dtype, 4, 4)
    spoilt[2, 1] = np.nan
    if np.dtype(dtype).kind == "c":
        cases.append(triangle * 1j)
    for case in [*cases, spoilt]:
        a = np.broadcast_to(case.astype(dtype), (*batch, 4, 4)).copy()
        found, factors, _ = qr(a)
        wanted, scales, _, _ = expected_of(f"{letter}geqrf", a)
        scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
        np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=2e-3, atol=float(scale) * tolerance(dtype))
        np.testing.assert_allclose(factors.reshape(scales.shape), scales, rtol=2e-3, atol=tolerance(dtype))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "letter, batch", [("s", ()), ("z", ()), ("s", (20,)), ("d", (9,)), ("c", (17,)), ("z", (2, 4))]
)
def test_systems(letter, batch):
    """All sides, triangles, transpositions and diagonals."""
    dtype, order = KINDS[letter][1], 5
    a = (matrices(dtype, *batch, order, order) + 4 * np.eye(order)).astype(dtype)
    for side in "LR":
        b = matrices(dtype, *batch, *((order, 3) if side == "L" else (3, order)))
        options = [
            {"side": side, "uplo": u, "trans_x": t, "diag": d} for u, t, d in itertools.product("LU", "NTC", "NU")
        ]
        configs = [", ".join(f"{name} = {ord(value)} : ui8" for name, value in o.items()) for o in options]
        for found, chosen in zip(run(f"{letter}trsm", configs, [a, b], [(b.shape, "")]), options, strict=True):
            triangle = triangle_of(a.astype(np.complex128), chosen)
            product = triangle @ found if side == "L" else found @ triangle
            scale = np.abs(found).max() * np.abs(triangle).max() + 1
            np.testing.assert_allclose(product, b, atol=scale * tolerance(dtype) / 10)


def triangle_of(a: np.ndarray, options: dict[str, str]) -> np.ndarray:
    order = a.shape[-1]
    triangle = np.tril(a) if options["uplo"] == "L" else np.triu(a)
    if options["diag"] == "U":
        triangle = triangle * (1 - np.eye(order)) + np.eye(order)
    transposed = triangle.swapaxes(-1, -2)
    return {"N": triangle, "T": transposed, "C": transposed.conj()}[options["trans_x"]]


def singular(order: int) -> np.ndarray:
    """Of all kinds that LAPACK tells apart: zero columns first, in the middle and last, all zero, equal rows."""
    eye = np.eye(order)
    found = [eye, np.zeros((order, order))]
    found += [eye * (np.arange(order) != n) for n in range(order)]
    last = eye.copy()
    last[-1] = last[0]
    return np.stack([*found, last, eye[::-1]])


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("repeats", [1, 5])
def test_result_codes(letter, repeats):
    dtype = KINDS[letter][1]
    a = np.concatenate([singular(4)] * repeats).astype(dtype)
    factors, pivots, info = lu(a)
    wanted, places, codes = expected_of(f"{letter}getrf", a)
    np.testing.assert_array_equal(info, codes)
    np.testing.assert_array_equal(pivots, places + 1)
    np.testing.assert_array_equal(factors, wanted)
    indefinite = np.stack([np.diag(d) for d in ([1, 2, 3], [0, 1, 1], [1, -1, 1], [1, 1, 0], [np.nan, 1, 1], [1, 1, np.nan])])  # fmt: skip
    indefinite = np.concatenate([indefinite] * repeats).astype(dtype)
    for uplo in "LU":
        _, info = cholesky(indefinite, uplo)
        np.testing.assert_array_equal(info, expected_of(f"{letter}potrf", indefinite, lower=uplo == "L")[-1])


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("count", [1, 20])
def test_pivots_near_the_ends_of_the_range(letter, count):
    """Nothing overflows on the way to a result that does not."""
    dtype = KINDS[letter][1]
    info = np.finfo(dtype)
    unit = 1 + 1j if np.dtype(dtype).kind == "c" else 1
    for scale in (float(info.max) / 8, float(info.tiny) * 8):
        a = (np.array([[1, 2], [3, 4]]) * unit * (scale / 4)).astype(dtype)
        factors, pivots, code = lu(np.stack([a] * count))
        assert not code.any() and (pivots == 2).all()
        wanted = np.array([[3 / 4 * scale * unit, scale * unit], [1 / 3, 2 / 4 * scale * unit - scale * unit / 3]])
        np.testing.assert_allclose(factors[0], wanted, rtol=1e-5)


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("count", [1, 20])
def test_finite_numbers_by_infinite_pivots_are_zero(letter, count):
    dtype = KINDS[letter][1]
    a = np.array([[1, 2, 3], [np.inf, 4, 5], [0, 1, 2]], dtype)
    factors, pivots, code = lu(np.stack([a] * count))
    assert not code.any()
    np.testing.assert_array_equal(pivots[0], [2, 2, 3])
    np.testing.assert_array_equal(factors[0], np.array([[np.inf, 4, 5], [0, 2, 3], [0, 0.5, 0.5]], dtype))


def test_batches_without_matrices_and_large_orders_stay_calls():
    for shape in ((0, 3, 3), (4, 0, 0), (20, 33, 33), (32, 129, 129), (9, 9)):
        text = f"""func.func @main(%a: {type_of(shape, "f32")}) -> ({type_of(shape, "f32")}, {type_of(shape[:-2], "i32")}) {{
          %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {{mhlo.backend_config = {{uplo = 76 : ui8}}, api_version = 4 : i32}} : ({type_of(shape, "f32")}) -> ({type_of(shape, "f32")}, {type_of(shape[:-2], "i32")})
          return %0#0, %0#1 : {type_of(shape, "f32")}, {type_of(shape[:-2], "i32")} }}"""
        exe = hlo.compile(text, keep_phases=True)
        assert "lapack_spotrf" in exe.phases["kernels"]
        a = np.broadcast_to(np.eye(shape[-1], dtype=np.float32), shape)
        np.testing.assert_array_equal(exe(a)[0], a)


@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("shape", [(70, 70), (3, 90, 64), (100, 130), (270, 260)])
def test_lu_by_halves(letter, shape):
    """From order 64 on columns are factorised by halves."""
    dtype = KINDS[letter][1]
    a = matrices(dtype, *shape)
    executable = factorise_by_lapack(letter, shape)
    factors, pivots, info = executable(a)
    wanted, places, _ = expected_of(f"{letter}getrf", a)
    np.testing.assert_array_equal(pivots.reshape(places.shape), places + 1)
    scale = np.abs(wanted).max() * (1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-12)
    np.testing.assert_allclose(factors.reshape(wanted.shape), wanted, atol=scale)
    assert not info.any()
    singular = a.copy()
    singular[..., 50] = 0
    factors, pivots, info = executable(singular)
    wanted, _, codes = expected_of(f"{letter}getrf", singular)
    np.testing.assert_array_equal(info.ravel(), codes)
    assert (codes == 51).all()
    np.testing.assert_allclose(factors.reshape(wanted.shape)[..., :50], wanted[..., :50], atol=scale)
    np.testing.assert_allclose(product_of(factors, pivots), singular, atol=scale)


def factorise_by_lapack(letter: str, shape):
    kind = KINDS[letter][0]
    types = ", ".join(
        [type_of(shape, kind), type_of((*shape[:-2], min(shape[-2:])), "i32"), type_of(shape[:-2], "i32")]
    )
    return hlo.compile(f"""func.func @main(%a: {type_of(shape, kind)}) -> ({types}) {{
      %r:3 = stablehlo.custom_call @lapack_{letter}getrf_ffi(%a) {{mhlo.backend_config = {{}}, api_version = 4 : i32}} : ({type_of(shape, kind)}) -> ({types})
      return %r#0, %r#1, %r#2 : {types} }}""")


def product_of(factors: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """The matrix that was factorised."""
    steps = min(factors.shape[-2:])
    lower = np.tril(factors, -1)[..., :steps] + np.eye(factors.shape[-2], steps, dtype=factors.dtype)
    found = lower @ np.triu(factors)[..., :steps, :]
    for matrix, rows in zip(found.reshape(-1, *found.shape[-2:]), pivots.reshape(-1, steps)):
        for k in reversed(range(steps)):
            matrix[[k, rows[k] - 1]] = matrix[[rows[k] - 1, k]]
    return found
