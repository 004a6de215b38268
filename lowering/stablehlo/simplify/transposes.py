"""Transposes go up to where elements are computed, for simplify-algebra: what computes them can do it in any order, and
another transpose may be there.

%s = reduce %x over [2] : (4x5x6xf32) -> 4x5xf32           %t = transpose %x, dims = [1, 0, 2] : (4x5x6xf32) -> 5x4x6xf32
%r = transpose %s, dims = [1, 0]                 becomes   %r = reduce %t over [2] : (5x4x6xf32) -> 5x4xf32"""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.definition import OPS
from hlo.dialect.stablehlo import TransposeOp
from hlo.dialect.types import element_type, is_quantized, shape
from hlo.lowering.linalg.data_movement import common_groups
from hlo.lowering.stablehlo.arithmetic import Tensor, reshaped, transposed
from hlo.lowering.stablehlo.rewriting import defining
from hlo.lowering.stablehlo.simplify.table import Replacement, simplifies
from hlo.lowering.stablehlo.simplify.unit_dimensions import reduced_again

IN_ANY_ORDER = frozenset(f"stablehlo.{name}" for name in ("broadcast_in_dim", "reshape", "slice", "transpose")) | {
    op.OPERATION_NAME for op in OPS.values() if op.DIALECT == "stablehlo" and op.ELEMENTWISE
}
"""Ops that compute or move each element by itself."""


@simplifies(TransposeOp)
def transpose_of_joined(op: Any) -> Replacement:
    """A reshape that joins dimensions, then a transpose: the transpose comes first, where what computes the operand can
    write it in that order."""
    joined = defining(op.operand, "reshape")
    if joined is None or _is_read_by_contractions(op):
        return None
    x = joined.operands[0]
    if isinstance(x.owner, ir.Block) or x.owner.name not in (*IN_ANY_ORDER, "stablehlo.reduce"):
        return None
    source, target = shape(x.type), shape(op.operand.type)
    is_static = all(size > 0 for size in (*source, *target))
    if not target or len(source) <= len(target) or not is_static or is_quantized(element_type(op.result.type)):
        return None
    groups = list(common_groups(source, target))
    if any(len(right) > 1 for _, right in groups):
        return None
    order = [n for d in op.permutation for n in groups[d][0]]
    return reshaped(transposed(Tensor(x), order), shape(op.result.type)).value


@simplifies(TransposeOp)
def transpose_of_reduction(op: Any) -> Replacement:
    """Of a reduction of one array that nothing else reads, by itself or of what is computed with it."""
    reduce = defining(op.operand, "reduce")
    if reduce is None or len(reduce.results) != 1 or len(list(reduce.results[0].uses)) != 1:
        return None
    x, gone = reduce.inputs[0], set(reduce.dimensions)
    is_free = isinstance(x.owner, ir.Block) or x.owner.name in IN_ANY_ORDER
    sizes = shape(x.type)
    if not is_free or not all(size > 0 for size in sizes):
        return None
    order = _order(len(sizes), gone, list(op.permutation))
    if [d for d in order if d in gone] != sorted(gone):
        return None  # elements are combined in the order of their indices
    moved = transposed(Tensor(x), order).value
    return reduced_again(
        reduce, [moved, reduce.init_values[0]], [n for n, d in enumerate(order) if d in gone], [shape(op.result.type)]
    )


def _is_read_by_contractions(op: Any) -> bool:
    """They read an operand transposed as well as not."""
    return all(use.owner.name == "stablehlo.dot_general" for use in op.result.uses)


def _order(rank: int, gone: set[int], permutation: list[int]) -> list[int]:
    """The dimensions of a reduction's operand, the others permuted: those that are reduced stay in front of the same
    other one, or at the end."""
    groups, waiting = [], []
    for d in range(rank):
        waiting.append(d)
        if d not in gone:
            groups.append(waiting)
            waiting = []
    return [d for p in permutation for d in groups[p]] + waiting
