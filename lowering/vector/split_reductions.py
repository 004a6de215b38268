"""The pass `split-reductions`: a reduction of a large array to one element is made in parts that threads can run in parallel.

Before:  %r = linalg.generic {sum over d0, d1} ins(%x : tensor<4096x1024xf32>) outs(%start : tensor<f32>)
After:   %p = linalg.generic {sum over d1, d2} ins(%x as tensor<8x512x1024xf32>) outs(fill of -0.0 : tensor<8xf32>)
         %r = linalg.generic {sum over d0} ins(%p) outs(%start)

The parts depend on the shape alone, so that the result is the same whatever the number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.copying import remade
from hlo.lowering.kernel_calls import copied
from hlo.lowering.linalg.structured import fill, generic, in_parts, loop_sizes
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.vector.contraction.emit import contraction_plan
from hlo.lowering.vector.read_transposed import reductions
from hlo.lowering.vector.region.combine import combiner_of, neutral_of
from hlo.lowering.vector.target import target

LEAST = 1 << 18
"""Elements from which parts are profitable."""
PARTS = 8
"""At most."""


@register_pass
@dataclass(frozen=True)
class SplitReductions(Pass):
    """Makes reductions to one element in parts."""

    target: str = "host"

    def run(self, module: ir.Module) -> None:
        with module.context:
            processor = target(self.target)
            for op in reductions(module):
                parts = _parts(op)
                if parts > 1 and _is_splittable(op) and contraction_plan(op, processor) is None:
                    with op.location, ir.InsertionPoint(op):
                        _split(op, parts)


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
    body = [inner.operation.name for inner in op.regions[0].blocks[0].operations]
    expressions = [e for one in _input_maps(op) for e in one.results]
    return "linalg.index" not in body and all(isinstance(e, ir.AffineDimExpr) for e in expressions)


def _input_maps(op: ir.Operation) -> list[ir.AffineMap]:
    maps = [ir.AffineMapAttr(one).value for one in ir.ArrayAttr(op.attributes["indexing_maps"])]
    return maps[: len(maps) - len(op.results)]


def _split(op: ir.Operation, parts: int) -> None:
    merging, kinds = combiner_of(op).merging, [r.type.element_type for r in op.results]
    inputs, starts = list(op.operands)[: -len(merging)], list(op.operands)[-len(merging) :]
    dims = [ir.AffineDimExpr.get(n) for n in range(len(loop_sizes(op)) + 1)]
    shifted = [[e.position + 1 for e in map(ir.AffineDimExpr, one.results)] for one in _input_maps(op)]
    cut = [_cut(value, positions, parts) for value, positions in zip(inputs, shifted)]
    maps = [_map(dims, [d for p in positions for d in ((0, 1) if p == 1 else (p,))]) for positions in shifted]
    made = generic(
        cut,
        maps,
        [fill(_neutral(m, kind), ir.RankedTensorType.get([parts], kind)) for m, kind in zip(merging, kinds)],
        [_map(dims, [0])] * len(merging),
        ["parallel", *["reduction"] * (len(dims) - 1)],
        lambda *scalars: copied(op, list(scalars)),
    )
    one = [ir.AffineDimExpr.get(0)]
    for result, part, start, merge in zip(op.results, made, starts, merging):
        (whole,) = generic(
            [part], [_map(one, [0])], [start], [_map(one, [])], ["reduction"], lambda x, a, m=merge: [_merged(m, a, x)]
        )
        result.replace_all_uses_with(whole)
    op.erase()


def _map(dims: Sequence[ir.AffineDimExpr], positions: Sequence[int]) -> ir.AffineMap:
    return ir.AffineMap.get(len(dims), 0, [dims[n] for n in positions])


def _cut(value: ir.Value, positions: Sequence[int], parts: int) -> ir.Value:
    """The array with its dimension that is the outermost one of the loops in two."""
    for dimension in reversed([n for n, position in enumerate(positions) if position == 1]):
        value = in_parts(value, dimension, parts)
    return value


def _neutral(merging: ir.Operation, kind: ir.Type) -> ir.Value:
    return arith.constant(kind, neutral_of(merging.name, kind))


def _merged(merging: ir.Operation, accumulator: ir.Value, part: ir.Value) -> ir.Value:
    return remade(merging, [accumulator, part], [part.type]).result
