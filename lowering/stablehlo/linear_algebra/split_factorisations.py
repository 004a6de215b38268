"""The pass `split-factorisations`: one large matrix is factorised by halves, so that most of the work is matmuls.

Before:  %l = cholesky %a : 512x512
After:   %l11 = cholesky %a11    %l21 = triangular_solve %l11, %a21 (from the right, transposed)
         %l22 = cholesky (%a22 - %l21 * transpose %l21)    %l = (%l11, 0; %l21, %l22)

Triangular systems likewise: one half of the unknowns, the other half's equations without them, the other half. With few threads the matmuls
are what is fast; with many, where a block of them has a matrix, the steps of one are as many as its order, and few of all threads take part.

The recursion is LAPACK's (dpotrf2); errors are of the size of those of the steps one by one."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlir import ir

from hlo.dialect.stablehlo import CholeskyOp, TriangularSolveOp
from hlo.dialect.types import bit_width, element_type, is_float, shape, tensor
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, dot, joined, sliced
from hlo.lowering.stablehlo.rewriting import each_op, replace

FEW = 32
"""Matrices up to which splitting is profitable; more of them keep a card busy with a block each."""

MOST_PARTS = 8
"""Along the diagonal, so that the program's size stays bounded: beyond, parts are larger."""

UNIT = 16
"""Orders of parts are multiples of it: copies of 16 bytes and whole vectors."""

RIGHT_SIDES = 32
"""From which the matmuls are profitable."""


@register_pass
@dataclass(frozen=True)
class SplitFactorisations(Pass):
    """Replaces cholesky and triangular_solve of few matrices of f32 or f64, of this order or a larger one. Parts up to `leaf` stay whole, those of
    the program's own systems, whose code runs across right sides, up to `system` (0: `leaf`): multiples of 16 bytes."""

    order: int = 256
    leaf: int = 128
    system: int = 0

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if isinstance(op, CholeskyOp | TriangularSolveOp) and _is_large(op.a, self.order):
                order, least = shape(op.a.type)[-1], (isinstance(op, TriangularSolveOp) and self.system) or self.leaf
                leaf = max(least, -(-order // (MOST_PARTS * UNIT)) * UNIT) if order > MOST_PARTS * least else least
                with ir.InsertionPoint(op), op.location:
                    is_cholesky = isinstance(op, CholeskyOp)
                    x = _cholesky(Tensor(op.a), bool(op.lower), leaf) if is_cholesky else _solution_of(op, leaf)
                if x is not None:
                    replace(op, [x.value])


def _is_large(a: ir.Value, order: int) -> bool:
    *batch, found, _ = shape(a.type)
    is_wide = is_float(element_type(a.type)) and bit_width(element_type(a.type)) >= 32
    return is_wide and found >= order and prod(batch) <= FEW


def _solution_of(op: TriangularSolveOp, leaf: int) -> Tensor | None:
    b = shape(op.b.type)
    if b[-1 if op.left_side else -2] < RIGHT_SIDES:
        return None
    forms = bool(op.left_side), bool(op.lower), bool(op.unit_diagonal), op.transpose_a != "NO_TRANSPOSE"
    return _System(*forms, leaf).solve(Tensor(op.a), Tensor(op.b))


def _cholesky(a: Tensor, lower: bool, leaf: int) -> Tensor:
    """The other triangle is zero."""
    order = a.shape[-1]
    if order <= leaf:
        return Tensor(CholeskyOp.create(a.value, results=[a.type], lower=lower).result)
    middle = _middle(order, leaf)
    first = _cholesky(_part(a, (0, middle), (0, middle)), lower, leaf)
    rest = _part(a, (middle, order), (middle, order))
    if lower:  # X * transpose(L11) = A21
        side = _System(False, True, False, True, leaf).solve(first, _part(a, (middle, order), (0, middle)))
        second = _cholesky(rest - _matmul(side, side, False, True), lower, leaf)
        rows = [[first, _zeros(first, middle, order - middle)], [side, second]]
    else:  # transpose(U11) * X = A12
        side = _System(True, False, False, True, leaf).solve(first, _part(a, (0, middle), (middle, order)))
        second = _cholesky(rest - _matmul(side, side, True, False), lower, leaf)
        rows = [[first, side], [_zeros(first, order - middle, middle), second]]
    return joined([joined(row, -1) for row in rows], -2)


@dataclass(frozen=True)
class _System:
    """op(A) * X = B, or X * op(A) = B, where op may transpose."""

    left_side: bool
    lower: bool
    unit_diagonal: bool
    is_transposed: bool
    leaf: int

    def solve(self, a: Tensor, b: Tensor) -> Tensor:
        order = a.shape[-1]
        if order <= self.leaf:
            return self._whole(a, b)
        middle = _middle(order, self.leaf)
        first, last = (0, middle), (middle, order)
        if self._ends_first:
            first, last = last, first
        corner = self._corner(a, min(first, last), max(first, last))
        x = self.solve(_part(a, first, first), self._equations(b, first))
        if self.left_side:
            known = _matmul(corner, x, self.is_transposed, False)
        else:
            known = _matmul(x, corner, False, self.is_transposed)
        y = self.solve(_part(a, last, last), self._equations(b, last) - known)
        return joined([x, y] if first < last else [y, x], self._axis)

    @property
    def _ends_first(self) -> bool:
        """Whether the last unknown is the one that an equation gives alone."""
        return (self.lower != self.is_transposed) != self.left_side

    @property
    def _axis(self) -> int:
        """Of the unknowns."""
        return -2 if self.left_side else -1

    def _corner(self, a: Tensor, low: tuple[int, int], high: tuple[int, int]) -> Tensor:
        """The part of A that is neither zero nor on the diagonal, as it is stored."""
        return _part(a, high, low) if self.lower else _part(a, low, high)

    def _equations(self, b: Tensor, those: tuple[int, int]) -> Tensor:
        rows, columns = ((0, size) for size in b.shape[-2:])
        return _part(b, those, columns) if self.left_side else _part(b, rows, those)

    def _whole(self, a: Tensor, b: Tensor) -> Tensor:
        solution = TriangularSolveOp.create(
            a.value,
            b.value,
            results=[b.type],
            left_side=self.left_side,
            lower=self.lower,
            unit_diagonal=self.unit_diagonal,
            transpose_a="TRANSPOSE" if self.is_transposed else "NO_TRANSPOSE",
        )
        return Tensor(solution.result)


def _middle(order: int, leaf: int) -> int:
    """About half: a multiple of `leaf`."""
    return max(1, order // (2 * leaf)) * leaf


def _part(x: Tensor, rows: tuple[int, int], columns: tuple[int, int]) -> Tensor:
    batch = x.shape[:-2]
    return sliced(x, [0] * len(batch) + [rows[0], columns[0]], [*batch, rows[1], columns[1]])


def _matmul(left: Tensor, right: Tensor, transpose_left: bool, transpose_right: bool) -> Tensor:
    """Of matrices, or of transposed ones."""
    rows, columns = len(left.shape) - 2, len(left.shape) - 1
    contracting = [rows if transpose_left else columns], [columns if transpose_right else rows]
    return dot(left, right, contracting, (range(rows), range(rows)))


def _zeros(like: Tensor, rows: int, columns: int) -> Tensor:
    return constant(tensor([*like.shape[:-2], rows, columns], like.element), 0.0)
