"""Sorts of which only the first few elements are used: selection, against JAX; ties keep their order, NaN is the largest."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

import hlo
from hlo.lowering.linalg.sorting.choice import FEWEST
from hlo.lowering.linalg.sorting.selection.walk import Selection
from hlo.lowering.target import target

RANDOM = np.random.default_rng(3)
NAN_ROW = np.where(RANDOM.random((4, 90)) < 0.1, np.nan, RANDOM.standard_normal((4, 90))).astype(np.float32)
CASES = {
    "floats": RANDOM.standard_normal((7, 200)).astype(np.float32),
    "ties": RANDOM.integers(0, 5, (7, 200)).astype(np.int32),
    "unsigned": RANDOM.integers(0, 255, (3, 64)).astype(np.uint8),
    "nan": NAN_ROW,
    "ascending": np.arange(300, dtype=np.float32).reshape(1, 300),
    "one_line": RANDOM.standard_normal(97).astype(np.float32),
}


@pytest.mark.parametrize("k", [1, 2, 16])
@pytest.mark.parametrize("case", CASES)
def test_top_k(case, k):
    x = CASES[case]
    function = jax.jit(lambda x: lax.top_k(x, k))
    executable = hlo.compile(function.lower(x).as_text(), keep_phases=True)
    is_sorted = (case, k) in {("floats", 16), ("ties", 16), ("nan", 2), ("nan", 16)}  # in vectors, which is faster
    if is_sorted or k <= FEWEST or not target().compresses:
        assert ("@top_k" in executable.phases["linalg"]) != is_sorted
    for ours, theirs in zip(executable(x), function(x), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs))


def test_whole_line_used_elsewhere():
    """A use of more than the first elements needs the sort."""
    x = CASES["floats"]
    function = jax.jit(lambda x: (lax.sort(x)[:, :2], lax.sort(x)[:, -1]))
    executable = hlo.compile(function.lower(x).as_text(), keep_phases=True)
    assert "@top_k" not in executable.phases["linalg"]
    for ours, theirs in zip(executable(x), function(x), strict=True):
        np.testing.assert_array_equal(ours, np.asarray(theirs))


def lines_of(length, dtype):
    """By name: random lines, sorted ones, periodic ones, lines of few numbers, of NaNs and zeros, and those whose places that samples are from mislead."""
    is_float, steps = np.dtype(dtype).kind == "f", np.arange(length)
    limits = (-1.0, 1.0) if is_float else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    draw = RANDOM.standard_normal if is_float else lambda n: RANDOM.integers(*limits, n, dtype=dtype, endpoint=True)
    values = draw(length)
    found = {
        "random": values,
        "equal": np.full(length, 7),
        "lowest": np.full(length, limits[0]),
        "highest": np.full(length, limits[1]),
        "two": RANDOM.integers(0, 2, length),
        "ascending": np.sort(values),
        "descending": np.sort(values)[::-1],
        "saw": steps % 17,
        "long saw": steps % (length // 32 or 1),
        "organ pipe": np.minimum(steps, length - steps),
        "valley": np.maximum(steps, length - steps),
    }
    for kept in (1, 200):
        selection = Selection(length, kept)
        places = [sampled_place(selection, n) for n in range(selection.sampled)]
        found[f"high samples {kept}"], found[f"low samples {kept}"] = values.copy(), values.copy()
        found[f"high samples {kept}"][places] = limits[1] * (10 if is_float else 1)
        found[f"low samples {kept}"][places] = limits[0] * (10 if is_float else 1)
    if is_float:
        special = RANDOM.choice([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, np.finfo(dtype).tiny / 4], length)
        nan = np.full(length, np.nan)
        found |= {"special": special, "all nan": nan, "half nan": np.where(values > 0, nan, values)}
    return {name: line.astype(dtype) for name, line in found.items()}


def sampled_place(selection, number):
    part = selection.length // selection.sampled
    return number * part + number * 40503 % part


def expected_top(x, k):
    """The places of the largest ones by total order; of equal ones the first."""
    bits = x.view(f"i{x.itemsize}") if x.dtype.kind == "f" else x
    keys = np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits) if x.dtype.kind == "f" else bits
    return np.argsort(~keys, kind="stable")[:k]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["float32", "float64", "int8", "uint16", "int32", "uint64"])
@pytest.mark.parametrize("length, k", [(256, 1), (1023, 9), (4099, 128), (4099, 410), (50021, 129), (50021, 5000)])
def test_first_of_long_lines(name, length, k, threads):
    lines = lines_of(length, np.dtype(name))
    with jax.enable_x64(True):
        text = jax.jit(lambda x: lax.top_k(x, k)).lower(np.zeros(length, name)).as_text()
    one = hlo.compile(text, threads=threads, cache=False)
    for case, x in lines.items():
        values, places = one(x)
        order = expected_top(x, k)
        np.testing.assert_array_equal(places, order, err_msg=case)
        np.testing.assert_array_equal(values.view(np.uint8), x[order].view(np.uint8), err_msg=case)


@pytest.mark.parametrize("name", ["int8", "uint16", "int32", "int64", "float32"])
@pytest.mark.parametrize("k", [3000, 20011, 30000])
def test_first_of_lines_that_are_distributed_by_digits(name, k):
    """So many that digits of keys are counted: of single keys, of some hundred, and where nearly all have one digit."""
    lines = lines_of(200003, np.dtype(name))
    skewed = lines["random"].copy()
    skewed[RANDOM.integers(0, skewed.size, skewed.size // 2)] = skewed[0]
    with jax.enable_x64(True):
        text = jax.jit(lambda x: lax.top_k(x, k)).lower(np.zeros(200003, name)).as_text()
    one = hlo.compile(text, threads=1)
    for case, x in {**lines, "skewed": skewed}.items():
        values, places = one(x)
        order = expected_top(x, k)
        np.testing.assert_array_equal(places, order, err_msg=case)
        np.testing.assert_array_equal(values.view(np.uint8), x[order].view(np.uint8), err_msg=case)


@pytest.mark.parametrize("names", [("int8", "int8"), ("int16", "uint8"), ("int32", "int16"), ("uint32", "int32")])
@pytest.mark.parametrize("length, k", [(4096, 64), (70001, 5000)])
def test_first_by_two_keys(names, length, k):
    """Keys without a name are computed before the selection."""
    x, y = (RANDOM.integers(0, 100, length).astype(name) for name in names)
    text = jax.jit(lambda *keys: [v[:k] for v in lax.sort(keys, num_keys=2)]).lower(x, y).as_text()
    order = np.lexsort((y, x))[:k]
    for found, given in zip(hlo.compile(text)(x, y), (x, y), strict=True):
        np.testing.assert_array_equal(found, given[order])


@pytest.mark.parametrize("threads", [1, 2])
def test_first_of_many_long_lines(threads):
    lines = lines_of(3001, np.dtype("float32"))
    x = np.stack(list(lines.values()))
    text = jax.jit(lambda x: lax.top_k(x, 30)).lower(x).as_text()
    values, places = hlo.compile(text, threads=threads, cache=False)(x)
    order = np.stack([expected_top(line, 30) for line in x])
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values.view(np.uint8), np.take_along_axis(x, order, -1).view(np.uint8))


NUMBERS = RANDOM.choice([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 1.0, -1.0, 3.0], 3000)
FIRST = {
    "sort": lambda x, _: jnp.sort(x)[:20],
    "argsort": lambda x, _: jnp.argsort(x)[:20],
    "beside payloads": lambda x, y: [v[:20] for v in lax.sort((x, y, y.real > 9, y.imag), num_keys=1)],
    "of computed numbers": lambda x, _: lax.top_k(-x, 20),
    "of places": lambda x, _: [v[:20] for v in lax.sort((lax.iota(np.int32, x.size), x), num_keys=1)],
    "along another dimension": lambda x, _: jnp.sort(x.reshape(1000, 3), 0)[:20],
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", FIRST)
@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "float16", "float8_e4m3fn", "int16"])
def test_first_of_sorts(name, case):
    """By JAX's comparators, in which zeros of both signs are equal, and NaNs are, whose elements stay what they are."""
    x = NUMBERS.astype(getattr(ml_dtypes, name, name)) if "int" not in name else np.arange(3000, dtype=name) % 7
    y = np.arange(3000).astype(np.complex64)
    with jax.enable_x64(True):
        function = jax.jit(FIRST[case])
        text, expected = function.lower(x, y).as_text(), jax.tree.leaves(function(x, y))
    given = (x, y) if "payload" in case else (x,)
    for ours, theirs in zip(hlo.compile(text, cache=False)(*given), expected, strict=True):
        np.testing.assert_array_equal(ours.view(np.uint8), np.asarray(theirs).view(np.uint8))
