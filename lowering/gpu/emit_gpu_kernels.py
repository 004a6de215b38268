"""The pass `emit-gpu-kernels`: writes every kernel as launches of gpu.func.

Before:  func.func private @k(%a: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.kernel = "region"} {...}
After:   the same with hlo.code = @k.code, and
         func.func private @k.code(%a: memref<8xf32>, %r: memref<8xf32>) {
           gpu.launch_func @gpu::@k_0 blocks in (1, 1, 1) threads in (256, 1, 1) args(%a, %r) }
         gpu.module @gpu { gpu.func @k_0(%a: memref<8xf32>, %r: memref<8xf32>) kernel {...} }"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.gpu.attention.emit import attention_code
from hlo.lowering.gpu.contraction.launch import contraction_code, tiled_contraction
from hlo.lowering.gpu.launches import gpu_module, move_ops
from hlo.lowering.gpu.loop_launches import loops_code
from hlo.lowering.gpu.region.launch import region_code
from hlo.lowering.kernel_calls import kind
from hlo.lowering.memory.byte_booleans import store_booleans_as_bytes
from hlo.lowering.memory.loops_emitter import first_op
from hlo.lowering.memory.placement import forbid_aliases
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, gpu_named


@register_pass
@dataclass(frozen=True)
class EmitGpuKernels(Pass):
    """Writes the code function and the GPU functions of every kernel. `target`: what they are to run on."""

    target: str = "sm_80"

    def run(self, module: ir.Module) -> None:
        with module.operation.location:
            module.operation.attributes["gpu.container_module"] = ir.UnitAttr.get()
            functions, target = gpu_module(module), gpu_named(self.target)
            for op in list(module.body.operations):
                if "hlo.kernel" in op.operation.attributes and "hlo.code" not in op.operation.attributes:
                    _emit(module, op, functions, target)


def _emit(module: ir.Module, kernel: Any, functions: ir.Block, target: Target) -> None:
    name, contraction = kernel.name.value, tiled_contraction(kernel)
    if kind(kernel) == "attention":
        scratch = attention_code(kernel, f"{name}.code", target)
    elif contraction is not None:
        scratch = contraction_code(kernel, contraction, f"{name}.code", target)
    elif kind(kernel) in ("region", "contraction"):
        scratch = region_code(kernel, f"{name}.code", target)
    else:
        scratch = loops_code(kernel, f"{name}.code")
    with kernel.location:
        store_booleans_as_bytes(scratch)
    code, device = (first_op(scratch, name) for name in ("func.func", "gpu.module"))
    move_ops(list(device.regions[0].blocks[0].operations), functions)
    move_ops([code], module.body)
    kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(f"{name}.code")
    forbid_aliases(kernel)  # a later launch may read what an earlier one has written over
