"""Singular values, eigenvalues of any square matrices, and what is made of them: pseudo-inverses and exponentials.
Leading dimensions are batches."""

from __future__ import annotations

import math
from typing import Any

import torch

from hlo.builder.value import Value
from hlo.torch.element_types import COMPLEX, REAL_PART, dtype_of
from hlo.torch.graph_builder import sizes_of
from hlo.torch.registry import rule
from hlo.torch.rules.linear_algebra import adjoint_of, eigh, identity, lapack, no_elements


@rule("_linalg_svd", limit=no_elements)
def svd_if_used(b: Any, a: Value, full_matrices: bool = False, compute_uv: bool = True, **named: Any) -> Any:
    """Singular vectors only if anything reads them: graphs of `svdvals` ask for them, too."""
    if compute_uv and not (b.is_result_used(0) or b.is_result_used(2)):
        return None, svd(b, a, full_matrices, False, **named)[1], None
    return svd(b, a, full_matrices, compute_uv, **named)


def svd(
    b: Any, a: Value, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None
) -> tuple[Value, Value, Value]:
    """U, the singular values in decreasing order, and the adjoint of V. Another driver than gesdd is one of CUDA."""
    *batch, rows, columns = sizes_of(a)
    least, dtype = min(rows, columns), dtype_of(a)
    left, right = (rows, columns) if full_matrices else (least, least)
    results = [
        (a.shape, dtype),
        ([*batch, least], REAL_PART.get(dtype, dtype)),
        ([*batch, rows, left], dtype),
        ([*batch, right, columns], dtype),
        (batch, torch.int32),
    ]
    mode = "N" if not compute_uv else "A" if full_matrices else "S"
    _, values, u, vh, _ = lapack(b, "gesdd", [a], results, mode=mode)
    nothing = b.full([0], 0, dtype)
    return (u, values, vh) if compute_uv else (nothing, values, nothing)


@rule("linalg_pinv.atol_rtol_tensor", limit=no_elements)
def pinv(b: Any, a: Value, *, atol: Value | None = None, rtol: Value | None = None, hermitian: bool = False) -> Value:
    """V diag(1/s) U^H. Values up to the greater one of `atol` and `rtol` times the greatest value count as zero."""
    if hermitian:
        values, vectors = eigh(b, a)
        u, vh, size = vectors, adjoint_of(b, vectors), b.abs(values)
    else:
        u, values, vh = svd(b, a)
        size = values
    limit = _tolerance(b, a, size, atol, rtol)
    kept = b.gt(size, b.over(limit, size.shape, range(limit.rank)))
    inverse = b.select(kept, b.divide(1, b.select(kept, values, b.full(values.shape, 1, dtype_of(values)))), 0)
    v = adjoint_of(b, vh)
    scaled = b.multiply(v, b.over(b.cast(inverse, dtype_of(v)), v.shape, [*range(v.rank - 2), v.rank - 1]))
    return b.matmul(scaled, adjoint_of(b, u))


def _tolerance(b: Any, a: Value, size: Value, atol: Value | None, rtol: Value | None) -> Value:
    """Of each matrix the size up to which values count as zero. Without both it is the type's precision times the
    greater side; `atol` alone says it."""
    *batch, rows, columns = sizes_of(a)
    kind = dtype_of(size)
    greatest = b.folded(size, 0, b.maximum, [size.rank - 1])
    if rtol is None:
        is_absolute = atol is not None
        precision = torch.finfo(kind).eps * max(rows, columns)
        factor = b.full(batch, precision, kind)
        if is_absolute:
            given = b.expand_to(b.cast(atol, kind), batch)
            factor = b.select(b.gt(given, 0), b.full(batch, 0, kind), factor)
    else:
        factor = b.expand_to(b.cast(rtol, kind), batch)
    relative = b.multiply(factor, greatest)
    return relative if atol is None else b.maximum(b.expand_to(b.cast(atol, kind), batch), relative)


@rule("linalg_eig", limit=no_elements)
def eig(b: Any, a: Value) -> tuple[Value, Value]:
    """Eigenvalues in LAPACK's order, and eigenvectors as columns."""
    return _eigenvalues(b, a, "V")


@rule("_linalg_eigvals", limit=no_elements)
def eigvals(b: Any, a: Value) -> Value:
    return _eigenvalues(b, a, "N")[0]


def _eigenvalues(b: Any, a: Value, right: str) -> tuple[Value, Value]:
    dtype = dtype_of(a)
    wide = COMPLEX.get(dtype, dtype)
    values = [(a.shape[:-1], dtype)] * (1 if dtype.is_complex else 2)
    results = [*values, (a.shape, wide), (a.shape, wide), (a.shape[:-2], torch.int32)]
    *parts, _, vectors, _ = lapack(b, "geev", [a], results, compute_left="N", compute_right=right)
    return (parts[0] if len(parts) == 1 else b.complex(*parts)), vectors


@rule("linalg_householder_product", limit=no_elements)
def householder_product(b: Any, a: Value, scales: Value) -> Value:
    """The first columns of the product of the reflections that geqrf has left in a matrix."""
    name = "ungqr" if dtype_of(a).is_complex else "orgqr"
    found = lapack(b, name, [a, scales], [(a.shape, dtype_of(a))])
    return found[0] if isinstance(found, (list, tuple)) else found


POWERS, BLOCKS = 4, 5
"""The exponential of a matrix is a polynomial of degree 19, in blocks of four powers: of matrices of norm 1 it lacks
4e-19 of their size."""


@rule("linalg_matrix_exp", limit=no_elements)
def matrix_exp(b: Any, a: Value) -> Value:
    """Of a matrix of a norm over 1: exp(A / 2^n) squared n times."""
    x = b.wide(a)
    count = _halvings(b, x)
    real = REAL_PART.get(dtype_of(x), dtype_of(x))
    factor = b.power(b.full(count.shape, 2, real), b.cast(b.negate(count), real))
    result = _polynomial(b, b.multiply(x, b.over(b.cast(factor, dtype_of(x)), x.shape, range(count.rank))))
    most = b.folded(count, 0, b.maximum, range(count.rank))

    def squared(number: Value, y: Value) -> tuple[Value, Value]:
        is_due = b.over(b.lt(b.expand_to(number, count.shape), count), y.shape, range(count.rank))
        return b.add(number, 1), b.select(is_due, b.matmul(y, y), y)

    _, result = b.while_(lambda number, _: b.lt(number, most), squared, b.number(0, torch.int64), result)
    return b.cast(result, dtype_of(a))


def _halvings(b: Any, x: Value) -> Value:
    """How often each matrix is halved until no column's sum is above 1; not at all where it is no number."""
    sums = b.total(b.abs(x), [x.rank - 2])
    norm = b.folded(sums, 0, b.maximum, [sums.rank - 1])
    exponent = b.divide(b.log(b.maximum(norm, 1)), math.log(2))
    is_finite = b.is_finite(norm)
    return b.cast(b.ceil(b.select(is_finite, exponent, b.full(norm.shape, 0, dtype_of(norm)))), torch.int64)


def _polynomial(b: Any, x: Value) -> Value:
    """The sum of x^n / n!, by Paterson and Stockmeyer's blocks."""
    powers = [identity(b, x), x]
    while len(powers) <= POWERS:
        powers.append(b.matmul(powers[-1], x))

    def block(number: int) -> Value:
        terms = [b.multiply(p, 1 / math.factorial(number * POWERS + n)) for n, p in enumerate(powers[:POWERS])]
        total = terms[0]
        for term in terms[1:]:
            total = b.add(total, term)
        return total

    result = block(BLOCKS - 1)
    for number in reversed(range(BLOCKS - 1)):
        result = b.add(b.matmul(result, powers[POWERS]), block(number))
    return result
