"""Ops by name, found by MLIR: a walk in Python would visit every op, which takes thirty times as long."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir, rewrite


def ops_named(module: ir.Module, names: Iterable[str]) -> list[ir.Operation]:
    """The module's ops of these names, in the order of a walk. The module's context is the current one."""
    found: list[ir.Operation] = []

    def take(op: ir.OpView, _: rewrite.PatternRewriter) -> bool:
        found.append(op.operation)
        return True  # nothing is rewritten

    patterns = rewrite.RewritePatternSet()
    for name in names:
        patterns.add(name, take)
    rewrite.walk_and_apply_patterns(module.operation, patterns.freeze())
    return found
