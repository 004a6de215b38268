"""The pass `add-entry`: the program takes all pointers in one array, so that a call costs one foreign call.

Before:  llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) {...}
After:   llvm.func @hlo_entry(%pointers: !llvm.ptr) { loads both; ... }"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.errors import CompileError
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
            _take_array(host)
            host.attributes["sym_name"] = ir.StringAttr.get(ENTRY)


def _take_array(host: Any) -> None:
    """The arguments are loaded from an array whose address is the only one."""
    block = host.regions[0].blocks[0]
    arguments = list(block.arguments)
    pointer = ir.Type.parse("!llvm.ptr")
    pointers = block.add_argument(pointer, host.location)
    with ir.InsertionPoint.at_block_begin(block):
        for number, argument in enumerate(arguments):
            place = llvm.getelementptr(pointer, pointers, [], [number], pointer, 0)
            argument.replace_all_uses_with(llvm.load(pointer, place))
    for _ in arguments:
        block.erase_argument(0)
    host.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr)>"))
    if "arg_attrs" in host.attributes:
        del host.attributes["arg_attrs"]


def _is_named(op: ir.OpView, name: str) -> bool:
    attributes = op.operation.attributes
    return "sym_name" in attributes and ir.StringAttr(attributes["sym_name"]).value == name
