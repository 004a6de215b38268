"""The XLA document's rule for infeeds: there must be a total order among them, which data dependencies or tokens make."""

from __future__ import annotations

import itertools
from typing import Any

from mlir import ir

from hlo.dialect.locations import location_text
from hlo.errors import ArgumentError

INFEED = "stablehlo.infeed"


def check_infeed_order(function: Any) -> None:
    """Raises ArgumentError for two infeeds of a block of which neither depends on the other."""
    _check(function.operation.regions[0].blocks[0])


def _check(block: ir.Block) -> None:
    feeding = [op for op in block.operations if any(True for _ in _infeeds(op.operation))]
    for first, second in itertools.pairwise(feeding):
        if not _depends(second.operation, first.operation):
            locations = [location_text(next(_infeeds(op.operation))) for op in (first, second)]
            raise ArgumentError(
                f"there is no total order among the infeeds at {locations[0]} and {locations[1]}: the second must depend on the "
                "first, by its data or by a token"
            )
    for op in feeding:
        for region in op.operation.regions:
            for inner in region.blocks:
                _check(inner)


def _infeeds(op: ir.Operation) -> Any:
    """The infeeds that an op is, or has in its regions."""
    if op.name == INFEED:
        yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from _infeeds(inner.operation)


def _depends(later: ir.Operation, earlier: ir.Operation) -> bool:
    """Whether an op of a block, or one in its regions, takes what follows from another op of that block."""
    seen: set[ir.Operation] = set()
    waiting = [later]
    while waiting:
        op = waiting.pop()
        if op == earlier:
            return True
        if op not in seen:
            seen.add(op)
            waiting += _makers(op)
    return False


def _makers(op: ir.Operation) -> list[ir.Operation]:
    """The ops whose results an op takes, those that the ops in its regions take included."""
    found = [v.owner for v in op.operands if not isinstance(v.owner, ir.Block)]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                found += _makers(inner.operation)
    return [getattr(o, "operation", o) for o in found]
