"""The pass `call-symbols`: what the program calls for a custom call is looked up in a table that the runtime gives it.

Before:  llvm.call %calls(%number, %array)                          (in the module's hlo.custom_calls, by its number)
After:   %host = load %calls[0]        %symbol = load %calls[1 + number]        %native = %symbol != null
         llvm.call (%native ? %symbol : %host)(%native ? %out : %number, %array)

The host's function takes the number of the call and the array of the addresses of operands, then results. A symbol is a
function of machine code, `void f(void* out, const void** in)`: `in` is this array, `out` the address of the result, or of the
results' addresses in the array unless there is one result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.lowering.finding import ops_named
from hlo.lowering.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class CallSymbols(Pass):
    """Custom calls of machine code go without the host."""

    def run(self, module: ir.Module) -> None:
        attributes = module.operation.attributes
        calls = ir.ArrayAttr(attributes["hlo.custom_calls"]) if "hlo.custom_calls" in attributes else []
        if not len(calls):
            return
        with module.context:
            for op in ops_named(module, ("llvm.call",)):
                if "callee" not in op.attributes:
                    with op.location, ir.InsertionPoint(op):
                        _look_up(op, calls)


def _look_up(call: Any, calls: Any) -> None:
    table, number, array = call.operation.operands
    position = ir.IntegerAttr(number.owner.attributes["value"]).value
    described = ir.DictAttr(calls[position])
    operands, results = (len(ir.ArrayAttr(described[f"hlo.{name}_types"])) for name in ("operand", "result"))
    pointer = llvm.PointerType.get()
    out = _place(array, operands)
    out = llvm.load(pointer, out) if results == 1 else out
    host, symbol = llvm.load(pointer, table), llvm.load(pointer, _place(table, 1 + position))
    native = llvm.icmp(llvm.ICmpPredicate.ne, symbol, llvm.mlir_zero(pointer))
    first = llvm.select(native, out, llvm.inttoptr(pointer, number))
    for place, value in enumerate((llvm.select(native, symbol, host), first)):
        call.operation.operands[place] = value


def _place(array: ir.Value, number: int) -> ir.Value:
    pointer = llvm.PointerType.get()
    return llvm.getelementptr(pointer, array, [], [number], pointer, 0)
