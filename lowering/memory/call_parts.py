"""The pass `call-parts`: a parallel loop over the parts of a kernel becomes one call, which `parallelise-parts` finishes.

Before:  scf.parallel (%t) = (%c0) to (%c8) step (%c1) { func.call @k.part(%a, %t) }
After:   func.call @k.part(%a, %c8)         and @k.part has hlo.part

Until `parallelise-parts`, a call of a function with `hlo.part` means: all parts from 0 to its last argument, on any threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir
from mlir.dialects import arith, func, scf

from hlo.errors import CompileError
from hlo.lowering.finding import callee_of, integer_of, name_of, ops_named
from hlo.lowering.passes import Pass, register_pass

PART = "hlo.part"


def run_parts(function: str, arguments: Sequence[ir.Value], parts: int) -> None:
    """The parallel loop: calls a function with the arguments and the number of each part."""
    number = ir.IndexType.get()
    parallel = scf.ParallelOp([], *([arith.constant(number, bound)] for bound in (0, parts, 1)), [])
    block = parallel.regions[0].blocks.append(number)
    with ir.InsertionPoint(block):
        func.CallOp([], function, [*arguments, block.arguments[0]])
        scf.ReduceOp([], 0)


@register_pass
class CallParts(Pass):
    """Replaces scf.parallel."""

    def run(self, module: ir.Module) -> None:
        shared: set[str] = set()
        with module.context:
            for loop in ops_named(module, ("scf.parallel",)):
                _replace(loop.opview, shared)
            for op in module.body.operations:
                if "sym_name" in op.attributes and name_of(op) in shared:
                    op.attributes[PART] = ir.UnitAttr.get()


def _replace(loop: Any, shared: set[str]) -> None:
    lower, upper, step = loop.operation.operands
    calls = [op for op in loop.regions[0].blocks[0].operations if op.operation.name == "func.call"]
    if len(calls) != 1 or (integer_of(lower), integer_of(step)) != (0, 1):
        raise CompileError(f"{loop.location}: call-parts takes loops from 0 by 1 whose body is one call")
    call = calls[0]
    *shared_arguments, number = call.operation.operands
    with ir.InsertionPoint(loop), loop.location:
        count = upper if number.type == upper.type else arith.index_cast(number.type, upper)
        func.CallOp([], call.operation.attributes["callee"], [*shared_arguments, count])
    shared.add(callee_of(call))
    loop.operation.erase()
