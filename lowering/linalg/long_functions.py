"""lgamma, digamma and other functions of many ops: each is one linalg.generic, whose body is the StableHLO that
legalize-chlo makes of it, on scalars. Operands of equal constants are a part of the body, which is simplified for them.
Equal ops are copies of the first one.

Before:  %0 = chlo.lgamma %a : tensor<8xf32> -> tensor<8xf32>
After:   %0 = linalg.generic ins(%a) { ^bb0(%x, %_): %1 = arith.extf %x; ...; linalg.yield %n }"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.types import element_type, tensor
from hlo.lowering.linalg.elementwise import lower_elementwise
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.structured import elementwise, empty
from hlo.lowering.stablehlo.arithmetic import constant
from hlo.lowering.stablehlo.chlo.legalize_chlo import is_math_op, legalize
from hlo.lowering.stablehlo.chlo.table import LONG
from hlo.lowering.stablehlo.constants import splat
from hlo.lowering.stablehlo.simplify.eliminate_dead_code import EliminateDeadCode
from hlo.lowering.stablehlo.simplify.fold_constants import FoldConstants
from hlo.lowering.stablehlo.simplify.simplify_algebra import SimplifyAlgebra

SIMPLIFICATIONS = (FoldConstants(), SimplifyAlgebra(), EliminateDeadCode())


@lowers(*LONG)
def lower_long_function(op: Any, lowering: Lowering) -> ir.Value:
    if is_math_op(op):
        return lower_elementwise(op, lowering)
    constants = [splat(v) for v in op.operands]
    inputs = [lowering[v] for v, number in zip(op.operands, constants, strict=True) if number is None]
    types = tuple(v.type for v in (*op.operands, *op.results))
    key = (op.operation.name, types, repr(constants))  # -0.0 is not 0.0
    if key in lowering.long_functions:
        return _again(lowering.long_functions[key], inputs, op.location)
    module = _on_scalars(op, constants)
    if len(inputs) < len(constants):
        for simplification in SIMPLIFICATIONS:
            simplification.run(module)
    block = module.body.operations[0].entry_block
    made = elementwise(inputs, lowering.type(op.results[0].type), lambda *s: scalar_block(lowering, block, s)[0])
    if made.owner.name == "linalg.generic":
        lowering.long_functions[key] = made.owner
    return made


def _again(made: ir.Operation, inputs: Sequence[ir.Value], location: ir.Location) -> ir.Value:
    """A copy of a linalg.generic whose body needs nothing from outside, of other inputs."""
    operands = [*inputs, empty(made.results[0].type)]
    copy = made.clone()
    for number, value in enumerate(operands):
        copy.operands[number] = value
    for op in (copy, *copy.regions[0].blocks[0].operations):
        op.location = location
    return copy.results[0]


def _on_scalars(op: Any, constants: list[float | None]) -> ir.Module:
    """A function of tensors of rank 0 that computes what the op computes of elements."""
    kinds, results = ([tensor([], element_type(v.type)) for v in values] for values in (op.operands, op.results))
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        inputs = [kind for kind, number in zip(kinds, constants, strict=True) if number is None]
        function = func.FuncOp("function", (inputs, results))
    with ir.InsertionPoint(function.add_entry_block()):
        arguments = iter(function.arguments)
        operands = [
            next(arguments) if c is None else constant(k, c).value for c, k in zip(constants, kinds, strict=True)
        ]
        made = ir.Operation.create(op.operation.name, results, operands)
        end = func.ReturnOp(list(made.results))
    with ir.InsertionPoint(end):
        legalize(made.opview)
    return module
