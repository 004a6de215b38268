"""The pass `split-reductions`: a reduction of a large array to one element is made in parts that threads can run in parallel.

Before:  %r = linalg.generic {sum over d0, d1} ins(%x : tensor<4096x1024xf32>) outs(%start : tensor<f32>)
After:   %p = linalg.generic {sum over d1, d2} ins(%x as tensor<8x512x1024xf32>) outs(fill of -0.0 : tensor<8xf32>)
         %r = linalg.generic {sum over d0} ins(%p) outs(%start)

The parts depend on the shape alone, so that the result is the same whatever the number of threads."""

from __future__ import annotations

from functools import partial
from math import prod

from mlir import ir
from mlir.dialects import arith, complex

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.copying import remade
from hlo.lowering.kernels.read_transposed import reductions
from hlo.lowering.linalg.partial_reductions import partial_results
from hlo.lowering.linalg.structured import fill, loop_sizes, maps_of, reads_index, reduced
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.vector.region.combine import combiner_of, neutral_of

LEAST = 1 << 18
"""Elements from which parts are profitable."""
PARTS = 8
"""At most."""


@register_pass
@dataclass(frozen=True)
class SplitReductions(Pass):
    """Makes reductions to one element in parts."""

    def run(self, module: ir.Module) -> None:
        for op in reductions(module):
            parts = _parts(op)
            if parts > 1 and _is_splittable(op):
                rewrite(op, _in_parts, parts)


def _parts(op: ir.Operation) -> int:
    """A divisor of the outermost dimension's size; 1 for what is too small, or has more than one element as result."""
    if any(ir.RankedTensorType(r.type).rank for r in op.results):
        return 1
    shape = loop_sizes(op)
    if prod(shape) < LEAST:
        return 1
    return next(parts for parts in range(PARTS, 0, -1) if shape[0] % parts == 0)


def _is_splittable(op: ir.Operation) -> bool:
    """All results are merged by ops with a neutral element, and no input reads the outermost dimension but as an index of its own."""
    if combiner_of(op).kind != "op":
        return False
    expressions = [e for one in maps_of(op)[: -len(op.results)] for e in one.results]
    return not reads_index(op) and all(isinstance(e, ir.AffineDimExpr) for e in expressions)


def _in_parts(op: ir.Operation, parts: int) -> list[ir.Value]:
    merging, kinds = combiner_of(op).merging, [r.type.element_type for r in op.results]
    begin = [fill(_neutral(m, kind), ir.RankedTensorType.get([parts], kind)) for m, kind in zip(merging, kinds)]
    starts = list(op.operands)[-len(merging) :]
    made = partial_results(op, 0, parts, begin, maps_of(op))
    return [reduced(part, start, [0], partial(_merged, m)) for part, start, m in zip(made, starts, merging)]


def _neutral(merging: ir.Operation, kind: ir.Type) -> ir.Value:
    make = complex.constant if isinstance(kind, ir.ComplexType) else arith.constant
    return make(kind, neutral_of(merging.name, kind))


def _merged(merging: ir.Operation, accumulator: ir.Value, part: ir.Value) -> ir.Value:
    return remade(merging, [accumulator, part], [part.type]).result
