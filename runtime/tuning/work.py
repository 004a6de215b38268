"""How much a kernel has to do, from its text: which kernels are looked at first."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from math import prod
from typing import Any

from mlir import ir

LOOPS = ("scf.for", "scf.while")
TURNS = 16
"""Iterations that a loop of the program is taken to have."""


def loop_sizes(op: ir.Operation) -> list[tuple[int, bool]]:
    """The loops of a linalg op with indexing maps: their sizes, and whether they are reductions. Sizes that no operand shows are 1."""
    if "indexing_maps" not in op.attributes or "iterator_types" not in op.attributes:
        return []
    maps = [ir.AffineMapAttr(one).value for one in ir.ArrayAttr(op.attributes["indexing_maps"])]
    kinds = ["reduction" in str(one) for one in ir.ArrayAttr(op.attributes["iterator_types"])]
    sizes = [1] * len(kinds)
    for operand, access in zip(op.operands, maps):
        shape = ir.RankedTensorType(operand.type).shape if isinstance(operand.type, ir.RankedTensorType) else []
        for size, result in zip(shape, access.results):
            if isinstance(result, ir.AffineDimExpr):
                sizes[result.position] = size
    return list(zip(sizes, kinds))


def reduction_size(op: ir.Operation) -> int:
    return prod(size for size, reduced in loop_sizes(op) if reduced)


def work_of(kernel: Any) -> int:
    """Iterations of all its loops."""
    found = [0]

    def visit(op: ir.Operation) -> ir.WalkResult:
        loops = loop_sizes(op)
        found.append(prod(size for size, _ in loops) if loops else 0)
        return ir.WalkResult.ADVANCE

    kernel.operation.walk(visit)
    return sum(found)


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
            found.append((ir.FlatSymbolRefAttr(op.attributes["callee"]).value, TURNS ** _depth(op)))
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return iter(found)


def _depth(op: ir.Operation) -> int:
    """Loops around an op."""
    parent = op.parent
    if parent is None or parent.name == "func.func":
        return 0
    return _depth(parent.operation) + (parent.operation.name in LOOPS)
