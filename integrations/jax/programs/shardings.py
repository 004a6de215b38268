"""Removes the ops that say where arrays lie: on one device there is nothing to say.

A program for one device may hold them: JAX writes them for `NamedSharding`, `shard_map`, and around its random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def remove_shardings(module: Any, walk_on: Any) -> None:
    """Changes a module of jaxlib's MLIR. `walk_on`: what tells a walk to go on (`ir.WalkResult.ADVANCE`)."""
    found: list[Any] = []

    def note(op: Any) -> Any:
        if op.name in REMOVALS:
            found.append(op)
        return walk_on

    module.operation.walk(note)  # inner ops first
    for op in found:
        REMOVALS[op.name](op)


def _erase(op: Any) -> None:
    op.erase()


def _pass_on(op: Any) -> None:
    """The result is the operand."""
    op.results[0].replace_all_uses_with(op.operands[0])
    op.erase()


def _inline(op: Any) -> None:
    """The body replaces the op: on one device the part of each array is the whole array."""
    block = op.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, list(op.operands)):
        argument.replace_all_uses_with(operand)
    *body, last = [inner.operation for inner in block.operations]
    for inner in body:
        inner.move_before(op)
    for result, value in zip(op.results, list(last.operands)):
        result.replace_all_uses_with(value)
    op.erase()


REMOVALS: dict[str, Callable[[Any], None]] = {
    "sdy.mesh": _erase,
    "sdy.sharding_group": _erase,
    "sdy.sharding_constraint": _pass_on,
    "sdy.reshard": _pass_on,
    "sdy.propagation_barrier": _pass_on,
    "sdy.manual_computation": _inline,
    "sdy.named_computation": _inline,
}
"""What is done with each op; others of the dialect are refused by hlo, with their name and location."""
