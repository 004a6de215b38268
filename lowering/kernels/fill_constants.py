"""The pass `fill-constants`: a large array of equal elements that would be copied is filled instead, and is no constant in memory.

Before:  %c = arith.constant dense<0.0> : tensor<8192x512xf32>     %r = call @scatter_0(%c, ...)     (its argument is tied to a result)
After:   %e = tensor.empty()   %c = linalg.fill ins(%zero) outs(%e)  %r = call @scatter_0(%c, ...)

Copied are what a kernel updates in place, what a loop begins with, what a branch yields and what a program returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir
from mlir.dialects import arith, complex

from hlo.lowering.finding import callee_of, ops_named
from hlo.lowering.kernel_calls import functions_by_name, hosts
from hlo.lowering.linalg.structured import fill
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.memory.storage import byte_size
from hlo.lowering.passes import Pass, register_pass

LEAST = 1 << 18
"""Bytes from which a kernel that fills is profitable."""


@register_pass
class FillConstants(Pass):
    """Fills large arrays of equal elements where they would be copied."""

    def run(self, module: ir.Module) -> None:
        functions = functions_by_name(module)
        for host in hosts(functions):
            for op, number in list(_copied_operands(host, functions)):
                _fill(op, number)


def _copied_operands(host: Any, functions: dict[str, Any]) -> Iterator[tuple[ir.Operation, int]]:
    """Ops, and the numbers of those operands that would be copied to where they are written."""
    for op in ops_named(host, ("func.call",)):
        kernel = functions[callee_of(op)]
        yield from ((op, number) for number in tied_arguments(kernel).values())
    for op in ops_named(host, ("scf.while", "scf.yield", "func.return")):
        yield from ((op, number) for number in range(len(op.operands)))


def _fill(op: ir.Operation, number: int) -> None:
    constant = op.operands[number].owner
    if isinstance(constant, ir.Block) or constant.name != "arith.constant":
        return
    kind, value = op.operands[number].type, constant.attributes["value"]
    if not isinstance(value, ir.DenseElementsAttr) or not value.is_splat or byte_size(kind) < LEAST:
        return
    with ir.InsertionPoint(op), constant.location:
        create = complex.constant if isinstance(kind.element_type, ir.ComplexType) else arith.constant
        element = create(kind.element_type, value.get_splat_value())
        op.operands[number] = fill(element, kind)
