"""The pass `bufferize-host`: host functions on tensors become functions on memrefs, with one arena for temporaries.

Before:  func.func public @main(%a: tensor<8xf32>) -> tensor<8xf32> {
           %0 = call @k(%a)
           %1 = call @k(%0)
           return %1 }
After:   module attributes {hlo.arena = 64 : i64}
         func.func public @main(%a: memref<8xf32>, %result: memref<8xf32>, %calls: !llvm.ptr, %arena: memref<64xi8>) {
           %0 = memref.view %arena[0] : memref<8xf32>
           call @k.code(%a, %0)
           call @k.code(%0, %result)
           return }

The parameters are: arguments, results, constants, the table of custom calls, the arena. A constant is an op
`"hlo.constant"() {value}` of the module; the runtime passes its address. Kernels on tensors are erased.

Functions with `hlo.layer` come first (layer_code.py); calls of them are like calls of kernels.

The module's `hlo.donated = array<i64: N, ...>` names arguments that may be overwritten; `hlo.in_donated = array<i64: N, R, ...>`
then says that result R is left in argument N (the runtime passes one address for both)."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError
from hlo.lazy_dataclasses import dataclass
from hlo.lowering.finding import name_of
from hlo.lowering.kernel_calls import is_private
from hlo.lowering.llvm.inline_code import is_straight_line
from hlo.lowering.memory.host_code import HostCode
from hlo.lowering.memory.layer_code import LayerCode, callees_first, is_layer, take_constants_as_arguments
from hlo.lowering.memory.placement import LEAST_SWAPPED
from hlo.lowering.passes import Pass, register_pass

KERNEL_MARKS = ("hlo.kernel", "hlo.custom_call", "hlo.stage")
"""Attributes of functions that are not host code (stages: kernels that other kernels call)."""


@register_pass
@dataclass(frozen=True)
class BufferizeHost(Pass):
    """Gives every tensor of the host code a buffer: argument, result, constant, or a slice of one arena. `least_swapped`: bytes
    from which a value that a loop carries alternates between two buffers instead of being copied each step. `on_stack`: whether
    small values may be on the stack, which kernels of another device do not reach."""

    least_swapped: int = LEAST_SWAPPED
    on_stack: bool = True

    def run(self, module: ir.Module) -> None:
        functions = [op for op in module.body.operations if op.operation.name == "func.func"]
        kernels = {f.name.value: f for f in functions if any(name in f.attributes for name in KERNEL_MARKS)}
        hosts = [f for f in functions if f.name.value not in kernels and _on_tensors(f)]
        _check(kernels, hosts)
        steps = _steps(functions, kernels) if self.on_stack else None
        for host in callees_first(hosts):
            if is_layer(host):
                take_constants_as_arguments(host, hosts)
                kernels[host.name.value] = host
            (LayerCode if is_layer(host) else HostCode)(module, host, kernels, steps, self.least_swapped).emit()
        for f in {f.name.value: f for f in [*hosts, *kernels.values()]}.values():
            f.operation.erase()


def _on_tensors(function: Any) -> bool:
    types = [*function.type.inputs, *function.type.results]
    return any(isinstance(t, ir.RankedTensorType) for t in types) or not (types or is_private(function))


def _steps(functions: list[Any], kernels: dict[str, Any]) -> set[str]:
    """The kernels whose code `inline-code` will put into loops."""
    straight = {name_of(f) for f in functions if f.name.value not in kernels and is_straight_line(f)}
    return {
        n
        for n, f in kernels.items()
        if "hlo.code" in f.attributes and ir.FlatSymbolRefAttr(f.attributes["hlo.code"]).value in straight
    }


def _check(kernels: dict[str, Any], hosts: list[Any]) -> None:
    """Every kernel has its code; there is one host function that is no layer."""
    programs = [f.name.value for f in hosts if not is_layer(f)]
    if len(programs) != 1:
        raise CompileError(f"one function expected in addition to the kernels, found {programs}")
    for kernel in kernels.values():
        if not any(name in kernel.attributes for name in ("hlo.custom_call", "hlo.stage", "hlo.code")):
            raise CompileError(
                diagnostic(kernel, f"kernel @{kernel.name.value} has no hlo.code: run emit-kernels first")
            )
