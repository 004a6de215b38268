"""Functions of layers on memrefs: their code is that of host functions, their callers see kernels.

Before:  func.func private @layer_0(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hlo.layer} { calls of kernels }
After:   the same with hlo.code = @layer_0.host and hlo.scratch = 256, and
         func.func @layer_0.host(%x: memref<8xf32>, %result: memref<8xf32>, %scratch: memref<256xi8>) { ... }"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir

from hlo.dialect.attributes import I64
from hlo.lowering.finding import callee_of
from hlo.lowering.functions import add_arguments
from hlo.lowering.kernel_calls import call_with_more
from hlo.lowering.memory.host_code import HostCode
from hlo.lowering.memory.placement import is_tensor

LAYER = "hlo.layer"


def is_layer(function: Any) -> bool:
    return LAYER in function.attributes


class LayerCode(HostCode):
    """`emit()` leaves the layer's function as a kernel that has its code."""

    def _last_parameters(self) -> list[ir.Type]:
        return [ir.MemRefType.get([self.arena], ir.IntegerType.get_signless(8))] if self.arena else []

    def _pointer_array(self) -> None:
        """A layer has no custom calls."""

    def _describe(self) -> None:
        attributes = self.host.attributes
        attributes["hlo.code"] = ir.FlatSymbolRefAttr.get(self.function.name.value)
        attributes["hlo.scratch"] = I64.encode(self.arena)
        self.function.attributes["sym_visibility"] = ir.StringAttr.get("private")


def callees_first(hosts: Sequence[Any]) -> list[Any]:
    """Host functions in an order in which each comes after those that it calls."""
    by_name = {host.name.value: host for host in hosts}
    ordered: dict[str, Any] = {}

    def visit(host: Any) -> None:
        for call in _calls(host):
            if callee_of(call) in by_name and callee_of(call) not in ordered:
                visit(by_name[callee_of(call)])
        ordered[host.name.value] = host

    for host in hosts:
        visit(host)
    return list(ordered.values())


def take_constants_as_arguments(layer: Any, callers: Sequence[Any]) -> None:
    """Constants in memory belong to the program, which hands them to its layers."""
    entry = layer.regions[0].blocks[0]
    constants = [op.operation for op in entry.operations if _is_constant(op)]
    if not constants:
        return
    for op, argument in zip(constants, add_arguments(layer, [op.results[0].type for op in constants])):
        op.results[0].replace_all_uses_with(argument)
    for caller in callers:
        calls = [call for call in _calls(caller) if callee_of(call) == layer.name.value]
        _give(calls, constants)
    for op in constants:
        op.erase()


def _give(calls: Sequence[Any], constants: Sequence[ir.Operation]) -> None:
    """More operands for the calls in one function."""
    if not calls:
        return
    given = [op.clone(ip=ir.InsertionPoint(calls[0])).results[0] for op in constants]
    for call in calls:
        call_with_more(call, given)


def _is_constant(op: Any) -> bool:
    return op.operation.name == "arith.constant" and is_tensor(op.results[0])


def _calls(function: Any) -> list[Any]:
    return [op for op in function.regions[0].blocks[0].operations if op.operation.name == "func.call"]
