"""compare of type WEAKORDER: an order of values in which all NaNs are one number above +inf and zeros are one number."""

import ml_dtypes
import numpy as np
import pytest

import hlo

TYPES = {"f64": np.float64, "f32": np.float32, "bf16": ml_dtypes.bfloat16, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz}
TARGETS = {"cpu": {}, "reference": {}, "gpu": {"device": "model"}}
SIGNS = {"EQ": (0,), "NE": (-1, 1), "LT": (-1,), "LE": (-1, 0), "GT": (1,), "GE": (0, 1)}
VALUES = np.array([np.nan, -np.inf, -1.5, -0.0, 0.0, 1.0, np.inf, np.nan])


def order(a, b):
    """-1, 0 or 1, by the definition."""
    if np.isnan(a) or np.isnan(b):
        return int(np.isnan(a)) - int(np.isnan(b))
    return int(a > b) - int(a < b)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", TYPES)
def test_all_directions(element, target):
    values = VALUES.astype(TYPES[element])
    values[-1] = -values[-1]
    lhs, rhs = (np.ascontiguousarray(a) for a in (np.repeat(values, len(values)), np.tile(values, len(values))))
    tensor, bits = f"tensor<{len(lhs)}x{element}>", f"tensor<{len(lhs)}xi1>"
    lines = [f"  %{d} = stablehlo.compare {d}, %a, %b, WEAKORDER : ({tensor}, {tensor}) -> {bits}" for d in SIGNS]
    body = "\n".join(lines)
    names, types = ", ".join(f"%{d}" for d in SIGNS), ", ".join([bits] * len(SIGNS))
    text = f"func.func @main(%a: {tensor}, %b: {tensor}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}"
    results = hlo.compile(text, target=target, **TARGETS[target])(lhs, rhs)
    orders = [order(a, b) for a, b in zip(lhs.astype(float), rhs.astype(float))]
    for direction, found in zip(SIGNS, results):
        assert found.tolist() == [o in SIGNS[direction] for o in orders], direction


@pytest.mark.parametrize("target", TARGETS)
def test_sorts_are_stable_among_zeros_and_nans(target):
    text = """
func.func @main(%x: tensor<9xf32>, %i: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, WEAKORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<9xf32>, tensor<9xi32>) -> (tensor<9xf32>, tensor<9xi32>)
  return %0#0, %0#1 : tensor<9xf32>, tensor<9xi32>
}"""
    x = np.array([np.nan, 0.0, -np.nan, -0.0, np.inf, 0.0, -1.0, np.nan, -np.inf], np.float32)
    _, places = hlo.compile(text, target=target, **TARGETS[target])(x, np.arange(9, dtype=np.int32))
    assert places.tolist() == [8, 6, 1, 3, 5, 4, 0, 2, 7]


def test_integers_have_none():
    text = """func.func @main(%a: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %a, %a, WEAKORDER : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}"""
    with pytest.raises(hlo.VerifyError, match="C3"):
        hlo.compile(text)
