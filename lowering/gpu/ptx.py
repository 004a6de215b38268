"""The PTX of a module whose gpu.module is in the NVVM dialect."""

from __future__ import annotations

import re
from typing import Any

from mlir import ir
from mlir.dialects import gpu
from mlir.passmanager import PassManager

from hlo.errors import CompileError
from hlo.lowering.finding import name_of

FEW_BYTES, MOST_BYTES = 4096, 32764
"""Of a kernel's arguments, in all versions of PTX and from 8.1 on (drivers from CUDA 12.1 on)."""

VERSION_OF_MANY = 81


def ptx_of(module: ir.Module) -> str:
    """LLVM's NVPTX code for the device functions. The module is changed: its gpu.module becomes a gpu.binary.

    Raises CompileError with LLVM's message, and for kernels with more arguments than PTX has room for."""
    with module.context:
        _allow_many_arguments(module)
        try:
            PassManager.parse("builtin.module(gpu-module-to-binary{format=isa})").run(module.operation)
        except ir.MLIRError as error:
            raise CompileError("PTX: " + "; ".join(d.message for d in error.error_diagnostics)) from None
        binary = next(op for op in module.body.operations if op.operation.name == "gpu.binary")
        (code,) = ir.ArrayAttr(binary.attributes["objects"])
        return bytes(gpu.ObjectAttr(code).object).decode().rstrip("\0")


def _allow_many_arguments(module: ir.Module) -> None:
    """A later version of PTX where a kernel needs it; the others stay as they are, for older drivers."""
    for device in [op for op in module.body.operations if op.operation.name == "gpu.module"]:
        if (
            max((_argument_bytes(f) for f in device.regions[0].blocks[0] if "nvvm.kernel" in f.attributes), default=0)
            > FEW_BYTES
        ):
            text = re.sub(r"\+ptx(\d+)", _at_least_version, str(device.attributes["targets"]))
            device.attributes["targets"] = ir.Attribute.parse(text)


def _at_least_version(feature: re.Match[str]) -> str:
    return f"+ptx{max(int(feature[1]), VERSION_OF_MANY)}"


def _argument_bytes(kernel: Any) -> int:
    """Addresses and numbers of 8 bytes, tensor maps of 128. Raises CompileError for too many."""
    attributes = ir.ArrayAttr(kernel.attributes["arg_attrs"]) if "arg_attrs" in kernel.attributes else []
    maps = sum("llvm.byval" in ir.DictAttr(one) for one in attributes)
    size = 8 * (len(kernel.regions[0].blocks[0].arguments) - maps) + 128 * maps
    if size > MOST_BYTES:
        raise CompileError(f"kernel {name_of(kernel)} has {size} bytes of arguments; NVIDIA's cards take {MOST_BYTES}")
    return size
