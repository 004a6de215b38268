"""reduce with one and several operands, any body, every kind of element: against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from linalg_programs import ELEMENTS, run_op, tensor_type


def body(name: str, element: str) -> str:
    t = f"tensor<{element}>"
    return (
        f'{{ ^bb0(%x: {t}, %y: {t}): %s = "stablehlo.{name}"(%x, %y) : ({t}, {t}) -> {t} '
        f'"stablehlo.return"(%s) : ({t}) -> () }}'
    )


def reduce(name: str, element: str, x: np.ndarray, start, dimensions: list[int]) -> np.ndarray:
    shape = tuple(n for d, n in enumerate(x.shape) if d not in dimensions)
    listed = f"array<i64: {', '.join(map(str, dimensions))}>" if dimensions else "array<i64>"
    operands = [x, np.array(start, x.dtype)]
    return run_op("reduce", operands, [tensor_type(shape, element)], f"dimensions = {listed}", body(name, element))[0]


@pytest.mark.parametrize("element", [e for e in ELEMENTS if e != "i1"])
def test_sum(element: str) -> None:
    x = (np.arange(24).reshape(2, 3, 4) % 7).astype(ELEMENTS[element])
    np.testing.assert_array_equal(reduce("add", element, x, 1, [0, 2]), x.sum((0, 2), dtype=x.dtype) + x.dtype.type(1))


def test_booleans() -> None:
    x = np.array([[True, False], [True, True], [False, False]])
    np.testing.assert_array_equal(reduce("and", "i1", x, True, [1]), x.all(1))
    np.testing.assert_array_equal(reduce("or", "i1", x, False, [1]), x.any(1))


@pytest.mark.parametrize("dimensions", [[], [0], [1], [0, 1]])
def test_dimensions(dimensions: list[int]) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    expected = np.maximum(x.max(tuple(dimensions)) if dimensions else x, 2)
    np.testing.assert_array_equal(reduce("maximum", "f32", x, 2, dimensions), expected)


def test_order_of_arguments() -> None:
    """The accumulator comes first: ((0 - 1) - 2) - 3."""
    assert reduce("subtract", "i32", np.array([1, 2, 3], np.int32), 0, [0]) == -6


def test_nothing_to_reduce() -> None:
    np.testing.assert_array_equal(reduce("add", "f32", np.zeros((2, 0), np.float32), 5, [1]), [5, 5])


ARGMAX = """{ ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
  %c = "stablehlo.compare"(%a, %b) {comparison_direction = "GE"} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = "stablehlo.select"(%c, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %k:1 = "stablehlo.if"(%c) ({ "stablehlo.return"(%i) : (tensor<i32>) -> () },
                            { "stablehlo.return"(%j) : (tensor<i32>) -> () }) : (tensor<i1>) -> tensor<i32>
  "stablehlo.return"(%v, %k) : (tensor<f32>, tensor<i32>) -> () }"""


def test_several_operands() -> None:
    """argmax: the body holds a comparison, a choice and a nested branch."""
    x = np.random.default_rng(0).normal(size=(3, 7)).astype(np.float32)
    positions = np.broadcast_to(np.arange(7, dtype=np.int32), x.shape).copy()
    operands = [x, positions, np.array(-np.inf, np.float32), np.array(0, np.int32)]
    results = [tensor_type((3,), "f32"), tensor_type((3,), "i32")]
    values, indices = run_op("reduce", operands, results, "dimensions = array<i64: 1>", ARGMAX)
    np.testing.assert_array_equal(values, x.max(1))
    np.testing.assert_array_equal(indices, x.argmax(1))


HALVING = """{ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %r = "stablehlo.while"(%s) ({ ^bb0(%v: tensor<i32>):
      %ten = "stablehlo.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
      %more = "stablehlo.compare"(%v, %ten) {comparison_direction = "GT"} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%more) : (tensor<i1>) -> () }, { ^bb0(%v: tensor<i32>):
      %two = "stablehlo.constant"() {value = dense<2> : tensor<i32>} : () -> tensor<i32>
      %h = "stablehlo.divide"(%v, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%h) : (tensor<i32>) -> () }) : (tensor<i32>) -> tensor<i32>
  "stablehlo.return"(%r) : (tensor<i32>) -> () }"""


def test_loop_in_the_body() -> None:
    x, total = np.array([9, 8, 30, 7], np.int32), 0
    for value in x:
        total += value
        while total > 10:
            total //= 2
    operands = [x, np.array(0, np.int32)]
    assert run_op("reduce", operands, ["tensor<i32>"], "dimensions = array<i64: 0>", HALVING)[0] == total


def test_wider_accumulator() -> None:
    """C6 lets the body work in a type wider than the inputs': 300 ones are 300, not bf16's 256."""
    operands = [np.ones(300, ELEMENTS["bf16"]), np.array(0, ELEMENTS["bf16"])]
    total = run_op("reduce", operands, ["tensor<f32>"], "dimensions = array<i64: 0>", body("add", "f32"))[0]
    assert total == 300
