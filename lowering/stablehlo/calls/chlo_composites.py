"""CHLO ops that came as composites: what jaxlib makes of them in a portable artifact, which has no CHLO.

stablehlo.composite "chlo.erf" %x {decomposition = @erf, version = 1 : i32} : ...    becomes    chlo.erf %x : ...

Their decompositions are right, but less exact and slower than what the compiler makes of the ops."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.definition import OPS
from hlo.dialect.stablehlo import CompositeOp
from hlo.dialect.verifier import op_error
from hlo.lowering.stablehlo.rewriting import rewrite_each

PREFIX = "chlo."
VERSION = 1
"""Of the composites that upstream writes for CHLO ops."""


def restore_composites(module: ir.Module) -> None:
    """Replaces the composites of a module that stand for CHLO ops; others stay, also those that no such op would be right for."""
    rewrite_each(module, CompositeOp, _restored)


def _restored(op: CompositeOp) -> list[ir.Value] | None:
    is_chlo = op.composite_name.startswith(PREFIX) and op.composite_name in OPS and op.version == VERSION
    if not is_chlo or len(op.regions):
        return None
    given = {named.name: named.attr for named in op.attributes.get("composite_attributes", ())}
    made = ir.Operation.create(op.composite_name, [r.type for r in op.results], list(op.operands), given).opview
    if op_error(made):
        made.operation.erase()
        return None
    return list(made.results)
