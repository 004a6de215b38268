"""Calls and composites are replaced by the bodies of what they call; private functions without callers go away.

Composites that stand for CHLO ops, which jaxlib makes of them in a portable artifact, become these ops:

stablehlo.composite "chlo.erf" %x {decomposition = @erf, version = 1 : i32} : ...    becomes    chlo.erf %x : ...

Their decompositions are right, but less exact and slower than what the compiler makes of the ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir
from mlir.dialects import func

from hlo.dialect.definition import OPS
from hlo.dialect.locations import diagnostic
from hlo.dialect.stablehlo import CompositeOp
from hlo.dialect.verifier import op_error
from hlo.errors import CompileError
from hlo.lowering.passes import Pass, pass_manager, register_pass
from hlo.lowering.replacing import replace
from hlo.lowering.stablehlo.rewriting import move_body, nested_ops, rewrite_each

MOST_OPS = 2_000_000
"""Ops of a program without calls: functions that call others twice each double it with every level."""
DEEPEST = 256
"""Calls within each other."""

CALLEE = {"func.call": "callee", "stablehlo.composite": "decomposition"}
"""The attribute that names the function to inline."""


@register_pass
class InlineCalls(Pass):
    """Inlines every call of a function with a body, at any depth and inside regions.

    func.func public @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = call @twice(%x) : (tensor<f32>) -> tensor<f32>        becomes  %0 = stablehlo.add %x, %x : tensor<f32>
      return %0 : tensor<f32>                                             return %0 : tensor<f32>
    }
    func.func private @twice(%x: tensor<f32>) -> tensor<f32> { ... }      (gone)

    Public functions stay, also when they are called. Recursion is an error: programs have static memory. Composites that stand for CHLO ops
    become these ops."""

    def run(self, module: ir.Module) -> None:
        restore_composites(module)
        inliner = _Inliner(module)
        for name in list(inliner.functions):
            inliner.check(name)
            inliner.check_size(name)
            inliner.inline_into(name)
        remove_unreferenced(module)


def check_calls(module: ir.Module) -> None:
    """Raises CompileError for calls that cannot be replaced by a body: of functions that have none, or call themselves."""
    inliner = _Inliner(module)
    for name in inliner.functions:
        inliner.check(name)


def remove_unreferenced(module: Any) -> None:
    """Erases private functions that no public one reaches."""
    manager = pass_manager(module.context, "builtin.module(symbol-dce)")
    manager.enable_verifier(False)
    manager.run(module.operation)


class _Inliner:
    def __init__(self, module: Any):
        self.module = module
        self.functions = {f.name.value: f for f in module.body.operations if isinstance(f, func.FuncOp)}
        self._calls = {name: list(_calls(f)) for name, f in self.functions.items()}
        self._checked: set[str] = set()
        self._finished: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._active: list[str] = []

    def check_size(self, name: str) -> None:
        """Raises CompileError for a function with too many ops once its calls are inlined, before that takes memory."""
        function, count = self.functions[name], self._size(name)
        if count > MOST_OPS:
            raise CompileError(
                diagnostic(function, f"@{name} has {count} ops when its calls are inlined: at most {MOST_OPS} compile")
            )

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            count = sum(1 for _ in nested_ops(self.functions[name]))
            self._sizes[name] = count + sum(self._size(_callee(call)) for call in self._calls[name])
        return self._sizes[name]

    def check(self, name: str, call: ir.OpView | None = None) -> None:
        """Raises CompileError for calls, in a function and in what it calls, of functions that have no body or call themselves."""
        if name in self._checked:
            return
        if name in self._active:
            raise _recursion_error(call, [*self._active[self._active.index(name) :], name])
        if len(self._active) > DEEPEST:
            raise CompileError(diagnostic(self.functions[name], f"calls are nested more than {DEEPEST} deep"))
        self._active.append(name)
        for inner in self._calls[name]:
            callee = _callee(inner)
            if not len(self.functions[callee].regions[0].blocks):
                raise CompileError(diagnostic(inner, f"'{inner.operation.name}' calls @{callee}, which has no body"))
            self.check(callee, inner)
        self._active.pop()
        self._checked.add(name)

    def inline_into(self, name: str) -> None:
        """Inlines all calls in a function, callees first."""
        if name in self._finished:
            return
        for call in self._calls[name]:
            self.inline_into(_callee(call))
            _inline(call, self.functions[_callee(call)])
        self._finished.add(name)


def _calls(function: func.FuncOp) -> Iterator[ir.OpView]:
    return (op for op in nested_ops(function) if op.operation.name in CALLEE)


def _callee(op: ir.OpView) -> str:
    return op.attributes[CALLEE[op.operation.name]].value


def _inline(call: ir.OpView, callee: func.FuncOp) -> None:
    """Replaces a call by a copy of the callee's body. The function is copied whole, which maps its values, and the
    copy's ops are moved: there is no copy with a value mapping."""
    copy = callee.operation.clone(ip=ir.InsertionPoint(callee.operation))
    block = copy.regions[0].blocks[0]
    for op in nested_ops(copy):
        op.operation.location = ir.Location.callsite(op.location, [call.location])
    with ir.InsertionPoint(call):
        values = move_body(block, list(call.operands))
    replace(call, values)
    copy.erase()


def _recursion_error(call: ir.OpView, cycle: list[str]) -> CompileError:
    names = " -> ".join(f"@{name}" for name in cycle)
    return CompileError(diagnostic(call, f"recursive calls cannot be compiled: {names}"))


PREFIX = "chlo."
VERSION = 1
"""Of the composites that upstream writes for CHLO ops."""


def restore_composites(module: ir.Module) -> None:
    """Replaces the composites of a module that stand for CHLO ops; others stay, also those that no such op would be right for."""
    rewrite_each(module, CompositeOp, _restored)


def _restored(op: CompositeOp) -> list[ir.Value] | None:
    is_chlo = op.composite_name.startswith(PREFIX) and op.composite_name in OPS and op.version == VERSION
    if not is_chlo or len(op.regions):
        return None
    given = {named.name: named.attr for named in op.attributes.get("composite_attributes", ())}
    made = ir.Operation.create(op.composite_name, [r.type for r in op.results], list(op.operands), given).opview
    if op_error(made):
        made.operation.erase()
        return None
    return list(made.results)
