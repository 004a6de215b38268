"""Many short lines, which are sorted in vectors across them, beside Python's stable sort."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from test_radix_sorting import (
    FLOATS,
    INTEGERS,
    compared,
    mlir_type,
    run,
    sort_text,
    stable_order,
    total_order,
    values_of,
)

import hlo

RANDOM = np.random.default_rng(11)


def check(x, order, axis=1, direction="LT"):
    """With the places as a payload, so that the order of equal elements shows."""
    kind = mlir_type(x.dtype.name)
    places = np.broadcast_to(np.arange(x.shape[axis], dtype=np.int32).reshape([-1 if d == axis else 1 for d in range(x.ndim)]), x.shape)  # fmt: skip
    text = sort_text(compared(direction, kind, order), x.shape, (kind, "i32"), axis)
    expected = stable_order(total_order(x), axis, direction == "GT")
    got, where = run(text, x, np.ascontiguousarray(places))
    np.testing.assert_array_equal(where, expected)
    wanted = np.ascontiguousarray(np.take_along_axis(x, expected, axis))
    np.testing.assert_array_equal(got.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("direction", ["LT", "GT"])
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_all_types(name, direction):
    order = "TOTALORDER" if name in FLOATS else "UNSIGNED" if name[0] in "ub" else "SIGNED"
    check(values_of(name, (70, 37)), order, direction=direction)


@pytest.mark.parametrize("length", [*range(2, 18), 20, 29, 31, 32, 33, 48, 64, 65, 127, 129, 255, 500, 1000])
def test_lengths(length):
    """All orders of what comes in: random with equal ones, ascending, descending, equal."""
    x = RANDOM.integers(-9, 9, (12, length)).astype(np.int32)
    x[0], x[1], x[2] = np.arange(length), np.arange(length)[::-1], 7
    check(x, "SIGNED")


@pytest.mark.parametrize(
    "shape, axis", [((33, 20), 0), ((5, 9, 4), 1), ((2, 3, 4, 5), 3), ((7, 1, 24), 2), ((40, 2), 1)]
)
def test_dimensions(shape, axis):
    check(RANDOM.integers(-4, 4, shape).astype(np.int16), "SIGNED", axis)


def test_zeros_and_nan_as_jax_orders_them():
    x = RANDOM.choice(np.array([0.0, -0.0, np.nan, -np.nan, 1, -1, np.inf, -np.inf], np.float32), (50, 30))
    functions = [jnp.sort, jnp.argsort, lambda x: jnp.sort(x, descending=True), lambda x: jax.lax.top_k(x, 29)[1]]
    for function in functions:
        lowered = jax.jit(function).lower(x)
        (found,) = hlo.compile(lowered.as_text())(x)
        np.testing.assert_array_equal(found.view(np.int32), np.asarray(jax.jit(function)(x)).view(np.int32))


@pytest.mark.parametrize("rows, length", [(3000, 3), (800, 7), (700, 40), (17, 300)])
def test_blocks_of_several_calls(rows, length):
    """Among rows without special numbers, a few with zeros of both signs and NaNs."""
    x = RANDOM.standard_normal((rows, length)).astype(np.float32)
    x[5::97], x[6::97, ::2] = RANDOM.choice(np.array([0.0, -0.0, np.nan, -np.nan], np.float32), (length,)), -0.0
    for function in (jnp.sort, jnp.argsort):
        lowered = jax.jit(function).lower(x)
        (found,) = hlo.compile(lowered.as_text())(x)
        np.testing.assert_array_equal(found.view(np.int32), np.asarray(jax.jit(function)(x)).view(np.int32))


def indices_and_elements(x, k, index, axis=1):
    """The text of the first k of each row, by a total order, and what they are."""
    kind = mlir_type(x.dtype.name)
    order = "TOTALORDER" if x.dtype.name in FLOATS else "UNSIGNED" if x.dtype.kind == "u" else "SIGNED"
    whole, first = "x".join(map(str, x.shape)), [k if d == axis else n for d, n in enumerate(x.shape)]
    some, limits = "x".join(map(str, first)), ", ".join(f"0:{n}" for n in first)
    text = f"""func.func @main(%x: tensor<{whole}x{kind}>) -> (tensor<{some}x{kind}>, tensor<{some}x{index}>) {{
      %i = stablehlo.iota dim = {axis} : tensor<{whole}x{index}>
      %r:2 = "stablehlo.sort"(%x, %i) ({{
      ^bb0(%a0: tensor<{kind}>, %b0: tensor<{kind}>, %a1: tensor<{index}>, %b1: tensor<{index}>):
        {compared("LT", kind, order)}
        stablehlo.return %before : tensor<i1>
      }}) {{dimension = {axis} : i64, is_stable = true}} : (tensor<{whole}x{kind}>, tensor<{whole}x{index}>) -> (tensor<{whole}x{kind}>, tensor<{whole}x{index}>)
      %e = stablehlo.slice %r#0 [{limits}] : (tensor<{whole}x{kind}>) -> tensor<{some}x{kind}>
      %p = stablehlo.slice %r#1 [{limits}] : (tensor<{whole}x{index}>) -> tensor<{some}x{index}>
      return %e, %p : tensor<{some}x{kind}>, tensor<{some}x{index}>
    }}"""
    places = np.take(stable_order(total_order(x), axis), range(k), axis)
    return text, np.take_along_axis(x, places, axis), places


@pytest.mark.sampled(5)
@pytest.mark.parametrize("index", ["i8", "ui16", "i32", "i64"])
@pytest.mark.parametrize("name", [*(n for n in INTEGERS if n != "bool"), *FLOATS])
def test_indices_of_elements(name, index):
    """Words of 16, 32 and 64 bits, and two of 64; some of the rows, which are no whole blocks."""
    for shape, k, axis in (
        ((150, 13), 13, 1),
        ((67, 21), 3, 1),
        ((1100, 4), 4, 1),
        ((5, 9, 70), 9, 1),
        ((40, 130), 5, 0),
    ):
        x = values_of(name, shape)
        text, elements, places = indices_and_elements(x, k, index, axis)
        found, where = run(text, x)
        np.testing.assert_array_equal(where, places)
        np.testing.assert_array_equal(found.view(np.uint8), np.ascontiguousarray(elements).view(np.uint8))


@pytest.mark.parametrize("name", ["int8", "float16", "float32", "uint64"])
@pytest.mark.parametrize("shape, axis", [((2, 64), 0), ((7, 65), 0), ((3, 20, 100), 1), ((40, 1500), 0), ((200, 3, 33), 0), ((3, 90, 8, 9), 1)])  # fmt: skip
def test_rows_side_by_side(name, shape, axis):
    """Whole blocks and others, by one call and several."""
    check_plain(values_of(name, shape), "TOTALORDER" if name in FLOATS else "UNSIGNED" if name[0] == "u" else "SIGNED", axis)  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", ["int8", "float16", "float32", "int64"])
@pytest.mark.parametrize("length", [2, 3, 4, 5, 7, 8, 12, 26])
def test_rows_of_groups_and_calls(name, length):
    """One group and several, whole ones and others, of one, two, four and eight rows that are moved as one, by one call and several."""
    for rows in (8, 17, 64, 129, 513, 2049):
        check_plain(values_of(name, (rows, length)), "TOTALORDER" if name in FLOATS else "SIGNED")


def check_plain(x, order, axis=-1, direction="LT"):
    """Without a payload: equal elements of other bits are in their order."""
    text = sort_text(
        compared(direction, mlir_type(x.dtype.name), order), x.shape, (mlir_type(x.dtype.name),), axis % x.ndim
    )
    places = stable_order(total_order(x), axis, direction == "GT")
    wanted = np.ascontiguousarray(np.take_along_axis(x, places, axis))
    np.testing.assert_array_equal(run(text, x)[0].view(np.uint8), wanted.view(np.uint8))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("direction", ["LT", "GT"])
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_elements_alone(name, direction):
    order = "TOTALORDER" if name in FLOATS else "UNSIGNED" if name[0] in "ub" else "SIGNED"
    check_plain(values_of(name, (130, 37)), order, direction=direction)
    check_plain(values_of(name, (21, 66, 3)), order, 1, direction)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("length", [2, 17, 64, 300])
def test_zeros_and_nans_stay_in_their_order(dtype, length):
    """As JAX compares: in no line, some lines, all lines, among few other numbers; signs and payloads of NaNs."""
    number = np.dtype(f"i{np.dtype(dtype).itemsize}")
    special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, 1], dtype)
    special = np.append(special.view(number), special.view(number)[2:4] + 1).view(dtype)
    for share in (0.0, 0.02, 0.5, 1.0):
        x = RANDOM.standard_normal((70, length)).astype(dtype)
        x = np.where(RANDOM.random(x.shape) < share, special[RANDOM.integers(0, len(special), x.shape)], x)
        for axis, y in ((1, x), (0, np.ascontiguousarray(x.T))):
            with jax.enable_x64(True):
                text = jax.jit(functools.partial(jnp.sort, axis=axis)).lower(y).as_text()
            one_zero_one_nan = np.where(y == 0, 0, np.where(y != y, np.nan, y)).astype(dtype)
            wanted = np.take_along_axis(y, stable_order(total_order(one_zero_one_nan), axis), axis)
            np.testing.assert_array_equal(run(text, y)[0].view(number), wanted.view(number))


@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_comparisons_that_are_not_total(dtype):
    """One zero; zeros of both signs keep their order."""
    text = sort_text(compared("LT", dtype, "FLOAT"), (40, 50), (dtype,), 1)
    x = RANDOM.choice(np.array([0.0, -0.0, 1, -1, 2], "f4" if dtype == "f32" else "f2"), (40, 50))
    (found,) = run(text, x)
    wanted = np.take_along_axis(x, np.argsort(x, 1, kind="stable"), 1)
    np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


def test_several_keys_and_operands():
    """Two keys of 16 and 32 bits in a word with the place, two of 64 bits in words of their own."""
    for wide in (np.int32, np.int64):
        with jax.enable_x64(True):
            first = RANDOM.integers(0, 3, (40, 50)).astype(np.int16 if wide is np.int32 else wide)
            second, third = RANDOM.integers(-3, 3, first.shape).astype(wide), RANDOM.standard_normal(first.shape)
            function = jax.jit(lambda a, b, c: jax.lax.sort((a, b, c), num_keys=2))
            found = hlo.compile(function.lower(first, second, third).as_text())(first, second, third)
            for ours, theirs in zip(found, function(first, second, third), strict=True):
                np.testing.assert_array_equal(ours, np.asarray(theirs))


@pytest.mark.parametrize("shape", [(0, 20), (20, 0), (20, 1)])
def test_nothing_to_sort(shape):
    x = np.ones(shape, np.float32)
    np.testing.assert_array_equal(hlo.compile(jax.jit(jnp.sort).lower(x).as_text())(x)[0], x)


@pytest.mark.parametrize("k", [0, 1, 3, 40])
def test_top_k(k):
    x = RANDOM.integers(0, 9, (30, 40)).astype(np.int32)
    function = jax.jit(lambda x: jax.lax.top_k(x, k))
    for ours, theirs in zip(hlo.compile(function.lower(x).as_text())(x), function(x), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads(threads):
    x = RANDOM.integers(-99, 99, (3000, 30)).astype(np.int32)
    (found,) = hlo.compile(jax.jit(jnp.argsort).lower(x).as_text(), threads=threads)(x)
    np.testing.assert_array_equal(found, np.argsort(x, kind="stable"))
