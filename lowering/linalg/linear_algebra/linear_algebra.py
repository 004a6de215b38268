"""Cholesky factorisations and triangular systems, as "loops" kernels over the matrices of a batch: `cholesky` and `triangular_solve`, and LAPACK's
potrf and trsm (small_factorisations.py).

Many matrices are interleaved (interleaving.py), so that vectors run across them. Where the work is divided among thousands of threads, a thread has a
small matrix or a right side; a block of threads has a larger one, whose columns come one after the other while the elements of one are
independent. f16 and bf16 are computed with in f32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from mlir import ir
from mlir.dialects import arith, math

from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CholeskyOp, TriangularSolveOp
from hlo.dialect.types import is_complex, is_float
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.linear_algebra.interleaving import Batch, lanes_of, moved
from hlo.lowering.linalg.linear_algebra.small_calls import At, solve_each
from hlo.lowering.linalg.loops import (
    Index,
    add,
    block_nest,
    element,
    for_loop,
    index,
    scalar,
    shape,
    shared_loop,
    sub,
    zero,
)
from hlo.lowering.linalg.parts import Array, Number, conj, divided, minus_product, product
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.structured import elementwise

SMALL = 32
"""Matrices up to this order are dealt with by a thread each, where there are many; larger ones by a block of threads."""

MANY = 1 << 14
"""Right sides that a thread each is enough for."""

EQUATIONS = 4
"""Of a system that are solved together."""


@dataclass(frozen=True)
class View:
    """A matrix, its transpose, its conjugate. `at`: where its elements are."""

    at: At
    transposed: bool = False
    conjugated: bool = False

    def _indices(self, i: Index, j: Index) -> list[Index]:
        return self.at(j, i) if self.transposed else self.at(i, j)

    def load(self, a: Array, i: Index, j: Index) -> Number:
        value = a.load(self._indices(i, j))
        return conj(value) if self.conjugated else value

    def store(self, a: Array, value: Number, i: Index, j: Index) -> Array:
        return a.store(conj(value) if self.conjugated else value, self._indices(i, j))


def _rest(start: Number, count: Index, factors: Callable[[Index], tuple[Number, Number]]) -> Number:
    """`start` without the products of the factors 0 to count. Each step waits for the one before: for a difference, less long than for one with
    a product."""
    less = lambda k, *value: [arith.subf(one, other) for one, other in zip(value, product(*factors(k)))]
    return tuple(for_loop(0, count, less, start))


def _loop_of(by_blocks: bool) -> Callable[..., list[ir.Value]]:
    """Over the elements of a column, divided among the threads of a block."""
    return shared_loop if by_blocks else for_loop


def _once(step: Index, order: int, iteration: Callable, state: Sequence[ir.Value], by_blocks: bool) -> list[ir.Value]:
    """One iteration, which one thread of a block runs: the step of a loop of all is beyond its end."""
    return shared_loop(step, order, iteration, state, order) if by_blocks else list(iteration(step, *state))


def with_code(info: Array, at: At, fails: ir.Value, step: Index) -> Array:
    """LAPACK's result code is the number of the first step that fails, counted from 1."""
    (code,) = info.load(at())
    is_first = arith.andi(fails, arith.cmpi(arith.CmpIPredicate.eq, code, scalar(code.type, 0)))
    number = arith.index_cast(code.type, index(add(step, 1)))
    return info.store((arith.select(is_first, number, code),), at())


def factorise(
    at: At, factor: Array, order: int, is_lower: bool, matrix: Array | None = None, info: Array | None = None, by_blocks: bool = False
) -> list[Array]:  # fmt: skip
    """Column by column (Cholesky-Crout): each element is one dot product of two finished rows. The upper factor is the adjoint of the lower
    one of the same matrix. `matrix`: None where the factor replaces it; `info`: LAPACK's result code, if it is wanted."""
    view, count = View(at, not is_lower, not is_lower), len(factor.tensors)

    def rest(factor: Array, i: Index, j: Index) -> Number:
        factors = lambda k: (view.load(factor, i, k), conj(view.load(factor, j, k)))
        return _rest(view.load(matrix or factor, i, j), j, factors)

    def diagonal(j: Index, *state: ir.Value) -> Sequence[ir.Value]:
        factor, codes = Array(state[:count]), state[count:]
        square, *others = rest(factor, j, j)
        if info is not None:  # not for NaN, as OpenBLAS
            fails = arith.cmpf(arith.CmpFPredicate.OLE, square, scalar(square.type, 0))
            codes = with_code(Array(codes), at, fails, j).tensors
        return [*view.store(factor, (math.sqrt(square), *(zero(part.type) for part in others)), j, j).tensors, *codes]

    def column(j: Index, *state: ir.Value) -> Sequence[ir.Value]:
        state = tuple(_once(j, order, diagonal, state, by_blocks))

        def below(i: Index, *tensors: ir.Value) -> Sequence[ir.Value]:
            factor = Array(tensors)
            pivot, *_ = view.load(factor, j, j)
            return view.store(factor, tuple(arith.divf(part, pivot) for part in rest(factor, i, j)), i, j).tensors

        return [*_loop_of(by_blocks)(add(j, 1), order, below, state[:count]), *state[count:]]

    codes = info.tensors if info is not None else ()
    state = for_loop(0, order, column, [*factor.tensors, *codes])
    return [Array(tuple(state[:count])), *([Array(tuple(state[count:]))] if info is not None else [])]


@lowers(CholeskyOp)
def lower_cholesky(op: CholeskyOp, lowering: Lowering) -> list[ir.Value]:
    """The other triangle is zero."""
    a = _computed(op, lowering[op.a])
    *extents, order, _ = shape(a)
    by_blocks = lowering.many_threads and order > SMALL
    batch = Batch.of(extents, element(a)) if lowering.machine.column_bytes else Batch(tuple(extents), 0)

    def solve(at: At, factor: Array, matrix: Array) -> list[Array]:
        return factorise(at, factor, order, bool(op.lower), matrix, by_blocks=by_blocks)

    matrix = batch.put(a)
    factor = batch.filled(matrix, [order, order])
    through = block_nest if by_blocks else None
    (result,) = solve_each(lowering, "cholesky", batch, [factor], solve, [matrix], through=through)
    return [_stored(result, op)]


# Triangular systems


@dataclass(frozen=True)
class Substitution:
    """Every case is `L x = b` for some L that is a view of a: x * op(a) = b is op(a)^T * x^T = b^T, and a view of an upper triangle is solved
    from the last row up. `side`, `uplo`, `trans`, `diag`: LAPACK's letters. `in_columns`: right sides are columns of b, else rows."""

    order: int
    side: str
    uplo: str
    trans: str
    diag: str
    in_columns: bool

    @property
    def is_left(self) -> bool:
        return self.side == "L"

    @property
    def _is_transposed(self) -> bool:
        return (self.trans != "N") == self.is_left

    def _row(self, step: Index) -> Index:
        is_downward = (self.uplo == "L") != self._is_transposed
        return step if is_downward else sub(self.order - 1, step)

    def solve(self, at: At, b: Array, a: Array, number: Index, by_blocks: bool = False) -> Array:
        """With the unknowns instead of the right side of this number."""
        view, right = View(at, self._is_transposed, self.trans == "C"), View(at, not self.in_columns)
        load = lambda b, i: right.load(b, i, number)
        store = lambda b, value, i: right.store(b, value, i, number)

        def unknowns(start: Index, count: int, b: Array) -> Array:
            """Of so many equations, from those before them: independent sums, which read each known number once."""
            rows, parts = [self._row(add(start, n)) for n in range(count)], len(b.tensors)

            def less(k: Index, *sums: ir.Value) -> list[ir.Value]:
                k = self._row(k)
                known, rest = load(b, k), [sums[n : n + parts] for n in range(0, len(sums), parts)]
                return [part for i, one in zip(rows, rest) for part in minus_product(one, view.load(a, i, k), known)]

            sums = for_loop(0, start, less, [part for i in rows for part in load(b, i)])
            for n, i in enumerate(rows):
                value = tuple(sums[n * parts : (n + 1) * parts])
                for k in rows[:n]:
                    value = minus_product(value, view.load(a, i, k), load(b, k))
                b = store(b, value if self.diag == "U" else divided(value, view.load(a, i, i)), i)
            return b

        def column(step: Index, b: Array) -> Array:
            """One unknown, taken out of all equations after it, which are divided among threads."""
            i = self._row(step)
            divide = lambda _, *b: store(Array(b), divided(load(Array(b), i), view.load(a, i, i)), i).tensors
            if self.diag == "N":
                b = Array(tuple(_once(step, self.order, divide, b.tensors, by_blocks)))

            def eliminate(later: Index, *tensors: ir.Value) -> Sequence[ir.Value]:
                b, k = Array(tensors), self._row(later)
                return store(b, minus_product(load(b, k), view.load(a, k, i), load(b, i)), k).tensors

            return Array(tuple(shared_loop(add(step, 1), self.order, eliminate, b.tensors)))

        if by_blocks:
            return b.loop(0, self.order, column)
        first = self.order % EQUATIONS
        return unknowns(0, first, b).loop(first, self.order, lambda start, b: unknowns(start, EQUATIONS, b), EQUATIONS)

    def solve_each(self, lowering: Lowering, a: ir.Value, b: ir.Value) -> list[ir.Value]:
        """Of a batch. Vectors run across right sides where these fill one, else across matrices, which have them one after the other."""
        extents, count = shape(b)[:-2], shape(b)[-1 if self.in_columns else -2]
        batch = Batch(tuple(extents), 0)
        if lowering.machine.column_bytes and count < lanes_of(element(a)):
            batch = Batch.of(extents, element(a))
        elif lowering.machine.column_bytes and not self.in_columns:
            return [_transposed(x) for x in replace(self, in_columns=True).solve_each(lowering, a, _transposed(b))]
        by_blocks = lowering.many_threads and self.order > SMALL and prod([*shape(b)[:-2], count]) < MANY

        def solve(at: At, *given: Any) -> list[Array]:
            *number, b, a = given
            if number:
                return [self.solve(at, b, a, number[0], by_blocks)]
            return [b.loop(0, count, lambda number, b: self.solve(at, b, a, number))]

        sides = [] if batch.lanes else [count]
        through = block_nest if by_blocks else None
        return solve_each(lowering, "triangular_solve", batch, [batch.put(b)], solve, [batch.put(a)], sides, through)


@lowers(TriangularSolveOp)
def lower_triangular_solve(op: TriangularSolveOp, lowering: Lowering) -> list[ir.Value]:
    """Substitution that overwrites b."""
    a, b = (_computed(op, lowering[v]) for v in (op.a, op.b))
    order = shape(a)[-1]
    side, uplo, diag = "L" if op.left_side else "R", "L" if op.lower else "U", "U" if op.unit_diagonal else "N"
    trans = {"NO_TRANSPOSE": "N", "TRANSPOSE": "T", "ADJOINT": "C"}[op.transpose_a]
    (result,) = Substitution(order, side, uplo, trans, diag, bool(op.left_side)).solve_each(lowering, a, b)
    return [_stored(result, op)]


def _transposed(value: ir.Value) -> ir.Value:
    """Matrices, transposed."""
    rank = len(shape(value))
    return moved(value, rank - 1, rank - 2)


def _computed(op: ir.OpView, operand: ir.Value) -> ir.Value:
    """In the type that is computed with."""
    stored = element(operand)
    if not (is_float(stored) or is_complex(stored)):
        raise CompileError(
            diagnostic(op, f"{op.operation.name} needs floating-point or complex elements, found {stored}")
        )
    if is_complex(stored) or ir.FloatType(stored).width >= 32:
        return operand
    wide = ir.F32Type.get()
    return elementwise([operand], ir.RankedTensorType.get(shape(operand), wide), lambda x: arith.extf(wide, x))


def _stored(value: ir.Value, op: ir.OpView) -> ir.Value:
    kind = op.results[0].type
    if value.type == kind:
        return value
    return elementwise([value], kind, lambda x: arith.truncf(element(kind), x))
