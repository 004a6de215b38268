"""Powers with constant exponents that are multiples of 1/2, against numpy in f64 (long double for f64): rounded once, IEEE 754's special cases."""

import ml_dtypes
import numpy as np
import pytest

import hlo

NAMES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0, -3.0]


def _inputs(dtype: type) -> np.ndarray:
    """All magnitudes and signs, subnormal numbers too."""
    size = np.dtype(dtype).itemsize
    bits = np.random.default_rng(5).integers(0, 1 << min(8 * size, 63), 30000, dtype=np.uint64)
    near = np.random.default_rng(6).uniform(-9, 9, 30000).astype(dtype)
    return np.concatenate([bits.astype(f"u{size}").view(dtype), near, np.array(SPECIAL).astype(dtype)])


def _found(exponent: float, name: str, x: np.ndarray, processor: str) -> np.ndarray:
    kind = f"tensor<{x.size}x{name}>"
    text = f"""func.func @main(%x: {kind}) -> {kind} {{
      %y = stablehlo.constant dense<{exponent}> : {kind}
      %z = stablehlo.power %x, %y : {kind}
      return %z : {kind} }}"""
    return hlo.compile(text, cpu=processor)(x)[0]


@pytest.mark.parametrize("processor", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("exponent", [-8.0, -2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.5])
def test_powers(exponent: float, name: str, processor: str) -> None:
    dtype = NAMES[name]
    x = _inputs(dtype)
    wide = np.longdouble if name == "f64" else np.float64
    with np.errstate(all="ignore"):
        base = np.where(np.isnan(x), np.nan, x.astype(wide))  # no NaN that signals, whose power of 0 is not 1
        exact = np.power(base, np.full(x.shape, exponent, wide))  # of a scalar 0.5 numpy takes the root
        expected = exact.astype(dtype)
        found = _found(exponent, name, x, processor)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        ordinary = np.isfinite(expected) & np.isfinite(found) & (found != 0) & (expected != 0)
        smallest = ml_dtypes.finfo(dtype).tiny
        ordinary &= np.abs(exact) > smallest
        ulp = np.abs(np.spacing(found[ordinary])).astype(wide)
        error = np.abs(found[ordinary].astype(wide) - exact[ordinary]) / ulp
        assert error.max() <= (0.65 if name == "f64" else 0.52)
        special = ~ordinary & (np.abs(exact) > smallest) | (exact == 0)
        np.testing.assert_array_equal(found[special].astype(np.float64), expected[special].astype(np.float64))
        np.testing.assert_array_equal(np.signbit(found[exact == 0]), np.signbit(expected[exact == 0]))


def test_no_logarithm_is_left() -> None:
    kind = "tensor<64xf32>"
    text = f"""func.func @main(%x: {kind}) -> {kind} {{
      %y = stablehlo.constant dense<-2.5> : {kind}
      %z = stablehlo.power %x, %y : {kind}
      return %z : {kind} }}"""
    exe = hlo.compile(text, keep_phases=True)
    assert "llvm.intr.sqrt" in exe.phases["llvm"]
    assert "llvm.intr.fma" not in exe.phases["llvm"]
