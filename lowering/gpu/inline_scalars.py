"""Numbers that a kernel computes from arrays of one element (where an update goes, clamped): every launch that needs
one computes it from the kernel's arguments, instead of reading what a launch of one thread has written.

Before:  %t = linalg.generic {cmp, add, select} ins(%p : tensor<i32>) -> tensor<i32>    %i = tensor.extract %t[]
After:   %x = tensor.extract %p[]    %i = arith.select (arith.cmpi %x, ...), ..."""

from __future__ import annotations

from math import prod

from mlir import ir

from hlo.lowering.finding import made_by
from hlo.lowering.vector.compute_gathered import compute_element, is_computable


def inline_scalars(block: ir.Block) -> None:
    """Rewrites the reads of a block that stand outside of other ops."""
    while (read := _computed_read(block)) is not None:
        made = made_by(read.operands[0])
        assert made is not None, "is computed"
        compute_element(read, made)


def _computed_read(block: ir.Block) -> ir.Operation | None:
    """The first read of an array of one element that is computed element by element."""
    for read in [op.operation for op in block.operations if op.operation.name == "tensor.extract"]:
        made = made_by(read.operands[0])
        if made is not None and prod(read.operands[0].type.shape) == 1 and is_computable(made):
            return read
    return None
