"""Code of expressions that each element of a large product has: few instructions, by what rows share."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith, llvm, vector

from hlo.lowering.gpu.attention.evaluate import At, Evaluator
from hlo.lowering.gpu.attention.expressions import Node, is_apply
from hlo.lowering.gpu.attention.online_softmax import exponential, f32

ROUND = {"bf16": "llvm.nvvm.ff2bf16x2.rn", "f16": "llvm.nvvm.ff2f16x2.rn"}
"""Two f32 to nearest, the second one in the low half: one instruction where other arithmetic is, while that of a single f32 is where
exponentials are, which sm_90 has four times fewer of."""


class Quick(Evaluator):
    """As the forward kernel: exponentials of f32 by one instruction after a product, quotients by a number that a row (or a
    column) shares as products with its inverse."""

    def value(self, node: Node, at: At, given: Mapping[Node, ir.Value]) -> ir.Value:
        """`given`: a dictionary of this place, to which is added what has been computed."""
        found = super().value(node, at, given)
        given[node] = found  # type: ignore[index]
        return found

    def _computed(self, node: Node, at: At, given: Mapping[Node, ir.Value]) -> ir.Value:
        is_f32 = node.has_product and node.kind == ir.F32Type.get()
        if is_f32 and is_apply(node, "math.exp"):
            return exponential(self.value(node.operands[0], at, given))
        if is_f32 and is_apply(node, "arith.divf") and not node.operands[1].has_product:
            divisor = self.value(node.operands[1], at, given)
            return arith.mulf(self.value(node.operands[0], at, given), arith.divf(f32(1.0), divisor))
        if is_apply(node, "arith.truncf") and node.has_product and str(node.kind) in ROUND:
            return _rounded(node.kind, self.value(node.operands[0], at, given))
        return super()._computed(node, at, given)


def _rounded(kind: ir.Type, value: ir.Value) -> ir.Value:
    if value.type != ir.F32Type.get():
        return arith.truncf(kind, value)
    both = llvm.call_intrinsic(ir.VectorType.get([2], kind), ROUND[str(kind)], [f32(0.0), value], [], [])
    return vector.extract(both, [], [0])
