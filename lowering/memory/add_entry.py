"""The pass `add-entry`: the program takes all pointers in one array, so that a call costs one foreign call.

Before:  llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) {...}
After:   llvm.func @hlo_entry(%pointers: !llvm.ptr) -> i64 { loads both; ... }

What it returns is 0, or another number if a custom call has failed (host_calls.py)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.errors import CompileError
from hlo.lowering.memory.host_calls import make_host_calls
from hlo.lowering.passes import Pass, register_pass

ENTRY = "hlo_entry"


@register_pass
@dataclass(frozen=True)
class AddEntry(Pass):
    """Makes the program the function that the runtime calls."""

    def run(self, module: ir.Module) -> None:
        attributes = module.operation.attributes
        if "hlo.entry" not in attributes:
            raise CompileError("add-entry: the module has no hlo.entry; run bufferize-host first")
        name = ir.StringAttr(attributes["hlo.entry"]).value
        (host,) = [op for op in module.body if _is_named(op, name)]
        with module.context, host.location:
            table = _take_array(host)
            failed = make_host_calls(module, table) if _has_custom_calls(attributes) else None
            _return_word(host, failed)
            host.attributes["sym_name"] = ir.StringAttr.get(ENTRY)


def _has_custom_calls(attributes: Any) -> bool:
    return "hlo.custom_calls" in attributes and len(ir.ArrayAttr(attributes["hlo.custom_calls"])) > 0


def _take_array(host: Any) -> ir.Value:
    """The arguments are loaded from an array whose address is the only one. Returns the last but one: the table of custom calls."""
    block = host.regions[0].blocks[0]
    arguments = list(block.arguments)
    pointer = ir.Type.parse("!llvm.ptr")
    pointers = block.add_argument(pointer, host.location)
    loads: list[ir.Value] = []
    with ir.InsertionPoint.at_block_begin(block):
        for number, argument in enumerate(arguments):
            place = llvm.getelementptr(pointer, pointers, [], [number], pointer, 0)
            loads.append(llvm.load(pointer, place))
            argument.replace_all_uses_with(loads[-1])
    for _ in arguments:
        block.erase_argument(0)
    host.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("!llvm.func<i64 (ptr)>"))
    if "arg_attrs" in host.attributes:
        del host.attributes["arg_attrs"]
    return loads[-2]


def _return_word(host: Any, failed: ir.Value | None) -> None:
    """`failed`: where the word is that the program returns; without it, 0."""
    word = ir.IntegerType.get_signless(64)
    returns = [b.operations[len(b.operations) - 1] for b in host.regions[0].blocks]
    for op in [op for op in returns if op.operation.name == "llvm.return"]:
        with ir.InsertionPoint(op):
            zero = ir.IntegerAttr.get(word, 0)
            value = llvm.mlir_constant(zero) if failed is None else llvm.load(word, failed)
            llvm.return_(arg=value)
        op.operation.erase()


def _is_named(op: ir.OpView, name: str) -> bool:
    attributes = op.operation.attributes
    return "sym_name" in attributes and ir.StringAttr(attributes["sym_name"]).value == name
