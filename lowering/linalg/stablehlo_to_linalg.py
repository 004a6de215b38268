"""The pass `stablehlo-to-linalg`: rebuilds a StableHLO module as linalg, tensor, scf, arith, math on signless types.

Before:  %0 = stablehlo.add %a, %b : tensor<4xui8>
After:   %0 = linalg.generic {...} ins(%a, %b : tensor<4xi8>, tensor<4xi8>) { arith.addi }"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.linalg.control_flow import flat, flat_types, restore
from hlo.lowering.linalg.rules import SCALARS, Lowering
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import target as processor

KEPT = ("sym_visibility", "hlo.layer")
"""Attributes of functions that stay."""


@register_pass
@dataclass(frozen=True)
class StablehloToLinalg(Pass):
    """Lowers every function by the rules of lowering/linalg. `own_lapack`: linear_algebra/small_factorisations.py takes matrices of all orders. `target`: the processor whose
    vectors sort, or a GPU, for which sorts, scatters and the like are written as loops that are divided among thousands of threads; none: they are
    loops over scalars."""

    own_lapack: bool = False
    target: str = ""

    def run(self, module: ir.Module) -> None:
        with module.operation.location:
            target = ir.Module.create()
            machine = processor(self.target) if self.target else SCALARS
            lowering = Lowering(module, target, machine, self.own_lapack)
            for function in list(module.body.operations):
                _lower_function(function, lowering)
            replace_body(module, target)


def _lower_function(old: ir.OpView, lowering: Lowering) -> None:
    """Rebuilds one function: tuples in its type are opened, tokens left out."""
    if not isinstance(old, func.FuncOp):
        raise CompileError(diagnostic(old, f"'{old.operation.name}' has no lowering to linalg"))
    types = old.function_type.value
    function_type = ir.FunctionType.get(flat_types(types.inputs, lowering), flat_types(types.results, lowering))
    with old.location, ir.InsertionPoint(lowering.target.body):
        new = func.FuncOp(old.name.value, function_type)
    for name in KEPT:
        if name in old.attributes:
            new.attributes[name] = old.attributes[name]
    if not old.is_external:
        _lower_body(old, new, lowering)


def _lower_body(old: func.FuncOp, new: func.FuncOp, lowering: Lowering) -> None:
    block = old.regions[0].blocks[0]
    locations = [new.location] * len(new.type.inputs)
    entry = new.regions[0].blocks.append(*new.type.inputs, arg_locs=locations)
    arguments = restore([a.type for a in block.arguments], list(entry.arguments))
    with ir.InsertionPoint(entry):
        results = flat(lowering.block(block, arguments))
        with block.operations[len(block.operations) - 1].location:
            func.ReturnOp(results)


def replace_body(module: ir.Module, target: ir.Module) -> None:
    """Moves the ops of `target` into `module`, whose own are erased."""
    for op in list(module.body.operations):
        op.operation.erase()
    for op in list(target.body.operations):
        op.operation.detach_from_parent()
        module.body.append(op)
