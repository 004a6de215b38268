"""The functions that custom calls name as computations, as regions of the ops that they stand for."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.stablehlo import ReturnOp
from hlo.errors import CompileError
from hlo.lowering.linalg.rules import located
from hlo.lowering.stablehlo.rewriting import move_body


def copy_body(call: Any, op: Any) -> None:
    """The body of the one function that the call names becomes the region of an op."""
    copy = _callee(call).operation.clone()
    source = copy.regions[0].blocks[0]
    types = [a.type for a in source.arguments]
    block = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(block):
        ReturnOp.create(*move_body(source, list(block.arguments)), results=[])
    copy.erase()


def _callee(op: Any) -> Any:
    (symbol,) = ir.ArrayAttr(op.attributes["called_computations"])
    name, parent = ir.FlatSymbolRefAttr(symbol).value, op.operation.parent
    while parent.parent is not None:
        parent = parent.parent
    for function in parent.regions[0].blocks[0].operations:
        if isinstance(function, func.FuncOp) and function.name.value == name:
            return function
    raise CompileError(located(op, f"no function @{name}"))
