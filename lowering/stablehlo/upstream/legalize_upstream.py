"""Ops of arith, math, tensor and shape in a StableHLO program become StableHLO, as far as they are about scalars, sizes
and whole tensors."""

from __future__ import annotations

from typing import Any

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.dialect.registration import NAMESPACES
from hlo.errors import CompileError
from hlo.lowering.finding import has_op
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.replacing import rewrite
from hlo.lowering.stablehlo.rewriting import function_blocks, nested_blocks
from hlo.lowering.stablehlo.upstream import arith, shape, tensor  # noqa: F401
from hlo.lowering.stablehlo.upstream.values import legalizes_upstream

DIALECTS = ("arith.", "math.", "tensor.", "shape.")

_PROGRAMS = (*(f"{namespace}." for namespace in NAMESPACES), "sdy.", "func.func", "func.return")
"""What the names of a program's own ops begin with."""


@register_pass
class LegalizeUpstream(Pass):
    """Replaces ops of arith, math, tensor and shape by StableHLO ops; scalars are tensors of rank 0, indices i64. Calls are inlined
    before.

    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x3xf32>                    %0 = stablehlo.get_dimension_size %x, dim = 0 : ...
    %s = tensor.from_elements %n : tensor<1xindex>    becomes    %n = stablehlo.convert %0 : (tensor<i32>) -> tensor<i64>
    %r = stablehlo.dynamic_reshape %x, %s : ...                  %s = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>
                                                                 %r = stablehlo.dynamic_reshape %x, %s : ..."""

    def run(self, module: ir.Module) -> None:
        if not has_upstream_ops(module):
            return
        for block in function_blocks(module):
            _legalize(block)


def _legalize(block: ir.Block) -> None:
    for op in list(block.operations):
        name = op.operation.name
        _refuse(op, name)
        for inner in nested_blocks(op) if len(op.regions) else ():
            _legalize(inner)
        if name in legalizes_upstream:
            rewrite(op, legalizes_upstream[name])


def _refuse(op: Any, name: str) -> None:
    if not _is_foreign(name) or name in legalizes_upstream or name == "shape.assuming_yield":
        return
    known = f"; supported: {_known(name)}" if name.startswith(DIALECTS) else ""
    raise CompileError(diagnostic(op, f"'{name}' is not supported in a StableHLO program{known}"))


def _is_foreign(name: str) -> bool:
    return not name.startswith(_PROGRAMS) and name not in ("func.call", "builtin.module")


def _known(name: str) -> str:
    dialect = name.split(".")[0]
    return ", ".join(sorted(rule for rule in legalizes_upstream if rule.startswith(f"{dialect}.")))


def has_upstream_ops(module: Any) -> bool:
    """Whether some op is one that this pass replaces or refuses."""
    return has_op(module.operation, lambda op: _is_foreign(op.name))
