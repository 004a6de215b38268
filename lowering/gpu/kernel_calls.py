"""Kernels and the calls of them, for passes that make others of them."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.memory.loops_emitter import remap


def calls(host: Any) -> list[Any]:
    found: list[Any] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            found.append(op.opview)
        return ir.WalkResult.ADVANCE

    host.operation.walk(visit)
    return found


def kind(kernel: Any) -> str:
    return ir.StringAttr(kernel.attributes["hlo.kernel"]).value if "hlo.kernel" in kernel.attributes else ""


def is_tied(kernel: Any) -> bool:
    if "arg_attrs" not in kernel.attributes:
        return False
    return any("hlo.tied" in ir.DictAttr(one) for one in kernel.attributes["arg_attrs"])


def free_name(name: str, functions: dict[str, Any]) -> str:
    return name if name not in functions else free_name(f"{name}_0", functions)


def copied(function: Any, arguments: list[ir.Value]) -> list[ir.Value]:
    """The function's ops at the insertion point; what it would return."""
    block = function.regions[0].blocks[0]
    values = dict(zip(block.arguments, arguments))
    *body, end = block.operations
    for op in body:
        copy = op.operation.clone()
        remap(copy, values)
        values.update(zip(op.operation.results, copy.results))
    return [values[v] for v in end.operands]


def erase_unused(module: ir.Module, functions: dict[str, Any]) -> None:
    """Kernels that nothing calls any more."""
    called = {call.callee.value for f in functions.values() if not f.is_external for call in calls(f)}
    for name, function in functions.items():
        if "hlo.kernel" in function.attributes and name not in called and not function.is_external:
            function.operation.erase()
