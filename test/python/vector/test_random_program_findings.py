"""What random programs have found: small programs with what the specification, numpy or mathematics wants of them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

import hlo

BOTH = pytest.mark.parametrize("target", ["cpu", "reference"])


def run(text: str, *inputs: Any, target: str = "cpu") -> np.ndarray:
    return hlo.compile(text, target=target)(*inputs)[0]


@BOTH
@pytest.mark.parametrize(
    "element, direction, x, amount, expected",
    [
        ("i4", "logical", [-3, -8, -7], [5, 1, 1], [0, 4, 4]),
        ("ui4", "arithmetic", [8, 9, 6], [3, 9, 1], [15, 15, 3]),
        ("i2", "logical", [-1, -2, 1], [1, 1, 2], [1, 1, 0]),
    ],
)
def test_shifts_of_small_integers_that_broadcast(
    target: str, element: str, direction: str, x: Any, amount: Any, expected: Any
) -> None:
    t = f"tensor<3x{element}>"
    text = f"""func.func @main(%x: {t}, %n: {t}) -> {t} {{
      %0 = chlo.broadcast_shift_right_{direction} %x, %n : ({t}, {t}) -> {t}
      return %0 : {t}
    }}"""
    dtype = {"i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4, "i2": ml_dtypes.int2}[element]
    found = run(text, np.array(x, dtype), np.array(amount, dtype), target=target)
    assert found.astype(int).tolist() == expected


@BOTH
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_complex_extremes_hand_on_nans_of_either_operand(target: str, name: str) -> None:
    t = "tensor<4xcomplex<f32>>"
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{ %0 = stablehlo.{name} %a, %b : {t} return %0 : {t} }}"
    nan = np.nan
    a = np.array([complex(-0.5, 1.5), complex(9, nan), complex(1, 2), complex(nan, 0)], np.complex64)
    b = np.array([complex(1.4, nan), complex(-0.5, 1.5), complex(1, 3), complex(0, 0)], np.complex64)
    np.testing.assert_array_equal(run(text, a, b, target=target), getattr(np, name)(a, b))


@BOTH
@pytest.mark.parametrize("name", ["f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ"])
def test_the_nan_of_fnuz_types_comes_before_all_numbers(target: str, name: str) -> None:
    """Its bits are 0x80: a NaN with a sign, in the total order of IEEE 754."""
    dtype = np.dtype(getattr(ml_dtypes, f"float8_{name[2:].lower()}"))
    x = np.array([0x01, 0x80, 0xFF, 0x00, 0x81], np.uint8).view(dtype)
    text = f"""func.func @main(%x: tensor<5x{name}>) -> tensor<5xi32> {{
      %0:2 = "chlo.top_k"(%x) {{k = 5 : i64}} : (tensor<5x{name}>) -> (tensor<5x{name}>, tensor<5xi32>)
      return %0#1 : tensor<5xi32>
    }}"""
    assert run(text, x, target=target).tolist() == [0, 3, 4, 2, 1]


def test_reference_of_bessel_i1e_is_exact_for_large_numbers() -> None:
    """Expected: mpmath, besseli(1, x) exp(-x) with 40 digits; 1.7e308 by 1 / sqrt(2 pi x)."""
    text = "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> { %0 = chlo.bessel_i1e %x : tensor<3xf64> -> tensor<3xf64> return %0 : tensor<3xf64> }"
    found = run(text, np.array([1615.485727165347, -1.7e308, 20.0]), target="reference")
    expected = [0.009923335159827427, -3.0597476163882935e-155, 0.08750622218328867]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@BOTH
def test_lgamma_that_overflows_is_infinite(target: str) -> None:
    text = "func.func @main(%x: tensor<f64>) -> tensor<f64> { %0 = chlo.lgamma %x : tensor<f64> -> tensor<f64> return %0 : tensor<f64> }"
    assert run(text, np.float64(1.7e308), target=target) == np.inf


@BOTH
@pytest.mark.parametrize("element, dtype, size", [("f32", np.complex64, 3e30), ("f64", np.complex128, 3e200)])
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_atan2_of_numbers_whose_squares_do_not_fit(
    target: str, element: str, dtype: Any, size: float, inverse: bool
) -> None:
    """atan2(s y, s x) = atan2(y, x); of real numbers it is the real one."""
    t = f"tensor<3xcomplex<{element}>>"
    text = f"func.func @main(%y: {t}, %x: {t}) -> {t} {{ %0 = stablehlo.atan2 %y, %x : {t} return %0 : {t} }}"
    factor = 1 / size if inverse else size
    y, x = np.array([1, -2, 3]), np.array([2, 0.5, -1])
    found = run(text, (y * factor).astype(dtype), (x * factor).astype(dtype), target=target)
    np.testing.assert_allclose(found, np.arctan2(y, x), rtol=1e-6)


NAN_FUNCTIONS = [
    *(
        f"stablehlo.{name}"
        for name in ("sine", "cosine", "tan", "exponential", "exponential_minus_one", "logistic", "tanh")
    ),
    *(f"stablehlo.{name}" for name in ("log", "cbrt", "rsqrt", "sqrt")),
    *(f"chlo.{name}" for name in ("erf", "erfc", "erf_inv", "lgamma", "digamma", "sinh", "cosh", "asinh", "atanh")),
]


@pytest.mark.parametrize("name", NAN_FUNCTIONS)
@pytest.mark.parametrize("element", ["f32", "f64", "bf16"])
def test_functions_of_a_nan_that_is_known_while_compiling(name: str, element: str) -> None:
    t = f"tensor<{element}>"
    arrow = f"{t} -> {t}" if name.startswith("chlo") else t
    text = f"""func.func @main() -> {t} {{
      %0 = stablehlo.constant dense<-6.0> : {t}
      %1 = stablehlo.log_plus_one %0 : {t}
      %2 = {name} %1 : {arrow}
      return %2 : {t}
    }}"""
    assert np.isnan(run(text).astype(float))


@BOTH
def test_complex_power_whose_factors_do_not_fit(target: str) -> None:
    """Expected: exp(b log a) in f64; angles are up to 3,000, of which f32 keeps 4 digits."""
    t = "tensor<3xcomplex<f32>>"
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{ %0 = stablehlo.power %a, %b : {t} return %0 : {t} }}"
    a = np.array([1e-10 + 1e-12j, 1e20 + 1e20j, -1e-20 + 1e-22j], np.complex64)
    b = np.array([4 - 30j, 2 + 60j, 2 - 30j], np.complex64)
    a64, b64 = a.astype(np.complex128), b.astype(np.complex128)
    expected = np.exp(b64 * np.log(a64))
    found = run(text, a, b, target=target)
    assert (np.abs(found - expected) <= 1e-3 * np.abs(expected) + 1e-44).all(), (found, expected)


@BOTH
def test_a_window_of_one_element_over_a_spread_operand(target: str) -> None:
    """As many results as elements, but the second one is a hole."""
    text = """func.func @main(%x: tensor<2xi64>, %start: tensor<i64>) -> tensor<2xi64> {
      %0 = "stablehlo.reduce_window"(%x, %start) ({
      ^bb0(%a: tensor<i64>, %b: tensor<i64>):
        %1 = stablehlo.add %a, %b : tensor<i64>
        stablehlo.return %1 : tensor<i64>
      }) {base_dilations = array<i64: 2>, padding = dense<[[0, -1]]> : tensor<1x2xi64>,
          window_dimensions = array<i64: 1>} : (tensor<2xi64>, tensor<i64>) -> tensor<2xi64>
      return %0 : tensor<2xi64>
    }"""
    assert run(text, np.array([3, 5]), np.array(100), target=target).tolist() == [103, 200]


def test_a_pad_between_the_elements_that_crops_as_much() -> None:
    text = """func.func @main(%x: tensor<2x2xf32>, %p: tensor<f32>) -> tensor<2x2xf32> {
      %0 = stablehlo.pad %x, %p, low = [0, 0], high = [-1, 0], interior = [1, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }"""
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    assert run(text, x, np.float32(9)).tolist() == [[0, 1], [9, 9]]


@pytest.mark.parametrize("element", ["f32", "f64", "bf16"])
@pytest.mark.parametrize(
    "y, x, expected", [(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, np.pi), (-0.0, -0.0, -np.pi)]
)
def test_atan2_of_zeros_that_are_known_while_compiling(element: str, y: float, x: float, expected: float) -> None:
    """`imag` of a real number is a zero that only the scalar code knows."""
    t = f"tensor<1x{element}>"
    sign = {True: "negate", False: "abs"}
    text = f"""func.func @main(%v: {t}) -> {t} {{
      %0 = stablehlo.imag %v : {t}
      %y = stablehlo.{sign[bool(np.signbit(y))]} %0 : {t}
      %x = stablehlo.{sign[bool(np.signbit(x))]} %0 : {t}
      %1 = stablehlo.atan2 %y, %x : {t}
      return %1 : {t}
    }}"""
    found = run(text, np.ones(1).astype(hlo.dialect.elements.DTYPES[element])).astype(np.float64)
    np.testing.assert_allclose(found, [expected], rtol=1e-2 if element == "bf16" else 1e-6)
    assert np.signbit(found[0]) == np.signbit(expected)


@BOTH
@pytest.mark.parametrize("element", ["f32", "f64"])
def test_zero_to_complex_powers(target: str, element: str) -> None:
    t = f"tensor<5xcomplex<{element}>>"
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{ %0 = stablehlo.power %a, %b : {t} return %0 : {t} }}"
    dtype = np.complex64 if element == "f32" else np.complex128
    powers = np.array([2, 0.5, 0, -1, 2 + 2j], dtype)
    found = run(text, np.zeros(5, dtype), powers, target=target)
    np.testing.assert_array_equal(found[:3], [0, 0, 1])
    assert np.isnan(found[3:]).all()


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name, function", [("sine", np.sin), ("cosine", np.cos)])
def test_complex_functions_just_below_overflow(element: str, name: str, function: Any) -> None:
    dtype, most = (np.complex64, 88.0) if element == "f32" else (np.complex128, 709.0)
    sizes = np.array([0.01, 0.9, 1.5, 20, most * 0.7, most * 0.9, most, most + 1.5])
    z = np.concatenate([angle + 1j * side * sizes for angle in (0.3, -863.06, 1.6) for side in (1, -1)]).astype(dtype)
    t = f"tensor<{len(z)}xcomplex<{element}>>"
    text = f"func.func @main(%a: {t}) -> {t} {{ %0 = stablehlo.{name} %a : {t} return %0 : {t} }}"
    found, expected = run(text, z), function(z.astype(np.clongdouble))
    limit = 4 * np.finfo(dtype).eps
    fits = np.abs(expected) < np.finfo(dtype).max / 4
    assert fits.sum() > 40
    assert (np.abs(found - expected)[fits] <= limit * np.abs(expected)[fits]).all()
    assert np.isfinite(found[fits]).all()


@BOTH
@pytest.mark.parametrize("name", ["maximum", "minimum", "atan2", "divide", "add"])
@pytest.mark.parametrize("second", ["%a", "%b"])
@pytest.mark.parametrize("count", [3, 40])
def test_denormal_numbers_of_bf16(target: str, name: str, second: str, count: int) -> None:
    t = f"tensor<{count}xbf16>"
    text = f"func.func @main(%a: {t}, %b: {t}) -> {t} {{ %0 = stablehlo.{name} %a, {second} : {t} return %0 : {t} }}"
    function = {"atan2": np.arctan2}.get(name) or getattr(np, name)
    x = np.resize(np.array([9.2e-41, -1e-39, 2]), count).astype(ml_dtypes.bfloat16)
    expected = function(x.astype(np.float64), x.astype(np.float64)).astype(ml_dtypes.bfloat16)
    assert expected.view(np.uint16)[0] != 0
    np.testing.assert_array_equal(run(text, x, x, target=target).view(np.uint16), expected.view(np.uint16))


@BOTH
def test_complex_cube_roots_of_tiny_and_huge_numbers(target: str) -> None:
    roots = np.array([1e-75 + 2e-77j, 3e100 - 1e99j, -2e-100 - 1e-100j, 1.5 + 0.25j, 5e90j])
    roots = np.where(np.abs(np.angle(roots)) < 1, roots, np.abs(roots))  # principal ones
    text = """func.func @main(%a: tensor<5xcomplex<f64>>) -> tensor<5xcomplex<f64>> {
      %0 = stablehlo.cbrt %a : tensor<5xcomplex<f64>>
      return %0 : tensor<5xcomplex<f64>>
    }"""
    found = run(text, (roots.astype(np.clongdouble) ** 3).astype(np.complex128), target=target)
    assert (np.abs(found - roots) <= 4 * np.finfo(np.float64).eps * np.abs(roots)).all()


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_sums_of_one_product_whose_results_lie_the_other_way(dtype: Any) -> None:
    element = {np.int8: "i8", np.float32: "f32", np.float64: "f64"}[dtype]
    text = f"""func.func @main(%x: tensor<3x3x1x5x{element}>) -> tensor<3x1x5x6x{element}> {{
      %k = stablehlo.constant dense<-5> : tensor<1x1x1x1x{element}>
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [0, b, f, 1]x[1, i, o, 0]->[b, f, 1, 0],
        window = {{pad = [[1, 0], [0, 0]], lhs_dilate = [2, 1]}}
        {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : (tensor<3x3x1x5x{element}>, tensor<1x1x1x1x{element}>) -> tensor<3x1x5x6x{element}>
      return %0 : tensor<3x1x5x6x{element}>
    }}""".replace("-5>", "-5>" if dtype is np.int8 else "-5.0>")
    x = np.arange(45).reshape(3, 3, 1, 5).astype(dtype)
    expected = np.zeros((3, 1, 5, 6), dtype)
    expected[..., 1::2] = x.transpose(1, 2, 3, 0) * dtype(-5)
    np.testing.assert_array_equal(run(text, x), expected)


@pytest.mark.parametrize("element, dtype", [("f32", np.complex64), ("f64", np.complex128)])
def test_complex_logarithms_near_one_and_at_the_ends_of_the_range(element: str, dtype: Any) -> None:
    generator = np.random.default_rng(0)
    turns = np.exp(1j * generator.uniform(-3, 3, 500))
    info: Any = np.finfo(dtype)
    least, most = float(info.smallest_subnormal), float(info.max)
    ends = [
        complex(most, most),
        complex(least, least),
        complex(3 * least, -5 * least),
        complex(0.6, 0.8),
        complex(0, least),
    ]
    circle = turns * (1 + generator.uniform(-1e-6, 1e-6, 500))
    z = np.concatenate([circle, turns * np.exp(generator.uniform(-2, 2, 500)), ends]).astype(dtype)
    t = f"tensor<{len(z)}xcomplex<{element}>>"
    found = run(f"func.func @main(%z: {t}) -> {t} {{ %0 = stablehlo.log %z : {t} return %0 : {t} }}", z)
    with mpmath.workprec(400):
        real = [float(mpmath.log(mpmath.mpf(float(c.real)) ** 2 + mpmath.mpf(float(c.imag)) ** 2) / 2) for c in z]
    units = np.abs(found.real.astype(np.float64) - real) / np.spacing(np.abs(np.array(real)).astype(found.real.dtype))
    assert units.max() <= 3
    np.testing.assert_allclose(found.imag, np.angle(z.astype(np.complex128)), rtol=4 * float(info.eps))


@pytest.mark.parametrize("name, function", [("lgamma", mpmath.loggamma), ("digamma", mpmath.digamma)])
def test_gamma_functions_of_f64_near_their_zeros_and_elsewhere(name: str, function: Any) -> None:
    generator = np.random.default_rng(1)
    near = [1 + 2.0**-52, 1 - 2.0**-53, 2 + 2.0**-50, 2 - 2.0**-52, 3.0, 9.0, 10.0, 1.4616321449683622, 1e-300, 1e15]
    x = np.concatenate(
        [generator.uniform(0, 3, 300), generator.uniform(3, 12, 300), np.exp(generator.uniform(-30, 30, 200)), near]
    )
    t = f"tensor<{len(x)}xf64>"
    found = run(f"func.func @main(%x: {t}) -> {t} {{ %0 = chlo.{name} %x : {t} -> {t} return %0 : {t} }}", x)
    with mpmath.workprec(200):
        exact = [function(mpmath.mpf(float(v))).real for v in x]
        errors = [abs(mpmath.mpf(float(f)) - e) / np.spacing(abs(float(e))) for f, e in zip(found, exact)]
    assert float(max(errors)) <= 3


@pytest.mark.parametrize("size", [5, 40])
@pytest.mark.parametrize("dimension", [0, 1])
def test_sorting_keeps_denormal_numbers_of_bf16(size: int, dimension: int) -> None:
    generator = np.random.default_rng(0)
    bits = generator.integers(1, 127, (size, size)) | generator.integers(0, 2, (size, size)) << 15
    x = bits.astype(np.uint16).view(ml_dtypes.bfloat16)
    t = f"tensor<{size}x{size}xbf16>"
    text = f"""func.func @main(%x: {t}) -> {t} {{
      %0 = "stablehlo.sort"(%x) ({{
      ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
        %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }}) {{dimension = {dimension} : i64}} : ({t}) -> {t}
      return %0 : {t}
    }}"""
    expected = np.sort(x.astype(np.float32), axis=dimension).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(run(text, x).view(np.uint16), expected.view(np.uint16))


def test_a_loop_keeps_denormal_numbers_of_bf16() -> None:
    text = """func.func @main(%x: tensor<bf16>, %n: tensor<i32>) -> tensor<bf16> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<bf16>
        cond {
          %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %1 = stablehlo.add %i, %one : tensor<i32>
          %2 = stablehlo.negate %y : tensor<bf16>
          stablehlo.return %1, %2 : tensor<i32>, tensor<bf16>
        }
      return %0#1 : tensor<bf16>
    }"""
    x = np.array(9.2e-41, ml_dtypes.bfloat16)
    assert run(text, x, np.int32(3)).view(np.uint16) == x.view(np.uint16) | 0x8000


FILLED = """
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %none = stablehlo.constant dense<> : tensor<0xf32>
      %three = stablehlo.constant dense<3.0> : tensor<f32>
      %filled = stablehlo.pad %none, %three, low = [2], high = [3], interior = [0]
        : (tensor<0xf32>, tensor<f32>) -> tensor<5xf32>"""


@BOTH
def test_a_loop_hands_on_what_is_filled_in_front_of_it(target: str) -> None:
    text = f"""func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {{{FILLED}
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<5xf32>, tensor<5xf32>
        cond {{
          %1 = stablehlo.compare LE, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        }} do {{
          %1 = stablehlo.add %i, %one : tensor<i32>
          %2 = stablehlo.add %a, %filled : tensor<5xf32>
          stablehlo.return %1, %filled, %2 : tensor<i32>, tensor<5xf32>, tensor<5xf32>
        }}
      return %0#1, %0#2 : tensor<5xf32>, tensor<5xf32>
    }}"""
    first, second = hlo.compile(text, target=target)(np.ones(5, np.float32))
    assert first.tolist() == [3] * 5 and second.tolist() == [6] * 5


@BOTH
def test_a_branch_hands_on_what_is_filled_in_front_of_it(target: str) -> None:
    text = f"""func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> tensor<5xf32> {{{FILLED}
      %1 = stablehlo.compare LT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = "stablehlo.if"(%1) ({{
        stablehlo.return %filled : tensor<5xf32>
      }}, {{
        %3 = stablehlo.multiply %x, %filled : tensor<5xf32>
        stablehlo.return %3 : tensor<5xf32>
      }}) : (tensor<i1>) -> tensor<5xf32>
      return %2 : tensor<5xf32>
    }}"""
    x = np.arange(5, dtype=np.float32)
    assert run(text, x, np.int32(-1), target=target).tolist() == [3] * 5
    assert run(text, x, np.int32(1), target=target).tolist() == (3 * x).tolist()


@pytest.mark.parametrize("computed_first", [True, False])
@pytest.mark.parametrize("size, length, at", [(2, 1, 1), (20, 10, 7), (20, 10, 3)])
def test_updates_at_a_computed_and_a_known_place(size, length, at, computed_first):
    """Two updates of one length, whose places the compiler compares."""
    whole, part = f"tensor<{size}xi32>", f"tensor<{length}xi32>"
    places = ["%i", "%zero"] if computed_first else ["%zero", "%i"]
    text = f"""func.func @main(%a: {whole}, %u: {part}, %v: {part}, %i: tensor<i32>) -> {whole} {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %a, %u, {places[0]} : ({whole}, {part}, tensor<i32>) -> {whole}
  %1 = stablehlo.dynamic_update_slice %0, %v, {places[1]} : ({whole}, {part}, tensor<i32>) -> {whole}
  return %1 : {whole}
}}"""
    a, u, v = np.zeros(size, np.int32), np.arange(1, length + 1, dtype=np.int32), np.full(length, -1, np.int32)
    expected = a.copy()
    for place, update in zip((at, 0) if computed_first else (0, at), (u, v), strict=True):
        expected[place : place + length] = update
    assert np.array_equal(hlo.compile(text)(a, u, v, np.int32(at))[0], expected)
