"""The pass `pass-tensor-maps`: kernels take tensor maps by value, 128 bytes each, as the TMA wants them.

Before:  llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr) attributes {hlo.tensor_maps = 1, nvvm.kernel}
After:   llvm.func @k(%a: !llvm.ptr, %map: !llvm.ptr {llvm.align = 64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})

`hlo.tensor_maps` tells how many of the last arguments are maps."""

from __future__ import annotations

from mlir import ir

from hlo.lowering.passes import Pass, register_pass

MAPS = "hlo.tensor_maps"


@register_pass
class PassTensorMaps(Pass):
    """Marks the arguments of kernels that are tensor maps."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            for device in (op for op in module.body.operations if op.operation.name == "gpu.module"):
                for op in device.operation.regions[0].blocks[0].operations:
                    if op.operation.name == "llvm.func" and MAPS in op.operation.attributes:
                        _mark(op.operation)


def _mark(function: ir.Operation) -> None:
    by_value = ir.Attribute.parse(
        "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}",
    )
    maps = ir.IntegerAttr(function.attributes[MAPS]).value
    others = len(function.regions[0].blocks[0].arguments) - maps
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({})] * others + [by_value] * maps)
    del function.attributes[MAPS]
