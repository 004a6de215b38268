"""Kernels of complex numbers run in vectors: each way of reading and writing arrays, on each kind of processor, against numpy."""

import re

import numpy as np
import pytest

import hlo

PROCESSORS = ("host", "avx2", "baseline")
TYPES = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
SIZES = (1, 2, 7, 8, 16, 33, 150)
rng = np.random.default_rng(3)


def array(shape, dtype):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def run(body, arguments, results, element, processor, *values):
    """The results of a function with these types (C stands for the complex type, R for its part)."""
    names = ", ".join(f"%a{n}: {t}" for n, t in enumerate(arguments))
    text = f"func.func @main({names}) -> ({', '.join(results)}) {{\n{body}\n}}"
    kinds = {"C": element, "R": element[len("complex<") : -1]}
    text = re.sub(r"(?<=[x<])[CR](?=>)", lambda found: kinds[found[0]], text)
    return hlo.compile(text, cpu=processor, cache=False)(*values)


def check(found, expected, dtype):
    tolerance = 4e-6 if dtype == np.complex64 else 1e-14
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


cases = pytest.mark.parametrize(("element", "dtype"), TYPES.items())
processors = pytest.mark.parametrize("processor", PROCESSORS)


@processors
@cases
def test_elementwise(element, dtype, processor):
    for size in SIZES:
        t, r = f"tensor<{size}xC>", f"tensor<{size}xR>"
        body = f"""%p = stablehlo.multiply %a0, %a1 : {t}
          %q = stablehlo.divide %p, %a2 : {t}
          %b = stablehlo.compare GT, %a3, %a4 : ({r}, {r}) -> tensor<{size}xi1>
          %s = stablehlo.select %b, %q, %a0 : tensor<{size}xi1>, {t}
          %n = stablehlo.abs %s : ({t}) -> {r}
          %re = stablehlo.real %s : ({t}) -> {r}
          %c = stablehlo.complex %n, %re : {t}
          return %s, %n, %c : {t}, {r}, {t}"""
        x, y, z = (array(size, dtype) for _ in range(3))
        u, v = x.real.copy(), y.imag.copy()
        s, n, c = run(body, [t, t, t, r, r], [t, r, t], element, processor, x, y, z, u, v)
        expected = np.where(u > v, x * y / z, x)
        check(s, expected, dtype)
        check(n, np.abs(expected), dtype)
        check(c, np.abs(expected) + 1j * expected.real, dtype)


@processors
@cases
def test_moves(element, dtype, processor):
    """Transposes, reversals, strided slices, broadcasts and padding, of numbers as they are and of computed ones."""
    for rows, columns in ((3, 5), (8, 8), (16, 40), (33, 17)):
        t, transposed, row = f"tensor<{rows}x{columns}xC>", f"tensor<{columns}x{rows}xC>", f"tensor<{columns}xC>"
        half, wide = f"tensor<{rows}x{(columns + 1) // 2}xC>", f"tensor<{rows + 1}x{columns + 3}xC>"
        body = f"""%t = stablehlo.transpose %a0, dims = [1, 0] : ({t}) -> {transposed}
          %d = stablehlo.multiply %t, %t : {transposed}
          %r = stablehlo.reverse %a0, dims = [1] : {t}
          %f = stablehlo.subtract %r, %a0 : {t}
          %h = stablehlo.slice %a0 [0:{rows}, 0:{columns}:2] : ({t}) -> {half}
          %g = stablehlo.negate %h : {half}
          %b = stablehlo.broadcast_in_dim %a1, dims = [1] : ({row}) -> {t}
          %m = stablehlo.multiply %b, %a0 : {t}
          %z = stablehlo.constant dense<(2.0, -1.0)> : tensor<C>
          %p = stablehlo.pad %m, %z, low = [1, 2], high = [0, 1], interior = [0, 0] : ({t}, tensor<C>) -> {wide}
          %q = stablehlo.add %p, %p : {wide}
          return %t, %d, %f, %g, %m, %q : {transposed}, {transposed}, {t}, {half}, {t}, {wide}"""
        x, y = array((rows, columns), dtype), array(columns, dtype)
        found = run(body, [t, row], [transposed, transposed, t, half, t, wide], element, processor, x, y)
        np.testing.assert_array_equal(found[0], x.T)
        check(found[1], x.T * x.T, dtype)
        check(found[2], x[:, ::-1] - x, dtype)
        check(found[3], -x[:, ::2], dtype)
        check(found[4], x * y, dtype)
        check(found[5], 2 * np.pad(x * y, ((1, 0), (2, 1)), constant_values=2 - 1j), dtype)


@processors
@cases
def test_gathers(element, dtype, processor):
    """Columns at places that the program is given: lanes read elements that are apart."""
    t, i, r = "tensor<9x40xC>", "tensor<21xi32>", "tensor<9x21xC>"
    body = f"""%i = stablehlo.reshape %a1 : ({i}) -> tensor<21x1xi32>
      %g = "stablehlo.gather"(%a0, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1],
        start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 9, 1>}}> : ({t}, tensor<21x1xi32>) -> {r}
      %s = stablehlo.multiply %g, %g : {r}
      return %g, %s : {r}, {r}"""
    x, places = array((9, 40), dtype), rng.integers(0, 40, 21).astype(np.int32)
    found = run(body, [t, i], [r, r], element, processor, x, places)
    np.testing.assert_array_equal(found[0], x[:, places])
    check(found[1], x[:, places] ** 2, dtype)


@processors
@cases
def test_reductions(element, dtype, processor):
    """Sums along rows and columns, and what is computed of a row from its sums."""
    for rows, columns in ((1, 1), (4, 37), (20, 256), (130, 3)):
        t, row, column = f"tensor<{rows}x{columns}xC>", f"tensor<{rows}xC>", f"tensor<{columns}xC>"
        real, norm = f"tensor<{rows}x{columns}xR>", f"tensor<{rows}xR>"
        body = f"""%z = stablehlo.constant dense<(0.0, 0.0)> : tensor<C>
          %zr = stablehlo.constant dense<0.0> : tensor<R>
          %s = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = [1] : ({t}, tensor<C>) -> {row}
          %c = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = [0] : ({t}, tensor<C>) -> {column}
          %n = stablehlo.abs %a0 : ({t}) -> {real}
          %m = stablehlo.reduce(%n init: %zr) applies stablehlo.maximum across dimensions = [1] : ({real}, tensor<R>) -> {norm}
          %b = stablehlo.broadcast_in_dim %s, dims = [0] : ({row}) -> {t}
          %d = stablehlo.subtract %a0, %b : {t}
          return %s, %c, %m, %d : {row}, {column}, {norm}, {t}"""
        x = array((rows, columns), dtype)
        s, c, m, d = run(body, [t], [row, column, norm, t], element, processor, x)
        sums, tolerance = x.sum(1), 1e-4 if dtype == np.complex64 else 1e-12
        np.testing.assert_allclose(s, sums, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(c, x.sum(0), rtol=tolerance, atol=tolerance)
        check(m, np.abs(x).max(1), dtype)
        np.testing.assert_allclose(d, x - sums[:, None], rtol=tolerance, atol=tolerance)
