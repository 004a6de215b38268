"""The pass `lapack-to-stablehlo`: calls of LAPACK for which StableHLO has an operation become that.

Before:  %l, %info = custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}}
After:   %f = cholesky %a, lower = true     %l = select(rows >= columns, %f, %a)
         %info = the first row (from 1) whose diagonal element of %f is not positive, or 0

         %x = custom_call @lapack_strsm_ffi(%a, %b)   becomes   %x = triangular_solve %a, %b

Calls that do not fit their routine, small matrices (lowering/linalg/linear_algebra/small_factorisations.py), and other routines stay. For programs that run
where no LAPACK is. As LAPACK's own potrf says, and OpenBLAS's does not, a NaN on the diagonal is not positive."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import CholeskyOp, CustomCallOp, TriangularSolveOp
from hlo.dialect.types import element_type, is_complex, shape, tensor, with_element
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.linear_algebra.small_calls import LETTERS, letters_of
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.arithmetic import Tensor, constant, iota, real, reduced, select
from hlo.lowering.stablehlo.rewriting import rewrite_each

TARGET = re.compile(r"lapack_([sdcz])(potrf|trsm)_ffi")
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
        match = TARGET.fullmatch(op.call_target_name)
        if match is None or not _is_for(op, match[1], self.least):
            return None
        return ROUTINES[match[2]](op, letters_of(op))


def _is_for(op: CustomCallOp, letter: str, least: int) -> bool:
    """Whether operands have static shapes and the elements that a letter stands for, and the matrix this order."""
    kinds = [v.type for v in op.operands]
    if not kinds or not all(isinstance(t, ir.RankedTensorType) and t.has_static_shape for t in kinds):
        return False
    return (
        all(LETTERS.get(str(element_type(t))) == letter for t in kinds)
        and max(shape(kinds[0])[-2:], default=0) >= least
    )


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
