"""Contractions of complex numbers, as several of real ones or as one of numbers in place: shapes, types, special values, against numpy."""

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
def test_other_processors(cpu):
    a, b = normal((40, 50)), normal((50, 60))
    np.testing.assert_allclose(run(lambda a, b: a @ b, a, b, cpu=cpu), a @ b, atol=1e-4)
    np.testing.assert_allclose(run(lambda a, b: a @ b[:, 0], a, b, cpu=cpu), a @ b[:, 0], atol=1e-4)


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


@pytest.mark.parametrize("size", [4, 40])
def test_special_values(size):
    """Parts are sums of real products: infinities and NaN are where these have them."""
    a, b = normal((size, size)), normal((size, size))
    a[0, 1], a[1, 0], a[2, 2] = complex(np.inf, 1), complex(1, -np.inf), complex(np.nan, 0)
    b[0, 3], b[1, 1] = 0, complex(np.inf, np.inf)
    with np.errstate(invalid="ignore"):
        real = a.real[..., None] * b.real - a.imag[..., None] * b.imag
        imag = a.real[..., None] * b.imag + a.imag[..., None] * b.real
        expected = real.sum(1), imag.sum(1)
    got = run(lambda a, b: lax.dot(a, b, precision="highest"), a, b)
    column = run(lambda a, b: lax.dot(a, b, precision="highest"), a, b[:, 3])
    for part, of_column, wanted in zip((got.real, got.imag), (column.real, column.imag), expected):
        np.testing.assert_allclose(part, wanted, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(of_column, wanted[:, 3], rtol=1e-4, atol=1e-4)
