"""Calls of functions of the program."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import calls
from hlo.reference.table import evaluates


@evaluates("func.call")
def evaluate_call(call, *operands):
    return call.function(ir.FlatSymbolRefAttr(call.op.operation.attributes["callee"]).value, operands)


@evaluates(calls.CompositeOp)
def evaluate_composite(call, *operands):
    return call.function(call.decomposition, operands)
