"""An own pass in the CPU pipeline: x * 2 becomes x + x, before anything is lowered.

python examples/own_pass.py"""

from dataclasses import dataclass

import numpy as np
from mlir import ir

import hlo
from hlo.dialect.stablehlo import AddOp, MultiplyOp
from hlo.lowering.passes import Pass

TEXT = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %r = stablehlo.multiply %x, %two : tensor<4xf32>
  return %r : tensor<4xf32>
}"""


@dataclass(frozen=True)
class DoubleByAdding(Pass):
    name = "double-by-adding"

    def run(self, module: ir.Module) -> None:
        found: list[MultiplyOp] = []
        module.operation.walk(lambda op: found.append(op.opview) or ir.WalkResult.ADVANCE)
        for op in (o for o in found if isinstance(o, MultiplyOp) and is_two(o.rhs)):
            with op.location:
                op.result.replace_all_uses_with(AddOp.create(op.lhs, op.lhs, ip=ir.InsertionPoint(op)).result)
            op.operation.erase()


def is_two(value: ir.Value) -> bool:
    constant = value.owner
    return constant.name == "stablehlo.constant" and "dense<2.0" in str(constant.attributes["value"])


if __name__ == "__main__":
    pipeline = hlo.pipelines.cpu()
    pipeline[0].passes.insert(0, DoubleByAdding())
    executable = hlo.compile(TEXT, pipeline=pipeline, keep_phases=True)
    print(executable.phases["stablehlo"])
    print(executable(np.arange(4, dtype=np.float32)))
