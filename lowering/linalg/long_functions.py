"""lgamma, digamma and other functions of a hundred ops: each is one linalg.generic, whose body is the StableHLO that legalize-chlo makes of it, on
scalars.

Before:  %0 = chlo.lgamma %a : tensor<8xf32> -> tensor<8xf32>
After:   %0 = linalg.generic ins(%a) { ^bb0(%x, %_): %1 = arith.extf %x; ...; linalg.yield %n }"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.types import element_type, tensor
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.structured import elementwise
from hlo.lowering.stablehlo.chlo.legalize_chlo import legalize
from hlo.lowering.stablehlo.chlo.table import LONG


@lowers(*LONG)
def lower_long_function(op: Any, lowering: Lowering) -> ir.Value:
    inputs = [lowering[v] for v in op.operands]
    module = _on_scalars(op)
    block = module.body.operations[0].entry_block
    return elementwise(inputs, lowering.type(op.results[0].type), lambda *s: scalar_block(lowering, block, s)[0])


def _on_scalars(op: Any) -> ir.Module:
    """A function of tensors of rank 0 that computes what the op computes of elements."""
    operands, results = ([tensor([], element_type(v.type)) for v in values] for values in (op.operands, op.results))
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("function", (operands, results))
    with ir.InsertionPoint(function.add_entry_block()):
        made = ir.Operation.create(op.operation.name, results, list(function.arguments))
        end = func.ReturnOp(list(made.results))
    with ir.InsertionPoint(end):
        legalize(made.opview)
    return module
