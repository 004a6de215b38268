"""The pass `emit-gpu-kernels`: writes every kernel as launches of gpu.func.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   the same with hlo.code = @k.code, and
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) {
           gpu.launch_func @gpu::@k_0 blocks in (1, 1, 1) threads in (256, 1, 1) args(%a, %r) }
         gpu.module @gpu { gpu.func @k_0(%a: memref<8xf32>, %r: memref<8xf32>) kernel {...} }"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir

from hlo.lowering.gpu.attention.emit import attention_code
from hlo.lowering.gpu.contraction.launch import contraction_code, tiled_contraction
from hlo.lowering.gpu.device_functions import gpu_module
from hlo.lowering.gpu.kernel_code import buffered_kernel
from hlo.lowering.gpu.launches import split_into_launches
from hlo.lowering.kernel_calls import kind
from hlo.lowering.memory.byte_booleans import store_booleans_as_bytes
from hlo.lowering.memory.loops_emitter import bufferize
from hlo.lowering.memory.scratch import take_scratch
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.target import Target, gpu_named


@register_pass
@dataclass(frozen=True)
class EmitGpuKernels(Pass):
    """Writes the code function and the GPU functions of every kernel. `arch`: what they are to run on."""

    arch: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        with module.context, module.operation.location:
            module.operation.attributes["gpu.container_module"] = ir.UnitAttr.get()
            functions, target = gpu_module(module), gpu_named(self.arch)
            for op in list(module.body.operations):
                if "hlo.kernel" in op.operation.attributes and "hlo.code" not in op.operation.attributes:
                    _emit(module, op, functions.regions[0].blocks[0], target)


def _emit(module: ir.Module, kernel: Any, functions: ir.Block, target: Target) -> None:
    name, contraction = kernel.name.value, tiled_contraction(kernel)
    if kind(kernel) == "attention":
        scratch = attention_code(kernel, f"{name}.code", target)
    elif contraction is not None:
        scratch = contraction_code(kernel, contraction, f"{name}.code", target)
    else:
        scratch = _launches(kernel, name, target)
    with kernel.location:
        store_booleans_as_bytes(scratch)
    code, device = (_first(scratch, kind) for kind in ("func.func", "gpu.module"))
    _move(list(device.regions[0].blocks[0].operations), functions)
    _move([code], module.body)
    kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(f"{name}.code")
    _forbid_aliases(kernel)


def _launches(kernel: Any, name: str, target: Target) -> ir.Module:
    """A module with the kernel's code function and its gpu.module."""
    scratch = buffered_kernel(kernel, f"{name}.code")
    with kernel.location:
        code = _first(scratch, "func.func")
        device = gpu_module(scratch).regions[0].blocks[0]
        _move([op for op in scratch.body.operations if op.operation.name == "memref.global"], device)
        split_into_launches(code, device, name, target, _independent(kernel))
        take_scratch(kernel, code)
        bufferize(scratch, kernel, "builtin.module(gpu.module(gpu.func(convert-linalg-to-loops)))")
    return scratch


def _first(module: ir.Module, kind: str) -> Any:
    return next(op for op in module.body.operations if op.operation.name == kind)


def _independent(kernel: Any) -> int:
    """Iterations of the kernel's outermost loop that do not depend on each other."""
    known = "hlo.independent" in kernel.attributes
    return ir.IntegerAttr(kernel.attributes["hlo.independent"]).value if known else 1


def _move(ops: list[Any], to: ir.Block) -> None:
    for op in ops:
        op.operation.detach_from_parent()
        to.append(op)


def _forbid_aliases(kernel: Any) -> None:
    """A later launch may read what an earlier one has written over: results get storage of their own (tied ones stay)."""
    if "arg_attrs" not in kernel.attributes:
        return
    kept = [
        ir.DictAttr.get({a.name: a.attr for a in ir.DictAttr(one) if a.name != "hlo.may_alias"})
        for one in kernel.attributes["arg_attrs"]
    ]
    kernel.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
