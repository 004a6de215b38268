"""The pass `inline-wrappers`: a function that only passes its arguments on, to parts or to the code of a kernel, is put where it is called.

Before:  func.func private @k.code(%a: memref<8xf32>) { call @k.part(%a, %c4) }     func.func @main { call @k.code(%x) }
After:   func.func @main { call @k.part(%x, %c4) }

A function costs LLVM as much as thirty instructions, whatever is in it. Functions that compute stay: they have the names that
assembly and profilers show."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.lowering.finding import callee_of, name_of, ops_named
from hlo.lowering.memory.call_parts import PART
from hlo.lowering.passes import Pass, register_pass

MOST = 32
"""Ops of a wrapper."""


@register_pass
class InlineWrappers(Pass):
    """Replaces the one call of a wrapper by its body."""

    def run(self, module: ir.Module) -> None:
        functions = {name_of(op): op for op in module.body if _is_function(op)}
        with module.context:
            calls = {callee: found for callee, found in _calls(module).items() if len(found) == 1}
            wrappers = {name: functions[name] for name in calls if name in functions and _is_wrapper(functions[name])}
            for name, wrapper in wrappers.items():
                _inline(calls[name][0], wrapper)
            for wrapper in wrappers.values():
                wrapper.operation.erase()


def _is_function(op: Any) -> bool:
    return bool(op.operation.name == "func.func")


def _calls(module: ir.Module) -> dict[str, list[Any]]:
    """All calls by callee."""
    found: dict[str, list[Any]] = {}
    for op in ops_named(module, ("func.call",)):
        found.setdefault(callee_of(op), []).append(op)
    return found


def _is_wrapper(function: Any) -> bool:
    """Private, without loops, and its work is done by what it calls."""
    if PART in function.attributes or "hlo.layer" in function.attributes or len(function.regions[0].blocks) != 1:
        return False
    if "sym_visibility" not in function.attributes or "passthrough" in function.attributes:
        return False
    ops = [op.operation for op in function.regions[0].blocks[0].operations]
    return len(ops) <= MOST and not any(len(op.regions) for op in ops) and any(op.name == "func.call" for op in ops)


def _inline(call: Any, wrapper: Any) -> None:
    block = wrapper.regions[0].blocks[0]
    for argument, value in zip(block.arguments, call.operation.operands):
        argument.replace_all_uses_with(value)
    *body, _ = [op.operation for op in block.operations]
    for op in body:
        op.move_before(call.operation)
    call.operation.erase()
