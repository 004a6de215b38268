"""The PTX of a module whose gpu.module is in the NVVM dialect."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from hlo.errors import CompileError


def ptx_of(module: ir.Module) -> str:
    """LLVM's NVPTX code for the device functions. The module is changed: its gpu.module becomes a gpu.binary.

    Raises CompileError with LLVM's message."""
    with module.context:
        try:
            PassManager.parse("builtin.module(gpu-module-to-binary{format=isa})").run(module.operation)
        except ir.MLIRError as error:
            raise CompileError("PTX: " + "; ".join(d.message for d in error.error_diagnostics)) from None
        binary = next(op for op in module.body.operations if op.operation.name == "gpu.binary")
        return _assembly(binary)


def _assembly(binary: Any) -> str:
    """The string in #gpu.object<..., assembly = "...">, whose escapes are two hexadecimal digits."""
    text = str(ir.ArrayAttr(binary.attributes["objects"])[0])
    quoted = text.partition('assembly = "')[2].rpartition('"')[0]
    parts = quoted.split("\\")
    decoded = [parts[0]]
    for part in parts[1:]:
        if part[:1] in ('"', "\\") or not part:
            decoded.append(part or "\\")
        else:
            decoded.append(chr(int(part[:2], 16)) + part[2:])
    return "".join(decoded).rstrip("\0")
