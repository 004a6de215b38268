"""Sums of small floats are carried in f32 and rounded once. The reference rounds each step, as the specification writes it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from gpu_products import on_model

import hlo

DTYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
}


def total(element: str, sizes: tuple[int, ...], dimension: int, op: str = "add", start: float = 0.0) -> str:
    kept = [n for d, n in enumerate(sizes) if d != dimension]
    operand, result = ("".join(f"{n}x" for n in s) + element for s in (sizes, kept))
    return f"""
func.func @main(%x: tensor<{operand}>) -> tensor<{result}> {{
  %z = stablehlo.constant dense<{start}> : tensor<{element}>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.{op} across dimensions = [{dimension}] : (tensor<{operand}>, tensor<{element}>) -> tensor<{result}>
  return %0 : tensor<{result}>
}}"""


def windows(element: str, sizes: tuple[int, int], window: int, low: int, count: int) -> str:
    operand, result = f"{sizes[0]}x{sizes[1]}x{element}", f"{sizes[0]}x{count}x{element}"
    return f"""
func.func @main(%x: tensor<{operand}>) -> tensor<{result}> {{
  %z = stablehlo.constant dense<0.0> : tensor<{element}>
  %0 = "stablehlo.reduce_window"(%x, %z) ({{
  ^bb0(%a: tensor<{element}>, %b: tensor<{element}>):
    %s = stablehlo.add %a, %b : tensor<{element}>
    stablehlo.return %s : tensor<{element}>
  }}) {{window_dimensions = array<i64: 1, {window}>, padding = dense<[[0, 0], [{low}, 0]]> : tensor<2x2xi64>}} : (tensor<{operand}>, tensor<{element}>) -> tensor<{result}>
  return %0 : tensor<{result}>
}}"""


def some(element: str, sizes: tuple[int, ...]) -> np.ndarray:
    """Numbers of which hundreds add up to less than the smallest type holds."""
    numbers = np.random.default_rng(3).uniform(0, 1 / 4, sizes)
    return numbers.astype(DTYPES[element])


@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize(("sizes", "dimension"), [((900,), 0), ((3, 900), 1), ((900, 70), 0), ((2, 900, 5), 1)])
def test_sums_are_those_of_f32(element: str, sizes: tuple[int, ...], dimension: int) -> None:
    x = some(element, sizes)
    exact = x.astype(np.float64).sum(dimension)
    (found,) = hlo.compile(total(element, sizes, dimension))(x)
    np.testing.assert_array_equal(found, exact.astype(np.float32).astype(x.dtype))


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_three_hundred_thousand_ones(element: str) -> None:
    x = (np.ones(300_000) / 8).astype(DTYPES[element])
    (found,) = hlo.compile(total(element, x.shape, 0))(x)
    np.testing.assert_array_equal(found, np.float32(37_500).astype(x.dtype))


def test_what_lies_between_may_exceed_the_type() -> None:
    x = np.array([60000, 60000, -60000, -49984], np.float16)
    np.testing.assert_array_equal(hlo.compile(total("f16", (4,), 0))(x)[0], np.float16(10016))


def test_products() -> None:
    x = np.full((2, 64), 1 + 1 / 64, ml_dtypes.bfloat16)
    (found,) = hlo.compile(total("bf16", (2, 64), 1, "multiply", 1.0))(x)
    np.testing.assert_array_equal(found, np.full(2, (1 + 1 / 64) ** 64).astype(x.dtype))


@pytest.mark.parametrize("element", DTYPES)
def test_running_sums_and_windows(element: str) -> None:
    x = some(element, (2, 700))
    (running,) = hlo.compile(windows(element, (2, 700), 700, 699, 700))(x)
    exact = np.cumsum(x.astype(np.float64), axis=1)
    np.testing.assert_array_equal(running, exact.astype(np.float32).astype(x.dtype))
    (means,) = hlo.compile(windows(element, (2, 700), 500, 0, 201))(x)
    exact = np.stack([x.astype(np.float64)[:, i : i + 500].sum(1) for i in range(201)], axis=1)
    np.testing.assert_array_equal(means, exact.astype(np.float32).astype(x.dtype))


@pytest.mark.parametrize("element", DTYPES)
def test_on_a_gpu(element: str) -> None:
    x = some(element, (3, 900))
    (found,), _ = on_model(total(element, (3, 900), 1), x)
    np.testing.assert_array_equal(found, x.astype(np.float64).sum(1).astype(np.float32).astype(x.dtype))


@pytest.mark.parametrize("op", ["all_reduce", "cross-replica-sum"])
def test_processes(op: str) -> None:
    """256 and 1 is 256 in bf16: of 256, 1 and 1 the sum is 258."""
    body = """({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  })"""
    groups = "{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}"
    region = body if op == "all_reduce" else ""
    text = f"""
func.func @main(%x: tensor<2xbf16>) -> tensor<2xbf16> {{
  %0 = "stablehlo.{op}"(%x) {region} {groups} : (tensor<2xbf16>) -> tensor<2xbf16>
  return %0 : tensor<2xbf16>
}}"""
    inputs = [[np.full(2, n, ml_dtypes.bfloat16)] for n in (256, 1, 1)]
    for (found,) in hlo.compile(text, num_replicas=3).run_grid(inputs):
        np.testing.assert_array_equal(found, np.full(2, 258, ml_dtypes.bfloat16))


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_means_of_a_batch(element: str) -> None:
    """What other ops become has such sums, too."""
    operand, features = f"8x30x30x3x{element}", f"3x{element}"
    text = f"""
func.func @main(%x: tensor<{operand}>, %s: tensor<{features}>, %o: tensor<{features}>) -> tensor<{features}> {{
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) {{epsilon = 0.001 : f32, feature_index = 3 : i64}} : (tensor<{operand}>, tensor<{features}>, tensor<{features}>) -> (tensor<{operand}>, tensor<{features}>, tensor<{features}>)
  return %0#1 : tensor<{features}>
}}"""
    x, one = some(element, (8, 30, 30, 3)), np.ones(3, DTYPES[element])
    (found,) = hlo.compile(text)(x, one, one)
    mean = x.astype(np.float64).mean((0, 1, 2))
    np.testing.assert_allclose(found.astype(np.float64), mean, rtol=float(ml_dtypes.finfo(DTYPES[element]).eps) * 1.01)
