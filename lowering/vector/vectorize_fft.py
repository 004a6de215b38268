"""The pass `vectorize-fft`: Fourier transforms get code of vectors, and tables for it, instead of loops over scalars.

Before:  %r = call @fft_0(%empty, %x, %tables...)
         func.func private @fft_0(...) attributes {hlo.kernel = "loops", hlo.fft = "FFT", hlo.fft_length = [4096], hlo.schedule = {...}} { loops }
After:   %r = call @fft_0(%x, %table)
         func.func private @fft_0(...) attributes {hlo.kernel = "fft", hlo.code = @fft_0.code}   and @fft_0.code"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import arith, func

from hlo.lowering.kernel_calls import calls
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import insert_functions, memref_type
from hlo.lowering.vector.schedule import refused_at
from hlo.lowering.vector.target import Target, target

MADE_FOR_LOOPS = ("arith.constant", "tensor.empty")


@register_pass
@dataclass(frozen=True)
class VectorizeFft(Pass):
    """Writes vector code for Fourier transforms."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        with module.context:
            kernels = {op.name.value: op for op in module.body.operations if "hlo.fft" in op.operation.attributes}
            for call in calls(module) if kernels else []:
                if call.callee.value in kernels:
                    _replace(module, call.operation, kernels[call.callee.value], target(self.target))
            for kernel in kernels.values():
                kernel.operation.erase()


def _replace(module: ir.Module, call: ir.Operation, kernel: Any, target: Target) -> None:
    """Each kernel is called once: it replaces the old one's call, and has its name."""
    from hlo.lowering.vector.fft.emit import emit_fft  # few programs have transforms: the others do not wait for it
    from hlo.lowering.vector.fft.schedule import scheduled_fft

    operand, result = call.operands[1], call.results[0]
    old = list(call.operands)
    name = kernel.name.value
    with kernel.location:
        with refused_at(kernel):
            fft, passes = scheduled_fft(kernel, target)
        memrefs = [memref_type(operand.type), f"memref<?x{fft.element}>", memref_type(result.type)]
        code = emit_fft(f"{name}.code", fft, passes, memrefs)
        kernel.attributes["sym_name"] = ir.StringAttr.get(f"{name}.loops")
        with ir.InsertionPoint(call):
            attribute = ir.DenseElementsAttr.get(code.table)
            table = arith.constant(attribute.type, attribute)
            new = func.CallOp([result.type], name, [operand, table])
        with ir.InsertionPoint(kernel):
            types = ([operand.type, table.type], [result.type])
            made = func.FuncOp(name, types, visibility="private")
        made.attributes["hlo.kernel"] = ir.StringAttr.get("fft")
        made.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(f"{name}.code")
        insert_functions(made, "".join(f.text() for f in code.functions), f"{name}.code")
    result.replace_all_uses_with(new.results[0])
    call.erase()
    _erase_unused(old)


def _erase_unused(values: list[ir.Value]) -> None:
    """The old tables (some may be one value) and the empty result."""
    for value in dict.fromkeys(values):
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.name in MADE_FOR_LOOPS and not list(value.uses):
            owner.erase()
