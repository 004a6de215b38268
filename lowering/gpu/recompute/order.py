"""Which ops have to come behind another one, that some values are to come from."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mlir import ir

PURE = ("linalg.", "tensor.", "arith.", "math.", "affine.")


def users_before(
    values: Sequence[ir.Value], readers: Sequence[ir.Operation], stop: ir.Operation, gone: Collection[ir.Value]
) -> list[ir.Operation] | None:
    """Those of some readers that are in front of `stop`, and ops there that need them or the values, in their order; None if one
    of them may have effects. `gone`: values that are not to be computed."""
    found = {op: None for op in readers if op.is_before_in_block(stop)}
    waiting = [*values, *(op.results[0] for op in found)]
    while waiting:
        for use in waiting.pop().uses:
            op = _in_block(use.owner.operation, stop.block)
            if op in found or any(r in gone for r in op.results) or not op.is_before_in_block(stop):
                continue
            if not op.name.startswith(PURE):
                return None
            found[op] = None
            waiting += op.results
    return [op.operation for op in stop.block.operations if op.operation in found]


def _in_block(op: ir.Operation, block: ir.Block) -> ir.Operation:
    while op.block != block:
        op = op.parent.operation
    return op


def move_behind(ops: Sequence[ir.Operation], last: ir.Operation) -> None:
    """In their order."""
    for op in ops:
        op.move_after(last)
        last = op
