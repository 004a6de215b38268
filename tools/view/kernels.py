"""The kernels of a program: what each is made of, how it runs, what was decided about it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mlir import ir

from hlo.errors import Diagnostic
from hlo.lazy_dataclasses import dataclass

EMITTERS = ("emit-kernels", "emit-gpu-kernels")
"""The passes in front of which kernels are what they stay."""


@dataclass(frozen=True)
class Kernel:
    """`functions`: its name and those of the kernels that it joins. `calls`: how many calls the program has. `schedule`: the attribute
    hlo.schedule as numbers, texts, lists and dictionaries; of a kernel that joins others, theirs by name."""

    name: str
    kind: str
    functions: tuple[str, ...]
    calls: int
    schedule: Any


def kernels_of(module: ir.Module) -> list[Kernel]:
    """Of a module in front of the pass that writes their code."""
    functions = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    calls: Counter[str] = Counter()
    called = {_name(f): _called(f) for f in functions}
    for found in called.values():
        calls.update(found)
    by_name = {_name(f): f for f in functions}
    return [
        Kernel(
            _name(f),
            ir.StringAttr(f.attributes["hlo.kernel"]).value,
            (_name(f), *dict.fromkeys(called[_name(f)])),
            calls[_name(f)],
            _schedule(f, [by_name[name] for name in called[_name(f)] if name in by_name]),
        )
        for f in functions
        if "hlo.kernel" in f.attributes
    ]


def _schedule(kernel: ir.Operation, joined: list[ir.Operation]) -> Any:
    """The kernel's own, or those of the kernels that it joins, by name."""
    if "hlo.schedule" in kernel.attributes:
        return _plain(kernel.attributes["hlo.schedule"])
    found = {_name(f): _plain(f.attributes["hlo.schedule"]) for f in joined if "hlo.schedule" in f.attributes}
    return found or None


def remarks_of(module: ir.Module, target: str) -> list[Diagnostic]:
    """Those of `hlo-opt --remarks`, after the phase that decides."""
    from hlo.lowering.gpu.remarks import launch_remarks
    from hlo.lowering.kernels.remarks import kernel_remarks

    return launch_remarks(module) if target == "gpu" else kernel_remarks(module)


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value


def _called(function: ir.Operation) -> list[str]:
    names: list[str] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            names.append(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return names


def _plain(attribute: ir.Attribute) -> Any:
    """An attribute as JSON has it."""
    if isinstance(attribute, ir.DictAttr):
        return {named.name: _plain(named.attr) for named in attribute}
    if isinstance(attribute, ir.ArrayAttr):
        return [_plain(one) for one in attribute]
    if isinstance(attribute, (ir.BoolAttr, ir.IntegerAttr, ir.StringAttr)):
        return attribute.value
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return list(attribute)
    return str(attribute)
