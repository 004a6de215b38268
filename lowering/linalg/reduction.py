"""reduce: one linalg.generic with reduction iterators, whose body is the op's body on scalars; map: one without.

Before:  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
After:   %s = linalg.fill(extract %z); %0 = linalg.generic {parallel, reduction} ins(%x) outs(%s) { arith.addf }"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import complex

from hlo.dialect.stablehlo import MapOp, ReduceOp
from hlo.dialect.types import is_complex
from hlo.lowering.finding import made_by
from hlo.lowering.linalg.loops import extract
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.structured import elementwise, empty, fill, generic


@lowers(ReduceOp)
def lower_reduce(op: ReduceOp, lowering: Lowering) -> list[ir.Value]:
    """The body is given the accumulators first, then the elements. Without a dimension to reduce it is applied once:
    outputs that a body reads must have a reduction."""
    inputs = [lowering[v] for v in op.inputs]
    first = [extract(lowering[v], []) for v in op.init_values]
    results = [lowering.type(r.type) for r in op.results]
    if not op.dimensions:
        starts = list(map(empty, results))
    else:
        starts = list(map(fill, first, results))
    if 0 in inputs[0].type.shape:
        return starts
    rank, count = inputs[0].type.rank, len(inputs)
    reduced = set(op.dimensions)
    iterators = ["reduction" if d in reduced else "parallel" for d in range(rank)]
    kept = [ir.AffineExpr.get_dim(d) for d in range(rank) if d not in reduced]
    input_maps = [ir.AffineMap.get_identity(rank)] * count
    output_maps = [ir.AffineMap.get(rank, 0, kept)] * count

    def body(*scalars: ir.Value) -> list[ir.Value]:
        carried = scalars[count:] if op.dimensions else first
        return combined(lowering, op.body.blocks[0], carried, scalars[:count])

    return generic(inputs, input_maps, starts, output_maps, iterators, body)


def combined(
    lowering: Lowering, block: ir.Block, accumulators: Sequence[ir.Value], elements: Sequence[ir.Value]
) -> list[ir.Value]:
    """What the function of a reduction makes of both. A sum of complex numbers is one op, complex.add: what it adds is
    known to be added in any order."""
    pairs = zip(accumulators, elements, strict=True)
    made = scalar_block(lowering, block, [*accumulators, *elements])
    sums = [is_complex(a.type) and is_sum(block, n) for n, a in enumerate(accumulators)]
    return [complex.add(*pair) if is_sum else x for pair, is_sum, x in zip(pairs, sums, made, strict=True)]


def is_sum(block: ir.Block, number: int) -> bool:
    """Whether a function returns, as result of this number, its accumulator plus its element."""
    arguments, returned = list(block.arguments), block.operations[-1].operands
    added = made_by(returned[number], "stablehlo.add")
    return added is not None and set(added.operands) == {arguments[number], arguments[number + len(returned)]}


@lowers(MapOp)
def lower_map(op: MapOp, lowering: Lowering) -> ir.Value:
    def body(*scalars: ir.Value) -> ir.Value:
        return scalar_block(lowering, op.computation.blocks[0], scalars)[0]

    return elementwise([lowering[v] for v in op.inputs], lowering.type(op.result.type), body)
