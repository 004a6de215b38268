"""The pass `stablehlo-to-linalg`: rebuilds a StableHLO module as linalg, tensor, scf, arith, math on signless types.

Before:  %0 = stablehlo.add %a, %b : tensor<4xui8>
After:   %0 = linalg.generic {...} ins(%a, %b : tensor<4xi8>, tensor<4xi8>) { arith.addi }"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import func

from hlo.lowering.linalg.rules import Lowering
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class StablehloToLinalg(Pass):
    """Lowers every function by the rules of lowering/linalg."""

    def run(self, module: ir.Module) -> None:
        with module.context, module.operation.location:
            target = ir.Module.create()
            lowering = Lowering(module, target)
            for function in list(module.body.operations):
                _lower_function(function, lowering)
            replace_body(module, target)


def _lower_function(old: func.FuncOp, lowering: Lowering) -> None:
    raise NotImplementedError


def replace_body(module: ir.Module, target: ir.Module) -> None:
    """Moves the ops of `target` into `module`, whose own are erased."""
    for op in list(module.body.operations):
        op.operation.erase()
    for op in list(target.body.operations):
        op.operation.detach_from_parent()
        module.body.append(op)
