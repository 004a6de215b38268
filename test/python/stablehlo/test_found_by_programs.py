"""Mistakes that random programs found, made small by hlo-reduce. Expected values are the specification's."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hlo

TARGETS = ("cpu", "reference")


def run(target: str, body: str, result: str, *arrays: np.ndarray, types: str = "") -> np.ndarray:
    text = f"func.func @main({types}) -> {result} {{\n{body}\nreturn %r : {result}\n}}"
    return hlo.compile(text, target=target)(*arrays)[0]


@pytest.mark.parametrize("target", TARGETS)
def test_bits_of_less_than_a_byte(target: str) -> None:
    two = np.array([2, -1], ml_dtypes.float4_e2m1fn)  # codes 0100 and 1010
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2xf4E2M1FN>) -> tensor<2x2xui2>"
    found = run(target, body, "tensor<2x2xui2>", two, types="%0: tensor<2xf4E2M1FN>")
    np.testing.assert_array_equal(found.astype(int), [[0, 1], [2, 2]])
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2xf4E2M1FN>) -> tensor<ui8>"
    assert run(target, body, "tensor<ui8>", two, types="%0: tensor<2xf4E2M1FN>") == 0xA4
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<1xui8>) -> tensor<1x2xf4E2M1FN>"
    found = run(target, body, "tensor<1x2xf4E2M1FN>", np.array([0xA4], np.uint8), types="%0: tensor<1xui8>")
    assert found.tobytes() == two.tobytes(), "no bits but those of the element"


@pytest.mark.parametrize("target", TARGETS)
def test_bits_of_complex_numbers(target: str) -> None:
    x = np.array([1.5 - 2j, 3 + 0.25j])
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2xcomplex<f64>>) -> tensor<2x2xcomplex<f32>>"
    found = run(target, body, "tensor<2x2xcomplex<f32>>", x, types="%0: tensor<2xcomplex<f64>>")
    np.testing.assert_array_equal(found, x.view(np.complex64).reshape(2, 2))
    body = "%r = stablehlo.bitcast_convert %0 : (tensor<2x2xcomplex<f32>>) -> tensor<2xcomplex<f64>>"
    np.testing.assert_array_equal(
        run(target, body, "tensor<2xcomplex<f64>>", found, types="%0: tensor<2x2xcomplex<f32>>"), x
    )


@pytest.mark.parametrize("target", TARGETS)
def test_dynamic_slices_without_elements(target: str) -> None:
    at = np.array(1, np.int32)
    body = """%r = stablehlo.dynamic_slice %0, %1, %1, sizes = [0, 2] :
      (tensor<0x7xf32>, tensor<i32>, tensor<i32>) -> tensor<0x2xf32>"""
    types = "%0: tensor<0x7xf32>, %1: tensor<i32>"
    assert run(target, body, "tensor<0x2xf32>", np.zeros((0, 7), np.float32), at, types=types).shape == (0, 2)
    body = """%u = stablehlo.constant dense<> : tensor<0x2xf32>
    %r = stablehlo.dynamic_update_slice %0, %u, %1, %1 :
      (tensor<3x7xf32>, tensor<0x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x7xf32>"""
    x = np.ones((3, 7), np.float32)
    types = "%0: tensor<3x7xf32>, %1: tensor<i32>"
    np.testing.assert_array_equal(run(target, body, "tensor<3x7xf32>", x, at, types=types), x)


@pytest.mark.parametrize("target", TARGETS)
def test_a_dynamic_update_of_a_scalar(target: str) -> None:
    body = "%r = stablehlo.dynamic_update_slice %0, %1 : (tensor<ui4>, tensor<ui4>) -> tensor<ui4>"
    four = np.array([3, 9], ml_dtypes.uint4)
    found = run(target, body, "tensor<ui4>", four[0], four[1], types="%0: tensor<ui4>, %1: tensor<ui4>")
    assert int(found) == 9


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["ui4", "i4"])
def test_upper_half_of_products_of_four_bits(target: str, element: str) -> None:
    dtype = ml_dtypes.uint4 if element[0] == "u" else ml_dtypes.int4
    numbers = range(16) if element[0] == "u" else range(-8, 8)
    x, y = (a.reshape(-1) for a in np.meshgrid(np.array(numbers), np.array(numbers)))
    t = f"tensor<256x{element}>"
    found = run(target, f"%r = chlo.mulhi %0, %1 : {t}, {t} -> {t}", t, x.astype(dtype), y.astype(dtype), types=f"%0: {t}, %1: {t}")  # fmt: skip
    np.testing.assert_array_equal(found.astype(int), (x * y) >> 4)


@pytest.mark.parametrize("target", TARGETS)
def test_reduced_precision_keeps_numbers_below_the_normal_ones(target: str) -> None:
    """The type's own exponents are no others: below its normal numbers (0.25) it has multiples of 1/64."""
    x = np.array([0.09375, 0.015625, 0.25, -0.1875], ml_dtypes.float8_e3m4)
    t = "tensor<4xf8E3M4>"
    same = run(target, f"%r = stablehlo.reduce_precision %0, format = e3m25 : {t}", t, x, types=f"%0: {t}")
    np.testing.assert_array_equal(same.astype(np.float32), x.astype(np.float32))
    fewer = run(target, f"%r = stablehlo.reduce_precision %0, format = e3m1 : {t}", t, x, types=f"%0: {t}")
    np.testing.assert_array_equal(fewer.astype(np.float32), [0.125, 0.0, 0.25, -0.25])


@pytest.mark.parametrize("target", TARGETS)
def test_digamma_at_its_poles(target: str) -> None:
    """As JAX, which has NaN at 0 too."""
    x = np.array([0.0, -0.0, -1.0, np.inf], np.float32)
    t = "tensor<4xf32>"
    found = run(target, f"%r = chlo.digamma %0 : {t} -> {t}", t, x, types=f"%0: {t}")
    np.testing.assert_array_equal(found, [np.nan, np.nan, np.nan, np.inf])


@pytest.mark.parametrize("target", TARGETS)
def test_total_order_of_six_bits(target: str) -> None:
    x = np.array([-1.5, 0.0, 0.75, -7.5], ml_dtypes.float6_e2m3fn)
    t = "tensor<4xf6E2M3FN>"
    body = f"""%r = "stablehlo.sort"(%0) ({{
    ^bb0(%a: tensor<f6E2M3FN>, %b: tensor<f6E2M3FN>):
      %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f6E2M3FN>, tensor<f6E2M3FN>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }}) {{dimension = 0 : i64}} : ({t}) -> {t}"""
    found = run(target, body, t, x, types=f"%0: {t}")
    np.testing.assert_array_equal(found.astype(np.float32), [-7.5, -1.5, 0.0, 0.75])


@pytest.mark.parametrize("target", TARGETS)
def test_complex_logistic_far_to_the_left(target: str) -> None:
    t = "tensor<1xcomplex<f32>>"
    found = run(target, f"%r = stablehlo.logistic %0 : {t}", t, np.array([-900 + 1j], np.complex64), types=f"%0: {t}")
    assert found[0] == 0


@pytest.mark.parametrize("target", TARGETS)
def test_a_scan_of_no_steps(target: str) -> None:
    body = """%o, %r = chlo.scan(%0) inits (%1) dimension=1 {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      stablehlo.return %b, %b : tensor<4xf32>, tensor<4xf32>
    } : (tensor<4x0xf32>, tensor<4xf32>) -> (tensor<4x0xf32>, tensor<4xf32>)"""
    types = "%0: tensor<4x0xf32>, %1: tensor<4xf32>"
    init = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(
        run(target, body, "tensor<4xf32>", np.zeros((4, 0), np.float32), init, types=types), init
    )


def test_a_long_chain_of_ops() -> None:
    """More ops one behind the other than Python lets functions call each other."""
    turns = [("subtract" if n % 3 else "add", "ab"[n % 2]) for n in range(1, 700)]
    lines = [
        f"%s{n} = stablehlo.{op} %{name}, %s{n - 1} : tensor<3xf32>" for n, (op, name) in enumerate(turns, start=1)
    ]
    types = "%a: tensor<3xf32>, %b: tensor<3xf32>"
    body = "\n".join(
        ["%s0 = stablehlo.add %a, %b : tensor<3xf32>", *lines, "%r = stablehlo.negate %s699 : tensor<3xf32>"]
    )
    arrays = dict(a=np.float32([1, 2, 3]), b=np.float32([4, -1, 0]))
    expected = arrays["a"] + arrays["b"]
    for op, name in turns:
        expected = arrays[name] + expected if op == "add" else arrays[name] - expected
    np.testing.assert_array_equal(run("cpu", body, "tensor<3xf32>", *arrays.values(), types=types), -expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["f64", "complex<f32>"])
def test_constants_of_one_number_that_lose_dimensions(target: str, element: str) -> None:
    """Of a scatter into one element, and of windows along a constant: complex numbers are two attributes."""
    number = "(-2.0, 1.0)" if "complex" in element else "-2.0"
    t, one, cut = (f"tensor<{s}{element}>" for s in ("", "1x", "2x1x"))
    body = f"""%0 = stablehlo.constant dense<{number}> : {one}
      %1 = stablehlo.constant dense<0> : tensor<1xi16>
      %2 = "stablehlo.scatter"(%0, %1, %z) ({{
      ^bb0(%a: {t}, %b: {t}):
        %3 = stablehlo.multiply %a, %b : {t}
        stablehlo.return %3 : {t}
      }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}} : ({one}, tensor<1xi16>, {t}) -> {one}
      %4 = stablehlo.constant dense<{number}> : tensor<4x1x{element}>
      %5 = stablehlo.constant dense<0> : tensor<{element}>
      %6 = "stablehlo.reduce_window"(%4, %5) ({{
      ^bb0(%a: {t}, %b: {t}):
        %7 = stablehlo.add %a, %b : {t}
        stablehlo.return %7 : {t}
      }}) {{window_dimensions = array<i64: 3, 1>}} : (tensor<4x1x{element}>, {t}) -> {cut}
      %8 = stablehlo.reshape %6 : ({cut}) -> tensor<2x{element}>
      %r = stablehlo.concatenate %2, %8, dim = 0 : ({one}, tensor<2x{element}>) -> tensor<3x{element}>"""
    body = body.replace("dense<0> : tensor<complex", "dense<(0.0, 0.0)> : tensor<complex").replace(
        "dense<0> : tensor<f64>", "dense<0.0> : tensor<f64>"
    )
    value = -2 + 1j if "complex" in element else -2.0
    z = np.array(3 - 1j if "complex" in element else 3.0, np.complex64 if "complex" in element else np.float64)
    found = run(target, body, f"tensor<3x{element}>", z, types=f"%z: {t}")
    np.testing.assert_array_equal(found, np.array([value * z, 3 * value, 3 * value], z.dtype))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["i32", "f16", "f32"])
def test_a_reduction_whose_body_takes_the_accumulator_twice(target: str, element: str) -> None:
    t = f"tensor<{element}>"
    least = "-100" if element == "i32" else "-100.0"
    body = f"""^bb0(%a: {t}, %b: {t}):
        %m = stablehlo.maximum %a, %b : {t}
        %d = stablehlo.maximum %m, %a : {t}
        stablehlo.return %d : {t}"""
    lines = f"""%i = stablehlo.constant dense<{least}> : {t}
      %0 = "stablehlo.reduce"(%x, %i) ({{
      {body}
      }}) {{dimensions = array<i64: 0>}} : (tensor<4x6x{element}>, {t}) -> tensor<6x{element}>
      %1 = "stablehlo.reduce_window"(%x, %i) ({{
      {body}
      }}) {{window_dimensions = array<i64: 4, 1>}} : (tensor<4x6x{element}>, {t}) -> tensor<1x6x{element}>
      %2 = stablehlo.reshape %0 : (tensor<6x{element}>) -> tensor<1x6x{element}>
      %r = stablehlo.concatenate %2, %1, dim = 0 : (tensor<1x6x{element}>, tensor<1x6x{element}>) -> tensor<2x6x{element}>"""
    x = np.arange(24).reshape(4, 6)[::-1].astype({"i32": np.int32, "f16": np.float16, "f32": np.float32}[element])
    found = run(target, lines, f"tensor<2x6x{element}>", x, types=f"%x: tensor<4x6x{element}>")
    np.testing.assert_array_equal(found, [x.max(0)] * 2)


def test_sums_of_sums_are_not_looked_at_for_ever() -> None:
    """Each of forty is of the one before twice; whether the last may be negative is asked of it."""
    t = "tensor<3xf32>"
    sums = [f"%s{n} = stablehlo.add %s{n - 1}, %s{n - 1} : {t}" for n in range(1, 41)]
    body = "\n".join([f"%s0 = stablehlo.exponential %x : {t}", *sums, f"%r = stablehlo.abs %s40 : {t}"])
    found = run("cpu", body, t, np.zeros(3, np.float32), types=f"%x: {t}")
    np.testing.assert_array_equal(found, np.float32([2**40] * 3))
