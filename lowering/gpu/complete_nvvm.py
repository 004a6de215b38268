"""The pass `complete-nvvm`: what MLIR leaves undone in kernels of the LLVM dialect. Dynamic shared memory is as large
as the launch says, and tensor maps are passed by value, 128 bytes each.

Before:  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3, alignment = 16} : !llvm.array<0 x i8>
         llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr) attributes {hlo.tensor_maps = 1, nvvm.kernel}
After:   llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3, alignment = 1024} : !llvm.array<0 x i8>
         llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr {llvm.align = 64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})

MLIR 22 makes the global internal, which the NVPTX back end takes for a static array of one byte. `hlo.tensor_maps`
tells how many of the last arguments are maps."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.finding import name_of
from hlo.lowering.passes import Pass, register_pass

ALIGNMENT = 1024
"""Bytes: what swizzled tiles of the TMA want."""

MAPS = "hlo.tensor_maps"


@register_pass
class CompleteNvvm(Pass):
    """Makes dynamic shared memory external, and aligned for swizzled tiles; marks the arguments of kernels that are tensor maps."""

    def run(self, module: ir.Module) -> None:
        for device in (op for op in module.body.operations if op.operation.name == "gpu.module"):
            for op in [one.operation for one in device.operation.regions[0].blocks[0].operations]:
                if op.name == "llvm.mlir.global" and name_of(op).startswith("__dynamic_shmem__"):
                    _make_external(op)
                elif op.name == "llvm.func" and MAPS in op.attributes:
                    _pass_maps(op)


def _make_external(op: ir.Operation) -> None:
    op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>")
    op.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ALIGNMENT)
    if "dso_local" in op.attributes:
        del op.attributes["dso_local"]


def _pass_maps(function: ir.Operation) -> None:
    by_value = ir.Attribute.parse(
        "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}",
    )
    maps = ir.IntegerAttr(function.attributes[MAPS]).value
    others = len(function.regions[0].blocks[0].arguments) - maps
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({})] * others + [by_value] * maps)
    del function.attributes[MAPS]
