"""cholesky and triangular_solve, as "loops" kernels over the matrices of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith, complex, math

from hlo.dialect.stablehlo import CholeskyOp, TriangularSolveOp
from hlo.dialect.types import is_complex, is_float
from hlo.errors import CompileError
from hlo.lowering.linalg.loops import (
    Index,
    add,
    block_nest,
    element,
    extract,
    for_loop,
    insert,
    shape,
    shared_loop,
    sub,
    zero,
)
from hlo.lowering.linalg.rules import Lowering, located, lowers
from hlo.lowering.linalg.structured import fill

SMALL = 32
"""Matrices up to this order are dealt with by a thread each, where there are many; larger ones by a block of threads."""

MANY = 1 << 14
"""Right sides that a thread each is enough for."""


@dataclass(frozen=True)
class Field:
    """Arithmetic of one floating-point or complex type. f16 and bf16 are computed with in f32."""

    stored: ir.Type

    @property
    def computed(self) -> ir.Type:
        return ir.F32Type.get() if is_float(self.stored) and ir.FloatType(self.stored).width < 32 else self.stored

    def load(self, source: ir.Value, position: list[Index]) -> ir.Value:
        value = extract(source, position)
        return value if self.computed == self.stored else arith.extf(self.computed, value)

    def store(self, value: ir.Value, into: ir.Value, position: list[Index]) -> ir.Value:
        return insert(value if self.computed == self.stored else arith.truncf(self.stored, value), into, position)

    def sub(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return complex.sub(a, b) if is_complex(self.stored) else arith.subf(a, b)

    def mul(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return complex.mul(a, b) if is_complex(self.stored) else arith.mulf(a, b)

    def div(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return complex.div(a, b) if is_complex(self.stored) else arith.divf(a, b)

    def conj(self, a: ir.Value) -> ir.Value:
        return complex.conj(a) if is_complex(self.stored) else a

    def sqrt_of_real(self, a: ir.Value) -> ir.Value:
        """The root of the real part: NaN when it is negative."""
        if not is_complex(self.stored):
            return math.sqrt(a)
        root = math.sqrt(complex.re(a))
        return complex.create_(self.stored, root, zero(root.type))


@lowers(CholeskyOp)
def lower_cholesky(op: CholeskyOp, lowering: Lowering) -> list[ir.Value]:
    """Column by column (Cholesky-Crout): each element is one dot product of two finished rows. The upper factor is
    the adjoint of the lower one of the same matrix. The other triangle is zero."""
    operand = lowering[op.a]
    extents, field, lower = shape(operand), _field(op, operand), bool(op.lower)
    order = extents[-1]
    through, independent = lowering.outer_loops(extents[:-2])
    by_blocks = lowering.many_threads and order > SMALL
    through, loop = (block_nest, shared_loop) if by_blocks else (through, for_loop)

    def build(factor: ir.Value, matrix: ir.Value) -> list[ir.Value]:
        def factor_one(batch: list[Index], factor: ir.Value) -> list[ir.Value]:
            triangle = Triangle(field, batch, lower)

            def column(j: Index, factor: ir.Value) -> list[ir.Value]:
                def below(i: Index, factor: ir.Value) -> list[ir.Value]:
                    rest = triangle.rest(matrix, factor, i, j)
                    value = field.div(rest, triangle.load(factor, j, j))
                    return [triangle.store(value, factor, i, j)]

                def diagonal(j: Index, factor: ir.Value) -> list[ir.Value]:
                    pivot = field.sqrt_of_real(triangle.rest(matrix, factor, j, j))
                    return [triangle.store(pivot, factor, j, j)]

                one_turn = order  # a step that is beyond the end
                factors = shared_loop(j, order, diagonal, [factor], one_turn) if by_blocks else diagonal(j, factor)
                return loop(add(j, 1), order, below, factors)

            return for_loop(0, order, column, [factor])

        return through(extents[:-2], factor_one, [factor])

    start = fill(zero(field.stored), operand.type)
    return lowering.outline("cholesky", [start, operand], [operand.type], build, tied={0: 0}, independent=independent)


@dataclass(frozen=True)
class Triangle:
    """One matrix of a batch, addressed as the lower triangle: the upper one is read and written as its adjoint."""

    field: Field
    batch: list[Index]
    lower: bool

    def load(self, source: ir.Value, i: Index, j: Index) -> ir.Value:
        if self.lower:
            return self.field.load(source, [*self.batch, i, j])
        return self.field.conj(self.field.load(source, [*self.batch, j, i]))

    def store(self, value: ir.Value, into: ir.Value, i: Index, j: Index) -> ir.Value:
        if self.lower:
            return self.field.store(value, into, [*self.batch, i, j])
        return self.field.store(self.field.conj(value), into, [*self.batch, j, i])

    def rest(self, matrix: ir.Value, factor: ir.Value, i: Index, j: Index) -> ir.Value:
        """matrix[i, j] less what the finished columns contribute: sum over k < j of L[i, k] * conj(L[j, k])."""

        def step(k: Index, value: ir.Value) -> list[ir.Value]:
            product = self.field.mul(self.load(factor, i, k), self.field.conj(self.load(factor, j, k)))
            return [self.field.sub(value, product)]

        return for_loop(0, j, step, [self.load(matrix, i, j)])[0]


@lowers(TriangularSolveOp)
def lower_triangular_solve(op: TriangularSolveOp, lowering: Lowering) -> list[ir.Value]:
    """Substitution in place of b. Every case is `L x = b` for some L that is a view of a: x * op(a) = b is
    op(a)^T * x^T = b^T, and a view of an upper triangle is solved from the last row up."""
    a, b = lowering[op.a], lowering[op.b]
    field, extents = _field(op, a), shape(b)
    solve = _Substitution.of(op, field)
    order = shape(a)[-1]
    others = extents[-1] if op.left_side else extents[-2]
    by_blocks = lowering.many_threads and order > SMALL and prod([*extents[:-2], others]) < MANY
    by_blocks = by_blocks and field.computed == field.stored
    through, independent = lowering.outer_loops([*extents[:-2], others])

    def build(result: ir.Value, a: ir.Value) -> list[ir.Value]:
        def solve_one(position: list[Index], result: ir.Value) -> list[ir.Value]:
            line = _Line(solve, a, position, bool(op.left_side), bool(op.unit_diagonal), order)
            return for_loop(0, order, line.column if by_blocks else line.row, [result])

        nest = block_nest if by_blocks else through
        return nest([*extents[:-2], others], solve_one, [result])

    return lowering.outline("triangular_solve", [b, a], [b.type], build, tied={0: 0}, independent=independent)


@dataclass(frozen=True)
class _Substitution:
    """How the coefficient of unknown j in equation i is read from a, and which way the rows are solved."""

    field: Field
    transposed: bool
    conjugated: bool
    downward: bool

    @staticmethod
    def of(op: TriangularSolveOp, field: Field) -> _Substitution:
        transposed = (op.transpose_a != "NO_TRANSPOSE") == bool(op.left_side)
        return _Substitution(field, transposed, op.transpose_a == "ADJOINT", bool(op.lower) != transposed)

    def row(self, step: Index, order: int) -> Index:
        return step if self.downward else sub(order - 1, step)

    def coefficient(self, a: ir.Value, batch: list[Index], i: Index, j: Index) -> ir.Value:
        value = self.field.load(a, [*batch, j, i] if self.transposed else [*batch, i, j])
        return self.field.conj(value) if self.conjugated else value


@dataclass(frozen=True)
class _Line:
    """One right-hand side, at `position` (batch, then its number): `row` and `column` are steps of its substitution."""

    solve: _Substitution
    a: ir.Value
    position: list[Index]
    is_column: bool
    unit_diagonal: bool
    order: int

    def _at(self, i: Index) -> list[Index]:
        *batch, number = self.position
        return [*batch, i, number] if self.is_column else [*batch, number, i]

    def _coefficient(self, i: Index, j: Index) -> ir.Value:
        return self.solve.coefficient(self.a, self.position[:-1], i, j)

    def row(self, step: Index, result: ir.Value) -> list[ir.Value]:
        """The unknown of one equation, from those before it."""
        field, i = self.solve.field, self.solve.row(step, self.order)

        def eliminate(earlier: Index, value: ir.Value) -> list[ir.Value]:
            j = self.solve.row(earlier, self.order)
            return [field.sub(value, field.mul(self._coefficient(i, j), field.load(result, self._at(j))))]

        value = for_loop(0, step, eliminate, [field.load(result, self._at(i))])[0]
        if not self.unit_diagonal:
            value = field.div(value, self._coefficient(i, i))
        return [field.store(value, result, self._at(i))]

    def column(self, step: Index, result: ir.Value) -> list[ir.Value]:
        """One unknown, taken out of all equations after it, which threads share."""
        field, i = self.solve.field, self.solve.row(step, self.order)

        def finish(step: Index, result: ir.Value) -> list[ir.Value]:
            value = field.div(field.load(result, self._at(i)), self._coefficient(i, i))
            return [field.store(value, result, self._at(i))]

        def eliminate(later: Index, result: ir.Value) -> list[ir.Value]:
            k = self.solve.row(later, self.order)
            product = field.mul(self._coefficient(k, i), field.load(result, self._at(i)))
            return [field.store(field.sub(field.load(result, self._at(k)), product), result, self._at(k))]

        one_turn = self.order  # a step that is beyond the end
        results = [result] if self.unit_diagonal else shared_loop(step, self.order, finish, [result], one_turn)
        return shared_loop(add(step, 1), self.order, eliminate, results)


def _field(op: ir.OpView, operand: ir.Value) -> Field:
    stored = element(operand)
    if not (is_float(stored) or is_complex(stored)):
        raise CompileError(located(op, f"{op.operation.name} needs floating-point or complex elements, found {stored}"))
    return Field(stored)
