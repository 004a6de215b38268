"""Decompositions, solves, Fourier transforms, and contractions by other names."""

from __future__ import annotations

import numpy as np
from cases import COMPLEX, DTYPES, Case, file, function_type, ramp, simple, suffix, tensor

TOLERANCE = {"f32": 1e-5, "f64": 1e-12, "complex<f32>": 1e-5, "complex<f64>": 1e-12}
FACTOR = np.array([[1, 0, 0], [2, 4, 0], [3, 5, 6]], np.float32)
"""https://openxla.org/stablehlo/spec#cholesky"""


def numbers(kind: str, *shape: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    x = random.integers(-8, 9, shape) / 4
    return (x + 1j * random.integers(-8, 9, shape) / 4 if "complex" in kind else x).astype(DTYPES[kind])


def _cholesky(name: str, a: np.ndarray, want: np.ndarray, lower: bool, tolerance: float = 1e-5) -> Case:
    body = f"%r = stablehlo.cholesky %0, lower = {str(lower).lower()} : {tensor(a)}"
    return Case(name, [a], body, [want], tolerance)


@file
def cholesky() -> list[Case]:
    """The triangle that is not read holds other numbers; the one that is not written is 0 in the specification's
    example (elsewhere it is implementation-defined)."""
    a = np.array([[1, 2, 3], [2, 20, 26], [3, 26, 70]], np.float32)
    out = [_cholesky("example", a, FACTOR, True), _cholesky("example_upper", a, FACTOR.T.copy(), False)]
    for kind, tolerance in TOLERANCE.items():
        x = numbers(kind, 2, 5, 5)
        full = x @ np.swapaxes(x, -1, -2).conj() + 3 * np.eye(5, dtype=x.dtype)
        want = np.linalg.cholesky(full.astype(np.complex128 if "complex" in kind else np.float64)).astype(x.dtype)
        lower, upper = np.tril(full) - 9 * np.triu(np.ones(5), 1), np.triu(full) + 7 * np.tril(np.ones(5), -1)
        out.append(_cholesky(f"{suffix(kind)}_lower", lower.astype(x.dtype), want, True, tolerance))
        adjoint = np.swapaxes(want, -1, -2).conj().copy()
        out.append(_cholesky(f"{suffix(kind)}_upper", upper.astype(x.dtype), adjoint, False, tolerance))
    one, none = np.full((1, 1), 9, np.float32), np.zeros((2, 0, 0), np.float32)
    return [*out, _cholesky("one", one, np.sqrt(one), True), _cholesky("empty", none, none, True)]


@file
def triangular_solve() -> list[Case]:
    b = np.array([[2, 0, 0], [4, 8, 0], [6, 10, 12]], np.float32)
    out = [_solve("example", FACTOR, b, 2 * np.eye(3, dtype=np.float32))]
    for kind in TOLERANCE:
        for lower in (True, False):
            for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                for left in (True, False):
                    unit = lower != left
                    out.append(_random_solve(kind, lower, transpose, left, unit))
    none = np.zeros((2, 0, 0), np.float32), np.zeros((2, 0, 3), np.float32)
    return [*out, _solve("no_rows", *none, none[1]), _solve("no_columns", FACTOR, FACTOR[:, :0], FACTOR[:, :0])]


def _random_solve(kind: str, lower: bool, transpose: str, left: bool, unit: bool) -> Case:
    """The triangle that is not read, and a unit diagonal, hold other numbers."""
    a, x = numbers(kind, 2, 4, 4) / 2, numbers(kind, 2, *((4, 3) if left else (3, 4)), seed=1)
    a = (a + 2 * np.eye(4)).astype(x.dtype)
    used = (np.tril if lower else np.triu)(a).astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    if unit:
        used = used - used * np.eye(4) + np.eye(4)
    if transpose != "NO_TRANSPOSE":
        used = np.swapaxes(used, -1, -2)
    used = used.conj() if transpose == "ADJOINT" else used
    b = (used @ x if left else x @ used).astype(x.dtype)
    name = f"{suffix(kind)}_{'lower' if lower else 'upper'}_{transpose.lower()}_{'left' if left else 'right'}"
    return _solve(name, a, b, x, left, lower, unit, transpose, 40 * TOLERANCE[kind])


def _solve(name, a, b, x, left=True, lower=True, unit=False, transpose="NO_TRANSPOSE", tolerance=1e-5) -> Case:
    flags = {"left_side": left, "lower": lower, "unit_diagonal": unit}
    words = ", ".join(f"{k} = {str(v).lower()}" for k, v in flags.items())
    body = f'%r = "stablehlo.triangular_solve"(%0, %1) <{{{words}, transpose_a = #stablehlo<transpose {transpose}>}}> : {function_type([a, b], x)}'
    return Case(name, [a, b], body, [x], tolerance)


FFTS = {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn}
LENGTHS = ((4,), (1,), (5,), (7,), (12,), (3, 5), (2, 4, 3))


@file
def fft() -> list[Case]:
    impulse = np.array([1, 0, 0, 0], np.complex64)
    out = [_fft("example", impulse, np.ones(4, np.complex64), "FFT", (4,))]
    out += [_random_fft(kind, "complex<f32>", lengths) for kind in FFTS for lengths in LENGTHS]
    out += [_random_fft(kind, "complex<f64>", lengths) for kind in FFTS for lengths in ((6,), (11,))]
    out += [_random_fft(kind, "complex<f32>", lengths, (2, 3)) for kind in FFTS for lengths in ((4,), (9,), (4, 3))]
    none = np.zeros((0, 4), np.complex64)
    return [*out, _fft("no_batch", none, none, "FFT", (4,))]


def _random_fft(kind: str, complex_kind: str, lengths: tuple[int, ...], batch: tuple[int, ...] = ()) -> Case:
    """IRFFT gets what RFFT gives: the half spectrum of real numbers."""
    real = numbers("f64", *batch, *lengths)
    axes = tuple(range(len(batch), len(batch) + len(lengths)))
    given = {"FFT": numbers("complex<f64>", *batch, *lengths), "IFFT": numbers("complex<f64>", *batch, *lengths)}
    operand = given.get(kind, np.fft.rfftn(real, axes=axes) if kind == "IRFFT" else real)
    narrow = DTYPES[complex_kind] if kind != "RFFT" else np.zeros(0, DTYPES[complex_kind]).real.dtype
    operand = operand.astype(narrow)
    want = FFTS[kind](operand.astype(np.float64 if kind == "RFFT" else np.complex128), s=lengths, axes=axes)
    wide = np.dtype(DTYPES[complex_kind])
    want = want.astype(np.zeros(0, wide).real.dtype if kind == "IRFFT" else wide)
    name = f"{kind}_{'x'.join(map(str, lengths))}_{suffix(complex_kind)}" + (
        f"_of_{batch[0]}x{batch[1]}" if batch else ""
    )
    return _fft(name, operand, want, kind, lengths, 2e-5 if wide == np.complex64 else 1e-13)


def _fft(name, operand, want, kind, lengths, tolerance=1e-6) -> Case:
    body = f"%r = stablehlo.fft %0, type = {kind}, length = [{', '.join(map(str, lengths))}] : {function_type([operand], want)}"
    return Case(name, [operand], body, [want], tolerance)


@file
def dot() -> list[Case]:
    a, b, v = ramp(2, 3), ramp(3, 4), ramp(3)
    out = [simple(name, "dot", [x, y], np.asarray(x @ y)) for name, x, y in (
        ("matrices", a, b), ("matrix_and_vector", a, v), ("vector_and_matrix", v, b), ("vectors", v, v),
        ("over_nothing", ramp(2, 0), ramp(0, 3)),
    )]  # fmt: skip
    for kind in ("i32", "ui8", "f64", "bf16", *COMPLEX):
        x, y = a.astype(DTYPES[kind]), b.astype(DTYPES[kind])
        out.append(simple(suffix(kind), "dot", [x, y], (a @ b).astype(x.dtype)))
    return out


@file
def einsum() -> list[Case]:
    pairs = {"ij,jk->ik": ((2, 3), (3, 4)), "bij,bjk->bik": ((2, 2, 3), (2, 3, 2)), "ij,ij->": ((2, 3), (2, 3)),
             "i,j->ij": ((2,), (3,)), "ij,j->ji": ((2, 3), (3,)), "ijk,kl->il": ((2, 2, 3), (3, 2))}  # fmt: skip
    out = []
    for number, (config, (left, right)) in enumerate(pairs.items()):
        for x, y in ((ramp(*left), ramp(*right)), (ramp(*left, dtype=np.int32), ramp(*right, dtype=np.int32))):
            want = np.asarray(np.einsum(config, x, y))
            body = f'%r = "stablehlo.einsum"(%0, %1) <{{einsum_config = "{config}"}}> : {function_type([x, y], want)}'
            out.append(Case(f"pair_{number}_{x.dtype.name}", [x, y], body, [want]))
    return out


@file
def unary_einsum() -> list[Case]:
    out = []
    for number, (config, x) in enumerate({"ij->ji": ramp(2, 3), "ij->i": ramp(2, 3), "ijk->kj": ramp(2, 3, 2)}.items()):
        want = np.einsum(config, x).copy()
        body = f'%r = "stablehlo.unary_einsum"(%0) <{{einsum_config = "{config}"}}> : {function_type([x], want)}'
        out.append(Case(f"one_{number}", [x], body, [want]))
    return out
