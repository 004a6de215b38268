"""Kernels and the calls of them, for passes that make others of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.lowering.copying import cloned
from hlo.lowering.finding import captured, each, is_unused, name_of, ops_within, text_of
from hlo.lowering.merging import tell_merge
from hlo.lowering.replacing import rewrite


def calls(host: Any) -> list[Any]:
    return [one.opview for one in ops_within(host, lambda op: op.name == "func.call")]


def kind(kernel: Any) -> str:
    return ir.StringAttr(kernel.attributes["hlo.kernel"]).value if "hlo.kernel" in kernel.attributes else ""


def is_private(function: Any) -> bool:
    attributes = function.operation.attributes
    return "sym_visibility" in attributes and ir.StringAttr(attributes["sym_visibility"]).value == "private"


def free_name(name: str, functions: dict[str, Any]) -> str:
    return name if name not in functions else free_name(f"{name}_0", functions)


def copied(function: Any, arguments: list[ir.Value]) -> list[ir.Value]:
    """The ops of a function, or of a body, at the insertion point; what it would give."""
    block = function.regions[0].blocks[0]
    values = dict(zip(block.arguments, arguments))
    *body, end = block.operations
    for op in body:
        cloned(op.operation, values)
    return [values.get(v, v) for v in end.operands]


Body = Callable[[list[ir.Value]], Sequence[ir.Value]]
"""Writes a kernel's ops at the insertion point: its results, from its arguments."""


def functions_by_name(module: ir.Module) -> dict[str, Any]:
    """Those without a body, too."""
    return {op.name.value: op for op in each(module.body.operations) if isinstance(op, func.FuncOp)}


def hosts(functions: dict[str, Any]) -> list[Any]:
    """Those that are no kernels."""
    return [f for f in functions.values() if "hlo.kernel" not in f.attributes and not f.is_external]


def new_kernel(
    module: ir.Module, name: str, what: str, inputs: Sequence[ir.Type], results: Sequence[ir.Type], body: Body
) -> Any:
    """A kernel of the kind `what` at the end of a module."""
    with ir.InsertionPoint(module.body):
        kernel = func.FuncOp(name, ir.FunctionType.get(list(inputs), list(results)), visibility="private")
    kernel.attributes["hlo.kernel"] = ir.StringAttr.get(what)
    entry = kernel.add_entry_block()
    with ir.InsertionPoint(entry):
        func.ReturnOp(list(body(list(entry.arguments))))
    return kernel


def kernel_of(
    module: ir.Module,
    name: str,
    what: str,
    ops: Sequence[ir.Operation],
    inputs: Sequence[ir.Value],
    results: Sequence[ir.Value],
) -> Any:
    """A new kernel with copies of ops, which compute `results` from `inputs`."""

    def body(arguments: list[ir.Value]) -> list[ir.Value]:
        values = dict(zip(inputs, arguments))
        for op in ops:
            cloned(op, values)
        return [values[v] for v in results]

    return new_kernel(module, name, what, [v.type for v in inputs], [v.type for v in results], body)


def ops_above(
    values: Sequence[ir.Value], is_inside: Callable[[ir.Value, ir.Operation | None], bool]
) -> tuple[list[ir.Operation], list[ir.Value]]:
    """Ops that compute some values, in an order that respects their uses, and the values that these take from outside. `is_inside`: whether the
    op whose result a value is belongs to them, for the op that needs it (None for what is wanted)."""
    inside: dict[ir.Operation, None] = {}
    outside: dict[ir.Value, None] = {}

    def visit(value: ir.Value, reader: ir.Operation | None) -> None:
        op = value.owner
        if isinstance(op, ir.Block) or not (op in inside or is_inside(value, reader)):
            outside[value] = None
        elif op not in inside:
            for operand in operands_with_captures(op.operation):
                visit(operand, op.operation)
            inside[op.operation] = None

    for value in values:
        visit(value, None)
    return list(inside), list(outside)


def operands_with_captures(op: ir.Operation) -> list[ir.Value]:
    """An op's operands, and the values its regions use that are defined outside of it."""
    return list(dict.fromkeys([*op.operands, *captured([op])])) if len(op.regions) else list(dict.fromkeys(op.operands))


def kept_once(kernel: Any, known: dict[Any, Any], name: Callable[[], str], key: Any = None) -> Any:
    """A kernel, which gets a name, or an equal one that is there already, which replaces it. `known`: kernels by `key`, by default their texts."""
    key = text_of(kernel) if key is None else key
    if key in known:
        tell_merge(known[key], kernel)
        kernel.operation.erase()
    else:
        known[key] = kernel
        kernel.attributes["sym_name"] = ir.StringAttr.get(name())
    return known[key]


def name_once(kernel: Any, known: dict[Any, Any], name: str) -> str:
    """The name of a kernel that is kept once: the given one with a number."""
    return name_of(kept_once(kernel, known, lambda: f"{name}_{len(known) - 1}"))


def call_instead(op: ir.Operation, name: str, operands: Sequence[ir.Value]) -> None:
    """Calls a kernel in front of an op, whose results the call's become. The op stays."""
    with ir.InsertionPoint(op), op.location:
        call = func.CallOp([r.type for r in op.results], name, list(operands))
    for old, new in zip(op.results, call.results):
        old.replace_all_uses_with(new)


def call_with_more(call: Any, operands: Sequence[ir.Value]) -> None:
    """The call gets operands behind those that it has."""
    kinds, callee, given = [r.type for r in call.results], call.attributes["callee"], [*call.operands, *operands]
    rewrite(call, lambda _: list(func.CallOp(kinds, callee, given).results))


def erase_with_makers(last: ir.Operation, may_go: Callable[[ir.Operation], bool] = lambda _: True) -> None:
    """Erases an op, and what only it needs, if nothing uses its results."""
    waiting = [last]
    while waiting:
        op = waiting.pop()
        if not is_unused(op):
            continue
        above = list(dict.fromkeys(v.owner.operation for v in op.operands if not isinstance(v.owner, ir.Block)))
        op.erase()
        waiting += [one for one in above if one not in waiting and may_go(one)]


def erase_unused(functions: dict[str, Any]) -> None:
    """Kernels that nothing calls any more."""
    called = {call.callee.value for f in functions.values() if not f.is_external for call in calls(f)}
    for name, function in functions.items():
        if "hlo.kernel" in function.attributes and name not in called and not function.is_external:
            function.operation.erase()
