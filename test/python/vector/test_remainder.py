"""Remainders of floats, which are exact: numbers of all sizes beside C's fmod, quotients that are whole or nearly so, special values."""

import ml_dtypes
import numpy as np
import pytest

import hlo

COUNT = 1 << 15
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}


def operands(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Random bits, multiples of the divisor and their neighbours, and special values with each other."""
    integer = {2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
    random = np.random.default_rng(5)
    bits = [random.integers(0, np.iinfo(integer).max, COUNT, integer, endpoint=True).view(dtype) for _ in "xy"]
    divisors = np.abs(random.standard_normal(COUNT)).astype(dtype)
    multiples = (random.integers(1, 5000, COUNT) * divisors.astype(np.float64)).astype(dtype)
    below = (multiples.view(integer) - 1).view(dtype)
    largest = np.array(ml_dtypes.finfo(dtype).max, dtype).view(integer)
    numbers = np.array([1, 2, 3, largest // 2, largest - 1, largest], integer).view(dtype)
    special = np.concatenate([numbers, np.array([0, -0.0, 1, -1, 3, 0.5, np.inf, -np.inf, np.nan], dtype)])
    x = [bits[0], multiples, below, np.repeat(special, len(special))]
    y = [bits[1], divisors, divisors, np.tile(special, len(special))]
    return np.concatenate(x), np.concatenate(y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("element", TYPES)
def test_remainders(element, cpu, monkeypatch):
    monkeypatch.setenv("HLO_CPU", cpu)
    dtype = TYPES[element]
    x, y = operands(dtype)
    kind = f"tensor<{x.size}x{element}>"
    text = f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{ %r = stablehlo.remainder %x, %y : {kind} return %r : {kind} }}"
    found = np.asarray(hlo.compile(text)(x, y)[0])
    wide = np.float64 if dtype is np.float64 else np.float32
    exact = np.fmod(x.astype(wide), y.astype(wide))
    nan = np.isnan(exact)
    assert np.isnan(found[nan].astype(wide)).all()
    np.testing.assert_array_equal(found[~nan].astype(wide), exact[~nan])
    np.testing.assert_array_equal(np.signbit(found[~nan].astype(wide)), np.signbit(exact[~nan]))


def test_scalar_remainders_in_a_loop():
    """Code without vectors."""
    text = """func.func @main(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f64>
        cond {
          %end = stablehlo.constant dense<3> : tensor<i32>
          %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %next = stablehlo.add %i, %one : tensor<i32>
          %left = stablehlo.remainder %v, %y : tensor<f64>
          %more = stablehlo.multiply %left, %x : tensor<f64>
          stablehlo.return %next, %more : tensor<i32>, tensor<f64>
        }
      return %r#1 : tensor<f64>
    }"""
    x, y = 1.2345678e300, 7.1e-290
    expected = x
    for _ in range(3):
        expected = np.fmod(expected, y) * x
    assert hlo.compile(text)(np.float64(x), np.float64(y))[0] == expected
