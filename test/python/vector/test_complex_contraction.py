"""Contractions of complex numbers, which are read in place: shapes, types, processors, special values, against numpy."""

import re

import jax
import numpy as np
import pytest
from jax import lax

import hlo

RANDOM = np.random.default_rng(11)
BOUNDS = {np.complex64: 1e-5, np.complex128: 1e-13}


def normal(shape, dtype=np.complex64):
    return (RANDOM.standard_normal(shape) + 1j * RANDOM.standard_normal(shape)).astype(dtype)


def run(function, *inputs, **options):
    with jax.enable_x64(True):
        text = jax.jit(function, keep_unused=True).lower(*inputs).as_text()
    return np.asarray(hlo.compile(text, cache=False, **options)(*inputs)[0])


LAYOUTS = [
    ("mk,kn->mn", {"m": 17, "k": 33, "n": 9}),
    ("km,nk->mn", {"m": 64, "k": 64, "n": 65}),
    ("mk,kn->mn", {"m": 3, "k": 2, "n": 300}),
    ("mk,kn->mn", {"m": 300, "k": 1, "n": 5}),
    ("mk,kn->mn", {"m": 2, "k": 2, "n": 2}),
    ("mk,kn->mn", {"m": 5, "k": 0, "n": 4}),
    ("mk,kn->mn", {"m": 0, "k": 5, "n": 4}),
    ("bmk,bnk->bmn", {"b": 7, "m": 12, "k": 13, "n": 14}),
    ("mbk,nbk->bmn", {"b": 40, "m": 1, "k": 195, "n": 1}),
    ("mkl,lkn->mn", {"m": 20, "k": 6, "l": 7, "n": 31}),
    ("bmk,bnk->bmn", {"b": 3, "m": 90, "k": 50, "n": 4}),
    ("bmk,bkn->bmn", {"b": 3, "m": 90, "k": 2, "n": 1}),
    ("bmk,bk->bm", {"b": 30, "m": 2, "k": 41}),
    ("mlk,lk->m", {"m": 9, "k": 20, "l": 13}),
    ("mk,kn->mn", {"m": 90, "k": 70, "n": 2}),
    ("km,k->m", {"m": 90, "k": 70}),
    ("kmb,kbn->bmn", {"b": 20, "m": 30, "k": 9, "n": 2}),
    ("km,kn->mn", {"m": 130, "k": 16, "n": 2}),
    ("kb,kb->b", {"b": 90, "k": 70}),
    ("k,k->", {"k": 5000}),
    ("mk,k->m", {"m": 130, "k": 77}),
    ("mk,kn->mn", {"m": 150, "k": 300, "n": 270}),
    ("km,nk->mn", {"m": 150, "k": 300, "n": 270}),
    ("mk,nk->mn", {"m": 11, "k": 301, "n": 7}),
    ("mk,kbn->bmn", {"b": 5, "m": 30, "k": 21, "n": 19}),
    ("bm,bn->mnb", {"b": 37, "m": 5, "n": 6}),
    ("kb,kmb->mb", {"b": 37, "m": 5, "k": 6}),
]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("layout, sizes", LAYOUTS)
def test_layouts(layout, sizes, dtype):
    left, right = (normal([sizes[d] for d in names], dtype) for names in layout.split("->")[0].split(","))
    exact = np.einsum(layout, left.astype(np.complex128), right.astype(np.complex128))
    got = run(lambda a, b: jax.numpy.einsum(layout, a, b, precision="highest"), left, right)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, exact, atol=BOUNDS[dtype] * np.abs(exact).max(initial=0), rtol=0)


@pytest.mark.parametrize("cpu", ["avx2", "baseline"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("layout, sizes", LAYOUTS[-13:])
def test_other_processors(layout, sizes, dtype, cpu):
    left, right = (normal([sizes[d] for d in names], dtype) for names in layout.split("->")[0].split(","))
    got = run(lambda a, b: jax.numpy.einsum(layout, a, b, precision="highest"), left, right, cpu=cpu)
    exact = np.einsum(layout, left.astype(np.complex128), right.astype(np.complex128))
    np.testing.assert_allclose(got, exact, atol=BOUNDS[dtype] * np.abs(exact).max(), rtol=0)


@pytest.mark.parametrize("layout", ["mk,kn->mn", "km,kn->mn", "mk,nk->mn"])
def test_a_product_is_one_kernel(layout):
    """Nothing copies parts of the numbers, nor joins parts of the result."""
    module = hlo.parse(
        jax.jit(lambda a, b: jax.numpy.einsum(layout, a, b)).lower(normal((64, 64)), normal((64, 64))).as_text()
    )
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    assert re.findall('hlo.kernel = "([a-z]+)"', str(module)) == ["contraction"]


@pytest.mark.parametrize(
    "function", [lambda a, b: abs(a @ b + 1) - 2, lambda a, b: (2 * a) @ b, lambda a, b: (a @ b) @ b.T]
)
def test_what_is_done_with_rows_before_and_after(function):
    a, b = normal((900, 64)), normal((64, 1000))
    wide = function(a.astype(np.complex128), b.astype(np.complex128))
    np.testing.assert_allclose(run(function, a, b), wide, atol=1e-5 * np.abs(wide).max(), rtol=0)


@pytest.mark.parametrize(
    "layout, left, right",
    [
        ("mk,k->m", (500, 300), (300,)),
        ("km,k->m", (300, 500), (300,)),
        ("k,k->", (90000,), (90000,)),
        ("bmk,bk->bm", (9000, 2, 2), (9000, 2)),
    ],
)
def test_numbers_that_few_products_have_are_read_in_place(layout, left, right):
    """Not as copies of their parts: temporaries are smaller than an operand."""
    a, b = normal(left), normal(right)
    text = jax.jit(lambda a, b: jax.numpy.einsum(layout, a.conj(), b)).lower(a, b).as_text()
    executable = hlo.compile(text, cache=False)
    exact = np.einsum(layout, a.conj().astype(np.complex128), b.astype(np.complex128))
    np.testing.assert_allclose(np.asarray(executable(a, b)[0]), exact, atol=1e-5 * np.abs(exact).max())
    assert executable.memory.temporaries < a.nbytes


def test_conjugates_and_what_follows():
    """What parts are read of, and what is made of the result, are other kernels or the same one."""
    a, b = normal((70, 40)), normal((70, 30))
    np.testing.assert_allclose(
        run(lambda a, b: abs((2 * a).conj().T @ b - 1), a, b), np.abs((2 * a).conj().T @ b - 1), rtol=1e-4
    )


@pytest.mark.parametrize("groups", [1, 2])
def test_convolution(groups):
    """JAX writes complex convolutions as real ones: the text has them as they are."""
    image, kernel = normal((2, 12, 6)), normal((3, 6 // groups, 8))
    text = f"""func.func @main(%x: tensor<2x12x6xcomplex<f32>>, %w: tensor<3x{6 // groups}x8xcomplex<f32>>) -> tensor<2x12x8xcomplex<f32>> {{
      %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {{pad = [[1, 1]]}}
        {{feature_group_count = {groups} : i64, batch_group_count = 1 : i64}}
        : (tensor<2x12x6xcomplex<f32>>, tensor<3x{6 // groups}x8xcomplex<f32>>) -> tensor<2x12x8xcomplex<f32>>
      return %r : tensor<2x12x8xcomplex<f32>> }}"""
    padded = np.pad(image, [(0, 0), (1, 1), (0, 0)])
    exact = np.zeros((2, 12, 8), np.complex128)
    for group in range(groups):
        inputs, outputs = (slice(n // groups * group, n // groups * (group + 1)) for n in (6, 8))
        for tap in range(3):
            exact[..., outputs] += padded[:, tap : tap + 12, inputs] @ kernel[tap][:, outputs]
    got = np.asarray(hlo.compile(text, cache=False)(image, kernel)[0])
    np.testing.assert_allclose(got, exact, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("layout", ["mk,kn->mn", "km,kn->mn", "mk,nk->mn", "km,nk->mn"])
@pytest.mark.parametrize("m, k, n", [(4, 4, 4), (40, 40, 40), (3, 130, 5), (150, 61, 290)])
def test_special_values(m, k, n, layout):
    """Parts are sums of real products: infinities and NaN are where these have them."""
    a, b = normal((m, k)), normal((k, n))
    a[0, 1], a[1, 0], a[2, 2] = complex(np.inf, 1), complex(1, -np.inf), complex(np.nan, 0)
    b[0, 3], b[1, 1], b[-1, -1] = 0, complex(np.inf, np.inf), complex(0, np.nan)
    with np.errstate(invalid="ignore"):
        real = a.real[..., None] * b.real - a.imag[..., None] * b.imag
        imag = a.real[..., None] * b.imag + a.imag[..., None] * b.real
        expected = real.sum(1), imag.sum(1)
    left, right = (
        x if names in ("mk", "kn") else x.T.copy() for x, names in zip((a, b), layout.split("->")[0].split(","))
    )
    got = run(lambda a, b: jax.numpy.einsum(layout, a, b, precision="highest"), left, right)
    column = run(lambda a, b: lax.dot(a, b, precision="highest"), a, b[:, 3])
    for part, of_column, wanted in zip((got.real, got.imag), (column.real, column.imag), expected):
        np.testing.assert_allclose(part, wanted, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(of_column, wanted[:, 3], rtol=1e-4, atol=1e-4)
