"""map: an elementwise generic with the op's computation as its body."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.stablehlo import MapOp
from hlo.lowering.linalg.rules import Lowering, lowers
from hlo.lowering.linalg.scalar.regions import scalar_block
from hlo.lowering.linalg.structured import elementwise


@lowers(MapOp)
def lower_map(op: MapOp, lowering: Lowering) -> ir.Value:
    def body(*scalars: ir.Value) -> ir.Value:
        return scalar_block(lowering, op.computation.blocks[0], scalars)[0]

    return elementwise([lowering[v] for v in op.inputs], lowering.type(op.result.type), body)
