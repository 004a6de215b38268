"""LAPACK's result codes, which JAX compares with 0, for simplify-algebra: getrf's is the number of a zero pivot, from 1, or 0.

%f, %p, %info = custom_call @lapack_dgetrf_ffi(%a)
%ok = compare GE, %info, 0        becomes    %ok = true        (select(%ok, %f, NaN) is %f then: one pass less over the matrix)"""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.stablehlo import CompareOp
from hlo.dialect.types import element_type
from hlo.lowering.stablehlo.arithmetic import constant
from hlo.lowering.stablehlo.constants import is_zero, splat
from hlo.lowering.stablehlo.rewriting import unshaped
from hlo.lowering.stablehlo.simplify.table import simplifies

GETRF = re.compile(r"lapack_[sdcz]getrf_ffi")
CODE = 2
"""The number of its result that is the code."""

STEPS = 6
"""Ops behind a value that are looked at."""

LARGEST_STEP = 1 << 30
"""Up to which numbers are added to a code, which is at most an order, without an overflow."""


@simplifies(CompareOp)
def code_of_factorisation(op: CompareOp) -> ir.Value | None:
    """Whether it is 0 or more."""
    is_asked = op.comparison_direction == "GE" and is_zero(op.rhs, negative=False)
    if not is_asked or str(element_type(op.lhs.type)) != "i32" or not _is_code(op.lhs, STEPS):
        return None
    return constant(op.result.type, True).value


def _is_code(value: ir.Value, steps: int) -> bool:
    """Whether it is a result code of getrf, or one of its parts (split-factorisations), and so no negative number."""
    value = unshaped(value)
    op = value.owner
    if isinstance(op, ir.Block) or not steps:
        return False
    if op.name == "stablehlo.custom_call":
        is_getrf = GETRF.fullmatch(op.opview.call_target_name) is not None
        return is_getrf and ir.OpResult(value).result_number == CODE
    operands = list(op.operands)
    if op.name == "stablehlo.select":
        return all(_is_code(one, steps - 1) for one in operands[1:])
    number = splat(operands[1]) if op.name == "stablehlo.add" else None
    return number is not None and 0 <= number < LARGEST_STEP and _is_code(operands[0], steps - 1)
