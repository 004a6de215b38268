"""Kernels of kind "attention": one launch."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.gpu.attention.kernel import Kernel
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.attention.recognise import Attention, attention_of
from hlo.lowering.gpu.attention.thread_kernel import ThreadKernel
from hlo.lowering.gpu.attention.thread_plan import ThreadPlan
from hlo.lowering.gpu.launches import add_launch, gpu_function, gpu_module


def attention_code(kernel: Any, name: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu."""
    found = _attention(kernel)
    plan = ThreadPlan.of(found) if found.is_exact else Plan.of(found)
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
            values = dict(zip(kernel.regions[0].blocks[0].arguments, arguments))
            code_of = ThreadKernel(plan, values) if isinstance(plan, ThreadPlan) else Kernel(plan, values)
            code_of.emit(result)
            ir.Operation.create("gpu.return")
        add_launch(plan.grid, launched, list(entry.arguments), [], end.operation)
    return module


def _attention(kernel: Any) -> Attention:
    for op in kernel.regions[0].blocks[0].operations:
        found = attention_of(op.operation)
        if found is not None:
            return found
    raise AssertionError("a kernel of kind attention is one")


def _memref(tensor: ir.Type) -> ir.Type:
    shaped = ir.RankedTensorType(tensor)
    return ir.MemRefType.get(shaped.shape, shaped.element_type)
