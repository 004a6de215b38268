"""Ops that are done by one thread, in order."""

from __future__ import annotations

from dataclasses import dataclass

from mlir import ir
from mlir.dialects import linalg

from hlo.lowering.gpu.element import Values
from hlo.lowering.gpu.grid import Grid, counted
from hlo.lowering.memory.loops_emitter import remap


@dataclass(frozen=True)
class SerialOps:
    """A launch of one thread that does what the ops say."""

    ops: list[ir.Operation]

    @property
    def grid(self) -> Grid:
        return Grid(1, 1)

    @property
    def decision(self) -> str:
        return f"one thread, {counted(len(self.ops), 'op')} in order"

    def emit(self, values: Values) -> None:
        values = dict(values)
        for op in self.ops:
            copy = copied(op, values)
            values.update(zip(op.results, copy.results))
            open_copies(copy)


def open_copies(op: ir.Operation) -> None:
    """memref.copy becomes linalg.copy, which becomes loops: one thread copies element by element."""
    found: list[ir.Operation] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        if inner.name == "memref.copy":
            found.append(inner)
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    for inner in found:
        with inner.location, ir.InsertionPoint(inner):
            linalg.copy(inner.operands[0], outs=[inner.operands[1]])
        inner.erase()


def copied(op: ir.Operation, values: Values) -> ir.Operation:
    """A copy at the insertion point that uses the new values."""
    copy = op.clone()
    remap(copy, values)
    return copy
