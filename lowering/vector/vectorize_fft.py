"""The pass `vectorize-fft`: writes the code of kernels of Fourier transforms, and tables for it.

Before:  %r = call @fft_0(%x)
         func.func private @fft_0(...) attributes {hlo.kernel = "fft", hlo.fft = "FFT", hlo.fft_length = [4096], hlo.schedule = {...}}
After:   %r = call @fft_0(%x, %table)
         func.func private @fft_0(...) attributes {hlo.kernel = "fft", hlo.code = @fft_0.code}   and @fft_0.code"""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import arith

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.functions import set_type
from hlo.lowering.kernel_calls import call_with_more, calls
from hlo.lowering.kernels.schedule import SCHEDULE, refused_at
from hlo.lowering.memory.storage import memref_type
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.target import Target, target
from hlo.lowering.vector.contraction.emit import insert_functions

OWN = ("hlo.fft", "hlo.fft_length", SCHEDULE)
"""Attributes that the code is written from."""


@register_pass
@dataclass(frozen=True)
class VectorizeFft(Pass):
    """Writes vector code for Fourier transforms."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        kernels = {op.name.value: op for op in module.body.operations if "hlo.fft" in op.operation.attributes}
        tables = {name: _emit(kernel, target(self.target)) for name, kernel in kernels.items()}
        for call in calls(module) if kernels else []:
            if call.callee.value in tables:
                _give_table(call.operation, tables[call.callee.value])


def _emit(kernel: Any, target: Target) -> ir.Attribute:
    """Creates the code function of a kernel, and names it in `hlo.code`; the table that the kernel takes as another argument."""
    from hlo.lowering.vector.fft.emit import emit_fft  # few programs have transforms: the others do not wait for it
    from hlo.lowering.vector.fft.schedule import scheduled_fft

    ((operand,), (result,)), name = (kernel.type.inputs, kernel.type.results), f"{kernel.name.value}.code"
    with kernel.location:
        with refused_at(kernel):
            fft, passes = scheduled_fft(kernel, target)
        code = emit_fft(
            name, fft, passes, [str(memref_type(operand)), f"memref<?x{fft.element}>", str(memref_type(result))]
        )
        table = ir.DenseElementsAttr.get(code.table)
        insert_functions(kernel, "".join(f.text() for f in code.functions), name)
        set_type(kernel, [operand, table.type], [result])
        kernel.attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(name)
        for attribute in OWN:
            del kernel.attributes[attribute]
    return table


def _give_table(call: ir.Operation, table: ir.Attribute) -> None:
    with call.location, ir.InsertionPoint(call):
        constant = arith.constant(table.type, table)
    call_with_more(call, [constant])
