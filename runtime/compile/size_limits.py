"""Arrays that no machine can hold, or that numpy has no shape for, are refused before code is made for them: sizes,
strides and offsets must fit 64 bits with room to spare, also where windows and padding enlarge them."""

from __future__ import annotations

from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.types import DYNAMIC, bit_width, element_type, is_element, is_tensor, shape
from hlo.errors import CompileError
from hlo.lowering.finding import each, regions_of

MOST_BYTES = 1 << 46
"""Of one array: half of the addresses that processors have for a program."""
MOST_DIMENSIONS = 64
"""Of one array, as in numpy."""
LONGEST = 200
"""Characters of a type in a message."""


def check_sizes(module: ir.Module) -> None:
    """Raises CompileError for the first array that is too large, or has too many dimensions, with the op that makes it."""
    fine: set[ir.Type] = set()
    found: list[CompileError] = []

    def visit(op: Any) -> ir.WalkResult:
        blocks = [block for region in regions_of(op) for block in each(region.blocks)]
        for t in (*(r.type for r in op.results), *(a.type for block in blocks for a in block.arguments)):
            if t not in fine and (words := _excess(t)):
                found.append(
                    CompileError(diagnostic(op.opview, f"an array of {str(t)[:LONGEST]} {words} are supported"))
                )
                return ir.WalkResult.INTERRUPT
            fine.add(t)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    if found:  # the bindings let no exception leave a walk as it is
        raise found[0]


def _excess(t: ir.Type) -> str:
    """What an array has too much of, and how much there may be."""
    if not is_tensor(t) or not is_element(element_type(t)):
        return ""
    if len(shape(t)) > MOST_DIMENSIONS:
        return f"has {len(shape(t))} dimensions: at most {MOST_DIMENSIONS}"
    if (size := _bytes(t)) > MOST_BYTES:
        return f"has {'strides of ' if 0 in shape(t) else ''}{size} bytes: at most {MOST_BYTES}"
    return ""


def _bytes(t: ir.Type) -> int:
    """An empty array has strides, which are products of its other sizes: numpy makes none whose strides do not fit."""
    return prod(size or 1 for size in shape(t) if size != DYNAMIC) * max(bit_width(element_type(t)) // 8, 1)
