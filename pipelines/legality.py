"""What must be gone after a phase: every op outside the legal dialects and ops is reported, with its location."""

from __future__ import annotations

from mlir import ir

from hlo.dialect.locations import diagnostic
from hlo.errors import CompileError, Diagnostic
from hlo.pipelines.phase import Phase


def check_legality(module: ir.Module, phase: Phase) -> None:
    """Raises CompileError with all leftover ops of the module."""
    findings = leftovers(module, phase)
    if findings:
        raise CompileError(*findings)


def leftovers(module: ir.Module, phase: Phase) -> list[Diagnostic]:
    """One finding for each op that is not legal after the phase."""
    if not phase.legal:
        return []
    legal = {*phase.legal, "builtin"}
    illegal = {name for name in _names(module) if name not in legal and name.partition(".")[0] not in legal}
    findings: list[Diagnostic] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in illegal:
            message = f"'{op.name}' is left after phase {phase.name!r}; allowed: {', '.join(phase.legal)}"
            findings.append(diagnostic(op, message))
        return ir.WalkResult.ADVANCE

    if illegal:
        module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return findings


def _names(module: ir.Module) -> set[str]:
    """Of all ops. Every op of every program comes through here: nothing else is done with it."""
    found: set[str] = set()
    add, go_on = found.add, ir.WalkResult.ADVANCE

    def visit(op: ir.Operation) -> ir.WalkResult:
        add(op.name)
        return go_on

    module.operation.walk(visit)
    return found
