"""Kernels of kind "attention": one launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.gpu.attention.kernel import Kernel
from hlo.lowering.gpu.attention.plan import Plan
from hlo.lowering.gpu.attention.recognise import Attention, attention_of
from hlo.lowering.gpu.attention.rounded import RoundedKernel, RoundedPlan
from hlo.lowering.gpu.attention.thread_kernel import ThreadKernel
from hlo.lowering.gpu.attention.thread_plan import ThreadPlan
from hlo.lowering.gpu.attention.warpgroups.kernel import WarpgroupKernel
from hlo.lowering.gpu.attention.warpgroups.plan import NotByWarpgroupsError, WarpgroupPlan
from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.launches import add_launch, gpu_function, gpu_module, pass_maps


def attention_code(kernel: Any, name: str, arch: str) -> ir.Module:
    """A module with the function `name` on memrefs (arguments, then the result), which launches the gpu.func in the module's
    gpu.module @gpu. `arch`: what it is to run on."""
    plan = _plan(_attention(kernel), arch)
    maps = plan.maps if isinstance(plan, WarpgroupPlan) else []
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
        pointers = [ir.Type.parse("!llvm.ptr")] * len(maps)
        function = gpu_function(device, launched, [*types, *pointers], plan.grid)
        function.attributes["hlo.decision"] = ir.StringAttr.get(plan.decision)
        pass_maps(function, len(maps))
        if not isinstance(plan, WarpgroupPlan):
            _limit_registers(function, plan.registers)
        block = function.regions[0].blocks[0]
        given = list(kernel.regions[0].blocks[0].arguments)
        *arguments, result = list(block.arguments)[: len(types)]
        with ir.InsertionPoint(block):
            _emit(plan, dict(zip(given, arguments)), list(block.arguments)[len(types) :], result)
            ir.Operation.create("gpu.return")
        memory = dict(zip(given, entry.arguments))
        own = [(memory[value], one) for value, one in maps]
        add_launch(plan.grid, launched, list(entry.arguments), own, end.operation)
    return module


def _plan(found: Attention, arch: str) -> Plan | WarpgroupPlan:
    """By warpgroups where the architecture has them, and they can do it."""
    if found.is_exact:
        return ThreadPlan.of(found)
    if found.is_rounded:
        return RoundedPlan.of(found)
    if arch != "sm_90a":
        return Plan.of(found)
    try:
        return WarpgroupPlan.of(found)
    except NotByWarpgroupsError as error:
        return replace(Plan.of(found), reason=str(error))


def _limit_registers(function: ir.Operation, registers: int | None) -> None:
    if registers is not None:
        function.attributes["nvvm.maxnreg"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), registers)


def _emit(plan: Plan | WarpgroupPlan, values: Values, maps: Sequence[ir.Value], result: ir.Value) -> None:
    if isinstance(plan, WarpgroupPlan):
        WarpgroupKernel(plan, values, maps).emit(result)
    elif isinstance(plan, ThreadPlan):
        ThreadKernel(plan, values).emit(result)
    elif isinstance(plan, RoundedPlan):
        RoundedKernel(plan, values).emit(result)
    else:
        Kernel(plan, values).emit(result)


def _attention(kernel: Any) -> Attention:
    for op in kernel.regions[0].blocks[0].operations:
        found = attention_of(op.operation)
        if found is not None:
            return found
    raise AssertionError("a kernel of kind attention is one")


def _memref(tensor: ir.Type) -> ir.Type:
    shaped = ir.RankedTensorType(tensor)
    return ir.MemRefType.get(shaped.shape, shaped.element_type)
