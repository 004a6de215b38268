"""The pass `expand-masks`: masks that are known become constants.

Before:  %0 = vector.constant_mask [2] : vector<4xi1>
After:   %0 = arith.constant dense<[true, true, false, false]> : vector<4xi1>

Of what kernels are written in, few programs then have an op for which `convert-vector-to-llvm` would be needed (pipelines/needs.py)."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.finding import ops_named
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite


@register_pass
class ExpandMasks(Pass):
    """Replaces masks of one dimension whose lanes are known."""

    def run(self, module: ir.Module) -> None:
        for op in ops_named(module, ("vector.constant_mask",)):
            type = ir.VectorType(op.results[0].type)
            if type.rank == 1 and not type.scalable:
                rewrite(op, _constant, type)


def _constant(op: ir.Operation, type: ir.VectorType) -> ir.Value:
    (count,) = ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"])
    lanes = [ir.BoolAttr.get(lane < count) for lane in range(type.shape[0])]
    return arith.ConstantOp(type, ir.DenseElementsAttr.get(lanes, type)).result
