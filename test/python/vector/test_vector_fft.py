"""Fourier transforms as vector code, against numpy: every way a line is transformed, on wide and narrow vectors."""

import numpy as np
import pytest

import hlo
from hlo.lowering.target import TARGETS
from hlo.lowering.vector.fft.plan import Side, Square, choose, padded_length, radices

NAMES = {"complex64": "complex<f32>", "complex128": "complex<f64>", "float32": "f32", "float64": "f64"}
RANDOM = np.random.default_rng(0)


def normal(shape, dtype):
    real = RANDOM.standard_normal(shape)
    return (real + 1j * RANDOM.standard_normal(shape) if np.dtype(dtype).kind == "c" else real).astype(dtype)


def transform(kind, lengths, x, expected, cpu):
    """Ours, with the shape and the kind of numbers that are expected, in x's precision."""
    single = x.dtype in (np.float32, np.complex64)
    dtype = {"c": ("complex128", "complex64"), "f": ("float64", "float32")}[expected.dtype.kind][single]
    types = ["".join(f"{n}x" for n in v.shape) + NAMES[str(t)] for v, t in ((x, x.dtype), (expected, dtype))]
    signature = f"(tensor<{types[0]}>) -> tensor<{types[1]}>"
    program = f"""func.func @main(%x: tensor<{types[0]}>) -> tensor<{types[1]}> {{
      %r = stablehlo.fft %x, type = {kind}, length = [{", ".join(map(str, lengths))}] : {signature}
      return %r : tensor<{types[1]}> }}"""
    (found,) = hlo.compile(program, pipeline=hlo.pipelines.cpu(cpu))(x)
    return found


def check(kind, dims, x, expected, cpu="host"):
    """The largest error in roundings of a typical result: it grows with the logarithm of the length; Bluestein's
    algorithm, three transforms of twice the length and more, comes to some 20."""
    lengths = expected.shape[-dims:] if kind == "IRFFT" else x.shape[-dims:]
    found = transform(kind, lengths, x, expected, cpu)
    rounding = np.finfo(x.dtype).eps * np.sqrt(np.mean(np.abs(expected) ** 2))
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() / rounding < 30


def all_kinds(shape, dims, precision, cpu):
    axes = tuple(range(len(shape) - dims, len(shape)))
    real, numbers = precision, {"float32": "complex64", "float64": "complex128"}[precision]
    x = normal(shape, numbers)
    wide = x.astype(np.complex128)
    check("FFT", dims, x, np.fft.fftn(wide, axes=axes), cpu)
    check("IFFT", dims, x, np.fft.ifftn(wide, axes=axes), cpu)
    x = normal(shape, real)
    check("RFFT", dims, x, np.fft.rfftn(x.astype(np.float64), axes=axes), cpu)
    x = normal((*shape[:-1], shape[-1] // 2 + 1), numbers)
    sizes = [shape[a] for a in axes]
    check("IRFFT", dims, x, np.fft.irfftn(x.astype(np.complex128), sizes, axes=axes), cpu)


CASES = [
    ((3, 1), 1),
    ((33, 12), 1),  # side by side, left-over lines
    ((5, 17), 1),  # a prime, side by side
    ((3, 1000), 1),  # along the line, left-over lanes
    ((2, 777), 1),  # odd: 3 * 7 * 37
    ((2, 1024), 1),
    ((2, 1021), 1),  # a prime, along the line
    ((4, 6, 5), 2),
    ((2, 3, 16, 26), 3),
]


@pytest.mark.parametrize("shape, dims", CASES)
def test_wide_vectors(shape, dims):
    all_kinds(shape, dims, "float32", "host")


@pytest.mark.parametrize("shape, dims", [((33, 12), 1), ((3, 16, 40), 2)])
def test_narrow_vectors(shape, dims):
    all_kinds(shape, dims, "float32", "avx2")


@pytest.mark.parametrize("shape, dims", [((2, 62), 1)])
def test_double_precision(shape, dims):
    all_kinds(shape, dims, "float64", "host")


def test_threads_change_nothing():
    """64 lines are shared among threads, one is not."""
    x = normal((64, 1024), "complex64")
    expected = np.fft.fft(x.astype(np.complex128))
    together = transform("FFT", [1024], x, expected, "host")
    for line in (0, 31, 32, 63):
        alone = transform("FFT", [1024], x[line : line + 1], expected[:1], "host")
        np.testing.assert_array_equal(together[line], alone[0])


def test_radices():
    assert radices(4096) == [8, 8, 8, 8]
    assert radices(1000) == [8, 5, 5, 5]
    assert radices(1) == [1]
    assert radices(1021) is None
    for n in range(1, 300):
        found = radices(n, 4)
        assert found is None or np.prod(found) == n


def test_padding_holds_the_convolution():
    for n in range(2, 500):
        m = padded_length(n)
        assert 2 * n - 1 <= m < 4 * n and radices(m) is not None


def test_ways():
    wide = TARGETS["avx512"]
    assert isinstance(choose(4096, 256, 1, 16, 4, wide).way, Square)
    assert isinstance(choose(64, 4096, 1, 16, 4, wide).way, Side)
    assert isinstance(choose(4096, 1, 256, 16, 4, wide).way, Side)
    assert choose(1021, 4, 1, 16, 4, wide).is_padded
