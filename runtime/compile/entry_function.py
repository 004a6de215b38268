"""The function of a module that is the program, and what it needs."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.finding import each

CALLEES = ("callee", "decomposition", "called_computations", "programs", "infeed")
"""Attributes that name functions."""


def function_named(module: ir.Module, name: str) -> Any:
    """A function with a body. Raises CompileError if there is none."""
    functions = _functions(module)
    if name not in functions:
        found = f"{', '.join(functions)} (entry=..., --entry chooses one)" if functions else "none"
        raise CompileError(f"no function {name!r} to compile; functions: {found}")
    if functions[name].is_external:
        raise CompileError(f"function {name!r} is only declared; it has no body to compile")
    return functions[name]


def _functions(module: ir.Module) -> dict[str, Any]:
    return {op.name.value: op for op in each(module.body.operations) if op.operation.name == "func.func"}


def entry_only(module: ir.Module, entry: str) -> ir.Module:
    """A copy of the entry function, public, and of what it needs, private."""
    function_named(module, entry)
    functions = _functions(module)
    needed = _reachable(functions, entry)
    with module.context, module.operation.location:
        copy = ir.Module.create()
        for name in module.operation.attributes:
            copy.operation.attributes[name] = module.operation.attributes[name]
        with ir.InsertionPoint(copy.body):
            for name in functions:
                if name in needed:
                    made = functions[name].operation.clone()
                    made.attributes["sym_visibility"] = ir.StringAttr.get("public" if name == entry else "private")
    return copy


def _reachable(functions: dict[str, Any], entry: str) -> set[str]:
    reached, waiting = set(), [entry]
    while waiting:
        name = waiting.pop()
        if name in functions and name not in reached:
            reached.add(name)
            waiting += _callees(functions[name])
    return reached


def _callees(function: Any) -> list[str]:
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        for key in CALLEES:
            if key in op.attributes:
                names.extend(_symbols(op.attributes[key]))
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return names


def _symbols(attribute: ir.Attribute) -> list[str]:
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return [attribute.value]
    return [s for a in attribute for s in _symbols(a)] if isinstance(attribute, ir.ArrayAttr) else []
