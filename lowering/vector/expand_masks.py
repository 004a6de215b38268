"""The pass `expand-masks`: masks that are known become constants.

Before:  %0 = vector.constant_mask [2] : vector<4xi1>
After:   %0 = arith.constant dense<[true, true, false, false]> : vector<4xi1>

Of what kernels are written in, few programs then have an op for which `convert-vector-to-llvm` would be needed (pipelines/needs.py)."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith

from hlo.lowering.finding import ops_named
from hlo.lowering.passes import Pass, register_pass


@register_pass
class ExpandMasks(Pass):
    """Replaces masks of one dimension whose lanes are known."""

    def run(self, module: ir.Module) -> None:
        for op in ops_named(module, ("vector.constant_mask",)):
            type = ir.VectorType(op.results[0].type)
            if type.rank == 1 and not type.scalable:
                _expand(op, type)


def _expand(op: ir.Operation, type: ir.VectorType) -> None:
    (count,) = ir.DenseI64ArrayAttr(op.attributes["mask_dim_sizes"])
    lanes = [ir.BoolAttr.get(lane < count) for lane in range(type.shape[0])]
    with op.location, ir.InsertionPoint(op):
        mask = arith.ConstantOp(type, ir.DenseElementsAttr.get(lanes, type)).result
    op.results[0].replace_all_uses_with(mask)
    op.erase()
