"""Complex functions at zeros, infinities, NaN and beyond the range of exp: those of C99's Annex G, which numpy follows."""

import numpy as np
import pytest

import hlo

PARTS = [0.0, -0.0, 0.5, -0.5, 2.0, -2.0, 200.0, -1000.0, 3e38, -3e38, np.inf, -np.inf, np.nan]
POINTS = np.array([complex(a, b) for a in PARTS for b in PARTS])

PROGRAM = """func.func @main(%z: tensor<169xcomplex<{kind}>>) -> tensor<169xcomplex<{kind}>> {{
  %r = stablehlo.{op} %z : (tensor<169xcomplex<{kind}>>) -> tensor<169xcomplex<{kind}>>
  return %r : tensor<169xcomplex<{kind}>> }}"""


def _exponential_minus_one(z: np.ndarray) -> np.ndarray:
    return np.where(np.abs(z.real) < 1, np.expm1(z), np.exp(z) - 1)


def _cube_root(z: np.ndarray) -> np.ndarray:
    return np.cbrt(np.abs(z)) * np.exp(1j * np.angle(z) / 3)


def _has_a_finite_part(z: np.ndarray) -> np.ndarray:
    """Where none is, numpy keeps an infinite part that XLA calls NaN: C99 allows both."""
    return np.isfinite(z.real) | np.isfinite(z.imag)


FUNCTIONS = {
    "exponential": (np.exp, np.ones(169, bool)),
    "exponential_minus_one": (_exponential_minus_one, np.ones(169, bool)),
    "log": (np.log, np.ones(169, bool)),
    "sqrt": (np.sqrt, np.ones(169, bool)),
    "sine": (np.sin, _has_a_finite_part(POINTS)),
    "cosine": (np.cos, _has_a_finite_part(POINTS)),
    "tanh": (np.tanh, (POINTS.real != 0) | np.isfinite(POINTS.imag)),
    "cbrt": (_cube_root, np.isfinite(POINTS)),
}


def _agree(want: np.ndarray, got: np.ndarray, size: np.ndarray) -> np.ndarray:
    both = (np.isnan(want) & np.isnan(got)) | (want == got)
    return both | (np.isfinite(want) & (np.abs(want - got) <= 1e-5 * size))


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("op", FUNCTIONS)
@pytest.mark.parametrize("target", ["cpu", "gpu", "reference"])
def test_special_values(op: str, kind: str, target: str) -> None:
    function, chosen = FUNCTIONS[op]
    z = POINTS.astype({"f32": np.complex64, "f64": np.complex128}[kind])
    with np.errstate(all="ignore"):
        want = function(z.astype(np.complex128)).astype(z.dtype)
        device = {"device": "model"} if target == "gpu" else {}
        (got,) = hlo.compile(PROGRAM.format(op=op, kind=kind), target=target, **device)(z)
        size = np.abs(want)
        right = _agree(want.real, got.real, size) & _agree(want.imag, got.imag, size)
    assert list(zip(z[chosen & ~right], want[chosen & ~right], got[chosen & ~right], strict=True)) == []


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("target", ["cpu", "gpu"])
def test_tanh_keeps_a_zero_without_an_angle(kind: str, target: str) -> None:
    """C11, G.6.2.6: ctanh(0 + i inf) and ctanh(0 + i NaN) have a real part of 0."""
    im = np.resize([np.inf, -np.inf, np.nan], 169)
    z = np.zeros(169, {"f32": np.complex64, "f64": np.complex128}[kind])
    z.imag = im
    device = {"device": "model"} if target == "gpu" else {}
    (got,) = hlo.compile(PROGRAM.format(op="tanh", kind=kind), target=target, **device)(z)
    np.testing.assert_array_equal(got.real, np.zeros(169))
    assert np.isnan(got.imag).all()


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_reciprocal_square_roots_of_infinite_numbers_are_zero(kind: str, target: str) -> None:
    """Those of all numbers with an infinite part, of which numpy's 1 / sqrt(z) is NaN for some."""
    points = POINTS.astype({"f32": np.complex64, "f64": np.complex128}[kind])
    (found,) = hlo.compile(PROGRAM.format(op="rsqrt", kind=kind), target=target)(points)
    np.testing.assert_array_equal(found[np.isinf(points)], 0)
