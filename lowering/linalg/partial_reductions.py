"""A reduction in parts, on tensors: each part of a loop gives results of its own, which the caller merges.

Before:  %r = linalg.generic {sum over d0, d1} ins(%x : tensor<4096x1024xf32>) outs(%start : tensor<f32>)
After:   %p = linalg.generic {sum over d1, d2} ins(%x as tensor<8x512x1024xf32>) outs(%starts : tensor<8xf32>)"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from hlo.lowering.copying import attributes_of
from hlo.lowering.kernel_calls import copied
from hlo.lowering.linalg.structured import generic, in_parts, iterators_of

OWN = ("indexing_maps", "iterator_types", "operandSegmentSizes")
"""Attributes that a linalg.generic in parts does not have from the whole one."""


def partial_results(
    op: ir.Operation, loop: int, parts: int, starts: Sequence[ir.Value], maps: Sequence[ir.AffineMap]
) -> list[ir.Value]:
    """The results of each part of a loop of a linalg.generic, along a new outermost dimension. `parts` divides the loop's trip count.
    `starts`: what the results begin with; `maps`: the op's, in which the loop is an index of its own. The body reads no index."""
    inputs, outputs = maps[: -len(starts)], maps[-len(starts) :]
    part, later = ir.AffineDimExpr.get(0), [ir.AffineDimExpr.get(d + 1) for d in range(maps[0].n_dims)]
    inner = ir.AffineMap.get(len(later) + 1, 0, later)
    values, read = [], []
    for value, one in zip(op.operands, inputs):
        results = [e.compose(inner) for e in one.results]
        for position in reversed([n for n, e in enumerate(results) if e == later[loop]]):
            value = in_parts(value, position, parts)
            results.insert(position, part)
        values.append(value)
        read.append(ir.AffineMap.get(len(later) + 1, 0, results))
    written = [ir.AffineMap.get(len(later) + 1, 0, [part, *(e.compose(inner) for e in one.results)]) for one in outputs]
    iterators, body = ["parallel", *iterators_of(op)], lambda *scalars: copied(op, list(scalars))
    made = generic(values, read, starts, written, iterators, body)
    for name, attribute in attributes_of(op, *OWN).items():
        made[0].owner.attributes[name] = attribute
    return list(made)
