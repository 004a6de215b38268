"""Ops whose results nobody uses go away, and with them what only fed them, in every region."""

from __future__ import annotations

import re

from mlir import ir

from hlo.dialect.stablehlo import CustomCallOp
from hlo.lowering.finding import is_unused, is_used
from hlo.lowering.passes import Pass, register_pass
from hlo.lowering.stablehlo.loops.carried_values import live_carried_values, with_fewer_carried_values
from hlo.lowering.stablehlo.rewriting import function_blocks, is_pure, nested_blocks

EIGENVECTORS = re.compile(r"lapack_([sd]syevd|[cz]heevd)_ffi")
"""Calls whose first result is the eigenvectors if `mode` is "V", and nothing if it is "N"."""
CONFIG = "mhlo.backend_config"


@register_pass
class EliminateDeadCode(Pass):
    """Erases unused ops without side effects, and values that a while loop carries only for themselves.

    %0 = stablehlo.sine %x : tensor<f32>              becomes    return %x : tensor<f32>
    return %x : tensor<f32>

    A call of LAPACK for eigenvalues and vectors (JAX's eigvalsh) asks for the eigenvalues alone where nobody reads the vectors."""

    def run(self, module: ir.Module) -> None:
        for block in function_blocks(module):
            _clean(block)


def _clean(block: ir.Block) -> None:
    """Visits the ops of a block from the last to the first: an op's users are judged before it is."""
    for op in reversed(list(block.operations)):
        if is_unused(op) and is_pure(op):
            op.operation.erase()
        elif isinstance(op, CustomCallOp):
            _ask_for_values_alone(op)
        elif len(op.regions):
            _clean_regions(op)


def _ask_for_values_alone(op: CustomCallOp) -> None:
    if not EIGENVECTORS.fullmatch(op.call_target_name) or not len(op.results) or is_used(op.results[0]):
        return
    if CONFIG not in op.attributes:
        return
    config = op.attributes[CONFIG]
    if isinstance(config, ir.DictAttr) and "mode" in config and isinstance(config["mode"], ir.IntegerAttr):
        mode = ir.IntegerAttr.get(config["mode"].type, ord("N"))
        op.attributes[CONFIG] = ir.DictAttr.get({e.name: e.attr for e in config} | {"mode": mode})


def _clean_regions(op: ir.OpView) -> None:
    if op.operation.name == "stablehlo.while":
        live = live_carried_values(op)
        if len(live) < len(op.operands):
            op = with_fewer_carried_values(op, live)
    for block in nested_blocks(op):
        _clean(block)
