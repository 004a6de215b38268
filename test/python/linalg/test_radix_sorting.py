"""sort by keys: every key type, special values, payloads, several keys, selection of the first few; against numpy, by total orders."""

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import lax

import hlo
from hlo.dialect.stablehlo import SortOp
from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.linalg.sorting.keys import sort_keys

RANDOM = np.random.default_rng(5)
NAMES = {"bool": "i1", "bfloat16": "bf16"}

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def mlir_type(name):
    return NAMES.get(name, name.replace("uint", "ui").replace("int", "i").replace("float", "f"))


def values_of(name, shape):
    if name == "bool":
        return RANDOM.integers(0, 2, shape).astype(bool)
    kind = np.dtype(getattr(ml_dtypes, name, name))
    if kind.kind in "iu":
        info = np.iinfo(kind)
        x = RANDOM.integers(info.min, info.max, shape, dtype=kind, endpoint=True)
        special = [info.min, info.max, 0, 1]
    else:
        x = (RANDOM.standard_normal(shape) * 3).astype(kind)
        info = ml_dtypes.finfo(kind)
        tiny = info.smallest_subnormal
        special = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny, info.max, info.min]
    flat = x.reshape(-1)
    for place in range(0, flat.size, 3):
        flat[place] = special[(place // 3) % len(special)]
    return x


def run(text, *inputs):
    return [np.asarray(a) for a in hlo.compile(text, cache=False)(*inputs)]


def sort_text(comparator, shape, types, dimension):
    dims = "x".join(map(str, shape))
    arrays = [f"tensor<{dims}x{t}>" for t in types]
    elements = ", ".join(f"%a{n}: tensor<{t}>, %b{n}: tensor<{t}>" for n, t in enumerate(types))
    names = [f"%x{n}" for n in range(len(types))]
    results = ", ".join(arrays)
    return f"""func.func @main({", ".join(f"{n}: {t}" for n, t in zip(names, arrays))}) -> ({results}) {{
      %r:{len(types)} = "stablehlo.sort"({", ".join(names)}) ({{
      ^bb0({elements}):
        {comparator}
        stablehlo.return %before : tensor<i1>
      }}) {{dimension = {dimension} : i64, is_stable = true}} : ({results}) -> ({results})
      return {", ".join(f"%r#{n}" for n in range(len(types)))} : {results}
    }}"""


def compared(direction, kind, order):
    return (
        f"%before = stablehlo.compare {direction}, %a0, %b0, {order} : (tensor<{kind}>, tensor<{kind}>) -> tensor<i1>"
    )


def total_order(x):
    """Integers in the total order of the numbers."""
    if x.dtype.kind in "biu":
        return x.astype(object)
    raw = x.view(f"i{x.dtype.itemsize}").astype(object)
    lowest = -(1 << 8 * x.dtype.itemsize - 1)
    return np.where(raw < 0, lowest - 1 - raw, raw)


def stable_order(keys, axis, descending=False):
    """By Python's sort, which is stable."""
    lines = np.moveaxis(keys, axis, -1)
    orders = [
        sorted(range(len(line)), key=lambda k: -line[k] if descending else line[k])
        for line in lines.reshape(-1, lines.shape[-1])
    ]
    return np.moveaxis(np.array(orders).reshape(lines.shape), -1, axis)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("direction", ["LT", "GT"])
@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_all_types(name, direction):
    """With the places as a payload, so that the order of equal elements shows."""
    order = "TOTALORDER" if name in FLOATS else "UNSIGNED" if name[0] in "ub" else "SIGNED"
    x = values_of(name, 301)
    places = np.arange(301, dtype=np.int32)
    text = sort_text(compared(direction, mlir_type(name), order), (301,), (mlir_type(name), "i32"), 0)
    expected = stable_order(total_order(x), 0, direction == "GT")
    got, where = run(text, x, places)
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(got.view(np.uint8), x[expected].view(np.uint8))


@pytest.mark.parametrize("direction", ["LT", "GT"])
def test_zeros_are_equal_unless_the_order_is_total(direction):
    x = np.array([0.0, -0.0, 1.0, -1.0] * 50, np.float32)
    text = sort_text(compared(direction, "f32", "FLOAT"), (200,), ("f32", "i32"), 0)
    expected = stable_order(np.where(x == 0, 0.0, x), 0, direction == "GT")
    got, where = run(text, x, np.arange(200, dtype=np.int32))
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(got.view(np.int32), x[expected].view(np.int32))


@pytest.mark.parametrize(
    "shape, axis", [((70, 3), 0), ((3, 70, 2), 1), ((5, 9000), 1), ((1, 64), 1), ((0, 70), 1), ((65,), 0)]
)
def test_lines(shape, axis):
    x, payload = values_of("float32", shape), RANDOM.standard_normal(shape).astype(np.float32)
    got, carried = run(sort_text(compared("LT", "f32", "TOTALORDER"), shape, ("f32", "f32"), axis), x, payload)
    expected = stable_order(total_order(x), axis) if x.size else np.zeros(shape, int)
    np.testing.assert_array_equal(got.view(np.int32), np.take_along_axis(x, expected, axis).view(np.int32))
    np.testing.assert_array_equal(carried, np.take_along_axis(payload, expected, axis))


@pytest.mark.parametrize("direction", ["LT", "GT"])
@pytest.mark.parametrize("shape, axis", [((70, 3), 0), ((3, 70, 2), 1), ((5, 9000), 1), ((70,), 0), ((66, 1), 0)])
def test_one_digit(shape, axis, direction):
    """Keys of 8 bits, alone and with a payload."""
    x, y = values_of("int8", shape), values_of("uint8", shape)
    order = stable_order(x.astype(int), axis, direction == "GT")
    (alone,) = run(sort_text(compared(direction, "i8", "SIGNED"), shape, ("i8",), axis), x)
    np.testing.assert_array_equal(alone, np.take_along_axis(x, order, axis))
    got, carried = run(sort_text(compared(direction, "i8", "SIGNED"), shape, ("i8", "ui8"), axis), x, y)
    np.testing.assert_array_equal(got, np.take_along_axis(x, order, axis))
    np.testing.assert_array_equal(carried, np.take_along_axis(y, order, axis))


@pytest.mark.parametrize("length", [100, 9000])
@pytest.mark.parametrize("make", ["equal", "ascending", "descending", "few", "one digit"])
def test_patterns(length, make):
    x = {
        "equal": np.full(length, 3),
        "ascending": np.arange(length),
        "descending": np.arange(length)[::-1],
        "few": np.arange(length) * 7919 % 5,
        "one digit": (np.arange(length) * 7919 % 64) << 20,
    }[make].astype(np.int32)
    got, where = run(
        sort_text(compared("LT", "i32", "SIGNED"), (length,), ("i32", "i32"), 0), x, np.arange(length, dtype=np.int32)
    )
    expected = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(where, expected)
    np.testing.assert_array_equal(got, x[expected])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "length, k", [(200, 65), (200, 100), (200, 101), (200, 199), (3000, 1500), (20000, 70), (20000, 9999)]
)
@pytest.mark.parametrize("name", ["float32", "bfloat16", "int32", "uint8"])
def test_top_k(name, length, k):
    x = values_of(name, (2, length))
    x = np.where(x == x, x, np.zeros_like(x)) if name in FLOATS else x
    lowered = jax.jit(lambda x: lax.top_k(x, k)).lower(x)
    values, places = run(lowered.as_text(), x)
    expected = stable_order(total_order(x), 1, descending=True)[:, :k]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))


@pytest.mark.parametrize("k", [66, 500])
def test_top_k_of_equal_and_nan(k):
    for x in (np.zeros((1, 1001), np.float32), np.full((1, 1001), np.nan, np.float32)):
        values, places = run(jax.jit(lambda x: lax.top_k(x, k)).lower(x).as_text(), x)
        np.testing.assert_array_equal(places, np.arange(k)[None])
        np.testing.assert_array_equal(values, x[:, :k])


def test_jax_sorts():
    """Several keys, NaN, complex numbers (two keys in one operand)."""
    a, b = RANDOM.integers(0, 9, 500).astype(np.int32), values_of("float32", 500)
    b[(np.abs(b) < 1e-30) & (b != 0)] = 2  # XLA takes subnormal numbers for zeros
    z = jax.lax.complex(a[::-1].astype(np.float32), b).__array__()
    programs = [
        (lambda a, b: lax.sort((a, b), num_keys=2), (a, b)),
        (lambda b: lax.sort(b), (b,)),
        (lambda b: jax.numpy.argsort(b, descending=True), (b,)),
        (lambda z: lax.sort(z), (z,)),
        (lambda a, b: lax.sort((a, b, a * 3), num_keys=1), (a, b)),
    ]
    for function, inputs in programs:
        lowered = jax.jit(function).lower(*inputs)
        expected = jax.tree.leaves(lowered.compile()(*inputs))
        for got, wanted in zip(run(lowered.as_text(), *inputs), expected, strict=True):
            np.testing.assert_array_equal(got.view(np.uint8), np.asarray(wanted).view(np.uint8))


KEYS = {
    "compared elements": (compared("LT", "f32", "FLOAT"), 1),
    "a function of an element": ("""%f = stablehlo.negate %a0 : tensor<f32>
        %g = stablehlo.negate %b0 : tensor<f32>
        %before = stablehlo.compare LT, %f, %g : (tensor<f32>, tensor<f32>) -> tensor<i1>""", 1),
    "two functions": ("""%f = stablehlo.negate %a0 : tensor<f32>
        %before = stablehlo.compare LT, %f, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>""", 0),
    "sides exchanged": ("%before = stablehlo.compare LT, %b0, %a0 : (tensor<f32>, tensor<f32>) -> tensor<i1>", 0),
    "not strict": (compared("LE", "f32", "FLOAT"), 0),
    "two keys": ("""%l = stablehlo.compare LT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %e = stablehlo.compare EQ, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %m = stablehlo.compare GT, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %n = stablehlo.and %e, %m : tensor<i1>
        %before = stablehlo.or %l, %n : tensor<i1>""", 2),
    "equality of something else": ("""%l = stablehlo.compare LT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %e = stablehlo.compare EQ, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %m = stablehlo.compare GT, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %n = stablehlo.and %e, %m : tensor<i1>
        %before = stablehlo.or %l, %n : tensor<i1>""", 0),
}  # fmt: skip


@pytest.mark.parametrize("what", list(KEYS))
def test_which_comparators_have_keys(what):
    comparator, count = KEYS[what]
    text = sort_text(comparator, (100,), ("f32", "i32"), 0)
    module = hlo.parse(text)
    with module.context:
        (sort,) = [op for op in module.body.operations[0].regions[0].blocks[0].operations if isinstance(op, SortOp)]
        assert len(sort_keys(sort, Lowering(module, module))) == count
    x, places = np.sort(RANDOM.standard_normal(100).astype(np.float32)), np.arange(100, dtype=np.int32)
    if what == "a function of an element":
        np.testing.assert_array_equal(run(text, x, places)[1], places[::-1])
    if what in ("sides exchanged", "compared elements"):
        got, where = run(text, x, places)
        np.testing.assert_array_equal(got, x[where])
        assert (where[0] == 0) == (what == "compared elements")
