"""The pass `split-factorisations`: one large matrix is factorised by halves, so that most of the work is matmuls.

Before:  %l = cholesky %a : 512x512
After:   %l11 = cholesky %a11    %l21 = triangular_solve %l11, %a21 (from the right, transposed)
         %l22 = cholesky (%a22 - %l21 * transpose %l21)    %l = (%l11, 0; %l21, %l22)

Triangular systems likewise: one half of the unknowns, the other half's equations without them, the other half. With few threads the matmuls
are what is fast; with many, where a block of them has a matrix, the steps of one are as many as its order, and few of all threads take part.

Complex matrices of systems are two real ones, their parts, all the way: a product is four real matmuls, and nothing is copied between them.

The recursion is LAPACK's (dpotrf2); errors are of the size of those of the steps one by one."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlir import ir

from hlo.dialect.stablehlo import CholeskyOp, TriangularSolveOp
from hlo.dialect.types import bit_width, element_type, is_complex, is_float, shape, tensor
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, dot, imag, joined, make_complex, real, sliced
from hlo.lowering.stablehlo.rewriting import each_op, replace

FEW = 32
"""Matrices up to which splitting is profitable; more of them keep a card busy with a block each."""

MOST_PARTS = 8
"""Along the diagonal, so that the program's size stays bounded: beyond, parts are larger."""

UNIT = 16
"""Orders of parts are multiples of it: copies of 16 bytes and whole vectors."""

RIGHT_SIDES = 32
"""From which the matmuls are profitable."""

Matrix = tuple[Tensor, ...]
"""A real matrix, or the parts of a complex one."""


@register_pass
@dataclass(frozen=True)
class SplitFactorisations(Pass):
    """Replaces cholesky and triangular_solve of few matrices of f32 or f64, of this order or a larger one; with `parts`, systems of complex ones too. Parts up to `leaf` stay whole, those of
    the program's own systems, whose code runs across right sides, up to `system` (0: `leaf`): multiples of 16 bytes."""

    order: int = 256
    leaf: int = 128
    system: int = 0
    parts: bool = False

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if isinstance(op, CholeskyOp | TriangularSolveOp) and _is_large(op.a, self.order):
                is_system = isinstance(op, TriangularSolveOp)
                if is_complex(element_type(op.a.type)) and not (is_system and self.parts):
                    continue
                order, least = shape(op.a.type)[-1], (is_system and self.system) or self.leaf
                leaf = max(least, -(-order // (MOST_PARTS * UNIT)) * UNIT) if order > MOST_PARTS * least else least
                with ir.InsertionPoint(op), op.location:
                    x = _solution_of(op, leaf) if is_system else _cholesky(Tensor(op.a), bool(op.lower), leaf)
                if x is not None:
                    replace(op, [x.value])


def _is_large(a: ir.Value, order: int) -> bool:
    *batch, found, _ = shape(a.type)
    element = element_type(a.type)
    is_wide = is_complex(element) or (is_float(element) and bit_width(element) >= 32)
    return is_wide and found >= order and prod(batch) <= FEW


def _solution_of(op: TriangularSolveOp, leaf: int) -> Tensor | None:
    b = shape(op.b.type)
    if b[-1 if op.left_side else -2] < RIGHT_SIDES:
        return None
    system = _System(bool(op.left_side), bool(op.lower), bool(op.unit_diagonal), op.transpose_a, leaf)
    return _whole(system.solve(Tensor(op.a), _parts(Tensor(op.b))))


def _cholesky(a: Tensor, lower: bool, leaf: int) -> Tensor:
    """The other triangle is zero."""
    order = a.shape[-1]
    if order <= leaf:
        return Tensor(CholeskyOp.create(a.value, results=[a.type], lower=lower).result)
    middle = _middle(order, leaf)
    first = _cholesky(_part(a, (0, middle), (0, middle)), lower, leaf)
    rest = _part(a, (middle, order), (middle, order))
    if lower:  # X * transpose(L11) = A21
        (side,) = _System(False, True, False, "TRANSPOSE", leaf).solve(first, (_part(a, (middle, order), (0, middle)),))
        second = _cholesky(rest - _matmul(side, side, False, True), lower, leaf)
        rows = [[first, _zeros(first, middle, order - middle)], [side, second]]
    else:  # transpose(U11) * X = A12
        (side,) = _System(True, False, False, "TRANSPOSE", leaf).solve(first, (_part(a, (0, middle), (middle, order)),))
        second = _cholesky(rest - _matmul(side, side, True, False), lower, leaf)
        rows = [[first, side], [_zeros(first, order - middle, middle), second]]
    return joined([joined(row, -1) for row in rows], -2)


@dataclass(frozen=True)
class _System:
    """op(A) * X = B, or X * op(A) = B, where op may transpose."""

    left_side: bool
    lower: bool
    unit_diagonal: bool
    transpose_a: str
    leaf: int

    def solve(self, a: Tensor, b: Matrix) -> Matrix:
        order = a.shape[-1]
        if order <= self.leaf:
            return self._leaf(a, b)
        middle = _middle(order, self.leaf)
        first, last = (0, middle), (middle, order)
        if self._ends_first:
            first, last = last, first
        corner = self._corner(a, min(first, last), max(first, last))
        x = self.solve(_part(a, first, first), self._equations(b, first))
        y = self.solve(_part(a, last, last), self._without(self._equations(b, last), corner, x))
        rows = zip(x, y) if first < last else zip(y, x)
        return tuple(joined(list(parts), self._axis) for parts in rows)

    @property
    def _is_transposed(self) -> bool:
        return self.transpose_a != "NO_TRANSPOSE"

    @property
    def _ends_first(self) -> bool:
        """Whether the last unknown is the one that an equation gives alone."""
        return (self.lower != self._is_transposed) != self.left_side

    @property
    def _axis(self) -> int:
        """Of the unknowns."""
        return -2 if self.left_side else -1

    def _corner(self, a: Tensor, low: tuple[int, int], high: tuple[int, int]) -> Matrix:
        """The part of A that is neither zero nor on the diagonal, as it is stored."""
        return _parts(_part(a, high, low) if self.lower else _part(a, low, high))

    def _equations(self, b: Matrix, those: tuple[int, int]) -> Matrix:
        rows, columns = ((0, size) for size in b[0].shape[-2:])
        return tuple(_part(x, those, columns) if self.left_side else _part(x, rows, those) for x in b)

    def _without(self, b: Matrix, corner: Matrix, x: Matrix) -> Matrix:
        """The right sides b of equations whose other unknowns x are known."""
        if len(b) == 1:
            return (b[0] - self._product(corner[0], x[0]),)
        re, im = (part - self._product(corner[0], known) for part, known in zip(b, x))
        of_re, of_im = (self._product(corner[1], known) for known in x)
        if self.transpose_a == "ADJOINT":
            return re - of_im, im + of_re
        return re + of_im, im - of_re

    def _product(self, corner: Tensor, x: Tensor) -> Tensor:
        if self.left_side:
            return _matmul(corner, x, self._is_transposed, False)
        return _matmul(x, corner, False, self._is_transposed)

    def _leaf(self, a: Tensor, b: Matrix) -> Matrix:
        right = _whole(b)
        solution = TriangularSolveOp.create(
            a.value,
            right.value,
            results=[right.type],
            left_side=self.left_side,
            lower=self.lower,
            unit_diagonal=self.unit_diagonal,
            transpose_a=self.transpose_a,
        )
        return _parts(Tensor(solution.result))


def _parts(x: Tensor) -> Matrix:
    return (real(x), imag(x)) if is_complex(x.element) else (x,)


def _whole(x: Matrix) -> Tensor:
    return x[0] if len(x) == 1 else make_complex(*x)


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
