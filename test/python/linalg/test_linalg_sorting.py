"""sort: stable, several operands, any comparator and dimension, O(n log n); against numpy."""

import time

import numpy as np
import pytest
from jax import lax
from linalg_checks import check_jax, check_op, lower, tensor_type

RANDOM = np.random.default_rng(0)


def sort_text(keys, direction, dimension):
    return f"""%result:2 = "stablehlo.sort"(%0, %1) ({{
    ^bb0(%x: tensor<f32>, %y: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %less = stablehlo.compare {direction}, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }}) {{dimension = {dimension} : i64, is_stable = true}} : %T"""


def check_sort(shape, dimension, direction="LT"):
    keys = RANDOM.integers(0, shape[dimension] // 2 + 1, shape).astype(np.float32)
    index_shape = [n if d == dimension else 1 for d, n in enumerate(shape)]
    places = np.broadcast_to(np.arange(shape[dimension], dtype=np.int32).reshape(index_shape), shape)
    order = np.argsort(keys if direction == "LT" else -keys, axis=dimension, kind="stable").astype(np.int32)
    expected = [np.take_along_axis(keys, order, dimension), order]
    check_op(sort_text(keys, direction, dimension), [keys, places], expected)


@pytest.mark.parametrize("length", [1, 2, 5, 16, 17, 31, 33, 64, 65, 100, 1000, 1024, 1025])
def test_lengths(length):
    check_sort((length,), 0)


@pytest.mark.parametrize("shape, dimension", [((3, 40, 2), 1), ((40, 3, 2), 0), ((2, 3, 40), 2)])
def test_dimensions(shape, dimension):
    check_sort(shape, dimension)


def test_descending_is_stable():
    check_sort((300,), 0, "GT")


def test_long_line_is_fast():
    start = time.process_time()  # however busy the machine is
    check_sort((262144,), 0)
    assert time.process_time() - start < 20


def test_jax_sort_with_nans():
    values = RANDOM.standard_normal(50).astype(np.float32)
    values[::7] = np.nan
    values[3], values[4] = 0.0, -0.0
    check_jax(lambda a: lax.sort(a), values)


def test_two_keys():
    a, b = (RANDOM.integers(0, 4, 60).astype(np.int32) for _ in range(2))
    check_jax(lambda a, b: lax.sort((a, b), num_keys=2), a, b)


def test_nothing_is_copied_inside_loops():
    from mlir.passmanager import PassManager

    keys, places = np.zeros(100, np.float32), np.zeros(100, np.int32)
    types = f"{tensor_type(keys)}, {tensor_type(places)}"
    body = sort_text(keys, "LT", 0).replace("%T", f"({types}) -> ({types})")
    text = f"func.func @main(%0: {tensor_type(keys)}, %1: {tensor_type(places)}) -> ({types}) {{\n{body}\n"
    module = lower(text + f"return %result#0, %result#1 : {types}\n}}")
    passes = "one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map}"
    with module.context:
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
    assert "memref.copy" not in str(module)
