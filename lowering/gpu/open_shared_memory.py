"""The pass `open-shared-memory`: dynamic shared memory is as large as the launch says.

Before:  llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3, alignment = 16} : !llvm.array<0 x i8>
After:   llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3, alignment = 1024} : !llvm.array<0 x i8>

MLIR 22 makes the global internal, which the NVPTX back end takes for a static array of one byte."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.passes import Pass, register_pass

ALIGNMENT = 1024
"""Bytes: what swizzled tiles of the TMA want."""


@register_pass
class OpenSharedMemory(Pass):
    """Makes dynamic shared memory external, and aligned for swizzled tiles."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            for device in (op for op in module.body.operations if op.operation.name == "gpu.module"):
                for op in device.operation.regions[0].blocks[0].operations:
                    if _is_dynamic(op.operation):
                        _open(op.operation)


def _is_dynamic(op: ir.Operation) -> bool:
    name = ir.StringAttr(op.attributes["sym_name"]).value if "sym_name" in op.attributes else ""
    return op.name == "llvm.mlir.global" and name.startswith("__dynamic_shmem__")


def _open(op: ir.Operation) -> None:
    op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>")
    op.attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), ALIGNMENT)
    if "dso_local" in op.attributes:
        del op.attributes["dso_local"]
