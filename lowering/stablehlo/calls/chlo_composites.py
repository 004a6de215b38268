"""CHLO ops that came as composites: what jaxlib makes of them in a portable artifact, which has no CHLO.

stablehlo.composite "chlo.erf" %x {decomposition = @erf, version = 1 : i32} : ...    becomes    chlo.erf %x : ...

Their decompositions are right, but less exact and slower than what the compiler makes of the ops."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.definition import OPS
from hlo.dialect.verifier import op_error
from hlo.lowering.stablehlo.rewriting import each_op

PREFIX = "chlo."
VERSION = 1
"""Of the composites that upstream writes for CHLO ops."""


def restore_composites(module: ir.Module) -> None:
    """Replaces the composites of a module that stand for CHLO ops; others stay, also those that no such op would be right for."""
    for op in each_op(module):
        if op.operation.name == "stablehlo.composite" and _is_chlo(op):
            _restore(op)


def _is_chlo(op: ir.OpView) -> bool:
    return op.composite_name.startswith(PREFIX) and op.composite_name in OPS and op.version == VERSION


def _restore(op: ir.OpView) -> None:
    given = op.attributes.get("composite_attributes", ())
    made = ir.Operation.create(
        op.composite_name,
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes={named.name: named.attr for named in given},
        loc=op.location,
        ip=ir.InsertionPoint(op),
    ).opview
    if len(op.regions) or op_error(made):
        made.operation.erase()
        return
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()
