"""Passes between which nobody looks are not followed by MLIR's verifier; a phase is, whatever its passes are."""

from dataclasses import dataclass

import pytest
from mlir import ir

import hlo
from hlo import pipelines
from hlo.errors import CompileError
from hlo.lowering.passes import Pass

PROGRAM = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"


@dataclass(frozen=True)
class WrongReturn(Pass):
    """Leaves a function whose return does not fit its type."""

    def run(self, module: ir.Module) -> None:
        (function,) = module.body.operations
        function.attributes["function_type"] = ir.TypeAttr.get(ir.Type.parse("(tensor<4xf32>) -> tensor<5xf32>"))


@pytest.mark.parametrize("phase", [0, 1])
@pytest.mark.parametrize("last", [[], ["cse"]])
def test_invalid_module(phase, last):
    phases = pipelines.cpu()
    phases[phase].passes += [WrongReturn(), *last]
    with pytest.raises(CompileError, match=f"phase {phases[phase].name}"):
        hlo.compile(PROGRAM, pipeline=phases)
