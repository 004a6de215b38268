"""The pass `add-entry`: one function that takes all pointers in one array, so that a call costs one foreign call.

Before:  llvm.func @main(%a: !llvm.ptr, %b: !llvm.ptr) {...}
After:   the same, and
         llvm.func @hlo_entry(%pointers: !llvm.ptr) { loads both and calls @main }"""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.passes import Pass, register_pass

ENTRY = "hlo_entry"

_CODE = """
llvm.func @{entry}(%pointers: !llvm.ptr) {{
{loads}
  llvm.call @{callee}({names}) : ({types}) -> ()
  llvm.return
}}
llvm.func @{callee}({types})
"""

_LOAD = """  %a{n} = llvm.getelementptr %pointers[{n}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %p{n} = llvm.load %a{n} : !llvm.ptr -> !llvm.ptr"""


@register_pass
@dataclass(frozen=True)
class AddEntry(Pass):
    """Adds the function that the runtime calls."""

    def run(self, module: ir.Module) -> None:
        attributes = module.operation.attributes
        if "hlo.entry" not in attributes:
            raise CompileError("add-entry: the module has no hlo.entry; run bufferize-host first")
        callee = ir.StringAttr(attributes["hlo.entry"]).value
        (host,) = [op for op in module.body if _is_named(op, callee)]
        count = len(host.regions[0].blocks[0].arguments)
        text = _CODE.format(
            entry=ENTRY,
            callee=callee if callee.isidentifier() else f'"{callee}"',
            loads="\n".join(_LOAD.format(n=n) for n in range(count)),
            names=", ".join(f"%p{n}" for n in range(count)),
            types=", ".join(["!llvm.ptr"] * count),
        )
        with module.context, module.operation.location:
            parsed = ir.Module.parse(text)  # owns the function until it is moved
            entry = parsed.body.operations[0]
            entry.operation.detach_from_parent()
            module.body.append(entry)


def _is_named(op: ir.OpView, name: str) -> bool:
    attributes = op.operation.attributes
    return "sym_name" in attributes and ir.StringAttr(attributes["sym_name"]).value == name
