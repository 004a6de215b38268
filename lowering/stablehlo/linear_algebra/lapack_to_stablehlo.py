"""The pass `lapack-to-stablehlo`: calls of LAPACK for which StableHLO has an operation become that.

Before:  %l, %info = custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}
After:   %f = cholesky %a, lower = true     %l = select(rows >= columns, %f, %a)
         %info = the first row (from 1) whose diagonal element of %f is not positive, or 0

         %x = custom_call @lapack_strsm_ffi(%a, %b)   becomes   %x = triangular_solve %a, %b

Calls that do not fit their routine, small matrices (lowering/linalg/linear_algebra/small_factorisations.py), and other routines stay. For programs that run
where no LAPACK is. As LAPACK's own potrf says, and OpenBLAS's does not, a NaN on the diagonal is not positive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import CholeskyOp, CustomCallOp, TriangularSolveOp
from hlo.dialect.types import is_complex, shape, tensor, with_element
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.linear_algebra.small_calls import letters_of, routine_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, iota, real, reduced, select
from hlo.lowering.stablehlo.rewriting import rewrite_each

TRANSPOSITIONS = {"N": "NO_TRANSPOSE", "T": "TRANSPOSE", "C": "ADJOINT"}

Letters = Mapping[str, str]
"""The options of a call."""


@register_pass
@dataclass(frozen=True)
class LapackToStablehlo(Pass):
    """Replaces Cholesky factorisations and triangular systems that LAPACK is called for, from this order on."""

    least: int = 33

    def run(self, module: ir.Module) -> None:
        rewrite_each(module, CustomCallOp, self._operation)

    def _operation(self, op: CustomCallOp) -> list[ir.Value] | None:
        rule, kinds = ROUTINES.get(routine_of(op)), [v.type for v in op.operands]
        if rule is None or not all(isinstance(t, ir.RankedTensorType) and t.has_static_shape for t in kinds):
            return None
        is_for = len({t.element_type for t in kinds}) == 1 and max(kinds[0].shape[-2:], default=0) >= self.least
        return rule(op, letters_of(op)) if is_for else None


def _cholesky(op: CustomCallOp, letters: Letters) -> list[ir.Value] | None:
    """What is in the other triangle stays there."""
    kinds = [v.type for v in op.operands]
    *batch, rows, columns = shape(kinds[0]) if len(kinds) == 1 and len(shape(kinds[0])) > 1 else (0, 1)
    counts = tensor(batch, ir.IntegerType.get_signless(32))
    if rows != columns or [r.type for r in op.results] != [*kinds, counts] or letters.get("uplo") not in ("L", "U"):
        return None
    a, lower = Tensor(op.operands[0]), letters["uplo"] == "L"
    factor = Tensor(CholeskyOp.create(a.value, results=[a.type], lower=lower).result)
    row, column = (iota(with_element(a.type, counts.element_type), len(batch) + d) for d in (0, 1))
    below, above = (row, column) if lower else (column, row)
    return [select(below >= above, factor, a).value, _first_failure(factor, row, column, rows).value]


def _first_failure(factor: Tensor, row: Tensor, column: Tensor, order: int) -> Tensor:
    """From 1; 0 where all elements of the diagonal are positive."""
    if is_complex(factor.element):
        factor = real(factor)
    fails = row.equals(column) & ~(factor > 0.0)
    rank = len(row.shape)
    first = reduced(select(fails, row, constant(row.type, order)), [rank - 2, rank - 1], "minimum", order)
    return select(first.equals(order), constant(first.type, 0), first + 1)


def _triangular(op: CustomCallOp, letters: Letters) -> list[ir.Value] | None:
    options = [letters.get(key, "") for key in ("side", "uplo", "trans_x", "diag")]
    known = all(one and one in allowed for one, allowed in zip(options, ("LR", "LU", "NTC", "UN")))
    if not known or len(op.operands) != 2 or [r.type for r in op.results] != [op.operands[1].type]:
        return None
    side, triangle, transposition, diagonal = options
    a, b = (shape(v.type) for v in op.operands)
    order = b[-2 if side == "L" else -1] if len(b) > 1 else -1
    if len(a) != len(b) or list(a) != [*b[:-2], order, order]:
        return None
    solution = TriangularSolveOp.create(
        *op.operands,
        results=[op.operands[1].type],
        left_side=side == "L",
        lower=triangle == "L",
        unit_diagonal=diagonal == "U",
        transpose_a=TRANSPOSITIONS[transposition],
    )
    return [solution.result]


ROUTINES: dict[str, Callable[[Any, Letters], list[ir.Value] | None]] = {"potrf": _cholesky, "trsm": _triangular}
