"""Chains of short rows, whose lanes run along the rows: results beside numpy's in f64, for all element types, sizes that do not
divide, special values, and few rows."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo

TYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
TOLERANCE = {"f32": 1e-5, "f64": 1e-13, "bf16": 2e-2, "f16": 2e-3}
SIZES = (4, 5, 7, 8, 9, 16, 17, 31, 64, 67, 128, 129)
ROWS = (1, 15, 16, 33, 100)

SOFTMAX = """
func.func @main(%x: tensor<{shape}x{t}>) -> (tensor<{shape}x{t}>, tensor<{rows}x{t}>, tensor<{rows}x{t}>) {{
  %low = stablehlo.constant dense<0xFF{zeros}> : tensor<{t}>
  %zero = stablehlo.constant dense<0.0> : tensor<{t}>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [{along}] : (tensor<{shape}x{t}>, tensor<{t}>) -> tensor<{rows}x{t}>
  %mb = stablehlo.broadcast_in_dim %m, dims = [{kept}] : (tensor<{rows}x{t}>) -> tensor<{shape}x{t}>
  %d = stablehlo.subtract %x, %mb : tensor<{shape}x{t}>
  %e = stablehlo.exponential %d : tensor<{shape}x{t}>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [{along}] : (tensor<{shape}x{t}>, tensor<{t}>) -> tensor<{rows}x{t}>
  %sb = stablehlo.broadcast_in_dim %s, dims = [{kept}] : (tensor<{rows}x{t}>) -> tensor<{shape}x{t}>
  %r = stablehlo.divide %e, %sb : tensor<{shape}x{t}>
  return %r, %m, %s : tensor<{shape}x{t}>, tensor<{rows}x{t}>, tensor<{rows}x{t}>
}}
"""
MINUS_INFINITY = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "bf16": "0xFF80", "f16": "0xFC00"}


def softmax(type: str, *shape: int) -> str:
    *rows, _ = shape
    text = SOFTMAX.replace("0xFF{zeros}", MINUS_INFINITY[type])
    names = {"shape": "x".join(map(str, shape)), "rows": "x".join(map(str, rows)), "t": type}
    return text.format(**names, along=len(rows), kept=", ".join(map(str, range(len(rows)))))


def expected(x: np.ndarray) -> tuple[np.ndarray, ...]:
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        largest = wide.max(-1)
        shares = np.exp(wide - largest[..., None])
        return shares / shares.sum(-1)[..., None], largest, shares.sum(-1)


def check(type: str, x: np.ndarray) -> None:
    results = hlo.compile(softmax(type, *x.shape))(x)
    for found, exact in zip(results, expected(x), strict=True):
        wide = found.astype(np.float64)
        np.testing.assert_allclose(wide, exact, rtol=TOLERANCE[type], atol=TOLERANCE[type])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("type", TYPES)
def test_softmax_of_short_rows(type: str, size: int) -> None:
    rng = np.random.default_rng(size)
    for rows in ROWS if type == "f32" else (33,):
        check(type, rng.standard_normal((rows, size)).astype(TYPES[type]))


def test_rows_in_two_loops() -> None:
    check("f32", np.random.default_rng(1).standard_normal((3, 35, 19)).astype(np.float32))


def test_no_rows() -> None:
    results = hlo.compile(softmax("f32", 0, 19))(np.zeros((0, 19), np.float32))
    assert [r.shape for r in results] == [(0, 19), (0,), (0,)]


@pytest.mark.parametrize("cpu", ["avx512", "avx2"])
def test_special_values(cpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """NaN and infinities stay in their rows, also in the last tile."""
    monkeypatch.setenv("HLO_CPU", cpu)
    x = np.random.default_rng(2).standard_normal((37, 19)).astype(np.float32)
    x[3, 0], x[5, 18], x[36, 7], x[20] = np.nan, np.inf, -np.inf, -np.inf
    check("f32", x)


def test_result_in_place_of_its_argument() -> None:
    """A result may take its argument's memory: all of a row is read before any of it is written."""
    text = softmax("f32", 50, 19).replace("@main(%x:", "@main(%y:")
    text = text.replace("%low =", "%x = stablehlo.negate %y : tensor<50x19xf32>\n  %low =")
    x = np.random.default_rng(3).standard_normal((50, 19)).astype(np.float32)
    shares, *_ = hlo.compile(text)(x)
    np.testing.assert_allclose(shares, expected(-x)[0], rtol=1e-5, atol=1e-6)
