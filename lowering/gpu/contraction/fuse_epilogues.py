"""The pass `fuse-epilogues`: what follows a contraction element by element goes into its kernel.

Before:  %0 = call @mul_add_reduce_0(%x, %w)    %1 = call @add_tanh_0(%0, %bias)    return %1
After:   %1 = call @mul_add_reduce_0_add_tanh_0(%x, %w, %bias)                      return %1

The new kernel is a contraction whose last ops are those of the region; how it runs, its emitter decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from hlo.lowering.finding import name_of
from hlo.lowering.kernel_calls import (
    call_instead,
    calls,
    copied,
    erase_unused,
    free_name,
    functions_by_name,
    hosts,
    kept_once,
    kind,
    new_kernel,
)
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.linalg.structured import maps_of, reduces
from hlo.lowering.memory.placement import tied_arguments
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.region.graph import RESHAPES

ELEMENTWISE = ("linalg.generic", "linalg.fill", "tensor.empty", "arith.constant", "func.return", *RESHAPES)
"""All that a region may have to be fused."""

NEIGHBOURS = 8
"""Elements of 2 bytes that are copied at once: a reshape leaves so many together along the columns."""


@register_pass
class FuseEpilogues(Pass):
    """Joins contractions with the only kernel that reads their result, if that is elementwise."""

    def run(self, module: ir.Module) -> None:
        functions = functions_by_name(module)
        joined: dict[str, Any] = {}
        for host in hosts(functions):
            for first, second in list(_pairs(host, functions)):
                _join(module, functions, joined, first, second)
        erase_unused(functions)


def _pairs(host: Any, functions: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Calls of a contraction, and of the region that is to be joined with it; each region once."""
    taken: list[ir.Operation] = []
    for call in calls(host):
        kernel = functions[call.callee.value]
        if kind(kernel) != "contraction" or len(call.results) != 1 or tied_arguments(kernel):
            continue
        users = {use.owner.operation for use in call.results[0].uses}
        user = users.pop() if len(users) == 1 else None
        if user is None or user.name != "func.call" or user in taken or user.block != call.operation.block:
            continue
        region = functions[user.opview.callee.value]
        if kind(region) == "region" and not tied_arguments(region) and _is_elementwise(region, call.results[0], user):
            taken.append(user)
            yield call, user.opview


def _is_elementwise(region: Any, value: ir.Value, user: ir.Operation) -> bool:
    """No reductions, and the value is read in some order of its dimensions, all of them once. What is reshaped on the way becomes
    dimensions of the contraction, when the kernel is written (linalg-fuse-elementwise-ops)."""
    block = region.regions[0].blocks[0]
    for op in block.operations:
        if op.operation.name not in ELEMENTWISE or reduces(op.operation) or _cuts_columns(op.operation):
            return False
    arguments = [a for a, v in zip(block.arguments, user.operands) if v == value]
    return all(
        use.owner.name in RESHAPES
        or (use.owner.name == "linalg.generic" and _is_permuted(use.owner.operation, use.operand_number))
        for argument in arguments
        for use in argument.uses
    )


def _cuts_columns(op: ir.Operation) -> bool:
    """A reshape that splits the last dimension into pieces that are no whole number of 16 bytes."""
    if op.name != "tensor.expand_shape":
        return False
    shape = ir.RankedTensorType(op.results[0].type).shape
    *_, last = joined_dimensions(op)
    return len(last) > 1 and bool(shape[-1] % NEIGHBOURS)


def _is_permuted(op: ir.Operation, number: int) -> bool:
    return bool(maps_of(op)[number].is_permutation)


def _join(module: ir.Module, functions: dict[str, Any], joined: dict[str, Any], first: Any, second: Any) -> None:
    """Calls a kernel with the ops of both; equal ones are one."""
    value, names = first.results[0], (first.callee.value, second.callee.value)
    contraction, region = (functions[name] for name in names)
    rest = [v for v in second.operands if v != value]
    inputs = [*first.operands, *rest]

    def body(arguments: list[ir.Value]) -> list[ir.Value]:
        count = len(first.operands)
        (total,), others = copied(contraction, arguments[:count]), iter(arguments[count:])
        return copied(region, [total if v == value else next(others) for v in second.operands])

    with second.location:
        types = [v.type for v in inputs], [v.type for v in second.results]
        kernel = new_kernel(module, "joined", "contraction", *types, body)
        kernel = kept_once(kernel, joined, lambda: free_name("_".join(names), functions))
    functions[name_of(kernel)] = kernel
    call_instead(second.operation, name_of(kernel), inputs)
    second.operation.erase()
    first.operation.erase()
