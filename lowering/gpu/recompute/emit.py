"""Kernels of kind "recomputed": one launch."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.gpu.contraction.problem import problem_of
from hlo.lowering.gpu.launches import add_launch, gpu_function, gpu_module
from hlo.lowering.gpu.recompute.kernel import Kernel
from hlo.lowering.gpu.recompute.plan import Plan
from hlo.lowering.gpu.recompute.recognise import Recomputed, recomputed_of

LAST = "hlo.recomputes"
"""Marks the op of a kernel that the others are computed again for."""


def recomputed_code(kernel: Any, name: str, arch: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu. `arch`: any one has the instructions."""
    plan = Plan.of(_recomputed(kernel))
    with kernel.location:
        module = ir.Module.create()
        types = [_memref(t) for t in (*kernel.type.inputs, *kernel.type.results)]
        with ir.InsertionPoint(module.body):
            code = func.FuncOp(name, (types, []), visibility="private")
        entry = code.add_entry_block()
        with ir.InsertionPoint(entry):
            end = func.ReturnOp([])
        device = gpu_module(module).regions[0].blocks[0]
        launched = f"{kernel.name.value}_0"
        function = gpu_function(device, launched, types, plan.grid)
        function.attributes["hlo.decision"] = ir.StringAttr.get(plan.decision)
        block = function.regions[0].blocks[0]
        *arguments, result = block.arguments
        with ir.InsertionPoint(block):
            Kernel(plan, dict(zip(kernel.regions[0].blocks[0].arguments, arguments))).emit(result)
            ir.Operation.create("gpu.return")
        add_launch(plan.grid, launched, list(entry.arguments), [], end.operation)
    return module


def _recomputed(kernel: Any) -> Recomputed:
    ops = [op.operation for op in kernel.regions[0].blocks[0].operations]
    last = next(op for op in ops if LAST in op.attributes)
    factors = [op.results[0] for op in ops if op != last and problem_of(op) is not None]
    return recomputed_of(last, factors, ())


def _memref(tensor: ir.Type) -> ir.Type:
    shaped = ir.RankedTensorType(tensor)
    return ir.MemRefType.get(shaped.shape, shaped.element_type)
