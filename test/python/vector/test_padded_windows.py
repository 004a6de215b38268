"""Windows over padded and dilated arrays, read in place: values of random programs by numpy, what kernels are made of, and their schedules."""

import itertools
import re

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.dialect.printer import print_module

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "i8": np.int8,
    "ui8": np.uint8,
    "i32": np.int32,
    "i64": np.int64,
    "i1": np.bool_,
}
PROCESSORS = ("host", "avx2", "baseline")


def padded(x, fill, low, high, dilation):
    """An array as the specification's pad makes it, with `dilation - 1` elements between neighbours; negative padding crops."""
    shape = [(n - 1) * d + 1 if n else 0 for n, d in zip(x.shape, dilation)]
    spread = np.full(shape, fill, x.dtype)
    spread[tuple(slice(None, None, d) for d in dilation)] = x
    whole = np.full([max(lo + n + hi, 0) for n, lo, hi in zip(shape, low, high)], fill, x.dtype)
    here = [slice(max(lo, 0), max(max(lo, 0), min(lo + n, size))) for n, lo, size in zip(shape, low, whole.shape)]
    there = [slice(max(-lo, 0), max(-lo, 0) + s.stop - s.start) for lo, s in zip(low, here)]
    whole[tuple(here)] = spread[tuple(there)]
    return whole


def windows(x, fill, combine, sizes, strides, dilations, base, low, high):
    """reduce_window in numpy: `combine` of the start and of every element of the windows, in order."""
    x = padded(x, fill, low, high, base)
    counts = [max(0, (n - ((w - 1) * d + 1)) // s + 1) for n, w, s, d in zip(x.shape, sizes, strides, dilations)]
    total = np.full(counts, fill, x.dtype)
    for offset in itertools.product(*map(range, sizes)):
        cut = [slice(o * d, o * d + (n - 1) * s + 1, s) for o, d, n, s in zip(offset, dilations, counts, strides)]
        total = combine(total, x[tuple(cut)]) if total.size else total
    return total.astype(x.dtype)


COMBINE = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "multiply": np.multiply}


def program(kind, op, start, shape, sizes, strides, dilations, base, low, high, result):
    tensor = "x".join(map(str, [*shape, kind]))
    out = "x".join(map(str, [*result, kind]))
    array = lambda values: f"array<i64: {', '.join(map(str, values))}>"
    pads = f"dense<[{', '.join(f'[{a}, {b}]' for a, b in zip(low, high))}]> : tensor<{len(shape)}x2xi64>"
    return f"""func.func @main(%x: tensor<{tensor}>) -> tensor<{out}> {{
  %start = stablehlo.constant dense<{start}> : tensor<{kind}>
  %r = "stablehlo.reduce_window"(%x, %start) ({{
  ^bb0(%a: tensor<{kind}>, %b: tensor<{kind}>):
    %c = stablehlo.{op} %a, %b : tensor<{kind}>
    stablehlo.return %c : tensor<{kind}>
  }}) {{window_dimensions = {array(sizes)}, window_strides = {array(strides)}, window_dilations = {array(dilations)},
       base_dilations = {array(base)}, padding = {pads}}} : (tensor<{tensor}>, tensor<{kind}>) -> tensor<{out}>
  return %r : tensor<{out}>
}}"""


def values(rng, kind, shape):
    dtype = TYPES[kind]
    if kind == "i1":
        return rng.integers(0, 2, shape).astype(dtype)
    if kind.startswith(("i", "u")):
        return rng.integers(0 if kind[0] == "u" else -9, 9, shape).astype(dtype)
    return rng.integers(-4, 5, shape).astype(dtype)


def draw(rng):
    """A random window: all attributes, most sizes small, the last dimension sometimes of several vectors."""
    rank = int(rng.integers(1, 5))
    shape = [int(rng.choice([1, 2, 3, 5, 7, 12])) for _ in range(rank)]
    shape[int(rng.integers(rank))] = int(rng.choice([0, 4, 17, 33, 70, 130], p=[0.04, 0.16, 0.2, 0.2, 0.2, 0.2]))
    moved = lambda most, chance: [int(rng.integers(1, most + 1)) if rng.random() < chance else 1 for _ in range(rank)]
    sizes, strides, dilations, base = moved(4, 0.6), moved(3, 0.3), moved(3, 0.2), moved(3, 0.2)
    low = [int(rng.integers(-2, 6)) if rng.random() < 0.5 else 0 for _ in range(rank)]
    high = [int(rng.integers(-2, 6)) if rng.random() < 0.5 else 0 for _ in range(rank)]
    kind = str(rng.choice(list(TYPES)))
    op = "maximum" if kind == "i1" else str(rng.choice(list(COMBINE)[: 3 if kind in ("bf16", "f16") else 4]))
    start = {"i1": "false"}.get(kind) or str(rng.choice([0, 1, 2])) + ("" if "i" in kind else ".0")
    return kind, op, start, shape, sizes, strides, dilations, base, low, high


def expected(x, op, start, *window):
    number = {"false": False}.get(start)
    fill = x.dtype.type(float(start) if number is None else number)
    return windows(x, fill, COMBINE[op], *window)


def check(seed, cpu):
    rng = np.random.default_rng(seed)
    kind, op, start, shape, *window = draw(rng)
    x = values(rng, kind, shape)
    want = expected(x, op, start, *window)
    if want.size > 200_000:
        return
    text = program(kind, op, start, shape, *window, want.shape)
    (got,) = hlo.compile(text, cpu=cpu)(x)
    np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64), err_msg=text)


@pytest.mark.parametrize("seed", range(40))
def test_random_windows(seed):
    check(seed, PROCESSORS[seed % 3])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40, 400))
def test_more_random_windows(seed):
    check(seed, PROCESSORS[seed % 3])


AROUND = ([1, 3, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0])
"""Windows of 3x3 over images with a row of padding on each side."""


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("shape", [[2, 5, 6, 33], [1, 4, 37, 1]])
def test_special_values(cpu, shape):
    """NaN stays where a window has one; 0.0 is more than -0.0; a sum that starts with 0.0 is never -0.0."""
    x = np.random.default_rng(1).choice(np.array([np.nan, -0.0, 0.0, -np.inf, np.inf, -1], np.float32), shape)
    for op, start in (("maximum", -np.inf), ("maximum", -0.0), ("minimum", np.inf), ("add", 0.0), ("add", -0.0)):
        kind, text = "f32", {-np.inf: "0xFF800000", np.inf: "0x7F800000"}.get(start, str(start))
        with np.errstate(invalid="ignore"):
            want = windows(x, np.float32(start), {"maximum": upper, "minimum": lower}.get(op, np.add), *AROUND)
        (got,) = hlo.compile(program(kind, op, text, shape, *AROUND, want.shape), cpu=cpu)(x)
        np.testing.assert_array_equal(got, want)
        numbers = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(want[numbers]))


def upper(a, b):
    """The maximum of IEEE 754-2019, for which -0.0 is less than 0.0."""
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), b, a), np.maximum(a, b))


def lower(a, b):
    return -upper(-a, -b)


def average(shape, start="0.0"):
    """An average pool as JAX writes it: a sum divided by how many elements of a window are no padding."""
    tensor = "x".join(map(str, shape)) + "xf32"
    pool = lambda value: (
        f""""stablehlo.reduce_window"({value}, %start) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) {{window_dimensions = array<i64: 1, 3, 3, 1>, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}}
    : (tensor<{tensor}>, tensor<f32>) -> tensor<{tensor}>"""
    )
    return f"""func.func @main(%x: tensor<{tensor}>) -> tensor<{tensor}> {{
  %start = stablehlo.constant dense<{start}> : tensor<f32>
  %ones = stablehlo.constant dense<1.0> : tensor<{tensor}>
  %s = {pool("%x")}
  %n = {pool("%ones")}
  %r = stablehlo.divide %s, %n : tensor<{tensor}>
  return %r : tensor<{tensor}>
}}"""


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize("shape", [[2, 7, 9, 40], [2, 3, 5, 3], [1, 40, 70, 1]])
def test_average_pool(cpu, shape):
    x = np.random.default_rng(2).integers(-9, 9, shape).astype(np.float32)
    (got,) = hlo.compile(average(shape), cpu=cpu)(x)
    total, count = (windows(v, np.float32(0), np.add, *AROUND) for v in (x, np.ones_like(x)))
    np.testing.assert_array_equal(got, total / count)


def kernels(text):
    module = hlo.parse(text)
    hlo.pipelines.run(module, hlo.pipelines.cpu("avx512"), stop_after="kernels")
    return print_module(module)


def test_pools_make_no_copies():
    pool = program("f32", "maximum", "0xFF800000", [8, 28, 28, 64], *AROUND, [8, 28, 28, 64])
    assert hlo.compile(pool).memory.temporaries == 0
    assert len(re.findall("hlo.kernel", kernels(pool))) == 1


def test_average_pool_is_one_kernel_and_its_counts():
    """Sum and division are written together, in vectors of channels."""
    found = re.findall(r"loops = \[([\d, ]*)\].*?vectorize = \"(d\d)\"", kernels(average([4, 28, 28, 64])))
    assert found == [("28, 28, 3, 3", "d1"), ("4, 28, 28, 64, 3, 3", "d3")]
    assert hlo.compile(average([4, 28, 28, 64])).memory.temporaries < 4096


def test_lanes_never_run_along_a_window():
    """Whatever the layout: images as NHWC and NCHW, lines, volumes."""
    for shape, sizes in (
        ([4, 30, 30, 64], [1, 3, 3, 1]),
        ([4, 64, 30, 30], [1, 1, 7, 7]),
        ([5000], [9]),
        ([9, 9, 40], [8, 8, 8]),
    ):
        ones, low = [1] * len(shape), [w // 2 for w in sizes]
        want = [n + 2 * pad - w + 1 for n, w, pad in zip(shape, sizes, low)]
        text = kernels(program("f32", "add", "0.0", shape, sizes, ones, ones, ones, low, low, want))
        ((loops, lanes),) = re.findall(r"loops = \[([\d, ]*)\].*?vectorize = \"d(\d)\"", text)
        assert int(lanes) < len(loops.split(",")) - sum(w > 1 for w in sizes)


@pytest.mark.parametrize("cpu", PROCESSORS)
@pytest.mark.parametrize(("kind", "word"), [("f32", np.uint32), ("f64", np.uint64)])
def test_extremes_of_all_pairs(cpu, kind, word):
    """Zeros of both signs, NaN of both signs and with payloads, signalling ones, subnormal numbers, infinities."""
    dtype = TYPES[kind]
    tiny, nan = np.finfo(dtype).smallest_subnormal, np.array(np.nan, dtype).view(word)
    odd = np.array([nan + 5, nan - np.array(nan & ~np.array(np.inf, dtype).view(word), word) + 1], word).view(dtype)
    some = np.array([0, tiny, np.finfo(dtype).tiny, 1, 2.5, np.finfo(dtype).max, np.inf, np.nan, *odd], dtype)
    some = np.concatenate([some, -some])
    a, b = (v.reshape(-1).copy() for v in np.meshgrid(some, some))
    tensor = f"tensor<{len(a)}x{kind}>"
    for op, function in (("maximum", upper), ("minimum", lower)):
        text = f"""func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  %r = stablehlo.{op} %a, %b : {tensor}
  return %r : {tensor}
}}"""
        (got,), want = hlo.compile(text, cpu=cpu)(a, b), function(a, b)
        np.testing.assert_array_equal(got, want)
        numbers = ~np.isnan(want)
        np.testing.assert_array_equal(got[numbers].view(word), want[numbers].view(word))


@pytest.mark.parametrize("size", [1, 4, 8, 33])
def test_dilated_arrays_of_dilated_arrays(size):
    """Even places hold what an array with zeros between its elements, and one more after them, has: as JAX's associative_scan interleaves."""
    inner, outer = 2 * size, 4 * size
    text = f"""func.func @main(%x: tensor<{size}xf32>) -> tensor<{outer}xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0], high = [1], interior = [1] : (tensor<{size}xf32>, tensor<f32>) -> tensor<{inner}xf32>
  %1 = stablehlo.add %0, %0 : tensor<{inner}xf32>
  %2 = stablehlo.pad %1, %zero, low = [1], high = [0], interior = [1] : (tensor<{inner}xf32>, tensor<f32>) -> tensor<{outer}xf32>
  %3 = stablehlo.exponential %2 : tensor<{outer}xf32>
  return %3 : tensor<{outer}xf32>
}}"""
    x = np.arange(1, size + 1, dtype=np.float32) / size
    twice = np.zeros(outer, np.float32)
    twice[1::4] = 2 * x
    np.testing.assert_allclose(hlo.compile(text)(x)[0], np.exp(twice), rtol=1e-6)
