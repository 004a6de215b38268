"""The pass `add-entry`: the program takes all pointers in one array, so that a call costs one foreign call.

Before:  llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) {...}
After:   llvm.func @hlo_entry(%pointers: !llvm.ptr) -> i64 { loads both; ... }

What it returns is 0, or another number if a custom call has failed (host_calls.py)."""

from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects import llvm

from hlo.errors import CompileError
from hlo.lowering.finding import name_of
from hlo.lowering.memory.host_calls import make_host_calls, word, word_of
from hlo.lowering.numbers import integer
from hlo.lowering.passes import Pass, register_pass

ENTRY = "hlo_entry"


@register_pass
class AddEntry(Pass):
    """Makes the program the function that the runtime calls."""

    def run(self, module: ir.Module) -> None:
        attributes = module.operation.attributes
        if "hlo.entry" not in attributes:
            raise CompileError("add-entry: the module has no hlo.entry; run bufferize-host first")
        name = ir.StringAttr(attributes["hlo.entry"]).value
        (host,) = [op for op in module.body if "sym_name" in op.attributes and name_of(op) == name]
        with host.location:
            table = _take_array(host)
            failed = make_host_calls(module, table) if _has_custom_calls(attributes) else None
            _return_word(host, failed)
            host.attributes["sym_name"] = attributes["hlo.entry"] = ir.StringAttr.get(ENTRY)


def _has_custom_calls(attributes: Any) -> bool:
    return "hlo.custom_calls" in attributes and len(ir.ArrayAttr(attributes["hlo.custom_calls"])) > 0


def _take_array(host: Any) -> ir.Value:
    """The arguments are loaded from an array whose address is the only one. Returns the last but one: the table of custom calls."""
    return load_arguments(host, len(host.regions[0].blocks[0].arguments), "!llvm.func<i64 (ptr)>")[-2]


def load_arguments(function: Any, count: int, kind: str, first: int = 0) -> list[ir.Value]:
    """The first arguments of a function, loaded from an array of words, from number `first` on: its address is the last
    argument now. `kind`: the function's new type."""
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)[:count]
    words = block.add_argument(ir.Type.parse("!llvm.ptr"), function.location)
    with ir.InsertionPoint.at_block_begin(block):
        loads = [llvm.load(a.type, word_of(words, number)) for number, a in enumerate(arguments, first)]
    for argument, value in zip(arguments, loads):
        argument.replace_all_uses_with(value)
        block.erase_argument(0)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse(kind))
    if "arg_attrs" in function.attributes:
        del function.attributes["arg_attrs"]
    return loads


def _return_word(host: Any, failed: ir.Value | None) -> None:
    """`failed`: where the word is that the program returns; without it, 0."""
    returns = [b.operations[len(b.operations) - 1] for b in host.regions[0].blocks]
    for op in [op for op in returns if op.operation.name == "llvm.return"]:
        with ir.InsertionPoint(op):
            llvm.return_(arg=word(0) if failed is None else llvm.load(integer(64), failed))
        op.operation.erase()
