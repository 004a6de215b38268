"""Maxima and minima of f16, whose vectors are compared as integers: every number beside some of all kinds, as numpy has them."""

import numpy as np
import pytest

import hlo

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
OTHERS = np.array([0.0, -0.0, 1.5, -1.5, 6e-8, -6e-8, 65504, -65504, np.inf, -np.inf, np.nan], np.float16)
FUNCTIONS = {"maximum": np.maximum, "minimum": np.minimum}


def check(op: str, found: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """0 is above -0, which numpy's functions do not say."""
    expected = FUNCTIONS[op](x, y)
    nan = np.isnan(expected)
    assert np.isnan(found[nan]).all()
    np.testing.assert_array_equal(found[~nan], expected[~nan])
    zeros = (x == 0) & (y == 0)
    negative = FUNCTIONS["minimum" if op == "maximum" else "maximum"](np.signbit(x), np.signbit(y))
    np.testing.assert_array_equal(np.signbit(found[zeros]), negative[zeros])


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_extremes(op, cpu, monkeypatch):
    monkeypatch.setenv("HLO_CPU", cpu)
    x, y = np.tile(EVERY, len(OTHERS)), np.repeat(OTHERS, len(EVERY))
    kind = f"tensor<{x.size}xf16>"
    text = f"func.func @main(%x: {kind}, %y: {kind}) -> {kind} {{ %z = stablehlo.{op} %x, %y : {kind} return %z : {kind} }}"
    check(op, hlo.compile(text)(x, y)[0], x, y)


@pytest.mark.parametrize("cpu", ["host", "avx2", "baseline"])
@pytest.mark.parametrize("number", ["0.0", "-0.0", "0xFC00", "0x7E00", "2.5"])
def test_extremes_of_a_constant(number, cpu, monkeypatch):
    monkeypatch.setenv("HLO_CPU", cpu)
    kind = f"tensor<{EVERY.size}xf16>"
    text = f"""func.func @main(%x: {kind}) -> {kind} {{
      %c = stablehlo.constant dense<{number}> : {kind}
      %z = stablehlo.maximum %x, %c : {kind}
      return %z : {kind}
    }}"""
    value = np.array(int(number, 16), np.uint16).view(np.float16) if number[:2] == "0x" else np.float16(number)
    check("maximum", hlo.compile(text)(EVERY)[0], EVERY, np.full_like(EVERY, value))
