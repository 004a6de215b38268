"""Lines that are sorted in vectors along them, where the processor compresses vectors: all key types, lengths about those at which the code changes,
patterns that pivots make little of; beside numpy's and Python's sorts."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
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
from hlo.lowering.memory import routine_emitter
from hlo.lowering.target import target
from hlo.runtime.code import routines

RANDOM = np.random.default_rng(17)


def plain_text(x, axis=-1, direction="LT", order="SIGNED"):
    kind = mlir_type(x.dtype.name)
    return sort_text(compared(direction, kind, order), x.shape, (kind,), axis % x.ndim)


@pytest.mark.parametrize("direction", ["LT", "GT"])
@pytest.mark.parametrize("name", [n for n in [*INTEGERS, *FLOATS] if n != "bool"])
def test_all_types(name, direction):
    """One operand, and one with places as a payload: with 16 bits of a place, keys of up to 32 bits share a word with it."""
    order = "TOTALORDER" if name in FLOATS else "UNSIGNED" if name[0] == "u" else "SIGNED"
    x = values_of(name, 3001)
    expected = stable_order(total_order(x), 0, direction == "GT")
    (alone,) = run(plain_text(x, direction=direction, order=order), x)
    np.testing.assert_array_equal(alone.view(np.uint8), x[expected].view(np.uint8))
    kind = mlir_type(name)
    text = sort_text(compared(direction, kind, order), x.shape, (kind, "i32"), 0)
    got, where = run(text, x, np.arange(x.size, dtype=np.int32))
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(got.view(np.uint8), x[expected].view(np.uint8))


@pytest.mark.parametrize("name", ["int16", "int32", "int64"])
@pytest.mark.parametrize(
    "length",
    [
        64,
        65,
        255,
        256,
        257,
        300,
        511,
        513,
        519,
        575,
        1023,
        1024,
        1025,
        1031,
        1100,
        1279,
        2047,
        2048,
        2049,
        2177,
        2303,
        5000,
    ],
)
def test_lengths(name, length):
    x = RANDOM.integers(-(1 << 31), 1 << 31, length).astype(name)
    np.testing.assert_array_equal(run(plain_text(x), x)[0], np.sort(x))


def patterns(length, kind):
    """By name: sorted ones, few numbers, extremes, and numbers whose differences double, of which any pivot leaves the most on one side."""
    lowest, highest = np.iinfo(kind).min, np.iinfo(kind).max
    middle = np.arange(length) - length // 2
    bits = 8 * np.dtype(kind).itemsize - 1
    return {
        "equal": np.full(length, 7),
        "lowest": np.full(length, lowest),
        "highest": np.full(length, highest),
        "extremes": RANDOM.choice(np.array([lowest, highest], kind), length),
        "ascending": middle,
        "descending": -middle,
        "organ pipe": np.abs(middle),
        "saw": np.arange(length) % 17,
        "one other": np.where(np.arange(length) == length - 1, -1, 0),
        "doubling": np.array([1 << n % bits for n in range(length)], kind),
        "few": RANDOM.integers(0, 3, length),
        "hidden": np.where(np.arange(length) % 400 == 5, highest, RANDOM.integers(0, 1 << 12, length)),
        "close": np.where(np.arange(length) == 5, highest >> 24, RANDOM.integers(0, min(highest, 1 << 34), length)),
    }


@pytest.mark.parametrize("name", ["int16", "int32", "int64"])
@pytest.mark.parametrize("length", [1500, 20011])
def test_patterns(name, length):
    kind = np.dtype(name).type
    exe = hlo.compile(plain_text(np.zeros(length, kind)), cache=False)
    for pattern, values in patterns(length, kind).items():
        x = values.astype(kind)
        np.testing.assert_array_equal(exe(x)[0], np.sort(x), err_msg=pattern)


@pytest.mark.skipif(not target("host").compresses, reason="the processor does not compress vectors")
@pytest.mark.parametrize("one_maximum", [False, True])
def test_short_parts_by_words_of_either_length(one_maximum, monkeypatch):
    """Which ones are faster depends on how fast maxima of 64-bit words are."""
    machine = target("host")._replace(one_maximum=one_maximum)
    monkeypatch.setattr(routine_emitter, "target", lambda _: machine)
    monkeypatch.setattr(routine_emitter, "routine_text", routine_emitter.routine_text.__wrapped__)
    monkeypatch.setattr(routines, "_known", {})
    monkeypatch.setenv("HLO_CACHE_DIR", "")
    exe = hlo.compile(plain_text(np.zeros(3001, np.int64)), cache=False)
    for pattern, values in patterns(3001, np.int64).items():
        x = values.astype(np.int64)
        np.testing.assert_array_equal(exe(x)[0], np.sort(x), err_msg=pattern)


def mixed_floats(length, kind):
    """By name: all equal, sorted both ways, an organ pipe, few numbers, and NaNs of both signs, infinities and zeros among others."""
    values = np.sort(RANDOM.standard_normal(length))
    special = RANDOM.choice([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(kind).tiny / 4, 1.0], length)
    return {
        "equal": np.full(length, -1.5),
        "nan": np.full(length, np.nan),
        "ascending": values,
        "descending": values[::-1],
        "organ pipe": np.concatenate([values[::2], values[1::2][::-1]]),
        "few": RANDOM.choice(values[:3], length),
        "random": RANDOM.permutation(values),
        "special": special,
        "some special": np.where(RANDOM.random(length) < 0.1, special, RANDOM.permutation(values)),
    }


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("length", [257, 287, 288, 289, 1025, 1087, 1088, 1089, 1151, 4099])
def test_floats_in_turns_of_a_parting(name, length, threads):
    """Lengths about those of whole turns: what does not fill one is moved on its own, also of parts, whose lengths the pivots decide."""
    kind = np.dtype(name).type
    exe = hlo.compile(plain_text(np.zeros(length, kind), order="TOTALORDER"), threads=threads, cache=False)
    for pattern, values in mixed_floats(length, kind).items():
        x = values.astype(kind)
        expected = x[stable_order(total_order(x), 0, False)]
        np.testing.assert_array_equal(exe(x)[0].view(np.uint8), expected.view(np.uint8), err_msg=pattern)


@pytest.mark.parametrize("length", [64, 65, 255, 256, 257, 300, 1023, 1100, 20011])
def test_keys_of_64_bits_beside_their_places(length):
    """Elements of two words: equal keys keep their order in networks and in parts."""
    places = np.arange(length, dtype=np.int32)
    text = sort_text(compared("LT", "i64", "SIGNED"), (length,), ("i64", "i32"), 0)
    exe = hlo.compile(text, cache=False)
    given = patterns(length, np.int64) | {"any": RANDOM.integers(-(1 << 63), (1 << 63) - 1, length)}
    for pattern, values in given.items():
        x = values.astype(np.int64)
        found, where = exe(x, places)
        expected = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(where, expected, err_msg=pattern)
        np.testing.assert_array_equal(found, x[expected], err_msg=pattern)


def test_pivots_that_samples_never_find():
    """All that pivots are chosen from is least at first: parting by them comes to its end, and ranges are halved."""
    length, step = 40000, (40000 - 16) // 8
    x = RANDOM.integers(1, 1 << 30, length).astype(np.int32)
    for n in range(9):
        x[n * step : n * step + 16] = -n
    np.testing.assert_array_equal(run(plain_text(x), x)[0], np.sort(x))
    text = sort_text(compared("LT", "i64", "SIGNED"), x.shape, ("i64", "i32"), 0)
    where = run(text, x.astype(np.int64), np.arange(length, dtype=np.int32))[1]
    np.testing.assert_array_equal(where, np.argsort(x, kind="stable"))


@pytest.mark.parametrize(
    "shape, axis", [((3, 700), 1), ((700, 3), 0), ((2, 400, 3), 1), ((2, 1, 5, 300), 3), ((0, 700), 1)]
)
def test_lines(shape, axis):
    x = RANDOM.integers(-500, 500, shape).astype(np.int32)
    np.testing.assert_array_equal(run(plain_text(x, axis), x)[0], np.sort(x, axis))


@pytest.mark.parametrize("length", [400, 3000])
def test_zeros_and_nan_as_jax_orders_them(length):
    values = np.array([0.0, -0.0, np.nan, -np.nan, 1, -1, np.inf, -np.inf], np.float32)
    x = RANDOM.choice(values, length)
    functions = [jnp.sort, jnp.argsort, lambda x: jnp.sort(x, descending=True), lambda x: lax.top_k(x, 100)[1]]
    for function in functions:
        (found,) = hlo.compile(jax.jit(function).lower(x).as_text(), cache=False)(x)
        np.testing.assert_array_equal(found.view(np.int32), np.asarray(jax.jit(function)(x)).view(np.int32))


@pytest.mark.parametrize("k", [9, 64, 65, 1000, 2999])
@pytest.mark.parametrize("name", ["float32", "bfloat16", "int32", "uint8", "float64", "int64"])
def test_first_of_a_line(name, k):
    """Many equal ones: those of the lowest places come first."""
    x = values_of(name, (2, 3000))
    x = np.where(x == x, x, np.zeros_like(x)) if name in FLOATS else x
    if name == "bfloat16":  # on Intel's processors, XLA gives zeros for subnormal ones
        x = np.where(abs(x) < ml_dtypes.finfo(x.dtype).tiny, np.zeros_like(x), x)
    with jax.enable_x64(x.itemsize == 8):
        function = jax.jit(lambda x: lax.top_k(x, k))
        text, results = function.lower(x).as_text(), function(x)
    for found, expected in zip(run(text, x), results, strict=True):
        np.testing.assert_array_equal(found, np.asarray(expected))


@pytest.mark.parametrize("shape, k", [((3, 300), 40), ((64, 100), 30), ((70000,), 10)])
def test_places_are_the_numbers_of_an_iota(shape, k):
    """Of any integer type, also where it cannot hold all of them; along another dimension it is no place."""
    x = RANDOM.integers(0, 50, shape).astype(np.int32)
    order = np.argsort(x, axis=-1, kind="stable")[..., :k]
    last = x.ndim - 1

    def first(x, kind, dimension):
        return lax.sort((x, lax.broadcasted_iota(kind, shape, dimension)), num_keys=1, is_stable=True)[1][..., :k]

    for kind in (np.int8, np.uint16, np.uint32):
        for dimension in range(x.ndim):
            (found,) = hlo.compile(
                jax.jit(first, static_argnums=(1, 2)).lower(x, kind, dimension).as_text(), cache=False
            )(x)
            places = np.indices(shape)[dimension].astype(found.dtype)
            np.testing.assert_array_equal(
                found, np.take_along_axis(places, order, -1) if dimension == last else places[..., :k]
            )
