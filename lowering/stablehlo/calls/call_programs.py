"""interpreter.run_parallel of a grid of one program: its infeed is filled, then the program is called."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from hlo.dialect.interpreter import RunParallelOp
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CustomCallOp
from hlo.dialect.types import is_tensor
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.rewriting import rewrite_each


@register_pass
class CallPrograms(Pass):
    """Replaces interpreter.run_parallel by calls.

    %0 = "interpreter.run_parallel"(%x) {infeed = [@data], programs = [[@main]]} : ...    becomes

    %d = func.call @data() : () -> tensor<4xf32>
    stablehlo.custom_call @interpreter.feed(%d) {has_side_effect = true} : (tensor<4xf32>) -> ()
    %0 = func.call @main(%x) : ..."""

    def run(self, module: ir.Module) -> None:
        functions = {f.name.value: f for f in module.body.operations if isinstance(f, func.FuncOp)}
        rewrite_each(module, RunParallelOp, lambda op: _call(op, functions))


def _call(op: RunParallelOp, functions: dict[str, func.FuncOp]) -> list[ir.Value]:
    if [len(row) for row in op.programs] != [1]:
        raise CompileError(
            diagnostic(
                op,
                f"'interpreter.run_parallel' of several processes runs on targets cpu and reference, found {op.programs}",
            )
        )
    for name in op.infeed or ():
        fed = func.CallOp(_function(op, functions, name).type.results, name, []).results
        arrays = [v for v in fed if is_tensor(v.type)]
        CustomCallOp.create(*arrays, results=[], call_target_name="interpreter.feed", has_side_effect=True)
    (name,) = op.programs[0]
    _function(op, functions, name)
    return list(func.CallOp([r.type for r in op.outputs], name, list(op.inputs)).results)


def _function(op: RunParallelOp, functions: dict[str, func.FuncOp], name: str) -> func.FuncOp:
    if name not in functions:
        raise CompileError(
            diagnostic(op, f"'interpreter.run_parallel' names @{name}, which is no function of the program")
        )
    return functions[name]
