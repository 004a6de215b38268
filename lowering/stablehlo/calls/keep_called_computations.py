"""The functions that custom calls name, as programs of their own, which the functions of their targets may call."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.locations import diagnostic
from hlo.dialect.printer import print_operation
from hlo.dialect.stablehlo import CustomCallOp
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.calls.inline_calls import remove_unreferenced
from hlo.lowering.stablehlo.rewriting import each_op
from hlo.lowering.stablehlo.shapes.dynamic_calls import specializes_call


@register_pass
class KeepCalledComputations(Pass):
    """Replaces the called_computations of custom calls by the texts of programs, so that the functions themselves may go. Calls
    that stand for ops (specialize-shapes makes them so) keep theirs.

    %0 = stablehlo.custom_call @apply(%x) {called_computations = [@g]} : ...        becomes
    %0 = stablehlo.custom_call @apply(%x) {hlo.called_programs = [["g", "func.func public @g(...) ..."]]} : ..."""

    def run(self, module: ir.Module) -> None:
        for op in each_op(module):
            if isinstance(op, CustomCallOp) and op.called_computations and op.call_target_name not in specializes_call:
                programs = [[name, _program(op, module, name)] for name in op.called_computations]
                texts = [ir.ArrayAttr.get([ir.StringAttr.get(text) for text in pair]) for pair in programs]
                op.attributes["hlo.called_programs"] = ir.ArrayAttr.get(texts)
                del op.attributes["called_computations"]


def _program(op: CustomCallOp, module: ir.Module, name: str) -> str:
    """The text of a module whose one public function is `name`, with what it calls."""
    copy: Any = module.operation.clone().opview
    functions = [one for one in copy.body.operations if isinstance(one, func.FuncOp)]
    if name not in [one.name.value for one in functions]:
        raise CompileError(diagnostic(op, f"'{op.operation.name}' calls @{name}, which is no function of the program"))
    for one in functions:
        one.attributes["sym_visibility"] = ir.StringAttr.get("public" if one.name.value == name else "private")
    for attribute in [key for key in copy.attributes if key.startswith("hlo.")]:
        del copy.attributes[attribute]
    remove_unreferenced(copy)
    text = print_operation(copy.operation)
    copy.erase()
    return text
