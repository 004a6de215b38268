"""The pass `fuse-epilogues`: what follows a contraction element by element goes into its kernel.

Before:  %0 = call @mul_add_reduce_0(%x, %w)    %1 = call @add_tanh_0(%0, %bias)    return %1
After:   %1 = call @mul_add_reduce_0_add_tanh_0(%x, %w, %bias)                      return %1

The new kernel is a contraction whose last ops are those of the region; how it runs, its emitter decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir import ir

from hlo.lowering.kernel_calls import (
    call_instead,
    calls,
    copied,
    erase_unused,
    free_name,
    functions_of,
    hosts,
    is_tied,
    kind,
    new_kernel,
)
from hlo.lowering.linalg.iteration import joined_dimensions
from hlo.lowering.linalg.structured import maps_of, reduces
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.fusable import RESHAPES

ELEMENTWISE = ("linalg.generic", "linalg.fill", "tensor.empty", "arith.constant", "func.return", *RESHAPES)
"""All that a region may have to be fused."""

NEIGHBOURS = 8
"""Elements of 2 bytes that are copied at once: a reshape leaves so many together along the columns."""


@register_pass
class FuseEpilogues(Pass):
    """Joins contractions with the only kernel that reads their result, if that is elementwise."""

    def run(self, module: ir.Module) -> None:
        with module.context:
            functions = functions_of(module)
            joined: dict[tuple[str, str, tuple[int, ...]], str] = {}
            for host in hosts(functions):
                for first, second in list(_pairs(host, functions)):
                    _join(module, functions, joined, first, second)
            erase_unused(module, functions)


def _pairs(host: Any, functions: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Calls of a contraction, and of the region that is to be joined with it; each region once."""
    taken: list[ir.Operation] = []
    for call in calls(host):
        kernel = functions[call.callee.value]
        if kind(kernel) != "contraction" or len(call.results) != 1 or is_tied(kernel):
            continue
        users = {use.owner.operation for use in call.results[0].uses}
        user = users.pop() if len(users) == 1 else None
        if user is None or user.name != "func.call" or user in taken or user.block != call.operation.block:
            continue
        region = functions[user.opview.callee.value]
        if kind(region) == "region" and not is_tied(region) and _is_elementwise(region, call.results[0], user):
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


def _join(
    module: ir.Module,
    functions: dict[str, Any],
    joined: dict[tuple[str, str, tuple[int, ...]], str],
    first: Any,
    second: Any,
) -> None:
    value = first.results[0]
    positions = tuple(n for n, v in enumerate(second.operands) if v == value)
    key = (first.callee.value, second.callee.value, positions)
    rest = [v for v in second.operands if v != value]
    with second.location:
        if key not in joined:
            joined[key] = _joined_kernel(module, functions, key)
    call_instead(second.operation, joined[key], [*first.operands, *rest])
    second.operation.erase()
    first.operation.erase()


def _joined_kernel(module: ir.Module, functions: dict[str, Any], key: tuple[str, str, tuple[int, ...]]) -> str:
    """A new kernel with the ops of both."""
    first, second = functions[key[0]], functions[key[1]]
    before, after = (list(f.type.inputs) for f in (first, second))
    rest = [kind for number, kind in enumerate(after) if number not in key[2]]
    name = free_name(f"{key[0]}_{key[1]}", functions)

    def body(arguments: list[ir.Value]) -> list[ir.Value]:
        (value,) = copied(first, arguments[: len(before)])
        others = iter(arguments[len(before) :])
        return copied(second, [value if n in key[2] else next(others) for n in range(len(after))])

    functions[name] = new_kernel(module, name, "contraction", [*before, *rest], list(second.type.results), body)
    return name
