"""Small floats, small integers and quantized elements, against ml_dtypes over every code."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo
from hlo.dialect.elements import DTYPES, SMALL_FLOATS

SMALL_INTEGERS = ("i2", "i4", "ui2", "ui4")


def run(body, arguments, result):
    """One op: `body` uses %0, %1, ...; `arguments` are arrays and element types, `result` a tensor type."""
    declared = ", ".join(f"%{i}: {tensor(a, e)}" for i, (a, e) in enumerate(arguments))
    text = f"func.func @main({declared}) -> {result} {{\n %r = {body}\n return %r : {result}\n}}"
    (found,) = hlo.compile(text)(*(a for a, _ in arguments))
    return found


def tensor(array, element):
    return f"tensor<{''.join(f'{d}x' for d in array.shape)}{element}>"


def convert(array, source, target):
    result = tensor(array, target)
    return run(f"stablehlo.convert %0 : ({tensor(array, source)}) -> {result}", [(array, source)], result)


def codes(element):
    bits = int(element.lstrip("fui")[0])
    return np.arange(2**bits, dtype=np.uint8).view(DTYPES[element])


def assert_same_floats(found, expected):
    with np.errstate(invalid="ignore"):
        a, b = found.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(a, b)
    numbers = ~np.isnan(a)
    np.testing.assert_array_equal(np.signbit(a[numbers]), np.signbit(b[numbers]))


def wrapped(values, element):
    width = int(element[-1])
    low = np.asarray(values) & (2**width - 1)
    return low if element[0] == "u" else np.where(low >> (width - 1), low - 2**width, low)


@pytest.mark.parametrize("element", SMALL_FLOATS)
def test_every_code_of_a_small_float(element):
    everything = codes(element)
    assert_same_floats(convert(everything, element, "f32"), everything.astype(np.float32))


@pytest.mark.parametrize("element", [e for e in SMALL_FLOATS if e != "f8E8M0FNU"])
@pytest.mark.parametrize("source", ["f32", "bf16", "f16"])
def test_rounding_to_a_small_float(element, source):
    """All numbers, the points half-way between them and their neighbours, too large and special ones."""
    numbers = codes(element).astype(np.float32)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    half = (numbers[1:] + numbers[:-1]) / 2
    beyond = numbers[-1] * np.array([1.01, 1.04, 1.07, 1.1, 2, 1e3], np.float32)
    special = np.array([np.inf, np.nan, 0, 1e-40, 1e-20], np.float32)
    x = np.concatenate([numbers, half, np.nextafter(half, np.float32(9e9)), np.nextafter(half, np.float32(-9e9))])
    with np.errstate(over="ignore"):
        x = np.concatenate([x, beyond, -beyond, special, -special]).astype(DTYPES[source])
    assert_same_floats(convert(x, source, element), x.astype(DTYPES[element]))


def test_f64_is_rounded_once():
    x = np.array([1.0625 + 1e-12, 1.0625, 1.0625 - 1e-12, 1e300])
    expected = np.array([1.125, 1.0, 1.0, np.nan], ml_dtypes.float8_e4m3fn)
    assert_same_floats(convert(x, "f64", "f8E4M3FN"), expected)


def test_powers_of_two():
    x = np.array([1.0, 1.4, 1.6, 3.0, 0.0, -1.0, np.nan, 1e38, 2.0**-127], np.float32)
    assert_same_floats(convert(x, "f32", "f8E8M0FNU"), x.astype(ml_dtypes.float8_e8m0fnu))


BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


@pytest.mark.parametrize("element", SMALL_INTEGERS)
@pytest.mark.parametrize("op", BINARY)
def test_every_pair_of_small_integers(element, op):
    everything = codes(element)
    lhs, rhs = (g.reshape(-1).copy() for g in np.meshgrid(everything, everything))
    t = tensor(lhs, element)
    found = run(f"stablehlo.{op} %0, %1 : {t}", [(lhs, element), (rhs, element)], t)
    expected = wrapped(BINARY[op](lhs.astype(int), rhs.astype(int)), element)
    np.testing.assert_array_equal(found.astype(int), expected)


@pytest.mark.parametrize("element", SMALL_INTEGERS)
@pytest.mark.parametrize("op", ["shift_left", "shift_right_logical", "shift_right_arithmetic"])
def test_every_shift_of_small_integers(element, op):
    everything, width = codes(element), int(element[-1])
    lhs, rhs = (g.reshape(-1).copy() for g in np.meshgrid(everything, everything))
    t = tensor(lhs, element)
    found = run(f"stablehlo.{op} %0, %1 : {t}", [(lhs, element), (rhs, element)], t)
    bits, amount = lhs.astype(int) & (2**width - 1), np.minimum(rhs.astype(int) & (2**width - 1), width)
    signed = np.where(bits >> (width - 1), bits - 2**width, bits)
    expected = {"shift_left": bits << amount, "shift_right_logical": bits >> amount}.get(op, signed >> amount)
    np.testing.assert_array_equal(found.astype(int), wrapped(expected, element))


@pytest.mark.parametrize("element", SMALL_INTEGERS)
def test_bits_of_small_integers(element):
    everything, width = codes(element), int(element[-1])
    t, bits = tensor(everything, element), codes(element).astype(int) & (2**width - 1)
    expected = {
        "popcnt": [bin(b).count("1") for b in bits],
        "count_leading_zeros": [width - int(b).bit_length() for b in bits],
        "not": ~bits,
        "negate": -bits,
    }
    for op, want in expected.items():
        found = run(f"stablehlo.{op} %0 : {t}", [(everything, element)], t)
        np.testing.assert_array_equal(found.astype(int), wrapped(want, element), err_msg=op)


@pytest.mark.parametrize("element", SMALL_INTEGERS)
@pytest.mark.parametrize(
    "other", ["i1", "i8", "ui8", "i32", "ui64", "bf16", "f64", "ui2", "i4", "f8E5M2", "complex<f32>"]
)
def test_conversions_of_small_integers(element, other):
    everything = codes(element)
    found = convert(everything, element, other)
    integers = everything.astype(int)
    expected = wrapped(integers, other) if other in SMALL_INTEGERS else integers.astype(DTYPES[other])
    np.testing.assert_array_equal(found.astype(np.complex128), expected.astype(np.complex128))


def test_integers_wrap_and_floats_are_clamped():
    integers, floats = np.array([7, 8, 255, -9], np.int32), np.array([6.9, 8.0, -1e9, 1e30], np.float32)
    np.testing.assert_array_equal(convert(integers, "i32", "i4").astype(int), [7, -8, -1, 7])
    np.testing.assert_array_equal(convert(floats, "f32", "i4").astype(int), [6, 7, -8, 7])


BITCASTS = [
    ("8x2xi4", "8xi8"),
    ("4x4xui4", "4xi16"),
    ("4x4x2xui2", "4x4xi4"),
    ("16xf8E5M2", "16xui8"),
    ("8x2xi4", "8xf8E4M3FN"),
]


@pytest.mark.parametrize("many, few", BITCASTS)
def test_bitcasts_there_and_back(many, few):
    *sizes, element = many.split("x")
    count = np.prod([int(s) for s in sizes])
    x = (np.arange(count) * 7).astype(np.uint8).view(DTYPES[element]).reshape([int(s) for s in sizes])
    text = f"""func.func @main(%x: tensor<{many}>) -> (tensor<{few}>, tensor<{many}>) {{
      %0 = stablehlo.bitcast_convert %x : (tensor<{many}>) -> tensor<{few}>
      %1 = stablehlo.bitcast_convert %0 : (tensor<{few}>) -> tensor<{many}>
      return %0, %1 : tensor<{few}>, tensor<{many}>
    }}"""
    joined, back = hlo.compile(text)(x)
    np.testing.assert_array_equal(back, x)
    if element in SMALL_INTEGERS:
        width = int(element[-1])
        pieces = x.astype(int) & (2**width - 1)
        pieces = pieces.reshape(*joined.shape, -1)
        expected = sum(pieces[..., i] << (width * i) for i in range(pieces.shape[-1]))
        np.testing.assert_array_equal(joined.view(f"u{joined.itemsize}"), expected)


ROUNDED_ONCE = (
    ("f64", "bf16", [1 + 2**-8 + 2**-30, -(1 + 3 * 2**-8) + 2**-40, 2.0**-134 * (1 + 2**-30)], [1 + 2**-7, -(1 + 2**-7), 2.0**-133]),
    ("f64", "f8E4M3FN", [1 + 2**-4 + 2**-30, 2.0**-10 * (1 + 2**-40)], [1 + 2**-3, 2.0**-9]),
    ("f64", "f8E5M2", [1 + 2**-3 + 2**-30, 1e-300], [1 + 2**-2, 0]),
    ("i32", "bf16", [257 * 2**20 + 1, -(257 * 2**20), 259 * 2**20 - 1], [258 * 2**20, -(2**28), 258 * 2**20]),
    ("i64", "bf16", [257 * 2**50 + 1, 257 * 2**50, -(2**63)], [258 * 2**50, 2**58, -(2**63)]),
    ("ui64", "bf16", [257 * 2**55 + 1, 2**64 - 1], [258 * 2**55, 2**64]),
)  # fmt: skip
"""Numbers next to the middle between two of the narrow type, which f32 cannot tell from the middle."""


@pytest.mark.parametrize("target", ["cpu", "reference"])
@pytest.mark.parametrize("source, narrow, numbers, expected", ROUNDED_ONCE)
def test_conversions_round_once(source, narrow, numbers, expected, target):
    x = np.array(numbers, DTYPES[source])
    text = f"""func.func @main(%x: {tensor(x, source)}) -> {tensor(x, narrow)} {{
      %0 = stablehlo.convert %x : ({tensor(x, source)}) -> {tensor(x, narrow)}
      return %0 : {tensor(x, narrow)}
    }}"""
    assert hlo.compile(text, target=target)(x)[0].astype(np.float64).tolist() == expected


def test_structured_ops_of_f8():
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal(s).astype(ml_dtypes.float8_e4m3fn) for s in ((6, 8), (8, 5)))
    f8 = "f8E4M3FN"
    text = f"""func.func @main(%a: tensor<6x8x{f8}>, %b: tensor<8x5x{f8}>) -> (tensor<6x5x{f8}>, tensor<6x{f8}>, tensor<6x8x{f8}>, tensor<6x3x{f8}>) {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<6x8x{f8}>, tensor<8x5x{f8}>) -> tensor<6x5x{f8}>
      %least = stablehlo.constant dense<-448.0> : tensor<{f8}>
      %1 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8x{f8}>, tensor<{f8}>) -> tensor<6x{f8}>
      %2 = "stablehlo.sort"(%a) <{{dimension = 1 : i64}}> ({{
      ^bb0(%x: tensor<{f8}>, %y: tensor<{f8}>):
        %p = stablehlo.compare LT, %x, %y : (tensor<{f8}>, tensor<{f8}>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }}) : (tensor<6x8x{f8}>) -> tensor<6x8x{f8}>
      %3:2 = chlo.top_k(%a, k = 3) : tensor<6x8x{f8}> -> (tensor<6x3x{f8}>, tensor<6x3xi32>)
      return %0, %1, %2, %3#0 : tensor<6x5x{f8}>, tensor<6x{f8}>, tensor<6x8x{f8}>, tensor<6x3x{f8}>
    }}"""
    product, largest, ordered, top = hlo.compile(text)(a, b)
    wide = a.astype(np.float32)
    assert_same_floats(product, (wide @ b.astype(np.float32)).astype(a.dtype))
    assert_same_floats(largest, wide.max(1))
    assert_same_floats(ordered, np.sort(wide, 1))
    assert_same_floats(top, -np.sort(-wide, 1)[:, :3])


def test_quantized_elements():
    whole, rows = "!quant.uniform<i8:f32, 0.5:3>", "!quant.uniform<i8:f32:1, {0.1:-3, 0.25, 2.0}>"
    weights = "!quant.uniform<i8:f32, 0.5>"
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32) * 40
    text = f"""func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3x{whole}>, tensor<2x3x{rows}>, tensor<2x3xf32>, tensor<2x2x{whole}>) {{
      %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x{whole}>
      %1 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x{rows}>
      %2 = stablehlo.uniform_dequantize %1 : (tensor<2x3x{rows}>) -> tensor<2x3xf32>
      %w = stablehlo.uniform_quantize %0 : (tensor<2x3x{whole}>) -> tensor<2x3x{weights}>
      %3 = stablehlo.transpose %w, dims = [1, 0] : (tensor<2x3x{weights}>) -> tensor<3x2x{weights}>
      %4 = stablehlo.dot_general %0, %3, contracting_dims = [1] x [0] : (tensor<2x3x{whole}>, tensor<3x2x{weights}>) -> tensor<2x2x{whole}>
      return %0, %1, %2, %4 : tensor<2x3x{whole}>, tensor<2x3x{rows}>, tensor<2x3xf32>, tensor<2x2x{whole}>
    }}"""
    stored, by_row, numbers, product = hlo.compile(text)(x)
    scales, zeros = np.array([0.1, 0.25, 2], np.float32), np.array([-3, 0, 0], np.float32)
    np.testing.assert_array_equal(stored, np.clip(np.rint(x * 2) + 3, -128, 127))
    np.testing.assert_array_equal(by_row, np.clip(np.rint(x / scales) + zeros, -128, 127))
    np.testing.assert_array_equal(numbers, (by_row - zeros) * scales)
    real = (stored.astype(np.float32) - 3) * 0.5
    again = np.clip(np.rint(real * 2), -128, 127) / 2
    np.testing.assert_array_equal(product, np.clip(np.rint(real @ again.T * 2) + 3, -128, 127))


def test_programs_see_their_own_types():
    """Constants, checks and results of small types."""
    text = """func.func @main() -> (tensor<3xi4>, tensor<2xf8E5M2>, tensor<20xui2>) {
      %0 = stablehlo.constant dense<[-8, 7, -1]> : tensor<3xi4>
      %1 = stablehlo.constant dense<[1.5, -0.25]> : tensor<2xf8E5M2>
      %2 = stablehlo.iota dim = 0 : tensor<20xui2>
      check.expect_eq_const %0, dense<[-8, 7, -1]> : tensor<3xi4>
      check.expect_eq_const %1, dense<[1.5, -0.25]> : tensor<2xf8E5M2>
      return %0, %1, %2 : tensor<3xi4>, tensor<2xf8E5M2>, tensor<20xui2>
    }"""
    integers, floats, positions = hlo.compile(text)()
    assert integers.dtype == ml_dtypes.int4 and integers.astype(int).tolist() == [-8, 7, -1]
    assert floats.dtype == ml_dtypes.float8_e5m2 and floats.astype(float).tolist() == [1.5, -0.25]
    assert positions.astype(int).tolist() == [i % 4 for i in range(20)]


def test_neighbours_of_a_small_float_are_refused():
    x = codes("f8E5M2")
    with pytest.raises(hlo.CompileError, match=r"'chlo\.next_after' of f8E5M2 is not supported"):
        t = tensor(x, "f8E5M2")
        run(f"chlo.next_after %0, %0 : {t}, {t} -> {t}", [(x, "f8E5M2")], t)


@pytest.mark.parametrize("source", ["f64", "f32", "bf16"])
def test_least_powers_of_two(source):
    """f8E8M0FNU from numbers about its least one, 2^-127, which no normal number of f32 is: the nearest power, of two as near ones the larger."""
    parts = np.array([0.5, 0.75, 1, 1.015625, 1.25, 1.484375, 1.5, 1.515625, 1.75, 1.984375, 2, 2.5, 3, 3.5])
    expected = np.array([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 4, 4])
    array = (parts * 2.0**-127).astype(DTYPES[source])
    result = tensor(array, "f8E8M0FNU")
    text = f"func.func @main(%x: {tensor(array, source)}) -> {result} {{\n %r = stablehlo.convert %x : ({tensor(array, source)}) -> {result}\n return %r : {result}\n}}"
    for target in ("cpu", "reference"):
        (found,) = hlo.compile(text, target=target)(array)
        np.testing.assert_array_equal(found.astype(np.float64), expected * 2.0**-127, err_msg=target)
