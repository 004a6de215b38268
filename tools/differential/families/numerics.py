"""Matrices, Fourier transforms, batch normalisation, random numbers: ops whose operands need to be of some kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from hlo.builder.value import Value
from hlo.dialect.elements import DTYPES
from hlo.tools.differential.draft import Draft, sizes_of
from hlo.tools.differential.elements import COMPLEX, FLOATS, INTEGERS, LARGE_FLOATS, NATIVE_FLOATS
from hlo.tools.differential.table import generates

MATRIX_ELEMENTS = (*NATIVE_FLOATS, *COMPLEX)


def _matrices(draft: Draft, shape: tuple[int, ...], name: str) -> np.ndarray:
    generator = np.random.default_rng(draft.source.integer(0, 2**32 - 1))
    values = generator.normal(0, 1, shape)
    if name in COMPLEX:
        values = values + 1j * generator.normal(0, 1, shape)
    return values


@generates("cholesky", weight=8)
def cholesky(draft: Draft, name: str) -> Any:
    """Of positive definite matrices; the other triangle of the result is open, so it is cut off."""
    element, size = draft.element(MATRIX_ELEMENTS), draft.source.pick([3, 1, 2, 5, 9])
    batch = draft.shape((0, 1), 4)
    root = _matrices(draft, (*batch, size, size), element)
    matrix = root @ np.conj(np.swapaxes(root, -1, -2)) + size * np.eye(size)
    lower = draft.source.chance(50)
    factor = draft.op(name, draft.given(matrix.astype(DTYPES[element]), element), lower)
    mask = np.tril(np.ones((size, size), bool)) if lower else np.triu(np.ones((size, size), bool))
    kept = draft.builder.constant(np.broadcast_to(mask, (*batch, size, size)).copy(), "i1")
    zero = draft.builder.constant(np.zeros((*batch, size, size), DTYPES[element]), element)
    return draft.op("select", kept, factor, zero)


@generates("triangular_solve", weight=8)
def triangular_solve(draft: Draft, name: str) -> Any:
    source, element, size = draft.source, draft.element(MATRIX_ELEMENTS), draft.source.pick([3, 1, 2, 6])
    batch, columns = draft.shape((0, 1), 4), source.pick([2, 1, 5])
    left, unit = source.chance(50), source.chance(30)
    matrix = _matrices(draft, (*batch, size, size), element) / size + 2 * np.eye(size)
    a = draft.given(matrix.astype(DTYPES[element]), element)
    sizes = (size, columns) if left else (columns, size)
    b = draft.given(_matrices(draft, (*batch, *sizes), element).astype(DTYPES[element]), element)
    transpose = source.pick(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
    return draft.op(name, a, b, left, source.chance(50), unit, transpose)


@generates("fft", weight=15)
def fft(draft: Draft, name: str) -> Any:
    """All four kinds, one to three dimensions, any length."""
    source, kind = draft.source, draft.source.pick(["FFT", "IFFT", "RFFT", "IRFFT"])
    dims = source.weighted({1: 60, 2: 30, 3: 10})
    lengths = [source.pick([4, 1, 2, 3, 5, 8, 12] if dims > 1 else [8, 1, 2, 3, 5, 7, 16, 30, 64]) for _ in range(dims)]
    wide = source.chance(35)
    element = ("f64" if wide else "f32") if kind == "RFFT" else ("complex<f64>" if wide else "complex<f32>")
    sizes = list(lengths)
    if kind == "IRFFT":
        sizes[-1] = lengths[-1] // 2 + 1
    shape = (*draft.shape((0, 1), 3, smallest_size=1), *sizes)
    return draft.op(name, draft.new(shape, element, "random"), kind, lengths)


def _features(draft: Draft, element: str) -> tuple[Value, int, tuple[int, ...]]:
    shape = draft.shape((1, 2, 3, 4), 120)
    along = draft.source.integer(0, len(shape) - 1)
    return draft.new(shape, element, "random"), along, (shape[along],)


@generates("batch_norm_training", "batch_norm_inference", "batch_norm_grad", weight=6)
def batch_norm(draft: Draft, name: str) -> Any:
    element = draft.element(("f32", "f64"))
    operand, along, size = _features(draft, element)
    count = {"training": 2, "inference": 4, "grad": 3}[name.rpartition("_")[2]]
    vectors = [draft.new(size, element, "positive") for _ in range(count)]
    last = [draft.typed(sizes_of(operand), element, "random")] if name.endswith("grad") else []
    return draft.op(name, operand, *vectors, *last, epsilon=0.125, feature_index=along)


@generates("rng", weight=4)
def rng(draft: Draft, name: str) -> Any:
    """The numbers are open; that it runs and what shape it has is not."""
    element = draft.element((*LARGE_FLOATS, "i32", "ui8", "i64"))
    shape = draft.shape((0, 1, 2, 3))
    normal = element in FLOATS and draft.source.chance(50)
    sizes = draft.builder.constant(np.array(shape, np.int64), "i64")
    low, high = draft.scalar(0, element), draft.scalar(3, element)
    value = draft.op(name, low, high, sizes, "NORMAL" if normal else "UNIFORM", result_type=(shape, element))
    return draft.leave_open(value)


@generates("rng_bit_generator", weight=6)
def rng_bit_generator(draft: Draft, name: str) -> Any:
    """ThreeFry's numbers are laid down; those of the others are compared too, as both follow XLA."""
    algorithm = draft.source.pick(["THREE_FRY", "DEFAULT", "PHILOX"])
    state = draft.new((3 if algorithm == "PHILOX" and draft.source.chance(50) else 2,), "ui64", "random")
    shape = draft.shape((0, 1, 2, 3))
    element = draft.element([e for e in INTEGERS if not e.endswith(("i2", "i4"))])
    with draft.builder.context:
        return draft.op(name, state, algorithm, result_types=[state.type, (shape, element)])
