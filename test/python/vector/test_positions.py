"""Reductions that carry a position beside a value, as jax.numpy.argmin writes them: comparisons of positions are left out only where
elements come in order and the start allows it."""

from __future__ import annotations

import numpy as np
import pytest

import hlo

PROGRAM = """
func.func @main(%x: tensor<{shape}x{kind}>) -> (tensor<{result}x{kind}>, tensor<{result}x{index}>) {{
  %i = stablehlo.iota dim = {axis} : tensor<{shape}x{index}>
  %start = stablehlo.constant dense<{start}> : tensor<{kind}>
  %first = stablehlo.constant dense<{first}> : tensor<{index}>
  %r:2 = stablehlo.reduce(%x init: %start), (%i init: %first) across dimensions = [{axis}]
      : (tensor<{shape}x{kind}>, tensor<{shape}x{index}>, tensor<{kind}>, tensor<{index}>) -> (tensor<{result}x{kind}>, tensor<{result}x{index}>)
   reducer(%a: tensor<{kind}>, %b: tensor<{kind}>) (%p: tensor<{index}>, %q: tensor<{index}>) {{
    %better = stablehlo.compare {better}, %a, %b : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    %nan = stablehlo.compare NE, %a, %a : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    %takes = stablehlo.or %better, %nan : tensor<i1>
    %same = stablehlo.compare EQ, %a, %b : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>
    %before = stablehlo.compare {before}, %p, %q : (tensor<{index}>, tensor<{index}>) -> tensor<i1>
    %tie = stablehlo.and %same, %before : tensor<i1>
    %keeps = stablehlo.or %takes, %tie : tensor<i1>
    %value = stablehlo.select %{which}, %a, %b : tensor<i1>, tensor<{kind}>
    %place = stablehlo.select %keeps, %p, %q : tensor<i1>, tensor<{index}>
    stablehlo.return %value, %place : tensor<{kind}>, tensor<{index}>
   }}
  return %r#0, %r#1 : tensor<{result}x{kind}>, tensor<{result}x{index}>
}}"""
KINDS = {"f32": np.float32, "f64": np.float64, "i16": np.int16}
INDICES = {"i32": np.int32, "i64": np.int64, "i8": np.int8}


def expected(x, axis, better, before, which, start, first, index):
    """Element after element, in the order of the dimension."""
    elements = np.moveaxis(x, axis, 0)
    value, place = np.full(elements.shape[1:], start, x.dtype), np.full(elements.shape[1:], first, index)
    for number, element in enumerate(elements):
        q = np.array(number).astype(index)
        wins = value < element if better == "LT" else value > element
        takes = wins | (value != value)
        keeps = takes | ((value == element) & (place < q if before == "LT" else place > q))
        value = np.where({"takes": takes, "keeps": keeps}[which], value, element)
        place = np.where(keeps, place, q)
    return value, place


@pytest.mark.parametrize("kind, better, start", [("f32", "LT", np.inf), ("f64", "GT", -np.inf), ("i16", "LT", 3)])
@pytest.mark.parametrize("index, before, first", [("i32", "LT", 0), ("i64", "LT", -1), ("i32", "LT", 4), ("i32", "GT", 0), ("i8", "LT", 0)])  # fmt: skip
@pytest.mark.parametrize("shape, axis", [((5, 8, 100), 1), ((9, 130, 7), 1), ((300, 33), 0), ((40, 21), 1)])
def test_the_first_of_equal_elements(kind, better, start, index, before, first, shape, axis) -> None:
    if index == "i8" and shape[axis] > 128:
        shape = (*shape[:axis], 128, *shape[axis + 1 :])  # more would not come in order of their numbers
    rng = np.random.default_rng(7)
    x = rng.integers(-3, 4, shape).astype(KINDS[kind])
    if kind != "i16":
        x[rng.random(shape) < 0.01] = np.nan
        x[rng.random(shape) < 0.1] *= -0.0
        x[rng.random(shape) < 0.05] = start
    for which in ("takes", "keeps"):
        text = PROGRAM.format(
            shape="x".join(map(str, shape)), result="x".join(map(str, np.delete(shape, axis))), kind=kind, index=index,
            axis=axis, better=better, before=before, which=which, first=first,
            start={np.inf: "0x7F800000", -np.inf: "0xFFF0000000000000"}.get(start, start),
        )  # fmt: skip
        found = hlo.compile(text)(x)
        for one, wanted in zip(found, expected(x, axis, better, before, which, start, first, INDICES[index])):
            np.testing.assert_array_equal(one, wanted)


def test_positions_that_wrap_are_compared() -> None:
    """Numbers of 200 elements in i8: the 129th has a position below those before it."""
    x = np.zeros((3, 200, 40), np.float32)
    text = PROGRAM.format(shape="3x200x40", result="3x40", kind="f32", index="i8", axis=1, better="LT", before="LT", which="takes", first=0, start="0x7F800000")  # fmt: skip
    _, place = hlo.compile(text)(x)
    assert set(np.unique(place)) == {-128}
