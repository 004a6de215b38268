"""cholesky, triangular_solve and fft, against numpy."""

import itertools

import numpy as np
import pytest
from linalg_checks import check_op

import hlo
from hlo.lowering.target import target

RANDOM = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    values = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.standard_normal(shape)
    return values.astype(dtype)


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_cholesky(dtype, lower):
    """Only one triangle is read; the other one of the result is zero."""
    a = normal(2, 5, 5, dtype=dtype)
    a = a @ adjoint(a) + 5 * np.eye(5, dtype=dtype)
    factor = np.linalg.cholesky(a)
    given, expected = (np.tril(a), factor) if lower else (np.triu(a), adjoint(factor))
    body = f'%result = "stablehlo.cholesky"(%0) {{lower = {str(lower).lower()}}} : %T'
    check_op(body, [given], [expected])


def test_cholesky_in_half_precision_computes_in_f32():
    a = normal(4, 4)
    a = a @ a.T + 4 * np.eye(4, dtype=np.float32)
    body = '%result = "stablehlo.cholesky"(%0) {lower = true} : %T'
    check_op(body, [a.astype(np.float16)], [np.linalg.cholesky(a).astype(np.float16)], tolerance=2e-3)


def test_cholesky_of_indefinite_matrix_is_nan():
    a = np.array([[1, 2], [2, 1]], np.float32)
    expected = np.array([[1, 0], [2, np.nan]], np.float32)
    check_op('%result = "stablehlo.cholesky"(%0) {lower = true} : %T', [a], [expected])


TRANSPOSED = {"NO_TRANSPOSE": lambda a: a, "TRANSPOSE": lambda a: np.swapaxes(a, -1, -2), "ADJOINT": adjoint}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("left, lower, unit", list(itertools.product([True, False], repeat=3)))
@pytest.mark.parametrize("transpose", TRANSPOSED)
@pytest.mark.parametrize("count", [3, 19])
def test_triangular_solve(left, lower, unit, transpose, count):
    """Few right sides, and more than a vector holds."""
    a = normal(2, 4, 4, dtype=np.complex64) + 4 * np.eye(4, dtype=np.complex64)
    b = normal(2, 4, count, dtype=np.complex64) if left else normal(2, count, 4, dtype=np.complex64)
    triangle = np.tril(a) if lower else np.triu(a)
    if unit:
        triangle = triangle - triangle * np.eye(4) + np.eye(4)
    inverse = np.linalg.inv(TRANSPOSED[transpose](triangle))
    expected = (inverse @ b if left else b @ inverse).astype(np.complex64)
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    attributes = ", ".join(f"{name} = {str(value).lower()}" for name, value in flags.items())
    body = f"""%result = "stablehlo.triangular_solve"(%0, %1) {{{attributes},
      transpose_a = #stablehlo<transpose {transpose}>}} : %T"""
    check_op(body, [a, b], [expected], tolerance=1e-4)


def check_fft(kind, operand, lengths, expected, tolerance=2e-6):
    """As loops, which are those of many threads."""
    single = operand.dtype in (np.float32, np.complex64)
    if single:
        expected = expected.astype(np.complex64 if expected.dtype.kind == "c" else np.float32)
    lengths = ", ".join(map(str, lengths))
    body = f"""%result = "stablehlo.fft"(%0) {{fft_type = #stablehlo<fft_type {kind}>,
      fft_length = array<i64: {lengths}>}} : %T"""
    check_op(body, [operand], [expected], tolerance, many_threads=True)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 32, 100, 1024])
def test_fft_lengths(length):
    operand = normal(3, length, dtype=np.complex64)
    check_fft("FFT", operand, [length], np.fft.fft(operand))


def test_fft_dimensions():
    operand = normal(2, 6, 5, dtype=np.complex64)
    check_fft("FFT", operand, [2, 6, 5], np.fft.fftn(operand))
    check_fft("IFFT", operand, [6, 5], np.fft.ifft2(operand))


def test_fft_of_real_numbers():
    operand = normal(2, 6, 5)
    check_fft("RFFT", operand, [6, 5], np.fft.rfft2(operand))
    operand = normal(2, 8)
    check_fft("RFFT", operand, [8], np.fft.rfft(operand))


@pytest.mark.parametrize("length", [8, 9])
def test_fft_to_real_numbers(length):
    operand = normal(2, 5, dtype=np.complex64)
    check_fft("IRFFT", operand, [length], np.fft.irfft(operand, length))


def test_fft_to_real_numbers_in_two_dimensions():
    operand = normal(2, 6, 5, dtype=np.complex64)
    check_fft("IRFFT", operand, [6, 8], np.fft.irfft2(operand, (6, 8)))


def test_fft_in_double_precision():
    operand = normal(100, dtype=np.complex128)
    check_fft("IFFT", operand, [100], np.fft.ifft(operand), tolerance=1e-14)


@pytest.mark.parametrize("shape", [(256, 256), (2, 300, 300), (513, 513)])
@pytest.mark.parametrize("lower", ["true", "false"])
def test_large_matrices_are_split(shape, lower):
    """Into products and parts of 64; what is not positive definite is NaN from its place on."""
    generator = np.random.default_rng(3)
    a = generator.standard_normal(shape)
    a = (a @ a.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])).astype(np.float32)
    kind = "tensor<" + "x".join(map(str, shape)) + "xf32>"
    text = f"""func.func @main(%a: {kind}) -> {kind} {{
      %r = stablehlo.cholesky %a, lower = {lower} : {kind}
      return %r : {kind} }}"""
    executable = hlo.compile(text)
    expected = np.linalg.cholesky(a.astype(np.float64))
    expected = expected if lower == "true" else expected.swapaxes(-1, -2)
    np.testing.assert_allclose(executable(a)[0], expected, atol=2e-6 * np.abs(expected).max() * shape[-1] ** 0.5)
    a[..., 200, 200] = -1
    bad = np.diagonal(executable(a)[0], axis1=-2, axis2=-1)
    assert np.isfinite(bad[..., :200]).all()
    assert np.isnan(bad[..., 200:]).all()


@pytest.mark.parametrize("batch", [(), (3,), (40,)])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("side, dtype", [("L", np.float32), ("R", np.float64)])
def test_systems_of_lapack_with_many_right_sides(batch, threads, side, dtype):
    """They are code of the program where it runs in vectors across right sides."""
    a = normal(*batch, 70, 70, dtype=dtype) / 20 + 2 * np.eye(70, dtype=dtype)
    b = normal(*batch, 70, 45, dtype=dtype) if side == "L" else normal(*batch, 45, 70, dtype=dtype)
    letter, element = ("s", "f32") if dtype == np.float32 else ("d", "f64")
    of = lambda x: f"tensor<{'x'.join(map(str, x.shape))}x{element}>"
    text = f"""func.func @main(%a: {of(a)}, %b: {of(b)}) -> {of(b)} {{
      %r = stablehlo.custom_call @lapack_{letter}trsm_ffi(%a, %b) {{mhlo.backend_config = {{diag = 78 : ui8,
        side = {ord(side)} : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}}, api_version = 4 : i32}} : ({of(a)}, {of(b)}) -> {of(b)}
      return %r : {of(b)} }}"""
    inverse = np.linalg.inv(np.swapaxes(np.triu(a), -1, -2).astype(np.float64))
    expected = inverse @ b if side == "L" else b @ inverse
    executable = hlo.compile(text, threads=threads, keep_phases=True)
    assert ("lapack_" not in executable.phases["kernels"]) == (target("host").column_bytes > 0)
    found = executable(a, b)[0]
    np.testing.assert_allclose(found, expected, atol=(1e-4 if dtype == np.float32 else 1e-12) * np.abs(expected).max())


@pytest.mark.parametrize("transpose", ["NO_TRANSPOSE", "TRANSPOSE"])
@pytest.mark.parametrize("left, lower", [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("order", [301, 600])
def test_large_systems(left, lower, transpose, order):
    """Those of more than 512 equations are split."""
    generator = np.random.default_rng(4)
    a = (generator.standard_normal((order, order)) / 20 + 2 * np.eye(order)).astype(np.float32)
    b = generator.standard_normal((order, 40) if left else (40, order)).astype(np.float32)
    triangle = (np.tril(a) if lower else np.triu(a)).astype(np.float64)
    triangle = triangle.T if transpose == "TRANSPOSE" else triangle
    expected = np.linalg.solve(triangle, b) if left else np.linalg.solve(triangle.T, b.T).T
    shape = "x".join(map(str, b.shape))
    text = f"""func.func @main(%a: tensor<{order}x{order}xf32>, %b: tensor<{shape}xf32>) -> tensor<{shape}xf32> {{
      %r = "stablehlo.triangular_solve"(%a, %b) {{left_side = {str(left).lower()}, lower = {str(lower).lower()},
        unit_diagonal = false, transpose_a = #stablehlo<transpose {transpose}>}}
        : (tensor<{order}x{order}xf32>, tensor<{shape}xf32>) -> tensor<{shape}xf32>
      return %r : tensor<{shape}xf32> }}"""
    np.testing.assert_allclose(hlo.compile(text)(a, b)[0], expected, atol=1e-5 * np.abs(expected).max())
