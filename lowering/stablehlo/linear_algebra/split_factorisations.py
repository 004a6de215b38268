"""The pass `split-factorisations`: one large matrix is factorised by halves, so that most of the work is matmuls.

Before:  %l = cholesky %a : 512x512
After:   %l11 = cholesky %a11    %l21 = triangular_solve %l11, %a21 (from the right, transposed)
         %l22 = cholesky (%a22 - %l21 * transpose %l21)    %l = (%l11, 0; %l21, %l22)

Triangular systems likewise: one half of the unknowns, the other half's equations without them, the other half. With few threads the matmuls
are what is fast; with many, where a block of them has a matrix, the steps of one are as many as its order, and few of all threads take part.

Calls of LAPACK's LU factorisation are split by columns:

Before:  %f, %p, %info = custom_call @lapack_dgetrf_ffi(%a) : 512x512
After:   %f1, %p1, %info1 = custom_call @lapack_dgetrf_ffi(the left columns, 512x256)
         %right = custom_call @lapack_dlaswp_ffi(the right columns, %p1)            (rows exchanged)
         %u12 = custom_call @lapack_dtrsm_ffi(%l11, the upper rows of %right)      %f2, ... = getrf of (the lower rows - %l21 * %u12)

The recursions are LAPACK's (dpotrf2, dgetrf2); errors are of the size of those of the steps one by one."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import CholeskyOp, CustomCallOp, TriangularSolveOp
from hlo.dialect.types import bit_width, element_type, is_float, shape, tensor
from hlo.host import host_vendor
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import cloned_with
from hlo.lowering.linalg.linear_algebra.interleaving import VECTOR_BYTES
from hlo.lowering.linalg.linear_algebra.small_calls import routine_of
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import Made
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, dot, joined, select, sliced
from hlo.lowering.stablehlo.rewriting import rewrite_each
from hlo.lowering.target import target as processor

FEW = 32
"""Matrices up to which splitting is profitable; more of them keep a card busy with a block each."""

MOST_PARTS = 8
"""Along the diagonal, so that the program's size stays bounded: beyond, parts are larger."""

UNIT = 16
"""Orders of parts are multiples of it: copies of 16 bytes and whole vectors."""

RIGHT_SIDES = 32
"""From which the matmuls are profitable."""

LARGEST_SPLIT = {"GenuineIntel": dict.fromkeys(("f32", "f64", "complex<f32>"), 3 << 20) | {"complex<f64>": 1 << 20}}
"""By vendor and element type, the bytes of all matrices up to which splitting LU factorisations is profitable, if there is a limit: each step goes through all of them,
LAPACK through one block of one matrix after the other. A Xeon's cores have 2 MiB of cache and read 14 GB/s from beyond: 100 of order 128 take 1.15 to 1.35 times as long."""

SHORT_SPLIT = {"f64": 1 << 20, "complex<f64>": 0}
"""By element type, the bytes of one matrix up to which it is so in vectors shorter than 64 bytes, if there is a limit. (AMD EPYC, Zen 3, LAPACK's time over that of halves: f64 of order
300 1.15, 470 0.94, 100 of order 64 1.11; complex f64 of order 300 0.90, 470 0.91, 100 of order 64 0.96; f32 1.2, complex f32 1.04 of order 470.)"""

SHARED_SPLIT = SHORT_SPLIT | {"f64": 2 << 20}
"""The same of a single matrix, where several threads share what is between the halves; beyond, OpenBLAS has threads for whole ones. (Two threads: f64 of order 400 1.40, 470 1.16, 512 in a
loop 1.29; complex f64 of order 300 and 340 1.02.)"""


@register_pass
@dataclass(frozen=True)
class SplitFactorisations(Pass):
    """Replaces cholesky and triangular_solve of few matrices of f32 or f64, of this order or a larger one. Parts up to `leaf` stay whole, systems, whose code runs
    across right sides, up to `system` (0: `leaf`): multiples of 16 bytes. Calls of getrf for at least so many `columns` (0: none) become two,
    where `target` is a processor whose vectors systems run in: OpenBLAS chooses its code for the machine, which is one of `vendor`'s (empty: this one), and is faster
    than any other."""

    order: int = 256
    leaf: int = 128
    system: int = 0
    columns: int = 0
    target: str = ""
    vendor: str = ""

    def run(self, module: ir.Module) -> None:
        rewrite_each(module, (CustomCallOp, CholeskyOp, TriangularSolveOp), self._by_halves)

    def _by_halves(self, op: Any) -> Made:
        if isinstance(op, CustomCallOp):
            return [x.value for x in _Factorisation(op).by_halves(Tensor(op.inputs[0]))] if self._is_split(op) else None
        if not _is_large(op.a, self.order):
            return None
        order = shape(op.a.type)[-1]
        leaf, system = (_leaf(order, least) for least in (self.leaf, self.system or self.leaf))
        if isinstance(op, CholeskyOp):
            return _cholesky(Tensor(op.a), bool(op.lower), leaf, system).value
        if order <= system or shape(op.b.type)[-1 if op.left_side else -2] < RIGHT_SIDES:
            return None
        whole = _System(bool(op.left_side), bool(op.lower), bool(op.unit_diagonal), op.transpose_a, system)
        return whole.solve(Tensor(op.a), Tensor(op.b)).value

    def _is_split(self, op: CustomCallOp) -> bool:
        """Whether the columns of an LU factorisation are: into two halves. (Quarters gain 10 to 15 % more from order 256 on, for code that takes two
        to three times as long to compile as XLA's.)"""
        vector_bytes = processor(self.target).column_bytes if self.columns else 0
        if not vector_bytes or not _is_factorisation(op):
            return False
        a, element = op.inputs[0].type, str(element_type(op.inputs[0].type))
        one, size = (prod(sizes) * element_bytes(element_type(a)) for sizes in (shape(a)[-2:], shape(a)))
        largest = LARGEST_SPLIT.get(self.vendor or host_vendor(), {}).get(element, size)
        short = SHARED_SPLIT if size == one and processor(self.target).threads > 1 else SHORT_SPLIT
        largest_one = short.get(element, one) if vector_bytes < VECTOR_BYTES else one
        return min(shape(a)[-2:]) >= self.columns and size <= largest and one <= largest_one


def _is_large(a: ir.Value, order: int) -> bool:
    *batch, found, _ = shape(a.type)
    element = element_type(a.type)
    return is_float(element) and bit_width(element) >= 32 and found >= order and prod(batch) <= FEW


def _leaf(order: int, least: int) -> int:
    """The order of parts, so that there are not too many."""
    return max(least, -(-order // (MOST_PARTS * UNIT)) * UNIT) if order > MOST_PARTS * least else least


def _cholesky(a: Tensor, lower: bool, leaf: int, system: int) -> Tensor:
    """The other triangle is zero."""
    order = a.shape[-1]
    if order <= leaf:
        return Tensor(CholeskyOp.create(a.value, results=[a.type], lower=lower).result)
    middle = _middle(order, leaf)
    first = _cholesky(_part(a, (0, middle), (0, middle)), lower, leaf, system)
    rest = _part(a, (middle, order), (middle, order))
    if lower:  # X * transpose(L11) = A21
        side = _System(False, True, False, "TRANSPOSE", system).solve(first, _part(a, (middle, order), (0, middle)))
        second = _cholesky(rest - _matmul(side, side, False, True), lower, leaf, system)
        rows = [[first, _zeros(first, middle, order - middle)], [side, second]]
    else:  # transpose(U11) * X = A12
        side = _System(True, False, False, "TRANSPOSE", system).solve(first, _part(a, (0, middle), (middle, order)))
        second = _cholesky(rest - _matmul(side, side, True, False), lower, leaf, system)
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
        y = self.solve(_part(a, last, last), self._equations(b, last) - self._product(corner, x))
        return joined([x, y] if first < last else [y, x], -2 if self.left_side else -1)

    @property
    def _is_transposed(self) -> bool:
        return self.transpose_a != "NO_TRANSPOSE"

    @property
    def _ends_first(self) -> bool:
        """Whether the last unknown is the one that an equation gives alone."""
        return (self.lower != self._is_transposed) != self.left_side

    def _corner(self, a: Tensor, low: tuple[int, int], high: tuple[int, int]) -> Tensor:
        """The part of A that is neither zero nor on the diagonal, as it is stored."""
        return _part(a, high, low) if self.lower else _part(a, low, high)

    def _equations(self, b: Tensor, those: tuple[int, int]) -> Tensor:
        rows, columns = ((0, size) for size in b.shape[-2:])
        return _part(b, those, columns) if self.left_side else _part(b, rows, those)

    def _product(self, corner: Tensor, x: Tensor) -> Tensor:
        if self.left_side:
            return _matmul(corner, x, self._is_transposed, False)
        return _matmul(x, corner, False, self._is_transposed)

    def _whole(self, a: Tensor, b: Tensor) -> Tensor:
        solution = TriangularSolveOp.create(
            a.value,
            b.value,
            results=[b.type],
            left_side=self.left_side,
            lower=self.lower,
            unit_diagonal=self.unit_diagonal,
            transpose_a=self.transpose_a,
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


# LU factorisations


def _is_factorisation(op: CustomCallOp) -> bool:
    """A call of getrf as its routine has it (runtime/custom_calls/lapack.py). Others stay, and are refused with its words."""
    if routine_of(op) != "getrf" or len(op.inputs) != 1 or len(op.results) != 3 or len(shape(op.inputs[0].type)) < 2:
        return False
    a, integer = op.inputs[0].type, ir.IntegerType.get_signless(32)
    *batch, rows, columns = shape(a)
    return [r.type for r in op.results] == [a, tensor([*batch, min(rows, columns)], integer), tensor(batch, integer)]


@dataclass(frozen=True)
class _Factorisation:
    """By a call of getrf, whose parts have calls like it."""

    call: CustomCallOp

    def by_halves(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Factors, pivots (rows from 1), and the first zero pivot (from 1) or 0."""
        *_, rows, columns = a.shape
        half = -(-min(rows, columns) // (2 * UNIT)) * UNIT
        left, pivots, info = self._whole(_part(a, (0, rows), (0, half)))
        right = self._swapped(_part(a, (0, rows), (half, columns)), pivots)
        corner = _part(left, (0, half), (0, half))
        upper = _part(right, (0, half), (0, columns - half))
        upper = self._called("trsm", upper.type, corner, upper, side="L", uplo="L", trans_x="N", diag="U")
        lower = _part(left, (half, rows), (0, half))
        rest = _part(right, (half, rows), (0, columns - half)) - _matmul(lower, upper, False, False)
        factors, later, failure = self._whole(rest)
        whole = [[corner, upper], [self._swapped(lower, later), factors]]
        failure = select(failure.equals(0), failure, failure + half)
        return (
            joined([joined(row, -1) for row in whole], -2),
            joined([pivots, later + half], -1),
            select(info.equals(0), failure, info),
        )

    def _whole(self, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """By LAPACK."""
        steps = min(a.shape[-2:])
        _, pivots, info = (r.type for r in self.call.results)
        kinds = [a.type, tensor([*a.shape[:-2], steps], element_type(pivots)), info]
        factors, pivots, info = (Tensor(r) for r in cloned_with(self.call, [a.value], kinds).results)
        return factors, pivots, info

    def _swapped(self, a: Tensor, pivots: Tensor) -> Tensor:
        """With row k and row `pivots[k]` (from 1) exchanged, for each k in order."""
        return self._called("laswp", a.type, a, pivots)

    def _called(self, routine: str, kind: ir.Type, *operands: Tensor, **letters: str) -> Tensor:
        """The result, of type `kind`, of another routine for the same element type."""
        code = ir.IntegerType.get_unsigned(8)
        config = ir.DictAttr.get({name: ir.IntegerAttr.get(code, ord(letter)) for name, letter in letters.items()})
        name = self.call.call_target_name.replace("getrf", routine)
        call = CustomCallOp.create(*(x.value for x in operands), results=[kind], call_target_name=name, api_version=4)
        call.attributes["mhlo.backend_config"] = config
        return Tensor(call.results[0])
