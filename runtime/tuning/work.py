"""How often kernels are called, and how much they reduce."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from math import prod
from typing import Any

from mlir import ir

from hlo.lowering.finding import callee_of
from hlo.lowering.linalg.structured import plain_sizes, reduces

LOOPS = ("scf.for", "scf.while")
ITERATIONS = 16
"""Iterations that a loop of the program is taken to have."""


def reduction_size(op: ir.Operation) -> int:
    """Elements that a linalg op combines to one; 1 for any other op."""
    if not reduces(op):
        return 1
    kinds = ir.ArrayAttr(op.attributes["iterator_types"])
    return prod(size or 1 for size, kind in zip(plain_sizes(op), kinds) if "reduction" in str(kind))


def call_counts(module: ir.Module) -> dict[str, int]:
    """How often each function is called in a run of the program, as far as its text tells."""
    callers: dict[str, list[tuple[str, int]]] = {}
    for function in module.body.operations:
        if function.operation.name == "func.func":
            for callee, times in _calls(function):
                callers.setdefault(callee, []).append((function.name.value, times))

    @functools.cache
    def count(name: str) -> int:
        return sum(times * count(caller) for caller, times in callers[name]) if name in callers else 1

    return {name: count(name) for name in callers}


def _calls(function: Any) -> Iterator[tuple[str, int]]:
    found: list[tuple[str, int]] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            found.append((callee_of(op), ITERATIONS ** _depth(op)))
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return iter(found)


def _depth(op: ir.Operation) -> int:
    """Loops around an op."""
    parent = op.parent
    if parent is None or parent.name == "func.func":
        return 0
    return _depth(parent.operation) + (parent.operation.name in LOOPS)
