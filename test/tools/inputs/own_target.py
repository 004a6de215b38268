"""A target from a user's file: the CPU's, with every addition made a subtraction before it compiles."""

from mlir import ir

import hlo
from hlo.dialect.stablehlo import AddOp, SubtractOp
from hlo.lowering.passes import Pass


class SubtractInstead(Pass):
    name = "subtract-instead"

    def run(self, module: ir.Module) -> None:
        found: list[AddOp] = []
        module.operation.walk(lambda op: found.append(op.opview) or ir.WalkResult.ADVANCE)  # type: ignore[func-returns-value]
        for op in (one for one in found if isinstance(one, AddOp)):
            with op.location:
                made = SubtractOp.create(op.lhs, op.rhs, ip=ir.InsertionPoint(op))
            op.result.replace_all_uses_with(made.result)
            op.operation.erase()


def phases() -> list[hlo.pipelines.Phase]:
    own = hlo.pipelines.cpu()
    own[0].passes.insert(0, SubtractInstead())
    return own


hlo.register_target(hlo.Target("subtracting", pipeline=phases))
