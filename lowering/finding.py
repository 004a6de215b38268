"""Ops by name, found by MLIR: a walk in Python would visit every op, which takes thirty times as long."""

from __future__ import annotations

from collections.abc import Iterable

from mlir import ir, rewrite


def ops_named(module: ir.Module, names: Iterable[str]) -> list[ir.Operation]:
    """The module's ops of these names, in the order of a walk. The module's context is the current one."""
    finder = _finder(module.context, tuple(names))
    finder.found = []
    rewrite.walk_and_apply_patterns(module.operation, finder.patterns)
    found, finder.found = finder.found, []
    return found


class _Finder:
    """Patterns that rewrite nothing. MLIR's bindings never free patterns: a context keeps those for each tuple of names."""

    def __init__(self, names: tuple[str, ...]):
        self.found: list[ir.Operation] = []
        patterns = rewrite.RewritePatternSet()
        for name in names:
            patterns.add(name, self._take)
        self.patterns = patterns.freeze()

    def _take(self, op: ir.OpView, _: rewrite.PatternRewriter) -> bool:
        self.found.append(op.operation)
        return True  # nothing is rewritten


def _finder(context: ir.Context, names: tuple[str, ...]) -> _Finder:
    kept = vars(context).setdefault("hlo_finders", {})
    if names not in kept:
        kept[names] = _Finder(names)
    return kept[names]
