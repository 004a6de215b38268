"""The pass `interrupt-loops`: loops of the host code end when the program is interrupted (runtime/calls/interrupts.py: Ctrl-C).

Before:  scf.while { ... scf.condition(%c) } do { ... }
After:   scf.while { ...
           %record = llvm.load @hlo_interrupt
           %flag = llvm.load %record atomic monotonic
           %go = scf.if (%flag == 0) { true } else { llvm.call @hlo_goes_on(%record) }
           scf.condition(%c and %go)
         } do { ... }

What follows runs on whatever values there are; the runtime throws the results away. Loops inside of kernels stay as they are: they have few
iterations, and their code relies on how they end."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith, llvm, scf

from hlo.lowering.finding import ops_named
from hlo.lowering.kernel_calls import is_private
from hlo.lowering.memory.host_calls import append_text
from hlo.lowering.memory.layer_code import LAYER
from hlo.lowering.passes import Pass, register_pass

INTERRUPT, GOES_ON = "hlo_interrupt", "hlo_goes_on"

DECLARATIONS = f"""
llvm.mlir.global external constant @{INTERRUPT}() {{addr_space = 0 : i32}} : !llvm.ptr
llvm.func @{GOES_ON}(!llvm.ptr) -> i1
"""


@register_pass
class InterruptLoops(Pass):
    """Adds the look at the flag to loops of the program's function and of layers."""

    def run(self, module: ir.Module) -> None:
        conditions = [
            op
            for function in module.body.operations
            if function.operation.name == "func.func" and _is_host_code(function)
            for op in ops_named(function, ("scf.condition",))
        ]
        if not conditions:
            return
        append_text(module, DECLARATIONS)
        for condition in conditions:
            with condition.location, ir.InsertionPoint(condition):
                _end_early(condition)


def _is_host_code(function: Any) -> bool:
    return LAYER in function.attributes or not is_private(function)


def _end_early(condition: Any) -> None:
    pointer, word, bit = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(64), ir.IntegerType.get_signless(1)
    record = llvm.load(pointer, llvm.mlir_addressof(pointer, INTERRUPT))
    flag = llvm.load(word, record, alignment=8, ordering=llvm.AtomicOrdering.monotonic)
    quiet = arith.cmpi(arith.CmpIPredicate.eq, flag, arith.constant(word, 0))
    choice = scf.IfOp(quiet, [bit], has_else=True)
    with ir.InsertionPoint(choice.then_block):
        scf.yield_([arith.constant(bit, 1)])
    with ir.InsertionPoint(choice.else_block):
        scf.yield_([llvm.CallOp(bit, [record], [], [], callee=GOES_ON).result])
    operands = condition.operation.operands
    operands[0] = arith.andi(operands[0], choice.results[0])
