"""Factorisations of matrices and systems of equations: StableHLO's triangular systems, and calls of LAPACK under the
names that JAX has for them (`lapack_sgetrf_ffi`), which hlo knows. Leading dimensions are batches."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from mlir import ir

from hlo.builder.type_syntax import type_of
from hlo.builder.value import Value
from hlo.torch.element_types import ELEMENTS, REAL_PART, dtype_of
from hlo.torch.graph_builder import sizes_of
from hlo.torch.registry import rule

LETTERS = {torch.float32: "s", torch.float64: "d", torch.complex64: "c", torch.complex128: "z"}


def no_elements(*arguments: Any, **_: Any) -> str | None:
    """The limit of rules that call LAPACK."""
    is_empty = any(isinstance(a, torch.Tensor) and a.numel() == 0 for a in arguments)
    return "of no elements" if is_empty else None


def _limit(*arguments: Any, **named: Any) -> str | None:
    if reason := no_elements(*arguments):
        return reason
    if not named.get("pivot", True):
        return "without exchanging rows"
    return "checks for errors" if named.get("check_errors") else None


def lapack(b: Any, name: str, operands: Sequence[Value], results: Sequence[tuple[Any, Any]], **letters: str) -> Any:
    """The results of a routine, of these sizes and types. `letters`: its options."""
    target = f"lapack_{LETTERS[dtype_of(operands[0])]}{name}_ffi"
    with b.context:
        code = ir.IntegerType.get_unsigned(8)
        config = ir.DictAttr.get({key: ir.IntegerAttr.get(code, ord(v)) for key, v in letters.items()})
        types = [type_of((list(sizes), ELEMENTS[dtype])) for sizes, dtype in results]
    return b.custom_call(target, *operands, result_types=types, backend_config=config, api_version=4)


def _transposed(b: Any, x: Value) -> Value:
    return b.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def adjoint_of(b: Any, x: Value) -> Value:
    transposed = _transposed(b, x)
    return b.complex(b.real(transposed), b.negate(b.imag(transposed))) if dtype_of(x).is_complex else transposed


def _triangle(b: Any, x: Value, upper: bool, diagonal: int = 0) -> Value:
    """The elements on and below (or above) a diagonal, zeros for the others."""
    row, column = (b.positions(x.shape, x.rank - d) for d in (2, 1))
    diagonal_number = b.subtract(column, row)
    kept = b.ge(diagonal_number, diagonal) if upper else b.le(diagonal_number, diagonal)
    return b.select(kept, x, b.full(x.shape, 0, dtype_of(x)))


def identity(b: Any, x: Value) -> Value:
    row, column = (b.positions(x.shape, x.rank - d) for d in (2, 1))
    return b.cast(b.eq(row, column), dtype_of(x))


def _diagonal(b: Any, x: Value) -> Value:
    """The diagonals of square matrices."""
    *batch, order, _ = sizes_of(x)
    flat = b.reshape(x, [*batch, order * order])
    return b.slice_in_dim(flat, 0, order * order, order + 1, len(batch))


def _batches(b: Any, x: Value, y: Value) -> tuple[Value, Value]:
    """Both broadcast to common batches."""
    batch = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return b.expand_to(x, [*batch, *x.shape[-2:]]), b.expand_to(y, [*batch, *y.shape[-2:]])


def _solved(b: Any, a: Value, x: Value, *, upper: bool, unit: bool = False, left: bool = True) -> Value:
    return b.op(
        "triangular_solve", a, x, left_side=left, lower=not upper, unit_diagonal=unit, transpose_a="NO_TRANSPOSE"
    )


@rule("linalg_cholesky_ex", limit=_limit)
def cholesky_ex(b: Any, a: Value, *, upper: bool = False, check_errors: bool = False) -> tuple[Value, Value]:
    """One triangle is read; the numbers are 0, or that of the first row whose pivot is not positive."""
    results = [(a.shape, dtype_of(a)), (a.shape[:-2], torch.int32)]
    factor, failure = lapack(b, "potrf", [a], results, uplo="U" if upper else "L")
    return _triangle(b, factor, upper), failure


@rule("linalg_solve_triangular", limit=_limit)
def solve_triangular(
    b: Any, a: Value, x: Value, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Value:
    return _solved(b, *_batches(b, a, x), upper=upper, unit=unitriangular, left=left)


def _factored(b: Any, a: Value) -> tuple[Value, Value, Value]:
    """L below the diagonal (its own is one) and U; the row, from 1, that each row was exchanged with, one after the
    other; the number of the first pivot that is zero."""
    rows, columns = sizes_of(a)[-2:]
    sizes: Any = [*a.shape[:-2], min(rows, columns)]
    results = [(a.shape, dtype_of(a)), (sizes, torch.int32), (a.shape[:-2], torch.int32)]
    return lapack(b, "getrf", [a], results)  # type: ignore[no-any-return]


@rule("linalg_lu_factor_ex", limit=_limit)
def lu_factor_ex(b: Any, a: Value, *, pivot: bool = True, check_errors: bool = False) -> tuple[Value, Value, Value]:
    return _factored(b, a)


@rule("linalg_lu_solve", limit=_limit)
def lu_solve(b: Any, lu: Value, pivots: Value, x: Value, *, left: bool = True, adjoint: bool = False) -> Value:
    """AX = B for P L U = A; XA = B (not `left`) is that of the adjoint matrices."""
    if not left:
        return adjoint_of(b, lu_solve(b, lu, pivots, adjoint_of(b, x), adjoint=not adjoint))
    batch = torch.broadcast_shapes(lu.shape[:-2], x.shape[:-2])
    lu, x = _batches(b, lu, x)
    order = _order(b, b.expand_to(pivots, [*batch, *pivots.shape[-1:]]), lu.shape[-1])
    if not adjoint:
        return _solved(b, lu, _solved(b, lu, _rows(b, x, order), upper=False, unit=True), upper=True)
    transposed = adjoint_of(b, lu)
    found = _solved(b, transposed, _solved(b, transposed, x, upper=False), upper=True, unit=True)
    return _rows(b, found, _inverse(b, order))


def _rows(b: Any, x: Value, order: Value) -> Value:
    """The rows of matrices in an order."""
    from hlo.torch.rules.indexing import gather

    return gather(b, x, x.rank - 2, b.over(order, x.shape, range(x.rank - 1)))


def _order(b: Any, pivots: Value, rows: Any) -> Value:
    """The rows in the order that exchanging them one after the other gives."""
    batch = list(pivots.shape[:-1])
    sizes, along = [*batch, rows], len(batch)
    position = b.positions(sizes, along)

    def each(v: Value) -> Value:
        return b.over(v, sizes, range(along))

    def exchange(pivot: Value, number: Value, order: Value) -> tuple[Value, ...]:
        here, there = (b.eq(position, each(v)) for v in (number, b.subtract(pivot, 1)))
        first, second = (
            each(b.total(b.select(v, order, b.full(sizes, 0, torch.int64)), [along])) for v in (here, there)
        )
        return number, b.select(here, second, b.select(there, first, order))

    numbers = b.positions(pivots.shape, along)
    return b.scan([b.cast(pivots, torch.int64), numbers], [position], exchange, along)[1]  # type: ignore[no-any-return]


def _inverse(b: Any, order: Value) -> Value:
    """The order that undoes another one."""
    along = order.rank - 1
    return b.sort([order, b.positions(order.shape, along)], lambda *four: b.lt(four[0], four[1]), along, True)[1]  # type: ignore[no-any-return]


@rule("lu_unpack", limit=_limit)
def lu_unpack(
    b: Any, lu: Value, pivots: Value, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Value, Value, Value]:
    """P, L and U; empty where they are not wanted."""
    *batch, rows, columns = sizes_of(lu)
    least, nothing = min(rows, columns), b.full([0], 0, dtype_of(lu))
    p, lower, upper = nothing, nothing, nothing
    if unpack_pivots:
        order = _order(b, pivots, rows)
        is_one = b.eq(
            b.positions([*batch, rows, rows], len(batch)),
            b.over(order, [*batch, rows, rows], [*range(len(batch)), len(batch) + 1]),
        )
        p = b.cast(is_one, dtype_of(lu))
    if unpack_data:
        left = b.slice_in_dim(lu, 0, least, 1, len(batch) + 1)
        lower = b.add(_triangle(b, left, False, -1), identity(b, left))
        upper = _triangle(b, b.slice_in_dim(lu, 0, least, 1, len(batch)), True)
    return p, lower, upper


@rule("linalg_lu", limit=_limit)
def lu(b: Any, a: Value, *, pivot: bool = True) -> tuple[Value, Value, Value]:
    factors, pivots, _ = _factored(b, a)
    return lu_unpack(b, factors, pivots)


def _factored_as_eager(b: Any, a: Value) -> tuple[tuple[Value, Value, Value], bool]:
    """The factors that PyTorch's op of this node has, which gradients read: those of the matrix, or of the transposed
    one; which of the two."""
    matrix, name = b.node.args[0].meta["val"], str(b.node.target).split(".")[1]
    is_transposed = bool(matrix.is_contiguous() and not matrix.is_complex() and _factors_transposed(name))
    return _factored(b, _transposed(b, a) if is_transposed else a), is_transposed


@functools.cache
def _factors_transposed(name: str) -> bool:
    """Whether this PyTorch's op factors the transposed one of a contiguous matrix."""
    matrix = torch.tensor([[1.0, 0.5], [0.0, 1.0]])
    rest = (matrix,) if name == "_linalg_solve_ex" else ()
    results = getattr(torch.ops.aten, name).default(matrix, *rest)
    return not torch.equal(next(r for n, r in zip(_FACTORS[name], results) if n == "LU"), matrix)


_FACTORS = {
    "_linalg_det": ("determinant", "LU"),
    "_linalg_slogdet": ("sign", "logarithm", "LU"),
    "_linalg_solve_ex": ("solution", "LU"),
}
"""The names of results."""


@rule("_linalg_det", limit=_limit)
def det(b: Any, a: Value) -> tuple[Value, Value, Value]:
    (lu, pivots, _), _ = _factored_as_eager(b, a)
    diagonal = _diagonal(b, lu)
    product = b.folded(diagonal, 1, b.multiply, [diagonal.rank - 1])
    return b.multiply(product, _sign(b, pivots, dtype_of(a))), lu, pivots


def _sign(b: Any, pivots: Value, dtype: torch.dtype) -> Value:
    """-1 where an odd number of rows has been exchanged."""
    position = b.positions(pivots.shape, pivots.rank - 1, torch.int32)
    moved = b.total(b.cast(b.ne(b.subtract(pivots, 1), position), torch.int32), [pivots.rank - 1])
    return b.cast(b.subtract(1, b.multiply(b.remainder(moved, b.full(moved.shape, 2, torch.int32)), 2)), dtype)


@rule("_linalg_slogdet", limit=_limit)
def slogdet(b: Any, a: Value) -> tuple[Value, Value, Value, Value]:
    """The sign and the logarithm of the size of the determinant."""
    (lu, pivots, _), _ = _factored_as_eager(b, a)
    diagonal = _diagonal(b, lu)
    signs = b.folded(b.sign(diagonal), 1, b.multiply, [diagonal.rank - 1])
    size = b.total(b.log(b.abs(diagonal)), [diagonal.rank - 1])
    return b.multiply(signs, _sign(b, pivots, dtype_of(a))), size, lu, pivots


@rule("linalg_inv_ex", limit=_limit)
def inv_ex(b: Any, a: Value, *, check_errors: bool = False) -> tuple[Value, Value]:
    lu, pivots, failure = _factored(b, a)
    return lu_solve(b, lu, pivots, identity(b, a)), failure


@rule("_linalg_solve_ex", limit=_limit)
def solve_ex(
    b: Any, a: Value, x: Value, *, left: bool = True, check_errors: bool = False
) -> tuple[Value, Value, Value, Value]:
    """AX = B, or XA = B; B may be vectors, where it has one dimension less and A's batches (or has no batches at all)."""
    (lu, pivots, failure), is_transposed = _factored_as_eager(b, a)
    is_vector = x.rank == 1 or (a.rank - 1 == x.rank and x.shape == a.shape[:-1])
    columns = b.reshape(x, [*x.shape, 1]) if is_vector else x
    found = lu_solve(b, lu, pivots, columns, left=left or is_vector, adjoint=is_transposed)
    return b.reshape(found, list(found.shape[:-1])) if is_vector else found, lu, pivots, failure


@rule("linalg_qr", limit=_limit)
def qr(b: Any, a: Value, mode: str = "reduced") -> tuple[Value, Value]:
    """`mode`: reduced, complete, r (without Q)."""
    *batch, rows, columns = sizes_of(a)
    least, dtype = min(rows, columns), dtype_of(a)
    packed, scales = lapack(b, "geqrf", [a], [(a.shape, dtype), ([*batch, least], dtype)])
    count = rows if mode == "complete" else least
    r = _triangle(b, b.slice_in_dim(packed, 0, min(count, rows), 1, len(batch)), True)
    if mode == "r":
        return b.full([0], 0, dtype), r
    width = b.slice_in_dim(packed, 0, min(count, columns), 1, len(batch) + 1)
    nothing = [0] * (len(batch) + 2)
    wide = b.pad(width, b.number(0, dtype), nothing, [*nothing[:-1], count - width.shape[-1]], nothing)
    (q,) = _listed(lapack(b, "orgqr" if not dtype.is_complex else "ungqr", [wide, scales], [(wide.shape, dtype)]))
    return q, r


def _listed(values: Any) -> Sequence[Value]:
    return values if isinstance(values, (list, tuple)) else [values]


@rule("_linalg_eigh", limit=_limit)
def eigh_if_used(b: Any, a: Value, UPLO: str = "L", compute_v: bool = True) -> tuple[Value, Value | None]:
    """Eigenvectors only if anything reads them: graphs of `eigvalsh` ask for them, too."""
    if compute_v and not b.is_result_used(1):
        return eigh(b, a, UPLO, False)[0], None
    return eigh(b, a, UPLO, compute_v)


def eigh(b: Any, a: Value, UPLO: str = "L", compute_v: bool = True) -> tuple[Value, Value]:
    """Eigenvalues in increasing order, and eigenvectors as columns, of what one triangle says."""
    dtype = dtype_of(a)
    results = [(a.shape, dtype), (a.shape[:-1], REAL_PART.get(dtype, dtype)), (a.shape[:-2], torch.int32)]
    name = "heevd" if dtype.is_complex else "syevd"
    vectors, values, _ = lapack(b, name, [a], results, mode="V" if compute_v else "N", uplo=UPLO.upper())
    return values, vectors if compute_v else b.full([0], 0, dtype)
