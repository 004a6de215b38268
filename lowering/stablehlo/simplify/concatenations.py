"""Concatenations of which a part is read, or that are read by others, for simplify-algebra: what `jnp.pad` by
reflection and `jnp.roll` become in JAX.

%y = concatenate %a, %b, dim = 0 : (4x9xf32, 300x9xf32)
%s = slice %y [298:302, 0:9]                becomes    %s = slice %b [294:298, 0:9]
%z = concatenate %y, %c, dim = 0            becomes    %z = concatenate %a, %b, %c, dim = 0"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import Any

from mlir import ir

from hlo.dialect.stablehlo import ConcatenateOp, DynamicSliceOp, SliceOp
from hlo.dialect.types import bit_width, element_type, is_quantized, shape, tensor
from hlo.lowering.stablehlo.arithmetic import Tensor, broadcast, elements_at, iota, maximum, minimum, select
from hlo.lowering.stablehlo.rewriting import defining
from hlo.lowering.stablehlo.simplify.table import simplifies

LEAST_ROW = 512
"""Bits that lie side by side from which elements at computed indices are read in whole vectors."""


@simplifies(SliceOp)
def slice_of_concatenation(op: SliceOp) -> ir.Value | None:
    """What lies in one part is a slice of that."""
    joined = defining(op.operand, "concatenate")
    if joined is None or not all(ir.RankedTensorType(v.type).has_static_shape for v in joined.operands):
        return None
    d = joined.dimension
    start, limit, step = (list(one) for one in (op.start_indices, op.limit_indices, op.strides))
    last = start[d] + (shape(op.result.type)[d] - 1) * step[d]
    sizes = [shape(part.type)[d] for part in joined.operands]
    for part, first, size in zip(joined.operands, accumulate(sizes, initial=0), sizes):
        if first <= start[d] <= last < first + size:
            start[d], limit[d] = start[d] - first, last - first + 1
            return SliceOp.create(part, start_indices=start, limit_indices=limit, strides=step).result
    return None


@simplifies(ConcatenateOp)
def concatenation_of_concatenation(op: ConcatenateOp) -> ir.Value | None:
    """Along the same dimension, of one that nothing else reads."""
    inner = [defining(part, "concatenate") for part in op.operands]
    inner = [one if one is not None and one.dimension == op.dimension and _is_read_once(one) else None for one in inner]
    if not any(inner):
        return None
    parts = [p for part, one in zip(op.operands, inner) for p in (one.operands if one is not None else [part])]
    return ConcatenateOp.create(*parts, dimension=op.dimension, results=[op.result.type]).result


def _is_read_once(op: Any) -> bool:
    return len(list(op.result.uses)) == 1


@simplifies(DynamicSliceOp)
def rotation(op: DynamicSliceOp) -> ir.Value | None:
    """An array twice, one behind the other, of which as much is taken as it has: its rows, picked by their numbers."""
    joined = defining(op.operand, "concatenate")
    if joined is None or len(joined.operands) != 2 or joined.operands[0] != joined.operands[1]:
        return None
    x, d = joined.operands[0], joined.dimension
    sizes, element = shape(x.type), element_type(x.type)
    start = Tensor(op.start_indices[d])
    if op.result.type != x.type or not all(n > 0 for n in sizes) or is_quantized(element):
        return None
    if (
        prod(sizes[d + 1 :]) * bit_width(element) < LEAST_ROW
        or bit_width(start.element) < 32
        or 2 * sizes[d] >= 1 << 31
    ):
        return None
    first = broadcast(minimum(maximum(start, 0), sizes[d]), [sizes[d]])
    position = iota(tensor([sizes[d]], start.element), 0) + first
    return elements_at(Tensor(x), select(position < sizes[d], position, position - sizes[d]), d).value
