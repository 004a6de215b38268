"""What CHLO ops become."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from mlir import ir

from hlo.dialect.op_table import OpTable
from hlo.dialect.types import bit_width, element_type, is_float
from hlo.lowering.stablehlo.arithmetic import Tensor, convert

legalizes: OpTable[Callable[[Any], list[ir.Value]]] = OpTable("decomposition into StableHLO")
"""`@legalizes(TopKOp)`: the values of the op's results."""

Function = Callable[..., Tensor]


LONG: set[type] = set()
"""Elementwise functions of a hundred ops or so: the linalg phase makes one op of each."""


def computes_in_f64(op: Any) -> Callable[[Function], Function]:
    """Registers a long elementwise function that is computed in f64 whatever it is of. It is called with `is_rounded`:
    whether its results are rounded to a narrower type, so that relative errors of 2**-33 do no harm."""
    LONG.add(op)

    def register(function: Function) -> Function:
        @legalizes(op)
        @wraps(function)
        def rule(op: Any) -> list[ir.Value]:
            element, f64 = element_type(op.results[0].type), ir.F64Type.get()
            operands = [convert(Tensor(v), f64) for v in op.operands]
            return [convert(function(*operands, is_rounded=element != f64), element).value]

        return function

    return register


def computes(op: Any, narrowest: str | None = "f32", is_long: bool = False) -> Callable[[Function], Function]:
    """Registers an elementwise function. `narrowest`: the narrowest float that it is computed in (None: any type, as it
    is). `is_long`: it is one of LONG."""
    if is_long:
        LONG.add(op)

    def register(function: Function) -> Function:
        @legalizes(op)
        @wraps(function)
        def rule(op: Any) -> list[ir.Value]:
            operands = [Tensor(v) for v in op.operands]
            if narrowest is not None and is_float(operands[0].element):
                wide = ir.Type.parse(narrowest)
                operands = [convert(x, wide) if bit_width(x.element) < bit_width(wide) else x for x in operands]
            return [convert(function(*operands), element_type(op.results[0].type)).value]

        return function

    return register
